/** Forks: what was copied into a session is marked as such in every render, and is never told as work of the fork. */
import { appendFileSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { buildInto, failures, turnsOf } from '../helpers/build.ts';
import { SessionFolder } from '../helpers/desk.ts';
import { freshFolder } from '../helpers/run.ts';
import { claude, lines, type TranscriptRecord } from '../helpers/transcripts.ts';
import { skipWithout } from '../helpers/recorded.ts';
import { loadTruth, samplePath, type TruthEntry } from '../helpers/truth.ts';
import { leavesNoTrace } from '../helpers/truth-known.ts';

const scratch = freshFolder('handoff-forks-');
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let made = 0;
let root = '';
beforeEach(() => { root = join(scratch, `store-${made++}`); });

async function captured(file: string): Promise<SessionFolder> {
  const session = new SessionFolder((await buildInto(root, file)).dir);
  expect(failures(root)).toEqual([]);
  return session;
}

function written(name: string, ...records: TranscriptRecord[]): string {
  const file = join(scratch, `${made}-${name}`);
  writeFileSync(file, lines(...records));
  return file;
}

const replayed = (session: SessionFolder): string[] => (session.summary['prompts'] as { text: string; replayed?: true }[]).filter((prompt) => prompt.replayed).map(({ text }) => text);

const forks = ['claude-code', 'codex', 'qwen', 'opencode'].flatMap((harness) => loadTruth(harness).filter(([, entry]) => entry.replayed_prompts.length > 0 && !leavesNoTrace(entry)).map(([key, entry]) => [harness, key, entry] as const));

describe('recorded forks', () => {
  skipWithout(forks);

  it.each(forks)('%s %s: of which session, which prompts are copies, and what is left is its own', async (harness, key, entry: TruthEntry & { objective?: string }) => {
    const session = await captured(samplePath(harness, key));
    const { fork } = session.manifest;
    expect(fork?.of).toBe(entry.fork_of ?? '');
    expect(replayed(session)).toEqual(entry.replayed_prompts);
    expect(session.summary['objective']).toBe(entry.objective);
    const own = turnsOf(session.dir).filter((turn) => turn.seq > (fork?.until_seq ?? -1));
    const count = (name: string): number => own.filter((turn) => turn.class === name).length;
    const users = entry.own_counts?.USER ?? entry.prompts.length - entry.replayed_prompts.length;
    expect(count('USER')).toBe(users);
    if (entry.own_counts !== undefined) expect([count('AGENT'), count('THOUGHT'), count('TOOL')]).toEqual([entry.own_counts.AGENT, entry.own_counts.THOUGHT, entry.own_counts.CALLS + entry.own_counts.RESULTS]);
    for (const file of session.summary['files_changed'] as { replayed?: true }[]) expect(file.replayed).toBe(true);
    if (entry.fork_of === null) expect(session.text('HANDOFF.md')).toContain('**Forked from:** a session that the transcript does not name; turns up to');
    expect(session.text('HANDOFF.md')).toContain(`turns up to seq ${fork?.until_seq} are copies, not new work`);
  });

  it.skipIf(forks.length === 0)('of Claude Code 1.0 leave no trace and are not guessed', async () => {
    const session = await captured(samplePath('claude-code', 'v1.0.128-fork-child.jsonl'));
    expect(session.manifest.fork).toBeUndefined();
    expect(replayed(session)).toEqual([]);
  });
});

describe('a fork of Claude Code', () => {
  const parent = claude('parent');
  const copied = [parent.user('Plan the move'), parent.agent('Two ways.'), parent.user('Take the first'), parent.agent('Taken.')];
  const own = claude('child');

  it('ends its copies at the last marked answer where no time tells more', async () => {
    const marked = copied.map((record) => ({ ...record, sessionId: 'child', ...(record.type === 'assistant' ? { requestSessionId: 'parent' } : {}) }));
    const session = await captured(written('child.jsonl', ...marked, own.user('Now the second'), own.agent('Second.')));
    expect(session.manifest.fork).toEqual({ of: 'parent', by: expect.stringContaining('requestSessionId') as string, until_seq: 3 });
    expect(replayed(session)).toEqual(['Plan the move', 'Take the first']);
    expect(session.text('HANDOFF.md')).toMatch(/\| Plan the move \| before the fork \|/);
  });

  it('is looked at again as long as nothing but copies was captured, and no longer', async () => {
    const marked = copied.map((record) => ({ ...record, sessionId: 'child', ...(record.type === 'assistant' ? { requestSessionId: 'parent' } : {}) }));
    const file = written('grows.jsonl', ...marked.slice(0, 2));
    expect((await captured(file)).manifest.fork?.until_seq).toBe(1);
    appendFileSync(file, lines(...marked.slice(2)));
    expect((await captured(file)).manifest.fork?.until_seq).toBe(3);
    appendFileSync(file, lines(own.user('Now the second'), own.agent('Second.')));
    const session = await captured(file);
    expect(session.manifest.fork?.until_seq).toBe(3);
    expect(replayed(session)).toEqual(['Plan the move', 'Take the first']);
  });

  it('reads the same after `render` and after turns were added', async () => {
    const marked = copied.map((record) => ({ ...record, sessionId: 'child', ...(record.type === 'assistant' ? { requestSessionId: 'parent' } : {}) }));
    const file = written('same.jsonl', ...marked, own.user('Now the second'));
    await captured(file);
    appendFileSync(file, lines(own.agent('Second.')));
    const grown = await captured(file);
    const whole = join(scratch, 'whole.jsonl');
    copyFileSync(file, whole);
    root = join(scratch, `store-${made++}`);
    const fresh = await captured(whole);
    const told = (session: SessionFolder): object => ({ ...session.summary, generated_at: '', provenance: '' });
    expect(told(grown)).toEqual(told(fresh));
  });
});

describe('a fork of Codex', () => {
  const at = (ms: number): string => new Date(Date.UTC(2026, 5, 1) + ms).toISOString();
  const meta = (ms: number, id: string, more: TranscriptRecord = {}): TranscriptRecord => ({ timestamp: at(ms), type: 'session_meta', payload: { id, cwd: '/w', cli_version: '0.110.0', ...more } });
  const said = (ms: number, role: string, text: string): TranscriptRecord => ({ timestamp: at(ms), type: 'response_item', payload: { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] } });
  const history = (ms: number): TranscriptRecord[] => Array.from({ length: 20 }, (_, n) => said(ms + (n >> 2), n % 2 === 0 ? 'user' : 'assistant', n % 2 === 0 ? `parent asks ${n}` : `parent says ${n}`));

  it('that replays its parent has its own id, objective and work; the replay is not counted again', async () => {
    const file = written('rollout-2026-06-01T00-00-00-child.jsonl',
      meta(0, 'CHILD', { forked_from_id: 'PARENT' }), meta(1, 'PARENT'), ...history(2), said(9_000, 'user', 'Count the tests'), said(12_000, 'assistant', 'Twelve.'));
    const session = await captured(file);
    expect(session.manifest).toMatchObject({ session: 'CHILD', uuid: 'CHILD', fork: { of: 'PARENT', until_seq: 21, apart: true } });
    expect(session.summary['objective']).toBe('Count the tests');
    expect(replayed(session)).toHaveLength(10);
    expect((session.summary['prompts'] as object[]).length).toBe(11);
  });

  it('ends its copies by the ids of turns where the work begins at once', async () => {
    const id = (ms: number): string => `${(Date.UTC(2026, 5, 1) + ms).toString(16).padStart(12, '0').replace(/^(.{8})/, '$1-')}-7000-8000-000000000000`;
    const turn = (ms: number, of: number): TranscriptRecord => ({ timestamp: at(ms), type: 'turn_context', payload: { turn_id: id(of), model: 'm', cwd: '/w' } });
    const file = written('at-once.jsonl', meta(1_000, id(1_000), { forked_from_id: id(0) }), meta(1_001, id(0)), turn(1_002, 500), said(1_002, 'user', 'old'), turn(1_010, 1_005), said(1_010, 'user', 'new'));
    const session = await captured(file);
    expect(session.manifest.fork?.until_seq).toBe(3);
    expect(replayed(session)).toEqual(['old']);
  });

  it('is not cut by guess where every record looks alike', async () => {
    const slow = Array.from({ length: 6 }, (_, n) => said(2_000 * (n + 1), n % 2 === 0 ? 'user' : 'assistant', `words ${n}`));
    const session = await captured(written('alike.jsonl', meta(0, 'C2', { forked_from_id: 'P2' }), ...slow));
    expect(session.manifest.fork).toEqual({ of: 'P2', by: 'C2' });
    expect(replayed(session)).toEqual([]);
  });

  it('whose history lies in the parent\'s file only says so', async () => {
    const session = await captured(written('base.jsonl', meta(0, 'C3', { forked_from_id: 'P3', history_base: { thread_id: 'P3', end_ordinal_exclusive: 38 } }), said(1, 'user', 'Go on'), said(2, 'assistant', 'On it.')));
    expect(session.manifest.fork).toEqual({ of: 'P3', by: 'C3', elsewhere: true });
    expect(session.text('HANDOFF.md')).toContain('**Forked from:** P3; what went before the fork stands in that session\'s transcript, not here');
  });

  it('a file that an edited prompt began goes on the same thread as a second source', async () => {
    const id = '01a22b70-470c-7943-bb11-8462f1c381a7';
    const first = written(`rollout-2026-06-01T00-00-00-${id}.jsonl`, meta(0, id), said(1, 'user', 'Draw a cat'), said(2, 'assistant', 'A cat.'), said(3, 'user', 'Bigger'), said(4, 'assistant', 'Big.'));
    const second = written(`rollout-2026-06-01T00-10-00-${id}_01a22b70-9999-7943-bb11-000000000000.jsonl`, meta(600_000, id, { history_base: { thread_id: id, end_ordinal_exclusive: 3 } }), said(600_001, 'user', 'Smaller'), said(600_002, 'assistant', 'Small.'));
    await captured(first);
    const session = await captured(second);
    expect(session.manifest.sources).toHaveLength(2);
    expect(session.manifest.fork).toBeUndefined();
    expect(session.said).toEqual(['USER Draw a cat', 'AGENT A cat.', 'USER Bigger', 'AGENT Big.', 'USER Smaller', 'AGENT Small.']);
    appendFileSync(second, lines(said(700_000, 'user', 'Thanks')));
    expect((await buildInto(root, second))).toMatchObject({ action: 'built', new: 1, revision: 3 });
    expect((await buildInto(root, first))).toMatchObject({ action: 'up-to-date' });
  });
});

