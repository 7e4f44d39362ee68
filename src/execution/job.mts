/** A job: steps that go on from disk alone after any death, no step twice, none lost. Every slice of it holds one lock. */
import path from 'node:path';
import type { Io } from '../lib/cli/command.mts';
import { HandoffError } from '../lib/errors.mts';
import { acquire } from '../lib/fs/lock.mts';
import { shellWord } from '../lib/shell-word.mts';
import { jobPlace, loadCheckpoint, type Checkpoint, type JobPlace, type Slice } from './checkpoint.mts';
import { folderName } from '../store/names.mts';
import type { Plan } from './plan.mts';
import { placeIn } from './records.mts';
import { mustStayInState, type Setting } from './setting.mts';
import { runStep, save, settle, type Job, type Waiting } from './step.mts';
import { mendWorkLog, readWorkLog } from './work-log.mts';

export type JobEnd =
  | { readonly end: 'completed'; readonly before: boolean; readonly checkpoint: Checkpoint; readonly log: string }
  | { readonly end: 'killed'; readonly checkpoint: Checkpoint; readonly step: number }
  /** `asks`: it goes on when a person says so, and not before. */
  | { readonly end: 'waiting'; readonly checkpoint: Checkpoint; readonly step: number; readonly waiting: Waiting; readonly asks: boolean };

export interface Resume {
  /** As many as the job has, where the person says it. */
  readonly steps?: number | undefined;
  /** The step that a person lets run once. */
  readonly approve?: number | undefined;
  readonly maxResumes: number;
}

/** Starts a job of `steps`, or of the plan's. `failAt`: stop before that step as a kill would. Throws EXISTS, HELD, DAMAGED. */
export function startJob(setting: Setting, io: Io, session: string, steps: number | Plan, failAt: number | undefined): Promise<JobEnd> {
  return underLock(setting, session, async (place) => {
    if (loadCheckpoint(place.checkpoint) !== undefined) {
      throw new HandoffError('EXISTS', `there is a job ${session} already; \`resume --session ${shellWord(session)}\` goes on with it`, { data: { checkpoint: placeIn(setting, place.checkpoint) } });
    }
    if (readWorkLog(place.log).bytes > 0) throw new HandoffError('DAMAGED', `${place.log} is there and its checkpoint is not; begin the work anew under another --session`);
    const checkpoint: Checkpoint = {
      seq: 0, steps: [], steps_total: typeof steps === 'number' ? steps : steps.steps.length, session, updated_at: '', checkpoint_sha256: '', completed: false,
      ...(typeof steps === 'number' ? {} : { plan: steps }),
      approvals: [], resumes_without_progress: 0, ledger: { steps: 0, ms: 0, slices: [] },
    };
    const job = openSlice(setting, io, place, checkpoint, 'job');
    save(job);
    return work(job, failAt);
  });
}

/** Goes on with a job. Throws NO_MATCH, DAMAGED, USAGE, HELD, and DENIED after too many resumes without progress. */
export function resumeJob(setting: Setting, io: Io, session: string, { steps, approve, maxResumes }: Resume): Promise<JobEnd> {
  return underLock(setting, session, async (place) => {
    const checkpoint = needCheckpoint(place, session);
    if (steps !== undefined && steps !== checkpoint.steps_total) throw new HandoffError('USAGE', `the job ${session} has ${checkpoint.steps_total} steps, not ${steps}`);
    const job = openSlice(setting, io, place, checkpoint, 'resume');
    const wasCompleted = checkpoint.completed;
    agree(job);
    const acted = settle(job);
    if (approve !== undefined) recordApproval(checkpoint, approve, acted);
    if (checkpoint.completed) return { end: 'completed', before: wasCompleted, checkpoint, log: placeIn(setting, place.log) };
    if (checkpoint.resumes_without_progress >= maxResumes) {
      throw new HandoffError('DENIED', `the job ${session} was resumed ${checkpoint.resumes_without_progress} times without progress at step ${checkpoint.seq + 1}; --max-resumes allows more`, { data: { step: checkpoint.seq + 1, resumes_without_progress: checkpoint.resumes_without_progress } });
    }
    checkpoint.resumes_without_progress += 1;
    const step = checkpoint.seq + 1;
    if (acted !== undefined && !checkpoint.approvals.some((one) => one.step === step && one.used_by === null)) {
      checkpoint.paused = { step, cause: acted.cause, reason: acted.reason, at: checkpoint.paused?.at ?? new Date().toISOString() };
      save(job);
      return { end: 'waiting', checkpoint, step, waiting: acted, asks: true };
    }
    save(job);
    return work(job, undefined);
  });
}

