/** `auto --hook`: a client's hook must never be stopped, kept waiting or written to, whatever it sends. */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquire } from '../../../src/lib/fs/lock.mts';
import { sessionKey } from '../../../src/store/layout.mts';
import { Desk } from '../../helpers/desk.ts';
import { importBuilt } from '../../helpers/built.ts';
import { REPOSITORY, run, start, type Result } from '../../helpers/run.ts';
import { lines, talk } from '../../helpers/transcripts.ts';

let desk: Desk;
/** Where the client works: with a store of its own, that only its hook JSON leads to. */
let shop: string;
beforeEach(() => {
  desk = new Desk();
  shop = join(desk.dir, 'shop');
  mkdirSync(join(shop, 'handoffs'), { recursive: true });
});
afterEach(() => desk.remove());

interface Hooked extends Result { ms: number }

const bare = (): { cwd: string; home: string; env: Record<string, undefined> } => ({ cwd: desk.home, home: desk.home, env: {} });

/** Runs the hook as a client does: JSON on standard input, which is closed behind it. Every answer must be silence and success. */
async function hook(input: string | Buffer | object, more: { keepOpen?: boolean } = {}): Promise<Hooked> {
  const began = Date.now();
  const { child, done } = start('agents-handoff', ['auto', '--hook'], bare());
  child.stdin?.write(Buffer.isBuffer(input) || typeof input === 'string' ? input : JSON.stringify(input));
  if (more.keepOpen !== true) child.stdin?.end();
  const result = await done;
  expect([result.status, result.stdout]).toEqual([0, '']);
  return { ...result, ms: Date.now() - began };
}

const transcriptOf = (session: string): string => join(desk.home, `.claude/projects/-shop/${session}.jsonl`);
const event = (session: string, more: object = {}): object => ({ session_id: session, transcript_path: transcriptOf(session), cwd: shop, hook_event_name: 'Stop', stop_hook_active: false, ...more });

function write(session: string, count: number): string {
  const file = transcriptOf(session);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines(...talk(count, session, shop)));
  return file;
}

interface Told { id: string; turns: number; revisions: number }
const store = (): Told[] => {
  try {
    return (JSON.parse(readFileSync(join(shop, 'handoffs/INDEX.json'), 'utf8')) as Told[]).map(({ id, turns, revisions }) => ({ id, turns, revisions }));
  } catch {
    return [];
  }
};
const said = (session: string): string => readFileSync(join(shop, `handoffs/projects/shop/${session}/timeline.jsonl`), 'utf8');

const CLIENTS = [
  ['claude-code', 'claude-code/steering.jsonl'],
  ['codex', 'codex/v0.171-interrupted.jsonl'],
  ['gemini', 'gemini/v0.61-coding.jsonl'],
  ['qwen', 'qwen/v0.24-killed.jsonl'],
] as const;

