/** `handoff sources` and `build --latest`: what harnesses have recorded, found without reading it, whatever else lies there. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk } from '../helpers/desk.ts';
import { claude, codex, lines, talk, type TranscriptRecord } from '../helpers/transcripts.ts';

let desk: Desk;
let here: string;
beforeEach(() => {
  desk = new Desk();
  here = join(desk.dir, 'shop');
  mkdirSync(here);
});
afterEach(() => desk.remove());

const dashed = (cwd: string): string => cwd.replace(/[^A-Za-z0-9]/g, '-');
const NOW = Date.now() / 1000;

/** A file below the home, `age` minutes old. */
function recorded(name: string, content: string, age = 0): string {
  const file = desk.file(join('home', name), content);
  utimesSync(file, NOW - age * 60, NOW - age * 60);
  return file;
}

function claudeSession(session: string, cwd: string, age = 0, records: readonly TranscriptRecord[] = talk(2, session, cwd)): string {
  return recorded(`.claude/projects/${dashed(cwd)}/${session}.jsonl`, lines(...records), age);
}

function codexSession(id: string, cwd: string, age = 0, prompt = `prompt of ${id}`): string {
  const writer = codex(id, cwd);
  return recorded(`.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${id}.jsonl`, lines(writer.meta(), writer.message('user', prompt)), age);
}

interface Listed { harness: string; path: string; title: string; cwd: string; size: number; modified: string; standing: { state: string; bytes?: number; session?: string; place?: string } }

const call = (argv: string[] = [], env: Record<string, string | undefined> = {}, cwd = here) => desk.handoff(['sources', ...argv], { cwd, env });
function listed(argv: string[] = [], env: Record<string, string | undefined> = {}): { sources: Listed[]; more: number } {
  const { status, stdout, stderr } = call([...argv, '--json'], env);
  if (status !== 0) throw new Error(`${status}: ${stderr}`);
  return JSON.parse(stdout) as { sources: Listed[]; more: number };
}
const paths = (argv: string[] = [], env: Record<string, string | undefined> = {}): string[] => listed(argv, env).sources.map(({ path }) => path);