describe('a fork of Qwen Code', () => {
  const link = (n: number, type: string, role: string, text: string, copied: boolean): TranscriptRecord => ({
    uuid: `q${n}`, parentUuid: n === 1 ? null : `q${n - 1}`, sessionId: 'child', timestamp: `2026-06-01T00:00:0${n}.000Z`, type, provenance: type === 'user' ? 'real_user' : 'assistant_output', cwd: '/w', version: '0.24.4',
    message: { role, parts: [{ text }] }, ...(copied ? { forkedFrom: { sessionId: 'parent', messageUuid: `q${n}` } } : {}),
  });
  const copied = [link(1, 'user', 'user', 'Plan the move', true), link(2, 'assistant', 'model', 'Two ways.', true)];

  it('ends its copies at the last record that names what it was copied from', async () => {
    const file = written('qwen.jsonl', ...copied);
    expect((await captured(file)).manifest.fork).toMatchObject({ of: 'parent', until_seq: 1 });
    appendFileSync(file, lines(link(3, 'user', 'user', 'Now the second', false), link(4, 'assistant', 'model', 'Second.', false)));
    const session = await captured(file);
    expect(session.manifest.fork).toEqual({ of: 'parent', by: expect.stringContaining('forkedFrom') as string, until_seq: 1 });
    expect(replayed(session)).toEqual(['Plan the move']);
    expect(session.text('HANDOFF.md')).toMatch(/\| Plan the move \| before the fork \|/);
  });
});