describe('auto --hook', () => {
  it.each(CLIENTS)('captures what %s wrote, at each of its events, and says nothing', async (client, fixture) => {
    const events = readFileSync(join(REPOSITORY, `tests/fixtures/hooks/${client}.jsonl`), 'utf8').replaceAll('/home/user/shop', shop).replaceAll('/home/user', desk.home).trimEnd().split('\n');
    const paths = events.map((text) => JSON.parse(text) as { transcript_path: string; agent_transcript_path?: string });
      for (const { transcript_path: file } of paths) {
      mkdirSync(dirname(file), { recursive: true });
      copyFileSync(join(REPOSITORY, 'tests/fixtures', fixture), file);
    }
    for (const { agent_transcript_path: file } of paths) {
      if (file === undefined) continue;
      mkdirSync(dirname(file), { recursive: true });
      copyFileSync(join(REPOSITORY, 'tests/fixtures/claude-code/subagent-2.0.jsonl'), file);
    }
    const results = await Promise.all(events.map((text) => hook(text)));
    for (const { stderr } of results) expect(stderr).toMatch(/^(?:agents-handoff: (?:built \S+ project=\S+ turns=\d+ new=\d+ rev=1 -> |up-to-date \()[^\n]*\n)+$/);
    expect(store().every(({ revisions }) => revisions === 1)).toBe(true);
    expect(store()).toHaveLength(client === 'claude-code' ? 3 : 1);
    // Each transcript was built by one of them and found captured by the others.
    expect(results.flatMap(({ stderr }) => stderr.match(/: built /g) ?? [])).toHaveLength(store().length);
  }, 30_000);

  it('takes what comes in bounded time: nothing, not JSON, no transcript, one that is not there, a folder, a byte order mark', async () => {
    write('bom', 2);
    write('gone', 2);
    const never = event('never');
    const cases: [string | Buffer | object, RegExp][] = [
      ['', /^agents-handoff: nothing on standard input\n$/],
      [' \n', /^agents-handoff: nothing on standard input\n$/],
      ['{"transcript_path": "/x"', /^agents-handoff: standard input is not the JSON object of a hook\n$/],
      ['["transcript_path"]', /not the JSON object/],
      ['null', /not the JSON object/],
      [Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]), /not the JSON object/],
      [{ ...event('x'), transcript_path: null }, /^agents-handoff: the hook Stop names no transcript\n$/],
      [{ hook_event_name: 'SessionEnd' }, /the hook SessionEnd names no transcript/],
      [{ ...event('x'), transcript_path: 7 }, /names no transcript/],
      [never, /^agents-handoff: there is no transcript at \S+never\.jsonl yet; nothing was captured\n$/],
      [{ ...event('x'), transcript_path: shop }, /^agents-handoff: \S+ is a folder/],
      [Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(event('bom')))]), /^agents-handoff: built bom /],
      [{ ...event('gone'), cwd: join(shop, 'gone') }, /^agents-handoff: built gone /],
    ];
    const results = await Promise.all(cases.map(([input]) => hook(input)));
    for (const [at, { stderr }] of results.entries()) expect([at, stderr]).toEqual([at, expect.stringMatching(cases[at]![1])]);
    expect(store().map(({ id }) => id)).toEqual(['bom', 'gone']);
  });

  it('does not stop its client over words that it does not know, and says which', () => {
    for (const words of [['--hook', '--event', 'Stop'], ['--evnt', '--hook'], ['--hook', '--json', '--event'], ['--hook', 'Stop'], ['--hook=yes']]) {
      const { status, stdout, stderr } = run('agents-handoff', ['auto', ...words], bare());
      expect([words, status, stdout, stderr]).toEqual([words, 0, '', expect.stringMatching(/^agents-handoff: auto: [^\n]+ \(see agents-handoff auto --help\)\n$/)]);
    }
    expect(run('agents-handoff', ['auto', '--hok'], bare())).toMatchObject({ status: 2 });
    // Nothing is said on stdout where a document is asked for either: a client would take it for the hook's answer.
    expect(run('agents-handoff', ['auto', '--hook', '--json'], bare())).toMatchObject({ status: 0, stdout: '', stderr: expect.stringMatching(/standard input/) });
  });

  it('ends where standard input is never closed, with a hook in it or without, closed from the start, or a terminal', async () => {
    write('open', 2);
    const open = hook(event('open'), { keepOpen: true });
    const silent = hook('', { keepOpen: true });
    const broken = hook('{"transcript_path":', { keepOpen: true });
    const program = join(REPOSITORY, 'tools/agents-handoff.mjs');
    const shell = (command: string): Promise<Result> => new Promise((resolve) => {
      const child = spawn('/bin/sh', ['-c', command], { cwd: desk.home, env: { PATH: process.env['PATH'], HOME: desk.home }, stdio: ['ignore', 'pipe', 'pipe'] });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (piece: Buffer) => { stdout += String(piece); });
      child.stderr.on('data', (piece: Buffer) => { stderr += String(piece); });
      child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr }));
    });
    const closed = shell(`"${process.execPath}" "${program}" auto --hook <&-`);
    expect((await open).stderr).toMatch(/^agents-handoff: built open /);
    expect((await open).ms).toBeLessThan(10_000);
    expect((await silent).stderr).toBe('agents-handoff: nothing on standard input\n');
    expect((await broken).stderr).toContain('not the JSON object of a hook');
    expect(await closed).toEqual({ status: 0, signal: null, stdout: '', stderr: 'agents-handoff: nothing on standard input\n' });
    if (spawnSync('script', ['--version']).status !== 0) return;
    // `script` of util-linux gives the command a terminal; what it writes goes to files.
    const typed = await shell(`script -qec '"${process.execPath}" "${program}" auto --hook >out 2>err' /dev/null </dev/null`);
    expect([typed.status, readFileSync(join(desk.home, 'out'), 'utf8'), readFileSync(join(desk.home, 'err'), 'utf8')]).toEqual([0, '', 'agents-handoff: nothing on standard input: --hook is for a client\'s hooks\n']);
  });

  it('waits for the last line that is written a moment later, and invents nothing that is not in the file', async () => {
    const file = write('flush', 3);
    const last = talk(4, 'flush', shop)[3]!;
    const running = hook(event('flush', { last_assistant_message: 'answer 3 of flush, and more that was never written' }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    appendFileSync(file, lines(last));
    await running;
    // Whether it was in time or not, the next event brings the rest, and nothing twice.
    await hook(event('flush', { hook_event_name: 'SessionEnd' }));
    expect(store()).toMatchObject([{ id: 'flush', turns: 4 }]);
    expect(said('flush').match(/answer 3 of flush/g)).toHaveLength(1);
    expect(said('flush')).not.toContain('never written');

    const half = JSON.stringify(talk(5, 'flush', shop)[4]);
    appendFileSync(file, half.slice(0, 40));
    expect((await hook(event('flush'))).stderr).toContain('the last line is not finished');
    appendFileSync(file, `${half.slice(40)}\nno json at all\n`);
    expect((await hook(event('flush'))).stderr).toMatch(/1 bad line left out[^]*built flush .* turns=5 new=1 rev=\d bad-lines=1/);
  });

  it('gives two hooks at once one session, each turn once, and waits for whoever holds it', async () => {
    write('twice', 6);
    const both = await Promise.all([hook(event('twice')), hook(event('twice', { hook_event_name: 'SessionEnd' })), hook(event('twice', { hook_event_name: 'PreCompact' }))]);
    expect(both.map(({ stderr }) => stderr).filter((text) => text.includes('built twice'))).toHaveLength(1);
    expect(store()).toEqual([{ id: 'twice', turns: 6, revisions: 1 }]);
    write('twice', 8);
    const lock = acquire(join(shop, 'handoffs/.locks'), sessionKey('twice'), 'build');
    setTimeout(() => lock.release(), 1200);
    const held = await hook(event('twice'));
    expect(held.ms).toBeGreaterThan(1000);
    expect(store()).toEqual([{ id: 'twice', turns: 8, revisions: 2 }]);
    expect(readdirSync(join(shop, 'handoffs/.locks'))).toEqual([]);
  });

  it('captures a sub-agent where its parent cannot be, and stays silent where the configuration is invalid', async () => {
    const parent = write('parent', 0);
    const agent = join(dirname(parent), 'parent/subagents/agent-a1.jsonl');
    mkdirSync(dirname(agent), { recursive: true });
    writeFileSync(agent, lines(...talk(2, 'parent', shop).map((record) => ({ ...record, agentId: 'a1', isSidechain: true }))));
    const { stderr } = await hook(event('parent', { hook_event_name: 'SubagentStop', agent_transcript_path: agent }));
    expect(stderr).toMatch(/parent\.jsonl holds no conversation/);
    expect(stderr).toMatch(/built \S*a1\S* /);
    writeFileSync(join(shop, 'handoff.config.json'), '{"nonsense": 1}');
    expect((await hook(event('parent'))).stderr).toMatch(/^agents-handoff: [^\n]*nonsense[^\n]*\n$/);
    rmSync(join(shop, 'handoff.config.json'));
  });

  it('takes a long transcript within its time, and a build that would need longer leaves nothing', async () => {
    const file = write('long', 2);
    const text = 'the harbour keeps its own time '.repeat(3000);
    for (let at = 1; at <= 25; at += 1) appendFileSync(file, lines(...talk(8, 'long', shop).map((record, n) => ({ ...record, uuid: `long-${at}-${n}`, message: { ...(record['message'] as object), content: `${at}.${n} ${text}` } }))));
    const long = hook(event('long'));
    // The built build, with limits that end it in its reading, in its renders, or after it.
    const script = `
      import { readdirSync, rmSync } from 'node:fs';
      ${importBuilt('capture/build', 'build')}
      const [file, root] = process.argv.slice(2);
      const told = [];
      for (const limit of [0, 60, 150, 250, 350, 500, 60000]) {
        const began = Date.now();
        const place = { root, cwd: '/', stdin: [], redactionPatterns: [], maxBriefTokens: 30000, linking: { enabled: false, min_overlap_score: 1 }, note() {}, progress() {}, onSignal: () => () => {}, until: began + limit,
          tools: { exclude_patterns: [], include_tool_outputs: true, truncate_tool_outputs: false, max_tool_output_length: 1000 } };
        const end = await build({ file, maxLineBytes: 1e9, redact: true }, place).then(({ action }) => action, ({ code }) => code);
        told.push({ limit, end, over: Date.now() - began - limit, left: end === 'built' ? [] : readdirSync(root, { recursive: true }).filter((name) => name !== '.locks') });
        if (end === 'built') rmSync(root, { recursive: true });
      }
      console.log(JSON.stringify(told));`;
    const limited = await new Promise<Result>((resolve) => {
      const child = spawn(process.execPath, [desk.file('limited.mjs', script), file, join(desk.dir, 'limited')], { stdio: ['ignore', 'pipe', 'pipe'] });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (piece: Buffer) => { stdout += String(piece); });
      child.stderr.on('data', (piece: Buffer) => { stderr += String(piece); });
      child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr }));
    });
    expect(limited.stderr).toBe('');
    const told = JSON.parse(limited.stdout) as { limit: number; end: string; over: number; left: string[] }[];
    expect(told.map(({ end }) => end)).toEqual([...told.slice(0, -1).map(({ end }) => (end === 'built' ? 'built' : 'IO')), 'built']);
    expect(told[0]).toMatchObject({ end: 'IO' });
    expect(told.flatMap(({ left }) => left)).toEqual([]);
    expect(Math.max(...told.map(({ over }) => over))).toBeLessThan(3000);
    expect((await long).stderr).toMatch(/built long .* turns=202 /);
    expect((await long).ms).toBeLessThan(20_000);
  });
});
