import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCheckpoint, type Checkpoint } from '../../../src/execution/checkpoint.mts';
import { resumeJob } from '../../../src/execution/job.mts';
import { readPlan } from '../../../src/execution/plan.mts';
import { sha256 } from '../../helpers/desk.ts';
import { Ground, installed, removeProduct } from '../../helpers/engine.ts';
import { start } from '../../helpers/run.ts';

const grounds: Ground[] = [];
class Jobs extends Ground {
  readonly state = join(this.repo, '.agents-handoff');
  checkpointFile = (name = 'j'): string => join(this.state, 'checkpoints', `${name}.json`);
  checkpoint = (name = 'j'): Checkpoint => JSON.parse(readFileSync(this.checkpointFile(name), 'utf8')) as Checkpoint;
  log = (name = 'j'): string[] => readFileSync(join(this.state, 'jobs', name, 'work.log'), 'utf8').split('\n').slice(0, -1);
  plan = (steps: unknown, name = 'plan.json'): string => this.file(name, JSON.stringify({ schema_version: '1.0-execution-plan', steps }));
  job = (...argv: string[]) => this.told(['job', '--session', 'j', ...argv]);
  resume = (...argv: string[]) => this.told(['resume', '--session', 'j', ...argv]);
  status = () => this.told(['status', '--session', 'j']);

  /** The seal, as the format says it: over the compact JSON without the key, in the order that stands there. */
  expectSealed(name = 'j'): void {
    const { checkpoint_sha256, ...rest } = this.checkpoint(name);
    expect(checkpoint_sha256).toBe(sha256(JSON.stringify(rest)));
  }
}
function fresh(): Jobs {
  const ground = new Jobs();
  grounds.push(ground);
  return ground;
}
beforeAll(() => void installed());
afterAll(() => {
  for (const ground of grounds) ground.remove();
  removeProduct();
});

/** A step that leaves a mark each time it runs. */
const mark = (name: string, risk = 'R1', then = '') => ({ op: 'spawn', risk, args: ['-e', `require('fs').appendFileSync('marks', '${name}\\n');${then}`] });
const marks = (ground: Jobs): string[] => (existsSync(join(ground.repo, 'marks')) ? readFileSync(join(ground.repo, 'marks'), 'utf8').trim().split('\n') : []);