describe('handoff sources', () => {
  it('lists the sessions of this folder, newest first, with those of others only on request', () => {
    const old = claudeSession('one', here, 90);
    const fresh = codexSession('two', here, 5, 'Fix the parser');
    const other = claudeSession('three', '/elsewhere', 1);
    expect(paths()).toEqual([fresh, old]);
    expect(paths(['--all'])).toEqual([other, fresh, old]);
    expect(paths(['--harness', 'claude-code'])).toEqual([old]);
    const { stdout, stderr } = call();
    expect(stderr).toBe('');
    const [first = '', second = ''] = stdout.trimEnd().split('\n').map((line) => line.replace(/ {2,}/g, ' | '));
    expect(first).toMatch(/^5 min ago \| codex \| \d+ B \| not captured \| Fix the parser \| \//);
    expect(second).toMatch(/^1 h ago \| claude-code \| \d+ B \| not captured \| prompt 0 of one \| \//);
  });

  it('tells how far behind the store is', () => {
    const file = claudeSession('s', here);
    desk.build(file);
    expect(listed().sources[0]?.standing).toEqual({ state: 'captured', session: 's', place: 'shop/s' });
    appendFileSync(file, 'x'.repeat(41));
    expect(listed().sources[0]?.standing).toMatchObject({ state: 'behind', bytes: 41 });
    expect(call().stdout).toContain('  behind by 41 bytes  ');
    writeFileSync(file, lines(...talk(1, 's', here)));
    expect(listed().sources[0]?.standing.state).toBe('changed');
  });

  it('knows a session that was captured under another name, and one whose file has moved', () => {
    const file = codexSession('thread', here);
    desk.build(file, '--session', 'mine');
    expect(listed().sources[0]?.standing).toEqual({ state: 'captured', session: 'mine', place: 'shop/mine' });
    const archived = join(desk.home, '.codex/archived_sessions/rollout-2026-01-01T00-00-00-thread.jsonl');
    mkdirSync(dirname(archived));
    renameSync(file, archived);
    expect(listed().sources[0]).toMatchObject({ path: archived, standing: { state: 'captured', session: 'mine' } });
  });

  it('takes the title that was given last, however long the session, and a prompt rather than a command or a greeting', () => {
    const writer = claude('long', here);
    const many = [writer.user('/clear'), writer.user('hello'), writer.user('Move the shop'), writer.agent('y'.repeat(200_000))];
    claudeSession('long', here, 0, [...many]);
    expect(listed().sources[0]?.title).toBe('Move the shop');
    claudeSession('long', here, 0, [...many, { type: 'custom-title', customTitle: 'The big move', sessionId: 'long' }]);
    expect(listed().sources[0]?.title).toBe('The big move');
  });

  it('reads the beginning of a first record that is longer than what it reads', () => {
    claudeSession('pasted', here, 0, [claude('pasted', here).user([{ type: 'text', text: 'Look at this' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(100_000) } }])]);
    expect(listed().sources[0]?.title).toBe('Look at this [image]');
  });

  it('shows text on one line, without its secrets, and obeys none of it', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    codexSession('x', here, 0, `Use ${secret}\nand \u001b[31m red`);
    const { stdout } = call();
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stdout).not.toContain(secret);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/Use \S+ and \\x1b\[31m red/);
    desk.file('shop/handoff.config.json', '{"redaction":{"patterns":["red\\\\b"]}}');
    expect(call().stdout).not.toMatch(/\bred\b/);
  });

  it.each([['CLAUDE_CONFIG_DIR', 'projects/-w/s.jsonl', lines(...talk(2))], ['CODEX_HOME', 'sessions/2026/01/01/rollout-x.jsonl', lines(codex('c').meta(), codex('c').message('user', 'hi there you'))], ['XDG_DATA_HOME', 'opencode/storage/session/p/ses_1.json', '{"id":"ses_1","directory":"/w","title":"t"}']])('looks where %s says instead', (name, below, content) => {
    claudeSession('home', '/w');
    codexSession('home', '/w');
    const file = desk.file(join('moved', below), content);
    const all = paths(['--all'], { [name]: join(desk.dir, 'moved') });
    expect(all).toContain(file);
    expect(all).toHaveLength(name === 'XDG_DATA_HOME' ? 3 : 2);
  });

  it('says in a sentence that there is no home, and works without one where a variable names the place', () => {
    expect(call(['--all'], { HOME: undefined })).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/^handoff: there is no home directory .* set HOME, .*\n$/) as string });
    codexSession('c', here);
    const { stdout, stderr, status } = call([], { HOME: undefined, CODEX_HOME: join(desk.home, '.codex') });
    expect([status, stdout.split('\n').length, stderr]).toEqual([0, 2, 'handoff: HOME is not set: only the folders of codex are looked at\n']);
  });

  it('names the harnesses it knows where another one is asked for', () => {
    expect(call(['--harness', 'klaude'])).toMatchObject({ status: 2, stderr: expect.stringMatching(/^handoff: no harness is called klaude; .*claude-code, codex, gemini, qwen, opencode, kilo, pi, copilot, cline, continue\n$/) as string });
  });

  it('says so where there is nothing', () => {
    expect(call(['--harness', 'codex']).stdout).toBe('codex has recorded no session of this folder; --all shows those of other folders.\n');
    expect(call()).toMatchObject({ status: 0, stdout: 'No harness has recorded a session of this folder; --all shows those of other folders.\n', stderr: '' });
    expect(listed(['--all'])).toEqual({ sources: [], more: 0 });
  });

  it('keeps folders apart that a client gives the same name', () => {
    const twin = join(desk.dir, 'shop.de');
    const sibling = join(desk.dir, 'shop-de');
    mkdirSync(twin);
    mkdirSync(sibling);
    const mine = claudeSession('mine', twin);
    const other = claudeSession('other', sibling);
    expect(dirname(mine)).toBe(dirname(other));
    expect((JSON.parse(call(['--json'], {}, twin).stdout) as { sources: Listed[] }).sources.map(({ path }) => path)).toEqual([mine]);
    for (const file of [mine, other]) desk.build(file);
    expect(desk.session('shop.de/mine').manifest.cwd).toBe(twin);
    expect(desk.session('shop-de/other').manifest.cwd).toBe(sibling);
  });

  it('finds a folder of letters outside ASCII only, and one that is reached through a link', () => {
    const folder = join(desk.dir, '店');
    mkdirSync(folder);
    const file = claudeSession('cjk', folder);
    const link = join(desk.dir, 'link');
    symlinkSync(folder, link);
    for (const cwd of [folder, link]) expect((JSON.parse(call(['--json'], {}, cwd).stdout) as { sources: Listed[] }).sources.map(({ path }) => path)).toEqual([file]);
    desk.build(file);
    expect(desk.session(desk.places()[0] ?? '').manifest.cwd).toBe(folder);
  });

  it('finds those of Gemini CLI by the folder that it notes, or by the name it made of it', () => {
    const document = JSON.stringify({ sessionId: 'g1', projectHash: 'x', startTime: '2026-01-01T00:00:00.000Z', messages: [{ id: 'm', timestamp: '2026-01-01T00:00:00.000Z', type: 'user', content: 'Draw a plan' }] });
    const old = recorded(`.gemini/tmp/${createHash('sha256').update(here).digest('hex')}/chats/session-1.json`, document, 2);
    const named = recorded('.gemini/tmp/shop/chats/session-2.json', document, 1);
    recorded('.gemini/tmp/shop/.project_root', here);
    recorded('.gemini/tmp/other/chats/session-3.json', document);
    recorded('.gemini/tmp/other/.project_root', '/elsewhere');
    expect(paths()).toEqual([named, old]);
    expect(listed().sources[0]?.title).toBe('Draw a plan');
  });

  it('reads the title of a document that is larger than what it reads', () => {
    const item = (content: string) => ({ message: { role: 'user', content }, contextItems: [] });
    recorded('.continue/sessions/a.json', JSON.stringify({ sessionId: 'a', title: 'Untitled Session', workspaceDirectory: here, history: [item('Sort the list'), ...Array.from({ length: 50 }, () => item('z'.repeat(4_000)))] }));
    recorded('.continue/sessions/sessions.json', '[]');
    expect(listed().sources.map(({ title }) => title)).toEqual(['Sort the list']);
  });

  it('leaves sub-agents to the session that started them', () => {
    const session = claudeSession('11111111-1111-4111-8111-111111111111', here);
    recorded(`.claude/projects/${dashed(here)}/agent-abc.jsonl`, lines(...talk(2)));
    const child = codex('child', here);
    const meta = child.meta();
    recorded('.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-01-child.jsonl', lines({ ...meta, payload: { ...(meta['payload'] as object), parent_thread_id: 'p' } }, child.message('user', 'x')));
    expect(paths()).toEqual([session]);
    expect(paths(['--all'])).toEqual([session]);
  });

  it('shows 50 and says how many more there are', () => {
    for (let n = 0; n < 53; n += 1) claudeSession(`s${n}`, here, n);
    const { sources, more } = listed();
    expect([sources.length, more]).toEqual([50, 3]);
    expect(sources[0]?.path).toMatch(/s0\.jsonl$/);
    expect(call().stdout.trimEnd().split('\n').at(-1)).toMatch(/^… and 3 older ones/);
  });
});

