/** `index`, `unlock` and `self-improve`: the verbs that keep a store in order. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, rmdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionKey } from '../../../src/store/layout.mts';
import { buildInto } from '../../helpers/build.ts';
import { Desk, SessionFolder } from '../../helpers/desk.ts';
import { deadPid, leaveLock, leaveLockText } from '../../helpers/locks.ts';
import { REPOSITORY, run, type Result, type RunOptions } from '../../helpers/run.ts';
import { canonical, lines } from '../../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

const runtime = (argv: readonly string[], options: RunOptions = {}): Result => run('agents-handoff', argv, { cwd: desk.dir, home: desk.home, ...options, env: { HANDOFFS_ROOT: desk.root } });
const said = (...argv: string[]): Record<string, unknown> => JSON.parse(runtime(argv).stdout) as Record<string, unknown>;

async function capture(session: string, project = 'w', turns = 2): Promise<SessionFolder> {
  const records = Array.from({ length: turns }, (_, seq) => canonical(seq, seq % 2 === 0 ? 'user' : 'assistant', seq === 0 ? `Fix the parser of ${session}` : 'ok', { session }));
  const { dir } = await buildInto(desk.root, desk.file(`${session}.jsonl`, lines(...records)), { session, project }) as { dir: string };
  return new SessionFolder(dir);
}

describe('index', () => {
  it('makes the same rows and pages that the builds made, keeps what people wrote, and heals what git left', async () => {
    for (const [session, project] of [['a', 'w'], ['b', 'w'], ['c', 'v']] as const) await capture(session, project);
    const made = [readFileSync(join(desk.root, 'INDEX.json'), 'utf8'), desk.page('w'), desk.page('v')];
    expect(said('index')).toEqual({ ok: true, action: 'index', sessions: 3, stale: 0, stale_sessions: [] });
    expect([readFileSync(join(desk.root, 'INDEX.json'), 'utf8'), desk.page('w'), desk.page('v')]).toEqual(made);

    const conflict = (text: string): string => `<<<<<<< HEAD\n${text}=======\n>>>>>>> theirs\n`;
    writeFileSync(join(desk.root, 'INDEX.json'), conflict(made[0]!));
    writeFileSync(join(desk.root, 'projects/w/PROJECT.md'), `${conflict(made[1]!)}\nOurs: the tide tables.\n- session gone (turns=1, rev=1) :: x\n`);
    rmSync(join(desk.root, 'projects/v/PROJECT.md'));
    expect(said('index')).toMatchObject({ ok: true, sessions: 3 });
    expect([readFileSync(join(desk.root, 'INDEX.json'), 'utf8'), desk.page('v')]).toEqual([made[0], made[2]]);
    expect(desk.page('w')).toBe(made[1]!.replace('- session a ', '\nOurs: the tide tables.\n- session a '));
    rmSync(join(desk.root, 'INDEX.json'));
    rmSync(join(desk.root, 'projects/w/b'), { recursive: true });
    expect(said('index')).toMatchObject({ sessions: 2 });
    expect(desk.index().map(({ id }) => id)).toEqual(['c', 'a']);
  });

  it('names the manifests that it cannot read and indexes the others', async () => {
    const a = await capture('a');
    const b = await capture('b');
    a.write('manifest.json', a.text('manifest.json').slice(0, 100));
    rmSync(b.path('HANDOFF.md'));
    const { status, stdout, stderr } = runtime(['index']);
    expect([status, JSON.parse(stdout)]).toEqual([1, { ok: false, action: 'index', sessions: 1, stale: 1, stale_sessions: ['b (missing HANDOFF.md)'], unreadable: ['w/a (it is not JSON)'] }]);
    expect(stderr).toContain('w/a (it is not JSON)');
    expect(desk.index().map(({ id }) => id)).toEqual(['b']);
  });

  it('takes away what dead verbs left under keys of which nobody asks any more, and nothing of living ones', async () => {
    await capture('a');
    const dead = { pid: deadPid(), host: hostname() };
    for (const key of ['auto:moved/a', 'promote:old-name', 'merge:a+gone']) leaveLock(desk.root, key, dead);
    const kept = [leaveLock(desk.root, 'promote:a', { host: hostname() }), leaveLock(desk.root, 'auto:w/a'), leaveLockText(desk.root, 'merge:a+b', String(process.pid))];
    expect(said('index')).toMatchObject({ ok: true, sessions: 1 });
    expect(readdirSync(join(desk.root, '.locks')).map((name) => join(desk.root, '.locks', name)).sort()).toEqual(kept.sort());
  });
});

describe('unlock', () => {
  const state = (lock: Record<string, unknown>): Record<string, unknown> => ({ ok: true, action: 'unlock', locks: [expect.objectContaining(lock)], removed: [] });

  it('shows a holder and breaks no living one of this host', async () => {
    await capture('a');
    leaveLock(desk.root, sessionKey('a'), { host: hostname(), operation: 'promote', place: 'w/a' });
    expect(said('unlock', 'w/a')).toEqual(state({ session: 'a', key: 'session:a', life: 'alive', place: 'w/a', holder: expect.objectContaining({ pid: process.pid, operation: 'promote' }) }));
    expect(runtime(['unlock', 'a', '--force'])).toMatchObject({ status: 3, stderr: expect.stringContaining(`held by process ${process.pid} on ${hostname()} (promote, `) });
    expect(readdirSync(join(desk.root, '.locks'))).toHaveLength(1);
  });

  it('settles what a dead build left before its lock goes, also that of a session that was never committed', async () => {
    const a = await capture('a');
    const { timeline_bytes } = a.manifest.seal;
    const before = desk.contents(a.dir);
    const base = Object.entries(before).find(([name]) => name === 'manifest.json')![1];
    const token = 'f'.repeat(24);
    a.write('timeline.jsonl', `${a.text('timeline.jsonl')}{"seq":9`);
    a.write(`HANDOFF.md.${token}.tmp`, 'half');
    const dead = { pid: deadPid(), host: hostname(), token };
    leaveLock(desk.root, sessionKey('a'), { ...dead, place: 'w/a', base, timeline_bytes, chain_bytes: a.bytes('chain.jsonl').length });
    mkdirSync(join(desk.root, 'projects/w/new'));
    writeFileSync(join(desk.root, 'projects/w/new/timeline.jsonl'), '{"seq":0');
    leaveLock(desk.root, sessionKey('new'), { ...dead, place: 'w/new', base: null, timeline_bytes: 0, chain_bytes: 0 });
    expect(runtime(['unlock', '', '--force'])).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('an empty prefix names no session') });
    expect(said('unlock', 'a')).toEqual(state({ session: 'a', life: 'dead' }));
    expect(said('unlock', 'a', '--force')).toMatchObject({ removed: ['a'] });
    expect(said('unlock', 'new', '--force')).toMatchObject({ removed: ['new'] });
    expect(desk.contents(a.dir)).toEqual(before);
    expect([readdirSync(join(desk.root, 'projects/w')).sort(), readdirSync(join(desk.root, '.locks'))]).toEqual([['PROJECT.md', 'a'], []]);
    expect(desk.handoff(['verify', '--all', '--strict']).status).toBe(0);
  });

  it('finds the lock that another verb left on another host, and an exact name before a longer one', async () => {
    await capture('a');
    await capture('ab');
    const others = ['auto:w/a', 'promote:a', 'merge:a+ab', 'federated-merge', 'index'];
    for (const key of [...others, sessionKey('a'), sessionKey('ab')]) leaveLock(desk.root, key);
    leaveLockText(desk.root, 'promote:ab', String(process.pid));
    expect(runtime(['promote', 'a'])).toMatchObject({ status: 3, stderr: expect.stringContaining('`agents-handoff unlock <prefix> --force` removes the lock') });
    expect(said('unlock', 'a', '--force')['removed']).toEqual(expect.arrayContaining(['a', 'auto:w/a', 'promote:a']));
    for (const key of ['merge:a+ab', 'federated-merge', 'index']) expect(said('unlock', key, '--force')['removed']).toEqual([key]);
    expect(said('unlock', 'ab', '--force')['removed']).toEqual(['ab']);
    // What 2.0.x holds here is not ours to take.
    expect(readdirSync(join(desk.root, '.locks'))).toHaveLength(1);
    expect(runtime(['promote', 'a', '--force']).status).toBe(0);
  });
});

describe('unlock of a lock that does not say its key', () => {
  it('shows the one of 2.0.x, and the one that a crash left empty, and takes the dead alone', async () => {
    await capture('a');
    await capture('b');
    const own = leaveLockText(desk.root, sessionKey('a'), '');
    const old = new Date(Date.now() - 60_000);
    utimesSync(own, old, old);
    leaveLockText(desk.root, 'promote:a', String(deadPid()));
    leaveLockText(desk.root, 'merge:a+b', String(process.pid));
    const shown = said('unlock', 'a');
    expect(shown).toMatchObject({ removed: [], locks: [{ session: 'a', key: 'session:a', life: 'dead', holder: null }, { key: 'promote:a', life: 'dead', holder: null, who: expect.stringMatching(/held by process \d+/) }] });
    expect(said('unlock', 'a+b')).toMatchObject({ locks: [{ key: 'merge:a+b', life: 'alive' }], removed: [] });
    expect(runtime(['unlock', 'a+b', '--force'])).toMatchObject({ status: 3, stderr: expect.stringContaining(`held by process ${process.pid}`) });
    expect(said('unlock', 'a', '--force')['removed']).toEqual(['a', 'promote:a']);
    expect(said('unlock', 'b')).toMatchObject({ locks: [], removed: [] });
    expect(readdirSync(join(desk.root, '.locks'))).toHaveLength(1);
    mkdirSync(own);
    expect(runtime(['unlock', 'a'])).toMatchObject({ status: 1, stderr: expect.stringMatching(/is a folder where a lock file belongs: remove it/) });
    if (process.platform === 'win32') return;
    // Opening a pipe to read from it waits for somebody who writes, and every command looks at the locks.
    rmdirSync(own);
    execFileSync('mkfifo', [own]);
    for (const words of [['unlock', 'a'], ['index']]) expect(runtime(words)).toMatchObject({ status: 1, stderr: expect.stringMatching(/is no file where a lock file belongs: remove it/) });
    rmSync(own);
    const timeline = join(desk.root, 'projects/w/a/timeline.jsonl');
    rmSync(timeline);
    execFileSync('mkfifo', [timeline]);
    expect(desk.handoff(['check', 'a'])).toMatchObject({ status: 1, stderr: expect.stringMatching(/timeline\.jsonl is no file/) });
  });
});

describe('a link in the store', () => {
  it.skipIf(process.platform === 'win32')('leads nothing that is written out of it: no lock that came with it, no promotion, no merge', async () => {
    const { dir } = await capture('a');
    await capture('b', 'v');
    const outside = desk.file('outside', 'not yours\n');
    const timeline = join(dir, 'timeline.jsonl');
    renameSync(timeline, join(desk.dir, 'kept'));
    symlinkSync(outside, timeline);
    const base = createHash('sha256').update(readFileSync(join(dir, 'manifest.json'))).digest('hex');
    leaveLock(desk.root, sessionKey('a'), { pid: deadPid(), host: hostname(), place: 'w/a', base, timeline_bytes: 0, chain_bytes: 0 });
    expect(runtime(['unlock', 'a', '--force'])).toMatchObject({ status: 1, stderr: expect.stringMatching(/timeline\.jsonl is a link; nothing is written through it/) });
    expect(readFileSync(outside, 'utf8')).toBe('not yours\n');

    rmSync(join(desk.root, '.locks'), { recursive: true });
    rmSync(timeline);
    renameSync(join(desk.dir, 'kept'), timeline);
    const linked = join(desk.dir, 'linked');
    renameSync(join(desk.root, 'projects/w'), linked);
    symlinkSync(linked, join(desk.root, 'projects/w'));
    const before = readdirSync(linked, { recursive: true });
    for (const words of [['promote', 'a', '--force'], ['merge', 'a', 'b']]) expect(runtime(words)).toMatchObject({ status: 1, stderr: expect.stringMatching(/projects\/w is a link; nothing is written through it/) });
    expect(readdirSync(linked, { recursive: true })).toEqual(before);
  });
});

describe('self-improve', () => {
  it('counts long sessions with a thin brief in a list beside the program, and writes nothing into the store', async () => {
    const product = join(desk.dir, 'a product');
    cpSync(join(REPOSITORY, 'tools'), join(product, 'tools'), { recursive: true });
    const thin = await capture('thin', 'w', 40);
    thin.write('HANDOFF.md', '# secret words\n'.repeat(60).slice(0, 799));
    (await capture('short', 'w', 39)).write('HANDOFF.md', 'x');
    const umlauts = await capture('umlauts', 'w', 41);
    umlauts.write('HANDOFF.md', 'ü'.repeat(799));
    (await capture('enough', 'w', 41)).write('HANDOFF.md', 'ü'.repeat(800));
    rmSync((await capture('bare', 'w', 44)).path('HANDOFF.md'));
    const before = desk.snapshot();
    const both = [runtime(['self-improve'], { product }), runtime(['self-improve'], { product })];
    const file = join(product, 'docs/self-improve-candidates.json');
    for (const { status, stdout } of both) expect([status, JSON.parse(stdout)]).toEqual([0, { ok: true, action: 'self-improve', scanned: 5, candidates: 3, written_to: file }]);
    const list = JSON.parse(readFileSync(file, 'utf8')) as { candidates: object[] };
    expect(list).toEqual({ generated_at: expect.stringMatching(/Z$/), scanned: 5, candidates: [
      { id: 'bare', project: 'w', turns: 44, characters: 0, revision: 1 },
      { id: 'thin', project: 'w', turns: 40, characters: 799, revision: 1 },
      { id: 'umlauts', project: 'w', turns: 41, characters: 799, revision: 1 },
    ] });
    expect(readdirSync(join(product, 'docs'))).toEqual(['self-improve-candidates.json']);
    expect(desk.snapshot()).toEqual(before);
  });
});