describe('a job of so many steps', () => {
  it('is done one by one, each judged at R1, with a sealed checkpoint and a line a step', () => {
    const ground = fresh();
    const { status, said } = ground.job('--steps', '3');
    expect([status, said]).toEqual([0, { session: 'j', completed: true, steps: 3, seq: 3, work_log: '.agents-handoff/jobs/j/work.log', ledger: { steps: 3, ms: expect.any(Number), slices: 1 } }]);
    expect(ground.log()).toEqual([1, 2, 3].map((n) => expect.stringMatching(new RegExp(`^step ${n} at \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$`))));
    const text = readFileSync(ground.checkpointFile(), 'utf8');
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    expect(Object.keys(ground.checkpoint()).slice(0, 7)).toEqual(['seq', 'steps', 'steps_total', 'session', 'updated_at', 'checkpoint_sha256', 'completed']);
    expect(ground.checkpoint()).toMatchObject({ seq: 3, steps_total: 3, completed: true, steps: [1, 2, 3].map((seq) => ({ seq, op: 'work-log-append', ts: expect.any(String) })) });
    ground.expectSealed();
    expect(ground.records()).toEqual([1, 2, 3].map((step) => expect.objectContaining({ op: 'work-log-append', risk: 'R1', verdict: 'ALLOWED', executed: true, outcome: 'done', job: { session: 'j', step } })));
    expect(ground.resume('--steps', '3')).toMatchObject({ status: 0, said: { session: 'j', already_completed: true, seq: 3, steps_total: 3 } });
    expect(ground.status()).toMatchObject({ status: 0, said: { session: 'j', seq: 3, steps_total: 3, completed: true, work_log_lines: 3 } });
    expect(readdirSync(join(ground.state, '.locks'))).toEqual([]);
  });

  it('dies before the step that --fail-at names and goes on from disk, with a ledger over both', () => {
    const ground = fresh();
    expect(ground.job('--steps', '4', '--fail-at', '3')).toMatchObject({ status: 137, said: { session: 'j', killed_at_step: 3, checkpoint_seq: 2, note: expect.any(String) } });
    expect([ground.log().length, ground.status().said]).toEqual([2, expect.objectContaining({ seq: 2, completed: false, work_log_lines: 2 })]);
    expect(ground.resume('--steps', '5')).toMatchObject({ status: 2, stderr: expect.stringMatching(/has 4 steps, not 5/) });
    expect(ground.job('--steps', '4')).toMatchObject({ status: 2, stderr: expect.stringMatching(/there is a job j already/) });
    expect(ground.resume('--steps', '4')).toMatchObject({ status: 0, said: { completed: true, seq: 4, ledger: { steps: 4, slices: 2 } } });
    expect(ground.log().map((line) => line.slice(0, 7))).toEqual(['step 1 ', 'step 2 ', 'step 3 ', 'step 4 ']);
    const { slices, ms } = ground.checkpoint().ledger;
    expect(slices.map(({ verb, steps }) => [verb, steps])).toEqual([['job', 2], ['resume', 2]]);
    expect(ms).toBe(slices.reduce((sum, slice) => sum + slice.ms, 0));
  });

  it.each([
    [['--steps', '0']], [['--steps', '1.5']], [['--steps', '-1']], [[]], [['--steps', '2', '--plan', 'x']], [['--steps', '3', '--fail-at', '1']], [['--steps', '3', '--fail-at', '4']], [['--steps', '1', '--fail-at', '2']],
  ])('with %j is exit 2 and leaves nothing', (argv) => {
    const ground = fresh();
    const { status, stdout, stderr } = ground.engine(['job', '--session', 'j', ...argv]);
    expect([status, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1]);
    expect(existsSync(ground.state)).toBe(false);
  });

  it('that is not there is exit 4, and needs a name', () => {
    const ground = fresh();
    for (const verb of ['resume', 'status']) {
      expect(ground.engine([verb, '--session', 'none'])).toMatchObject({ status: 4, stdout: '', stderr: expect.stringMatching(/there is no job none/) });
      expect(ground.engine([verb])).toMatchObject({ status: 2, stderr: expect.stringMatching(/needs --session/) });
    }
    expect(JSON.parse(ground.engine(['status', '--session', 'none', '--json']).stdout)).toMatchObject({ error: { code: 'NO_MATCH' } });
  });

  it('is denied where the policy gives its log no workspace: exit 3, and goes on when it does', () => {
    const ground = fresh();
    const strict = ground.policy({ risk_to_level: { R1: 'NOTHING' } });
    expect(ground.job('--steps', '2', '--policy', strict)).toMatchObject({ status: 3, said: { paused: true, step: 1, cause: 'denied', reason: 'the policy grants NOTHING nothing' } });
    expect(ground.resume('--policy', strict).status).toBe(3);
    expect(ground.resume()).toMatchObject({ status: 0, said: { completed: true } });
  });

  it('whose checkpoint is damaged is exit 5 for every verb, and stays as it is', () => {
    const ground = fresh();
    ground.job('--steps', '3', '--fail-at', '3');
    const whole = readFileSync(ground.checkpointFile(), 'utf8');
    const damages: [string, string][] = [
      ['is not JSON', whole.slice(0, 40)],
      ['does not agree with its seal', whole.replace('"seq": 2', '"seq": 3')],
      ['does not agree with its seal', whole.replace('"steps_total": 3', '"steps_total": 2')],
      ...Object.entries({
        seq: 7, steps_total: 2 ** 53, steps: [null, null], session: null, completed: true, plan: { file: 'p', sha256: 'x', steps: [{ op: 'read', risk: 'R0' }, 1, 2] },
        begun: { step: 2, op: 'work-log-append', record: 'r', at: 't' }, paused: { step: 3, cause: 'tired', reason: 'r', at: 't' }, approvals: [{ step: 9, at: 't', used_by: null }],
        resumes_without_progress: '0', ledger: { steps: 2, ms: 1, slices: {} },
      }).map(([key, value]): [string, string] => [`is sealed and makes no sense: "${key}"`, sealed({ ...JSON.parse(whole) as object, [key]: value })]),
      ['is sealed and makes no sense', sealed({ seq: 0, steps: 'none' })],
    ];
    for (const [why, spoilt] of damages) {
      writeFileSync(ground.checkpointFile(), spoilt);
      expect(() => loadCheckpoint(ground.checkpointFile())).toThrowError(expect.objectContaining({ code: 'DAMAGED', message: expect.stringContaining(why) }));
    }
    const spoilt = readFileSync(ground.checkpointFile(), 'utf8');
    for (const argv of [['resume'], ['status'], ['job', '--steps', '3']]) {
      expect(ground.engine([argv[0]!, '--session', 'j', ...argv.slice(1)])).toMatchObject({ status: 5, stdout: '', stderr: expect.stringMatching(/is sealed and makes no sense.*; begin the work anew under another --session/) });
    }
    expect(readFileSync(ground.checkpointFile(), 'utf8')).toBe(spoilt);
  });

  it('whose work log lost a step, or has one too many, is exit 5; a line that a death cut short is taken away', () => {
    const ground = fresh();
    ground.job('--steps', '3', '--fail-at', '3');
    const log = join(ground.state, 'jobs/j/work.log');
    const text = readFileSync(log, 'utf8');
    writeFileSync(log, text.slice(0, text.indexOf('\n') + 1));
    expect(ground.engine(['resume', '--session', 'j'])).toMatchObject({ status: 5, stderr: expect.stringMatching(/has 1 steps where the checkpoint has 2/) });
    writeFileSync(log, `${text}step 3 at x\n`);
    expect(ground.engine(['resume', '--session', 'j']).status).toBe(5);
    writeFileSync(log, `${text}step 9 at x\n`);
    expect(ground.engine(['resume', '--session', 'j'])).toMatchObject({ status: 5, stderr: expect.stringMatching(/line 3 of .* is not the one of step 3/) });
    writeFileSync(log, `${text}step 3 a`);
    expect(ground.resume()).toMatchObject({ status: 0, said: { completed: true } });
    expect(ground.log()).toHaveLength(3);
    rmSync(ground.checkpointFile());
    expect(ground.engine(['job', '--session', 'j', '--steps', '3'])).toMatchObject({ status: 5, stderr: expect.stringMatching(/is there and its checkpoint is not/) });
  });

  it('that died between the line and the checkpoint does not write the line again, and one that died before it does', () => {
    for (const logged of [true, false]) {
      const ground = fresh();
      ground.job('--steps', '3', '--fail-at', '3');
      const begun = { step: 3, op: 'work-log-append', record: ground.checkpoint().steps[1]!.record, at: 'then' };
      writeFileSync(ground.checkpointFile(), sealed({ ...ground.checkpoint(), begun }));
      if (logged) appendFileSync(join(ground.state, 'jobs/j/work.log'), 'step 3 at then\n');
      expect(ground.resume()).toMatchObject({ status: 0, said: { completed: true, seq: 3 } });
      expect(ground.log()).toEqual([expect.anything(), expect.anything(), logged ? 'step 3 at then' : expect.stringMatching(/^step 3 at 2/)]);
    }
  });

  it('that has all its steps is at its end, whether or not its checkpoint says so', () => {
    const ground = fresh();
    ground.job('--steps', '2');
    for (const completed of [false, undefined]) {
      writeFileSync(ground.checkpointFile(), sealed({ ...ground.checkpoint(), completed }));
      expect(ground.resume()).toMatchObject({ status: 0, said: { already_completed: true, seq: 2 } });
    }
    expect(ground.log()).toHaveLength(2);
  });

  it('of 2.0.x goes on', () => {
    const ground = fresh();
    mkdirSync(join(ground.state, 'checkpoints'), { recursive: true });
    mkdirSync(join(ground.state, 'jobs/j'), { recursive: true });
    const steps = [1, 2].map((seq) => ({ seq, ts: '2026-01-01T00:00:00.000Z', op: 'work-log-append' }));
    const old = { seq: 2, steps, steps_total: 4, session: 'j', updated_at: '2026-01-01T00:00:00.000Z' };
    writeFileSync(ground.checkpointFile(), `${JSON.stringify({ ...old, checkpoint_sha256: sha256(JSON.stringify(old)) }, null, 2)}\n`);
    writeFileSync(join(ground.state, 'jobs/j/work.log'), steps.map(({ seq, ts }) => `step ${seq} at ${ts}\n`).join(''));
    expect(ground.resume('--steps', '4')).toMatchObject({ status: 0, said: { completed: true, seq: 4 } });
    expect(ground.log()).toHaveLength(4);
    ground.expectSealed();
  });

  it('has a place of its own, also where two names would share a file', () => {
    const ground = fresh();
    for (const session of ['a/b', 'a_b', '../../x']) expect(ground.told(['job', '--session', session, '--steps', '1']).status).toBe(0);
    expect(readdirSync(join(ground.state, 'checkpoints')).sort()).toEqual(['_._.._x.json', expect.stringMatching(/^a_b-[0-9a-f]{8}\.json$/), 'a_b.json']);
    for (const session of ['a/b', 'a_b']) expect(ground.told(['status', '--session', session])).toMatchObject({ status: 0, said: { session } });
  });
});