describe('what else may lie there', () => {
  it('links, loops, pipes, folders and broken entries do no harm', () => {
    const good = claudeSession('good', here);
    const dir = dirname(good);
    symlinkSync('..', join(dir, 'loop'));
    symlinkSync(join(desk.dir, 'nowhere'), join(dir, 'broken.jsonl'));
    symlinkSync(desk.file('outside.jsonl', lines(...talk(2, 'outside', here))), join(dir, 'out.jsonl'));
    symlinkSync('/', join(dirname(dir), dashed(`${here}x`)));
    mkdirSync(join(dir, 'folder.jsonl'));
    expect(spawnSync('mkfifo', [join(dir, 'pipe.jsonl')]).status).toBe(0);
    recorded(`.claude/projects/${dashed(here)}/empty.jsonl`, '', 3);
    recorded(`.claude/projects/${dashed(here)}/noise.jsonl`, '\0\u0001{{{', 4);
    const { status, stdout, stderr } = call(['--all', '--json']);
    expect([status, stderr]).toEqual([0, '']);
    expect((JSON.parse(stdout) as { sources: Listed[] }).sources.map(({ path }) => path.split('/').at(-1))).toEqual(['good.jsonl', 'empty.jsonl', 'noise.jsonl']);
  });

  it('a place that is a link is followed once, and one that leads nowhere is told', () => {
    const store = join(desk.dir, 'disk');
    mkdirSync(join(store, dashed(here)), { recursive: true });
    const file = join(store, dashed(here), 's.jsonl');
    writeFileSync(file, lines(...talk(2, 's', here)));
    mkdirSync(join(desk.home, '.claude'));
    symlinkSync(store, join(desk.home, '.claude/projects'));
    mkdirSync(join(desk.home, '.codex'));
    symlinkSync(join(desk.dir, 'gone'), join(desk.home, '.codex/sessions'));
    expect(paths()).toEqual([file]);
    expect(call().stderr).toBe(`handoff: ${join(desk.home, '.codex/sessions')} cannot be read (ENOENT)\n`);
  });

  it.skipIf(process.getuid?.() === 0)('a folder that may not be read is a note, and the others are read', () => {
    const file = claudeSession('s', here);
    const closed = join(desk.home, '.claude/projects/-closed');
    mkdirSync(closed);
    chmodSync(closed, 0);
    const { status, stdout, stderr } = call(['--all', '--json']);
    chmodSync(closed, 0o700);
    expect([status, stderr]).toEqual([0, `handoff: ${closed} cannot be read (EACCES)\n`]);
    expect(stdout).toContain(file);
  });

  it('databases are named and not opened', () => {
    const file = recorded('.local/share/opencode/opencode.db', 'SQLite format 3\0 not really');
    expect(listed(['--all']).sources).toMatchObject([{ path: file, harness: 'opencode', standing: { state: 'not-captured' } }]);
    expect(call()).toMatchObject({ status: 0, stderr: `handoff: ${file} holds sessions of any folder: \`handoff build <file>#<session>\` takes one\n` });
  });
});