describe('a fork of OpenCode', () => {
  const message = (id: string, role: string, created: number, text: string): object => ({
    info: { id, role, sessionID: 'ses_fork', time: { created, ...(role === 'assistant' ? { completed: created + 1 } : {}) } },
    parts: [{ id: `prt_${id}`, type: 'text', text, ...(role === 'assistant' ? { time: { start: created, end: created + 1 } } : {}) }],
  });
  const old = [message('a', 'user', 1_000, 'Plan the move'), message('b', 'assistant', 2_000, 'Two ways.')];
  const own = [message('c', 'user', 9_500, 'Now the second'), message('d', 'assistant', 9_600, 'Second.')];
  const exported = (messages: object[], more: object = {}): string => JSON.stringify({ info: { id: 'ses_fork', directory: '/w', title: 'Move (fork #1)', version: '1.18.33', time: { created: 9_000 }, ...more }, messages });
  const file = (): string => join(scratch, `${made}-opencode.json`);

  it('is told by messages that are older than the session, and does not name the other one', async () => {
    writeFileSync(file(), exported(old));
    expect((await captured(file())).manifest.fork).toMatchObject({ of: '', until_seq: 1 });
    writeFileSync(file(), exported([...old, ...own]));
    const session = await captured(file());
    expect(session.manifest.fork).toEqual({ of: '', by: 'messages older than the session', until_seq: 1 });
    expect(replayed(session)).toEqual(['Plan the move']);
    expect(session.text('HANDOFF.md')).toContain('**Forked from:** a session that the transcript does not name; turns up to seq 1 are copies, not new work');
  });

  it.each([
    ['its title alone', exported(own)],
    ['the age of what a sub-agent was given', exported([...old, ...own], { parentID: 'ses_parent' })],
    ['messages where the session has no time', exported([...old, ...own], { time: {} })],
  ])('is not guessed from %s', async (_name, text) => {
    writeFileSync(file(), text);
    const session = await captured(file());
    expect(session.manifest.fork).toBeUndefined();
    expect(replayed(session)).toEqual([]);
  });
});
