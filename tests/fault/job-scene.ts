/**
 * A plan of five steps, struck at every system call that changes its repository or its state. After each fault the job
 * is resumed to its end, and it is asked how often each step has really acted.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Checkpoint } from '../../src/execution/checkpoint.mts';
import type { ExecutionRecord } from '../../src/execution/records.mts';
import { sha256 } from '../helpers/desk.ts';
import { freshFolder } from '../helpers/run.ts';
import { countCalls, failAt, killAt, strike, type Call, type Child } from '../helpers/strace.ts';
import { describePoint, kindOf, type Held, type Point } from './points.ts';
import { record } from './record.ts';

const PROGRAM = fileURLToPath(new URL('../../tools', import.meta.url));
const POLICY = fileURLToPath(new URL('../../permission-policy.json', import.meta.url));
const STEPS = 5;
/** Pipes to a child make Node's own writes come in another number each time. A fault that strikes elsewhere is one too: what must hold is the same. */
const MOST_TRIES = 5;
/** The steps that leave a mark, so that it shows how often they acted. */
const ACTING = [2, 4, 5];

interface Said {
  status: number | null;
  json: Record<string, unknown>;
  stderr: string;
}

export class JobScene {
  readonly name: string;
  readonly calls: Call[];
  readonly #dir: string;
  readonly #repo: string;
  readonly #argv: readonly string[];

