/**
 * One step of a job. The order of writes, each durable before the next: the decision's record; the checkpoint, which says
 * that the step has begun; the act; its end in the record; the line in the work log; the checkpoint, which says that it
 * is done. Whatever dies in between, `settle` can tell from these what happened, or says that it cannot.
 */
import type { Io } from '../lib/cli/command.mts';
import { createRollback } from '../lib/fs/rollback.mts';
import { effectOf } from '../transcript/effects.mts';
import { loadCheckpoint, saveCheckpoint, type Approval, type Cause, type Checkpoint, type JobPlace } from './checkpoint.mts';
import { classify } from './classify.mts';
import { decide } from './decision.mts';
import { operate } from './operate.mts';
import { LOG_STEP } from './plan.mts';
import { readRecord, recordDecision, settleRecord, type ExecutionRecord } from './records.mts';
import type { Setting } from './setting.mts';
import { appendStep, readWorkLog } from './work-log.mts';

/** A job at work: its checkpoint changes as it goes. */
export interface Job {
  readonly setting: Setting;
  readonly io: Io;
  readonly place: JobPlace;
  readonly checkpoint: Checkpoint;
  /** Brings the ledger up to date before a save. */
  tick(): void;
}

/** What a step risks that only writes its line. */
const LOG_RISK = 'R1';

export interface Waiting {
  readonly cause: Cause;
  readonly reason: string;
  /** What the step did stays, so only a person lets it run again. */
  readonly mayHaveActed?: true;
}

/** Writes the checkpoint as it now is. Throws as the file system does. */
export function save(job: Job): void {
  job.tick();
  saveCheckpoint(job.place.checkpoint, job.checkpoint);
}

/** Runs the next step to its end. undefined where it is done; else why the job waits, which the checkpoint says too. */
export async function runStep(job: Job): Promise<Waiting | undefined> {
  const { checkpoint } = job;
  const step = checkpoint.seq + 1;
  const operation = checkpoint.plan?.steps[step - 1];
  const waiting = operation === undefined ? runLogStep(job, step) : await runOperation(job, step, operation);
  if (waiting !== undefined) pause(job, step, waiting);
  return waiting;
}

function runLogStep(job: Job, step: number): Waiting | undefined {
  const { setting, place } = job;
  const classified = classify(place.log, setting);
  const decision = decide(LOG_STEP, LOG_RISK, classified, setting.policy);
  const record = recordDecision(setting, { op: LOG_STEP, target: place.log, facts: jobFacts(job, step) }, decision, classified, true);
  if (decision.verdict !== 'ALLOWED') return { cause: decision.verdict === 'DENIED' ? 'denied' : 'needs authorization', reason: decision.reason };
  begin(job, step, LOG_STEP, record.id);
  finish(job, step, LOG_STEP, record.id);
  record.complete('done', {});
  return undefined;
}

async function runOperation(job: Job, step: number, operation: NonNullable<Checkpoint['plan']>['steps'][number]): Promise<Waiting | undefined> {
  const { setting, io } = job;
  const approval = job.checkpoint.approvals.find((one) => one.step === step && one.used_by === null);
  const { decision, outcome, facts, record, executed } = await operate(setting, operation, io, {
    ...(approval === undefined ? {} : { authorization: `resume --approve ${step} at ${approval.at}` }),
    facts: jobFacts(job, step),
    beforeAct: ({ id }) => begin(job, step, operation.op, id, approval),
  });
  if (outcome === 'refused') return { cause: decision.verdict === 'NEEDS_AUTH' ? 'needs authorization' : 'denied', reason: decision.reason };
  const ended = endOf(outcome, facts);
  if (ended !== undefined) return { cause: 'failed', reason: ended, ...(executed && effectOf(operation.op) !== 'read' ? { mayHaveActed: true } : {}) };
  finish(job, step, operation.op, record.id);
  return undefined;
}

/** What an act that was not done, or ended badly, says for itself. */
function endOf(outcome: string, facts: Readonly<Record<string, unknown>>): string | undefined {
  if (facts['timed_out'] === true) return 'it ran into its time limit';
  if (typeof facts['signal'] === 'string') return `it was ended by ${facts['signal']}`;
  if (outcome === 'failed') return typeof facts['error'] === 'string' ? facts['error'] : 'it failed';
  return typeof facts['exit_code'] === 'number' && facts['exit_code'] !== 0 ? `it ended with exit code ${facts['exit_code']}` : undefined;
}