describe('handoff build --latest', () => {
  const build = (...argv: string[]) => desk.handoff(['build', ...argv], { cwd: here });

  it('takes the newest transcript of this folder and says which', () => {
    claudeSession('old', here, 10);
    claudeSession('elsewhere', '/elsewhere');
    const newest = codexSession('new', here, 1);
    expect(build('--latest')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^handoff: built new project=shop /) as string, stderr: `handoff: the newest transcript of this folder is ${newest} (codex)\n` });
    expect(build('--latest', '--harness', 'claude-code').stdout).toMatch(/^handoff: built old project=shop /);
    expect(desk.session('shop/old').manifest).toMatchObject({ harness: 'claude-code' });
    expect(desk.session('shop/old').manifest.pinned).toBeUndefined();
  });

  it('says so where there is none, and does not take a file besides', () => {
    expect(build('--latest')).toMatchObject({ status: 2, stdout: '', stderr: 'handoff: no session of this folder is recorded; `handoff sources --all` shows those of other folders\n' });
    expect(build('--latest', 'x.jsonl')).toMatchObject({ status: 2, stderr: expect.stringContaining('either a file or --latest') as string });
  });

  it('is named, with the transcript it would take, by a build without a file', () => {
    const plain = build();
    expect([plain.status, plain.stderr]).toEqual([2, 'handoff: build needs a transcript: `handoff build <file>`, or `handoff build -` for standard input\n']);
    const file = claudeSession('s', here);
    expect(build()).toMatchObject({ status: 2, stdout: '', stderr: `handoff: build needs a transcript: \`handoff build <file>\`, or \`handoff build -\` for standard input; the newest of this folder is ${file}, which \`handoff build --latest\` takes\n` });
    expect(desk.tree()).toEqual([]);
    expect(desk.handoff(['build'], { cwd: here, env: { HOME: undefined } }).status).toBe(2);
  });
});