  /** `died`: what is struck is the resume, by approval, of a job whose program died while step 2 was at work. */
  constructor(died: boolean) {
    this.name = died ? 'a resume by approval' : 'a plan';
    this.#dir = freshFolder('handoff-job-fault-');
    this.#repo = path.join(this.#dir, 'repo');
    this.#prepare();
    this.#argv = died ? ['resume', '--session', 'j', '--approve', '2'] : ['job', '--session', 'j', '--plan', path.join(this.#dir, 'plan.json')];
    if (died) this.#dieAtWork();
    fs.cpSync(this.#repo, path.join(this.#dir, 'prepared'), { recursive: true });
    this.calls = countCalls(this.fresh());
  }

  remove(): void {
    fs.rmSync(this.#dir, { recursive: true, force: true });
  }

  #prepare(): void {
    // The product as a package manager installs it: the repository is then the folder with `.git`.
    const product = path.join(this.#dir, 'node_modules/agents-handoff');
    fs.mkdirSync(product, { recursive: true });
    fs.cpSync(PROGRAM, path.join(product, 'tools'), { recursive: true });
    fs.copyFileSync(POLICY, path.join(product, 'permission-policy.json'));
    for (const folder of ['repo/.git', 'home']) fs.mkdirSync(path.join(this.#dir, folder), { recursive: true });
    fs.writeFileSync(path.join(this.#repo, 'in.txt'), 'in');
    const read = { op: 'read', risk: 'R0', target: 'in.txt' };
    const mark = (step: number): object => ({ op: 'spawn', risk: 'R1', args: ['-e', `require('fs').appendFileSync('marks', '${step}\\n')`] });
    fs.writeFileSync(path.join(this.#dir, 'plan.json'), JSON.stringify({ schema_version: '1.0-execution-plan', steps: [read, mark(2), read, mark(4), mark(5)] }));
  }

  /** As a program leaves it that died when step 2 had acted and its end was not yet written down. */
  #dieAtWork(): void {
    const plan = this.#engine('job', '--session', 'j', '--plan', path.join(this.#dir, 'plan.json'), '--fail-at', '3');
    if (plan.status !== 137) throw new Error(`the job that was to stop before step 3 ended with ${plan.status}: ${plan.stderr}`);
    const state = path.join(this.#repo, '.agents-handoff');
    const checkpoint = this.#checkpoint()!;
    const done = checkpoint.steps.pop()!;
    const file = path.join(state, 'executions', `${done.record}.json`);
    const { completed_at: _c, exit_code: _e, signal: _s, timed_out: _t, ms: _m, stdout: _o, stderr: _r, ...record } = JSON.parse(fs.readFileSync(file, 'utf8')) as ExecutionRecord;
    fs.writeFileSync(file, `${JSON.stringify({ ...record, executed: null, outcome: 'begun' }, null, 2)}\n`);
    const log = path.join(state, 'jobs/j/work.log');
    fs.writeFileSync(log, `${fs.readFileSync(log, 'utf8').split('\n')[0]}\n`);
    checkpoint.ledger.slices[0]!.steps = 1;
    const { checkpoint_sha256: _seal, ...rest } = { ...checkpoint, seq: 1, begun: { step: 2, op: 'spawn', record: done.record, at: done.ts } };
    fs.writeFileSync(path.join(state, 'checkpoints/j.json'), JSON.stringify({ ...rest, checkpoint_sha256: sha256(JSON.stringify(rest)) }));
  }

  fresh(): Child {
    fs.rmSync(this.#repo, { recursive: true, force: true });
    fs.cpSync(path.join(this.#dir, 'prepared'), this.#repo, { recursive: true });
    return { argv: [this.#program, ...this.#argv], env: { HOME: path.join(this.#dir, 'home') }, cwd: this.#repo, store: this.#repo };
  }

  get #program(): string {
    return path.join(this.#dir, 'node_modules/agents-handoff/tools/runtime-engine.mjs');
  }

  #engine(...argv: string[]): Said {
    const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', HOME: path.join(this.#dir, 'home') };
    const { status, stdout, stderr } = spawnSync(process.execPath, [this.#program, ...argv], { cwd: this.#repo, env, encoding: 'utf8', timeout: 60_000 });
    return { status, json: stdout === '' ? {} : JSON.parse(stdout) as Record<string, unknown>, stderr };
  }

  /** Strikes at the point and asks what held. */
  try({ call, fault }: Point): Held {
    const ended = strike(() => this.fresh(), call, (child, aim) => (fault.kind === 'kill' ? killAt(child, aim) : failAt(child, aim, fault.errno, fault.lasting)), MOST_TRIES);
    const problems: string[] = [];
    // One that met no call, or a write by which Node wakes itself, is none.
    if (!ended.hit && (fault.kind === 'kill' ? ended.signal === null : ended.signal === 'SIGABRT' || ended.signal === 'SIGKILL')) return { ended: 'missed', problems };
    if (fault.kind === 'kill' && ended.signal !== 'SIGKILL') problems.push(`ended with ${ended.status ?? ended.signal} where it should have been killed`);
    if (fault.kind === 'error' && ended.status !== 0 && (ended.status !== 1 || /\n\s+at |bug/.test(ended.stderr) || !/^runtime-engine: \S/m.test(ended.stderr + ended.stdout.replace(/.*"paused":true.*/, 'runtime-engine: paused')))) {
      problems.push(`exit ${ended.status ?? ended.signal} without one plain sentence: ${JSON.stringify(ended.stderr)}`);
    }
    // A child that was at work when its program died goes on to its end.
    spawnSync('sleep', ['0.15']);
    problems.push(...this.#sealed('right after it'), ...this.#acted(this.#usedApprovals(), 'right after it'), ...this.#finish());
    return { ended: `${ended.signal === 'SIGKILL' ? 'killed' : `exit ${ended.status}`}${ended.hit ? '' : ' elsewhere'}`, problems };
  }

  /** Resumes, first without a word of approval, and then with one for each step that asks for it. */
  #finish(): string[] {
    const problems: string[] = [];
    let said = this.#engine('resume', '--session', 'j');
    if (said.status === 4 && said.json['paused'] === undefined) said = this.#engine(...(this.#argv[0] === 'job' ? this.#argv : ['status', '--session', 'j']));
    problems.push(...this.#acted(this.#usedApprovals(), 'after a resume without approval'));
    for (let tries = 0; said.status === 4 && tries < 3; tries += 1) said = this.#engine('resume', '--session', 'j', '--approve', String(said.json['step']));
    if (said.status !== 0) return [...problems, `the job did not come to its end: exit ${said.status}, ${JSON.stringify(said.json)} ${said.stderr}`];

    problems.push(...this.#sealed('in the end'), ...this.#acted(this.#usedApprovals(), 'in the end'));
    const marks = this.#marks();
    for (const step of ACTING) if (!marks.includes(step)) problems.push(`step ${step} was lost`);
    const log = fs.readFileSync(path.join(this.#repo, '.agents-handoff/jobs/j/work.log'), 'utf8');
    const lines = log.split('\n').slice(0, -1).map((line) => /^step (\d+) at /.exec(line)?.[1]);
    if (lines.join() !== '1,2,3,4,5') problems.push(`the work log has steps ${lines.join()}`);
    const checkpoint = this.#checkpoint();
    if (checkpoint?.completed !== true || checkpoint.seq !== STEPS) problems.push(`the checkpoint has ${checkpoint?.seq} steps, completed ${String(checkpoint?.completed)}`);
    if (checkpoint !== undefined && checkpoint.ledger.slices.reduce((sum, { steps }) => sum + steps, 0) > STEPS) problems.push('the ledger counts steps twice');
    if (fs.readdirSync(path.join(this.#repo, '.agents-handoff/.locks')).some((name) => name.endsWith('.lock'))) problems.push('a lock is left');
    return problems;
  }

  /** No step acted more often than once and once more for each approval that was used for it, and each time left a record. */
  #acted(approvals: readonly number[], when: string): string[] {
    const marks = this.#marks();
    const records = this.#records();
    return ACTING.flatMap((step) => {
      const times = marks.filter((mark) => mark === step).length;
      const most = 1 + approvals.filter((approved) => approved === step).length;
      const told = records.filter(({ op, executed, job }) => op === 'spawn' && executed !== false && (job as { step: number }).step === step).length;
      return [
        ...(times > most ? [`${when} step ${step} has acted ${times} times with ${most - 1} approvals`] : []),
        ...(times > told ? [`${when} step ${step} has acted ${times} times and has ${told} records of it`] : []),
      ];
    });
  }

  #sealed(when: string): string[] {
    const checkpoint = this.#checkpoint();
    const status = this.#engine('status', '--session', 'j').status;
    if (checkpoint === undefined) return status === 4 ? [] : [`${when} there is no checkpoint and status is exit ${status}`];
    const { checkpoint_sha256, ...rest } = checkpoint;
    const problems = checkpoint_sha256 === sha256(JSON.stringify(rest)) ? [] : [`${when} the seal is wrong`];
    return status === 0 ? problems : [...problems, `${when} status is exit ${status}`];
  }

  #checkpoint(): Checkpoint | undefined {
    const file = path.join(this.#repo, '.agents-handoff/checkpoints/j.json');
    return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) as Checkpoint : undefined;
  }

  #usedApprovals(): number[] {
    return this.#checkpoint()?.approvals.filter(({ used_by }) => used_by !== null).map(({ step }) => step) ?? [];
  }

  #marks(): number[] {
    const file = path.join(this.#repo, 'marks');
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map(Number) : [];
  }

  #records(): ExecutionRecord[] {
    const folder = path.join(this.#repo, '.agents-handoff/executions');
    if (!fs.existsSync(folder)) return [];
    return fs.readdirSync(folder).filter((name) => name.endsWith('.json')).map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as ExecutionRecord);
  }
}

/** Tries points one after the other; a line of figures for people, and every promise that was broken. */
export function tryJob(scene: JobScene, points: readonly Point[]): { figures: string; broken: string[] } {
  const broken: string[] = [];
  const ends = new Map<string, number>();
  for (const point of points) {
    const { ended, problems } = scene.try(point);
    ends.set(ended, (ends.get(ended) ?? 0) + 1);
    record({ scenario: scene.name, kind: kindOf(point), points: 1, held: problems.length === 0 ? 1 : 0 });
    if (problems.length > 0) broken.push(`${describePoint(point)}: ${ended}; ${problems.join('; ')}`);
  }
  const seen = [...ends].sort().map(([ended, count]) => `${count} ${ended}`).join(', ');
  // Most must strike where they were meant to, or the matrix is none.
  const elsewhere = [...ends].reduce((sum, [ended, count]) => sum + (/elsewhere|missed/.test(ended) ? count : 0), 0);
  if (elsewhere > points.length / 3) broken.push(`${elsewhere} of ${points.length} faults struck elsewhere`);
  return { figures: `${scene.name}: ${scene.calls.length} calls, ${points.length} points: ${seen}; ${points.length - broken.length} held`, broken };
}