function jobFacts({ checkpoint }: Job, step: number): Record<string, unknown> {
  return { job: { session: checkpoint.session, step } };
}

/** The approval, where there is one, is used up in the same write that says the step has begun. */
function begin(job: Job, step: number, op: string, record: string, approval?: Approval): void {
  job.checkpoint.begun = { step, op, record, at: new Date().toISOString() };
  if (approval !== undefined) approval.used_by = record;
  delete job.checkpoint.paused;
  save(job);
}

/**
 * The line in the log, where a death did not leave it there, and the checkpoint. A write that fails takes the line back,
 * unless the checkpoint is in its place already and only its folder could not be synced.
 */
function finish(job: Job, step: number, op: string, record: string): void {
  const { checkpoint, place } = job;
  const at = new Date().toISOString();
  const rollback = createRollback();
  try {
    if (readWorkLog(place.log).steps < step) appendStep(place.log, step, at, op === LOG_STEP ? '' : ` ${op} ${record}`, rollback);
    checkpoint.seq = step;
    checkpoint.steps.push({ seq: step, ts: at, op, record });
    checkpoint.completed = step === checkpoint.steps_total;
    checkpoint.resumes_without_progress = 0;
    delete checkpoint.begun;
    delete checkpoint.paused;
    save(job);
    rollback.commit();
  } catch (error) {
    if (!says(place, step)) rollback.run();
    throw error;
  }
}

function says({ checkpoint }: JobPlace, step: number): boolean {
  try {
    return loadCheckpoint(checkpoint)?.seq === step;
  } catch {
    return false;
  }
}

function pause(job: Job, step: number, { cause, reason, mayHaveActed }: Waiting): void {
  job.checkpoint.paused = { step, cause, reason, at: new Date().toISOString() };
  if (mayHaveActed === undefined) delete job.checkpoint.begun;
  save(job);
}

/**
 * What became of a step that had begun when its process died. Done: it is finished here. Not done, or only read: it
 * will run again. Else it may have acted, and the job waits for a person.
 */
export function settle(job: Job): Waiting | undefined {
  const { checkpoint, setting, place } = job;
  settleLast(job);
  const { begun } = checkpoint;
  if (begun === undefined) return undefined;
  const { step, op, record } = begun;
  if (op === LOG_STEP) {
    const done = readWorkLog(place.log).steps >= step;
    if (done) finish(job, step, op, record);
    settleRecord(setting.state, record, done ? 'done' : 'failed', done ? {} : { error: 'the program died before it did this' });
    return undefined;
  }
  const known = recordOf(job, step, record);
  if (known?.outcome === 'done' && endOf('done', known) === undefined && (op !== 'spawn' || known['exit_code'] === 0)) {
    finish(job, step, op, record);
    return undefined;
  }
  // Refused at the last moment, or never started, or a step that only looked: nothing has happened.
  if (known?.outcome === 'refused' || (known?.outcome === 'failed' && known.executed === false) || effectOf(op) === 'read') {
    delete checkpoint.begun;
    return undefined;
  }
  if (known === undefined || known.outcome === 'begun') return { cause: 'outcome unknown', reason: 'it had begun when the program died', mayHaveActed: true };
  return { cause: 'failed', reason: endOf(known.outcome, known) ?? 'it failed', mayHaveActed: true };
}

/** The record of a step that had begun. One that is another's, or was put in its place, says nothing of it. */
function recordOf({ setting, checkpoint }: Job, step: number, id: string): ExecutionRecord | undefined {
  const record = readRecord(setting.state, id);
  const { session, step: of } = (record?.['job'] ?? {}) as { session?: unknown; step?: unknown };
  return session === checkpoint.session && of === step ? record : undefined;
}

/** A death between the checkpoint and the end of the record: the checkpoint is right. */
function settleLast({ checkpoint, setting }: Job): void {
  const last = checkpoint.steps.at(-1);
  if (last?.op === LOG_STEP && last.record !== undefined) settleRecord(setting.state, last.record, 'done', {});
}
