/** `dispatch` against a broker that queues on the disk: nothing is sent twice without a word, whatever dies when. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dispatch as send } from '../../../src/runtime/dispatch.mts';
import { findByPrefix } from '../../../src/store/lookup.mts';
import { Broker } from '../../helpers/broker.ts';
import { buildInto } from '../../helpers/build.ts';
import { Desk, type SessionFolder } from '../../helpers/desk.ts';
import { runProcess as run, start, type Result } from '../../helpers/run.ts';
import { canonical, lines } from '../../helpers/transcripts.ts';

const CONTRACT = 'RESULT: PARTIAL\nWHAT_CHANGED: the parser\nVALIDATION: npm test\nEVIDENCE:\nBLOCKERS: none\nRISKS: none\nFOLLOW_UP: coupons\n';

let desk: Desk;
let broker: Broker;
let session: SessionFolder;
beforeEach(async () => {
  desk = new Desk();
  broker = new Broker(join(desk.dir, 'a broker'));
  await buildInto(desk.root, desk.file('s.jsonl', lines(canonical(0, 'user', 'Fix the parser'), canonical(1, 'assistant', 'done'))), { session: 's', project: 'w' });
  session = desk.session();
  session.author(CONTRACT);
});
afterEach(() => desk.remove());

interface Said { status: number | null; out: { ok: boolean; status: string; reason?: string; envelope: Record<string, unknown>; broker_output?: unknown }; stderr: string }

const argv = (task: string, ...more: string[]): string[] => ['dispatch', 's', '--task', task, ...more];
const live = ['--live', '--broker', 'a broker'];
const options = (): { cwd: string; home: string; env: Record<string, string> } => ({ cwd: desk.dir, home: desk.home, env: { HANDOFFS_ROOT: desk.root, SESSION_FOLDER: session.dir } });
const parsed = ({ status, stdout, stderr }: Result): Said => ({ status, out: JSON.parse(stdout) as Said['out'], stderr });
const dispatch = (task: string, ...more: string[]): Said => parsed(run('agents-handoff', argv(task, ...more), options()));
const records = (): string[] => readdirSync(session.dir).filter((name) => name.startsWith('dispatch.'));

describe('dispatch', () => {
  it('writes nothing in a dry run, and in a live one has its record on the disk before the broker is called', () => {
    const before = desk.snapshot();
    expect(dispatch('Add "tests" & more; $(no shell)')).toMatchObject({ status: 0, out: { ok: true, status: 'DRY_RUN' }, stderr: '' });
    expect(dispatch('x', '--broker', 'a broker')).toMatchObject({ out: { status: 'DRY_RUN', envelope: { broker_mode: 'dry-run' } } });
    expect(desk.snapshot()).toEqual(before);

    const sent = dispatch('Add "tests" & more; $(no shell)', ...live, '--role', 'tester', '--parent', 'task-7');
    expect(sent).toMatchObject({ status: 0, out: { ok: true, status: 'DISPATCHED', broker_output: { status: 'queued', worker: 'worker-1' } } });
    expect(sent.out.envelope).toMatchObject({ from_handoff: 's', project: 'w', role: 'tester', parentTaskId: 'task-7', objective: 'Add "tests" & more; $(no shell)', evidence: session.manifest.manifest_sha256, evidenceRequirements: ['verified-handoff'], broker_mode: 'live', handoff_dir: session.dir });
    const [queued] = broker.queue;
    expect(queued).toMatchObject({ broker: broker.root, parent: 'task-7', role: 'tester', task: 'Add "tests" & more; $(no shell)', handoff: 'handoff:s' });
    expect(queued?.record).toEqual({ envelope: sent.out.envelope });
    expect(JSON.parse(readFileSync(session.path(records()[0]!), 'utf8'))).toEqual({ envelope: sent.out.envelope, broker_output: sent.out.broker_output });
    // The record is none of the session's own files: nothing finds fault with it.
    expect(desk.handoff(['verify', 's'])).toMatchObject({ status: 0, stdout: expect.not.stringContaining('dispatch') });
  });

  it('keeps and shows no secret of the task or of the answer, and tells the broker the task as it is', () => {
    const key = `sk-ant-api03-${'E'.repeat(90)}`;
    writeFileSync(join(desk.dir, 'handoff.config.json'), JSON.stringify({ redaction: { patterns: ['ACME-\\d+'] } }));
    const answer = { 'ACME-1': 'of ACME-2', token: 'ghp_' + 'a1B2'.repeat(9), said: [key, 'queued'] };
    writeFileSync(join(broker.root, 'runtime/request-child-worker.mjs'), `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(join(desk.dir, 'heard'))}, process.argv[5]);\nconsole.log(${JSON.stringify(JSON.stringify(answer))});\n`);
    const sent = run('agents-handoff', argv(`use ${key} now for ACME-3`, ...live), options());
    const again = run('agents-handoff', argv(`use ${key} now for ACME-3`, ...live), options());
    const kept = readFileSync(session.path(records()[0]!), 'utf8');
    for (const text of [sent.stdout, again.stdout, kept]) expect(text).not.toMatch(/EEEE|a1B2|ACME/);
    expect(parsed(sent).out).toMatchObject({ status: 'DISPATCHED', envelope: { objective: expect.stringMatching(/^use \[redacted:.*\] now for \[redacted:custom\]$/) }, broker_output: { said: [expect.any(String), 'queued'] } });
    expect(parsed(again).out).toMatchObject({ status: 'ALREADY_DISPATCHED', broker_output: parsed(sent).out.broker_output });
    expect(readFileSync(join(desk.dir, 'heard'), 'utf8')).toBe(`use ${key} now for ACME-3`);
  });

  it('ends a broker that takes too long, also one that does not hear it', () => {
    writeFileSync(join(broker.root, 'runtime/request-child-worker.mjs'), `process.on('SIGTERM', () => {});\nsetTimeout(() => {}, 20_000);\n`);
    const began = Date.now();
    const ended = send(desk.root, findByPrefix(desk.root, 's'), {
      task: 't', role: 'r', parent: undefined, broker: broker.root, live: true, again: false, node: process.execPath, env: {}, redact: (value) => value, limitMs: 1000,
    });
    expect(ended).toMatchObject({ status: 'OUTCOME_UNKNOWN', reason: expect.stringMatching(/did not end within 1 seconds/) });
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  it('sends the same once: what it was told then is told again, and other words, or another state of the session, are another dispatch', async () => {
    const first = dispatch('the tests', ...live);
    expect(dispatch('the tests', ...live)).toMatchObject({ status: 0, out: { status: 'ALREADY_DISPATCHED', envelope: { dispatchedAt: first.out.envelope['dispatchedAt'] }, broker_output: first.out.broker_output } });
    expect(dispatch('the tests', ...live, '--role', 'tester').out.status).toBe('DISPATCHED');
    await buildInto(desk.root, desk.file('s.jsonl', lines(canonical(0, 'user', 'Fix the parser'), canonical(1, 'assistant', 'done'), canonical(2, 'user', 'go on'))), { session: 's' });
    expect(dispatch('the tests', ...live).out.status).toBe('DISPATCHED');
    expect(dispatch('the tests', ...live, '--again').out.status).toBe('DISPATCHED');
    expect(broker.queue.map(({ role }) => role)).toEqual(['implementation-agent', 'tester', 'implementation-agent', 'implementation-agent']);
  });

  it('that died while the broker was at work says that its outcome is unknown, and is sent again only when asked', async () => {
    broker.manner = 'hangs';
    const { child, done } = start('agents-handoff', argv('the tests', ...live), options());
    while (broker.queue.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    // The same at the same time is on its way; another one need not wait.
    expect(run('agents-handoff', argv('the tests', ...live), options())).toMatchObject({ status: 3, stdout: '', stderr: expect.stringMatching(/lock is held by process \d+ .*\(dispatch, /) });
    child.kill('SIGKILL');
    // The broker lives on, and holds the pipes.
    process.kill(broker.queue[0]!.pid);
    await done;
    broker.manner = 'queues';
    expect(dispatch('other things', ...live).out.status).toBe('DISPATCHED');
    const again = dispatch('the tests', ...live);
    expect(again).toMatchObject({ status: 1, out: { ok: false, status: 'OUTCOME_UNKNOWN', reason: expect.stringMatching(/was begun at \S+Z and its end is not recorded; .*--again/) } });
    expect(broker.queue).toHaveLength(2);
    expect(dispatch('the tests', ...live, '--again')).toMatchObject({ status: 0, out: { status: 'DISPATCHED' } });
    expect(dispatch('the tests', ...live).out.status).toBe('ALREADY_DISPATCHED');
    expect([broker.queue.length, readdirSync(join(desk.root, '.locks'))]).toEqual([3, []]);
  });

  it('tells a broker that refused from one whose answer is not known', () => {
    broker.manner = 'refuses';
    expect(dispatch('the tests', ...live)).toMatchObject({ status: 1, out: { ok: false, status: 'BROKER_FAILED', reason: 'the broker ended with exit 7' }, stderr: 'broker: no worker for implementation-agent\n' });
    expect(records()).toEqual([]);
    broker.manner = 'declines';
    expect(dispatch('the tests', ...live)).toMatchObject({ status: 1, out: { ok: false, status: 'BROKER_FAILED', reason: 'the broker answered {"ok":false,"error":"the queue is full"}' } });
    expect(records()).toEqual([]);
    for (const [manner, reason] of [['mumbles', /did not answer with JSON; whether the broker has it is not known/], ['dies', /ended by SIGKILL; whether/]] as const) {
      broker.manner = manner;
      expect(dispatch(manner, ...live)).toMatchObject({ status: 1, out: { status: 'OUTCOME_UNKNOWN', reason: expect.stringMatching(reason) } });
      expect(dispatch(manner, ...live).out.status).toBe('OUTCOME_UNKNOWN');
    }
    expect(broker.queue.map(({ task }) => task)).toEqual(['mumbles', 'dies']);
    // Asked for once more and refused: what was sent before still stands.
    broker.manner = 'queues';
    dispatch('the tests', ...live);
    broker.manner = 'refuses';
    expect(dispatch('the tests', ...live, '--again').out.status).toBe('BROKER_FAILED');
    expect(dispatch('the tests', ...live).out.status).toBe('ALREADY_DISPATCHED');
    // A record that cannot be read is no proof that nothing was sent.
    for (const name of records()) writeFileSync(session.path(name), '');
    expect(dispatch('the tests', ...live)).toMatchObject({ status: 1, out: { status: 'OUTCOME_UNKNOWN' } });
  });

  it('asks the gate for contract and evidence, and for a session that is there', () => {
    session.write('HANDOFF.md', session.text('HANDOFF.md').replace('RESULT: PARTIAL', 'RESULT: DONE'));
    expect(dispatch('the tests', ...live)).toMatchObject({ status: 1, out: { ok: false, status: 'GATE_REJECTED', reason: 'evidence: RESULT is DONE, but EVIDENCE says nothing' } });
    expect([broker.queue, records()]).toEqual([[], []]);
  });
});