/** A job as it stands, and how many steps its work log has. Reads only. Throws NO_MATCH, DAMAGED. */
export function jobStatus(setting: Setting, session: string): { checkpoint: Checkpoint; logged: number } {
  const place = placeOf(setting, session);
  return { checkpoint: needCheckpoint(place, session), logged: readWorkLog(place.log).steps };
}

/** A work log is appended to and cut, so it may be no link to somebody's file. */
function placeOf(setting: Setting, session: string): JobPlace {
  const place = jobPlace(setting.state, session);
  mustStayInState(setting, place.log);
  return place;
}

function needCheckpoint(place: JobPlace, session: string): Checkpoint {
  const checkpoint = loadCheckpoint(place.checkpoint);
  if (checkpoint === undefined) throw new HandoffError('NO_MATCH', `there is no job ${session}`, { data: { session } });
  return checkpoint;
}

async function underLock(setting: Setting, session: string, body: (place: JobPlace) => Promise<JobEnd>): Promise<JobEnd> {
  // By the place that is asked for first: two ids that would share it wait for each other.
  const lock = acquire(path.join(setting.state, '.locks'), `job:${folderName(session).toLowerCase()}`, 'job');
  try {
    // Where it is kept is asked under the lock: another slice may have made it meanwhile.
    return await body(placeOf(setting, session));
  } finally {
    lock.release();
  }
}

async function work(job: Job, failAt: number | undefined): Promise<JobEnd> {
  const { checkpoint, setting, place, io } = job;
  while (!checkpoint.completed) {
    const step = checkpoint.seq + 1;
    if (step === failAt) return { end: 'killed', checkpoint, step };
    io.progress(`step ${step} of ${checkpoint.steps_total}`);
    const waiting = await runStep(job);
    if (waiting !== undefined) return { end: 'waiting', checkpoint, step, waiting, asks: waiting.cause === 'needs authorization' };
  }
  return { end: 'completed', before: false, checkpoint, log: placeIn(setting, place.log) };
}

function openSlice(setting: Setting, io: Io, place: JobPlace, checkpoint: Checkpoint, verb: Slice['verb']): Job {
  const began = performance.now();
  const [stepsBefore, msBefore] = [checkpoint.seq, checkpoint.ledger.ms];
  const slice: Slice = { verb, at: new Date().toISOString(), steps: 0, ms: 0 };
  checkpoint.ledger.slices.push(slice);
  return {
    setting, io, place, checkpoint,
    tick() {
      slice.ms = Math.round(performance.now() - began);
      slice.steps = checkpoint.seq - stepsBefore;
      checkpoint.ledger.ms = msBefore + slice.ms;
      checkpoint.ledger.steps = checkpoint.seq;
    },
  };
}

/** The log may be one step ahead, of a step that died before its checkpoint; never behind, and never further. */
function agree({ checkpoint, place }: Job): void {
  const log = readWorkLog(place.log);
  mendWorkLog(place.log, log);
  const ahead = checkpoint.begun?.step === checkpoint.seq + 1 ? 1 : 0;
  if (log.steps < checkpoint.seq || log.steps > checkpoint.seq + ahead) {
    throw new HandoffError('DAMAGED', `${place.log} has ${log.steps} steps where the checkpoint has ${checkpoint.seq}`, { data: { logged: log.steps, seq: checkpoint.seq } });
  }
}

/** Notes a person's word; the save before the step puts it on disk. Throws USAGE where no such step waits for one. */
function recordApproval(checkpoint: Checkpoint, step: number, acted: Waiting | undefined): void {
  const asks = acted !== undefined || checkpoint.paused?.cause === 'needs authorization';
  if (checkpoint.completed || step !== checkpoint.seq + 1 || !asks) throw new HandoffError('USAGE', `step ${step} of ${checkpoint.session} is not waiting for an approval`);
  if (!checkpoint.approvals.some((one) => one.step === step && one.used_by === null)) checkpoint.approvals.push({ step, at: new Date().toISOString(), used_by: null });
}