describe('a plan', () => {
  const full = (ground: Jobs) => ground.plan([{ op: 'read', risk: 'R0', target: 'in.txt' }, mark('a'), mark('b', 'R2'), { op: 'read', risk: 'R0', target: 'marks', title: 'look' }, mark('c', 'R3')]);

  it('parks at a step that needs authorization; an approval is written down and lets it run once', () => {
    const ground = fresh();
    ground.file('repo/in.txt', 'in');
    expect(ground.job('--plan', full(ground))).toMatchObject({ status: 4, said: { session: 'j', paused: true, step: 3, cause: 'needs authorization', reason: "EXTERNAL_EFFECT needs a person's authorization", seq: 2, steps_total: 5, next: 'resume --session j --approve 3' } });
    expect(ground.resume()).toMatchObject({ status: 4, said: { step: 3 } });
    for (const step of ['2', '4', '9', '0.5']) expect(ground.engine(['resume', '--session', 'j', '--approve', step])).toMatchObject({ status: 2, stderr: expect.stringMatching(/is not waiting for an approval/) });
    expect(marks(ground)).toEqual(['a']);
    expect(ground.resume('--approve', '3')).toMatchObject({ status: 4, said: { step: 5, cause: 'needs authorization', seq: 4 } });
    expect(marks(ground)).toEqual(['a', 'b']);
    const [approval] = ground.checkpoint().approvals;
    expect(approval).toEqual({ step: 3, at: expect.any(String), used_by: expect.any(String) });
    const used = ground.records().find(({ id }) => id === approval!.used_by);
    expect(used).toMatchObject({ verdict: 'ALLOWED', executed: true, risk: 'R2', authorization: expect.stringMatching(/^resume --approve 3 at /), reason: expect.stringMatching(/needs a person's authorization, and has it: resume --approve 3/), job: { session: 'j', step: 3 } });
    expect(ground.engine(['resume', '--session', 'j', '--approve', '3']).status).toBe(2);
    // The approval of one step is none for another.
    expect(ground.resume('--steps', '5')).toMatchObject({ status: 4, said: { step: 5 } });
    expect(ground.resume('--approve', '5')).toMatchObject({ status: 0, said: { completed: true, seq: 5, steps: 5 } });
    expect(marks(ground)).toEqual(['a', 'b', 'c']);
    expect(ground.log().map((line) => line.split(' ')[4] ?? '')).toEqual(['read', 'spawn', 'spawn', 'read', 'spawn']);
    ground.expectSealed();
    expect(ground.status().said).toMatchObject({ completed: true, work_log_lines: 5, approvals: [{ step: 3 }, { step: 5 }], resumes_without_progress: 0, plan: { sha256: sha256(readFileSync(join(ground.dir, 'plan.json'))) } });
    expect(ground.engine(['resume', '--session', 'j', '--approve', '5']).status).toBe(2);
  });

  it('of a job with a strange name names the words that go on as a shell takes them', () => {
    const ground = fresh();
    const session = `it's; touch here`;
    const go = ['job', '--session', session, '--plan', ground.plan([mark('a', 'R2')])];
    expect(ground.told(go).said['next']).toBe(`resume --session 'it'\\''s; touch here' --approve 1`);
    expect(ground.told(go)).toMatchObject({ status: 2, stderr: expect.stringContaining(`\`resume --session 'it'\\''s; touch here'\``) });
  });

  it('is carried in the checkpoint: what happens to its file later changes nothing', () => {
    const ground = fresh();
    const file = ground.plan([mark('a', 'R2')]);
    expect(ground.job('--plan', file).status).toBe(4);
    writeFileSync(file, JSON.stringify({ schema_version: '1.0-execution-plan', steps: [mark('another', 'R1')] }));
    expect(ground.resume('--approve', '1')).toMatchObject({ status: 0 });
    expect(marks(ground)).toEqual(['a']);
  });

  it('stops at a step that is denied, and no approval helps', () => {
    const ground = fresh();
    ground.file('outside/x', 'secret');
    expect(ground.job('--plan', ground.plan([mark('a'), { op: 'read', risk: 'R0', target: '../outside/x' }, mark('b')]))).toMatchObject({ status: 3, said: { paused: true, step: 2, cause: 'denied', next: 'resume --session j' } });
    expect(ground.engine(['resume', '--session', 'j', '--approve', '2']).status).toBe(2);
    expect(ground.resume().status).toBe(3);
    expect(marks(ground)).toEqual(['a']);
  });

  it('stops at a step that fails: one that read runs again, one that may have acted only with an approval', () => {
    const ground = fresh();
    const file = ground.plan([{ op: 'read', risk: 'R0', target: 'later.txt' }, mark('try', 'R1', "process.exitCode = require('fs').existsSync('mended') ? 0 : 9"), mark('end')]);
    expect(ground.job('--plan', file)).toMatchObject({ status: 1, said: { step: 1, cause: 'failed', reason: expect.stringMatching(/ENOENT/), next: 'resume --session j' } });
    ground.file('repo/later.txt');
    expect(ground.resume()).toMatchObject({ status: 1, said: { step: 2, cause: 'failed', reason: 'it ended with exit code 9', next: 'resume --session j --approve 2' } });
    expect(ground.resume()).toMatchObject({ status: 4, said: { step: 2, cause: 'failed', reason: 'it ended with exit code 9' } });
    expect(marks(ground)).toEqual(['try']);
    ground.file('repo/mended');
    expect(ground.resume('--approve', '2')).toMatchObject({ status: 0, said: { completed: true } });
    expect(marks(ground)).toEqual(['try', 'try', 'end']);
  });

  it('is not resumed more than --max-resumes times without progress, and progress counts anew', async () => {
    const ground = fresh();
    ground.job('--plan', ground.plan([{ op: 'read', risk: 'R0', target: 'one' }, { op: 'read', risk: 'R0', target: 'two' }]));
    // In this process: what a resume does is the same, and there are many.
    const resumed = (maxResumes: number) => resumeJob(ground.setting(), ground.io(), 'j', { maxResumes });
    for (const _ of [1, 2]) expect(await resumed(2)).toMatchObject({ end: 'waiting', step: 1 });
    expect(ground.resume('--max-resumes', '2')).toMatchObject({ status: 3, stderr: expect.stringMatching(/was resumed 2 times without progress at step 1; --max-resumes allows more/) });
    ground.file('repo/one');
    expect(await resumed(3)).toMatchObject({ end: 'waiting', step: 2 });
    expect(ground.status().said).toMatchObject({ resumes_without_progress: 0, seq: 1 });
    for (let tries = 0; tries < 8; tries += 1) await resumed(8);
    expect(ground.resume().status).toBe(3);
    expect(ground.engine(['resume', '--session', 'j', '--max-resumes', '-1']).status).toBe(2);
  });

  it('whose process was killed while a child ran has an outcome that nobody knows, and runs it once more only when told', async () => {
    const ground = fresh();
    // The first one outlives the program that is killed, and goes when it may.
    const wait = "setInterval(() => require('fs').existsSync('go') && process.exit(), 50)";
    const file = ground.plan([mark('a'), mark('b', 'R1', wait), mark('c')]);
    const { child, done } = start('runtime-engine', ['job', '--session', 'j', '--plan', file], { cwd: ground.repo, home: ground.home, product: installed() });
    for (let tries = 0; marks(ground).length < 2 && tries < 400; tries += 1) await new Promise((later) => setTimeout(later, 20));
    child.kill('SIGKILL');
    await done;
    expect(ground.status().said).toMatchObject({ seq: 1, begun: { step: 2, op: 'spawn' } });
    expect(ground.resume()).toMatchObject({ status: 4, said: { paused: true, step: 2, cause: 'outcome unknown', reason: 'it had begun when the program died', next: 'resume --session j --approve 2' } });
    expect(ground.records().filter(({ outcome }) => outcome === 'begun')).toEqual([expect.objectContaining({ executed: null, job: { session: 'j', step: 2 } })]);
    ground.file('repo/go');
    expect(ground.resume('--approve', '2')).toMatchObject({ status: 0, said: { completed: true } });
    expect(marks(ground)).toEqual(['a', 'b', 'b', 'c']);
    expect(ground.checkpoint().approvals).toEqual([{ step: 2, at: expect.any(String), used_by: expect.any(String) }]);
  });

  it('with the record of another step in the place of its own has an outcome that nobody knows', () => {
    const ground = fresh();
    ground.job('--plan', ground.plan([mark('a'), mark('b')]), '--fail-at', '2');
    const { steps } = ground.checkpoint();
    writeFileSync(ground.checkpointFile(), sealed({ ...ground.checkpoint(), begun: { step: 2, op: 'spawn', record: steps[0]!.record, at: 'then' } }));
    expect(ground.resume()).toMatchObject({ status: 4, said: { step: 2, cause: 'outcome unknown' } });
    expect(ground.resume('--approve', '2')).toMatchObject({ status: 0, said: { completed: true } });
    expect(marks(ground)).toEqual(['a', 'b']);
  });

  it('that another process works on is exit 3', async () => {
    const ground = fresh();
    const file = ground.plan([mark('a', 'R1', 'setInterval(() => {}, 1000)')]);
    const { child, done } = start('runtime-engine', ['job', '--session', 'j', '--plan', file], { cwd: ground.repo, home: ground.home, product: installed() });
    for (let tries = 0; marks(ground).length < 1 && tries < 400; tries += 1) await new Promise((later) => setTimeout(later, 20));
    expect(ground.engine(['resume', '--session', 'j'])).toMatchObject({ status: 3, stderr: expect.stringMatching(/the lock is held by process/) });
    expect(ground.status().status).toBe(0);
    child.kill('SIGTERM');
    expect(await done).toMatchObject({ status: 143 });
    expect(ground.resume()).toMatchObject({ status: 4, said: { cause: 'failed', reason: expect.stringMatching(/ended by a signal/) } });
    expect(marks(ground)).toEqual(['a']);
  });

  it.each([
    ['no file', undefined, /there is no plan/],
    ['no JSON', '{', /is not JSON/],
    ['no object', '[]', /must hold a JSON object/],
    ['another version', JSON.stringify({ schema_version: '2', steps: [] }), /"schema_version" must be "1\.0-execution-plan"/],
    ['no version', '{"steps":[{"op":"read","risk":"R0","target":"x"}]}', /"schema_version" is missing: it must be "1\.0-execution-plan"/],
    ['no steps', JSON.stringify({ schema_version: '1.0-execution-plan', steps: [] }), /"steps" must be an array of 1 to/],
    ['an unknown key', JSON.stringify({ schema_version: '1.0-execution-plan', steps: [{ op: 'read', risk: 'R0', target: 'x', args: [] }] }), /unknown key "steps\[0\]\.args"/],
    ['an unknown operation', JSON.stringify({ schema_version: '1.0-execution-plan', steps: [{ op: 'write', risk: 'R0' }] }), /"steps\[0\]\.op" must be "read" or "spawn"/],
    ['no risk', JSON.stringify({ schema_version: '1.0-execution-plan', steps: [{ op: 'read', target: 'x' }] }), /"steps\[0\]\.risk" is missing/],
    ['words that are none', JSON.stringify({ schema_version: '1.0-execution-plan', steps: [{ op: 'spawn', risk: 'R1', args: 'a.mjs' }] }), /"steps\[0\]\.args" must be an array/],
    ['a step that is none', JSON.stringify({ schema_version: '1.0-execution-plan', steps: [null] }), /"steps\[0\]" must be an object/],
    ['a read of nothing', JSON.stringify({ schema_version: '1.0-execution-plan', steps: [{ op: 'read', risk: 'R0' }] }), /"steps\[0\]\.target" is missing/],
  ])('with %s is exit 2, with the key named, and leaves nothing', (_, text, why) => {
    const ground = fresh();
    const file = text === undefined ? join(ground.dir, 'none.json') : ground.file('bad.json', text);
    expect(() => readPlan(file)).toThrowError(expect.objectContaining({ code: 'CONFIG', message: expect.stringMatching(why) }));
    if (text !== '{') return;
    expect(ground.engine(['job', '--session', 'j', '--plan', file])).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(why) });
    expect(existsSync(ground.state)).toBe(false);
  });
});

function sealed(checkpoint: object): string {
  const { checkpoint_sha256: _, ...rest } = checkpoint as Record<string, unknown>;
  return JSON.stringify({ ...rest, checkpoint_sha256: sha256(JSON.stringify(rest)) });
}
