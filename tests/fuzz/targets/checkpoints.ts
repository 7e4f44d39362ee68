/**
 * A job whose state was damaged, or changed and sealed anew, is refused in a sentence or goes on as its checkpoint says:
 * no step that is done runs again, none runs that is not planned, and none without the approval that it needs.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { loadCheckpoint, saveCheckpoint, type Checkpoint } from '../../../src/execution/checkpoint.mts';
import type { Target } from '../fuzz.ts';
import { below, mutate, mutateJson, pick, type Random } from '../mutate.ts';
import { Executor, filesBelow, type Answer } from './executor.ts';

const CHECKPOINT = 'checkpoints/j.json';
const LOG = 'jobs/j/work.log';

type State = Map<string, Buffer>;

/** What jobs leave behind: stopped, dead between two writes or while a process ran, waiting for a person, at their end. */
async function makeStates(executor: Executor): Promise<State[]> {
  const states: State[] = [];
  const add = (state = filesBelow(executor.state)): void => void states.push(alike(executor, state));
  const does = (verb: string, ...more: string[]): Promise<Answer> => executor.verb([verb, '--session', 'j', ...more]);
  const clean = (): void => fs.rmSync(executor.state, { recursive: true });

  await does('job', '--steps', '4', '--fail-at', '3');
  add();
  const file = path.join(executor.state, CHECKPOINT);
  const checkpoint = loadCheckpoint(file)!;
  saveCheckpoint(file, { ...checkpoint, begun: { step: 3, op: 'work-log-append', record: checkpoint.steps[1]!.record!, at: 'then' } });
  add();
  fs.appendFileSync(path.join(executor.state, LOG), 'step 3 at then\n');
  add();
  clean();
  await does('job', '--plan', executor.plan, '--fail-at', '2');
  add();
  add(await executor.stateWhile(() => does('resume')));
  add();
  add(await executor.stateWhile(() => does('resume', '--approve', '4')));
  add();
  clean();
  if (executor.ran().length !== 3) throw new Error('the jobs of the target did not run as planned');
  return states;
}

/** The same in every run of the target, so that a seed gives the same damage: no times, no ids, no folder of this machine, no lock. */
function alike(executor: Executor, state: State): State {
  const records = [...state].filter(([name]) => name.startsWith('executions/')).map(([, bytes]) => JSON.parse(bytes.toString('utf8')) as { id: string; at: string; job: { step: number } });
  const ids = records.sort((a, b) => a.job.step - b.job.step || (a.at < b.at ? -1 : 1)).map(({ id }) => id);
  const plain = (text: string): string => ids.reduce((all, id, at) => all.replaceAll(id, `record-${at}`), text)
    .replaceAll(executor.dir, '/work').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-01-01T00:00:00.000Z').replace(/"ms": [\d.]+/g, '"ms": 1');
  const files = new Map([...state].filter(([name]) => !name.startsWith('.locks/')).map(([name, bytes]) => [plain(name), Buffer.from(plain(bytes.toString('utf8')))]));
  const checkpoint = JSON.parse(files.get(CHECKPOINT)!.toString('utf8')) as Checkpoint;
  files.set(CHECKPOINT, Buffer.from(`${JSON.stringify({ ...checkpoint, checkpoint_sha256: sealOf(checkpoint) }, null, 2)}\n`));
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Changes that leave every key a value of its kind: whoever can write the file could make them. */
const BELIEVABLE: readonly ((random: Random, checkpoint: Checkpoint, records: readonly string[]) => void)[] = [
  ...Array.from({ length: 3 }, () => (random: Random, { begun }: Checkpoint, records: readonly string[]) => { if (begun !== undefined) begun.record = pick(random, records); }),
  (random, { begun }) => { if (begun !== undefined) begun.op = pick(random, ['read', 'spawn', 'work-log-append']); },
  (random, { begun }) => { if (begun !== undefined) begun.step = 1 + below(random, 5); },
  (_, checkpoint) => { delete checkpoint.begun; },
  (random, { approvals }) => void approvals.push({ step: 1 + below(random, 5), at: 'then', used_by: null }),
  (_, { approvals }) => { for (const one of approvals) one.used_by = null; },
  (random, checkpoint) => { checkpoint.seq = below(random, 6); checkpoint.steps.length = Math.min(checkpoint.steps.length, checkpoint.seq); },
  (random, checkpoint) => { checkpoint.completed = random() < 0.5; },
  (random, { plan }) => { if (plan !== undefined) (pick(random, plan.steps) as { risk: string }).risk = pick(random, ['R0', 'R1', 'R2', 'R9']); },
  (_, { plan }) => { (plan?.steps as unknown[] | undefined)?.reverse(); },
  (random, checkpoint) => { checkpoint.steps_total += pick(random, [-1, 1, 30]); },
];

/** Damages one file of a state; gives what it did, in a word. */
function damage(random: Random, state: State): string {
  const checkpoint = state.get(CHECKPOINT)!;
  const value = JSON.parse(checkpoint.toString('utf8')) as Checkpoint;
  const records = [...state.keys()].filter((name) => name.startsWith('executions/'));
  const how = random();
  if (how < 0.5) {
    let changed: unknown = value;
    if (how < 0.25) pick(random, BELIEVABLE)(random, value, records.map((name) => path.basename(name, '.json')));
    else for (let left = 1 + below(random, 3); left > 0; left -= 1) changed = mutateJson(random, changed);
    state.set(CHECKPOINT, Buffer.from(JSON.stringify(typeof changed === 'object' && changed !== null ? { ...changed, checkpoint_sha256: sealOf(changed) } : changed)));
    return 'sealed anew';
  }
  // The record that a resume looks at first is that of the step that had begun.
  const own = `executions/${value.begun?.record ?? ''}.json`;
  const name = how < 0.65 ? CHECKPOINT : how < 0.75 ? LOG : records.includes(own) && random() < 0.8 ? own : pick(random, records);
  if (random() < 0.05) state.delete(name);
  else state.set(name, mutate(random, state.get(name)!));
  return name === CHECKPOINT ? 'checkpoint' : name === LOG ? 'log' : 'record';
}

function sealOf(value: object): string {
  const { checkpoint_sha256: _, ...rest } = value as Record<string, unknown>;
  return createHash('sha256').update(JSON.stringify(rest)).digest('hex');
}

/** What a file says whose seal agrees; undefined for every other. */
function sealed(file: string): Partial<Checkpoint> | undefined {
  try {
    const value = JSON.parse(fs.readFileSync(file, 'utf8')) as Checkpoint;
    return value.checkpoint_sha256 === sealOf(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readOr(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch {
    // Not there, no file, or no name that the system takes.
    return undefined;
  }
}

/** Names in the state that may be a link to somewhere else: nothing may be written there. The log is what is cut and appended to in its place. */
const NAMES = ['checkpoints', 'jobs', 'executions', '.locks', 'jobs/j', LOG, LOG, LOG, CHECKPOINT, `${CHECKPOINT}.checkpoint.tmp`, 'executions/record-4.json', 'executions/record-4.json.record.tmp'];

let executor: Executor | undefined;
let states: Promise<State[]> | undefined;

async function run(random: Random): Promise<string> {
  executor ??= new Executor();
  states ??= makeStates(executor);
  // Dead while a process ran, more often than the others: there the most depends on the records.
  const all = await states;
  const state = new Map(pick(random, [...all, ...all.filter((one) => one.get(CHECKPOINT)!.includes('"op": "spawn"') && one.get(CHECKPOINT)!.includes('"begun"'))]));
  const linked = random() < 0.08 ? pick(random, NAMES) : undefined;
  const what = linked === undefined ? damage(random, state) : 'link';
  fs.rmSync(executor.state, { recursive: true, force: true });
  for (const [name, bytes] of state) {
    fs.mkdirSync(path.dirname(path.join(executor.state, name)), { recursive: true });
    fs.writeFileSync(path.join(executor.state, name), bytes);
  }
  if (linked !== undefined) {
    const link = path.join(executor.state, linked);
    fs.rmSync(link, { recursive: true, force: true });
    fs.symlinkSync(path.join(executor.dir, pick(random, ['outside', 'outside/x', 'home', 'outside/nothing'])), link);
  }
  if (random() < 0.3) await executor.verb(['status', '--session', 'j']);
  let status = await resume(executor, random, linked !== undefined);
  if (random() < 0.3) status = await resume(executor, random, linked !== undefined);
  return `${what} ${status}`;
}

/** Resumes the job, by whatever words, and holds what ran against what the checkpoint said before. */
async function resume(by: Executor, random: Random, linked: boolean): Promise<number> {
  const file = path.join(by.state, CHECKPOINT);
  const before = readOr(file);
  const said = sealed(file);
  const came = said === undefined ? undefined : cameOf(said, readOr(path.join(by.state, 'executions', `${String(said.begun?.record)}.json`)));
  by.ran();
  const approved = random() < 0.4 ? 1 + below(random, 5) : undefined;
  const answer = await by.verb(['resume', '--session', 'j', ...(approved === undefined ? [] : ['--approve', String(approved)]), ...(random() < 0.1 ? ['--steps', '5'] : [])]);
  const ran = by.ran();
  const wrong = (why: string): Error => new Error(`${why}: ${JSON.stringify(ran)}, exit ${answer.status}, ${answer.out}${answer.err}the checkpoint was ${before?.toString('utf8') ?? 'missing'}`);

  const after = readOr(file);
  const saved = sealed(file);
  if (saved === undefined && !(before === undefined ? after === undefined : after?.equals(before))) throw wrong('left a checkpoint that is not sound');
  if (said === undefined && (ran.length > 0 || !(answer.status === (before === undefined ? 4 : 5) || (linked && answer.status === 2)))) throw wrong('went on from a checkpoint that is not sound');
  if (answer.status === 0 && (saved?.seq === undefined || saved.seq !== saved.steps_total)) throw wrong('said that it is completed');
  if (answer.status === 5) {
    if (ran.length > 0) throw wrong('ran before it refused');
    return 5;
  }
  const plan = said?.plan?.steps ?? [];
  const begun = said?.begun === undefined ? undefined : { step: said.begun.step, came };
  const steps: number[] = [];
  for (const words of ran) {
    const at = plan.findIndex((step, index) => index >= (steps.at(-1) ?? said?.seq ?? 0) && step.op === 'spawn' && sameWords(step.args, words));
    if (at === -1) throw wrong('ran what is done or was not planned');
    const step = at + 1;
    steps.push(step);
    const waits = plan[at]!.risk !== 'R1' || (begun?.step === step && begun.came !== 'to nothing');
    if (waits && approved !== step && said?.approvals?.some((one) => one.step === step && one.used_by === null) !== true) throw wrong(`step ${step} ran without an approval`);
  }
  plan.slice(said?.seq, saved?.seq).forEach(({ op }, index) => {
    const step = (said?.seq ?? 0) + 1 + index;
    if (op === 'spawn' && !steps.includes(step) && !(begun?.step === step && begun.came === 'to its end')) throw wrong(`step ${step} counts as done and did not run`);
  });
  return answer.status;
}

const sameWords = (planned: readonly string[], ran: readonly string[]): boolean => planned.map((word) => word.toWellFormed()).join('\u001f') === ran.join('\u001f');

/** What became of a step that had begun, by its record: one that is not whole, or another's, says nothing. */
function cameOf({ begun, session }: Partial<Checkpoint>, bytes: Buffer | undefined): 'to its end' | 'to nothing' | undefined {
  try {
    const { outcome, executed, exit_code, job } = JSON.parse(bytes?.toString('utf8') ?? '') as Record<string, unknown>;
    const { step, session: whose } = job as Record<string, unknown>;
    if (step !== begun?.step || whose !== session) return undefined;
    if (outcome === 'done' && exit_code === 0) return 'to its end';
    return outcome === 'refused' || (outcome === 'failed' && executed === false) ? 'to nothing' : undefined;
  } catch {
    return undefined;
  }
}

function end(): void {
  executor?.remove();
  executor = undefined;
  states = undefined;
}

export const checkpoints: Target = { name: 'checkpoints', share: 2, run, end };
