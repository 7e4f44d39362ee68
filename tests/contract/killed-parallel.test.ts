/**
 * Sessions that were killed while several calls of one message ran: recorded ones, cut behind the first result. What was
 * done has its result, and what was not is pending with the effect of its tool.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/transcript/turn.mts';
import { readBrief, sectionOf } from '../helpers/brief.ts';
import { buildInto, failures, turnsOf } from '../helpers/build.ts';
import { SessionFolder } from '../helpers/desk.ts';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';

const FIXTURES = path.join(REPOSITORY, 'tests/fixtures');
const scratch = freshFolder('handoff-killed-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

/** The first `count` lines; the last of them as `change` leaves it. */
function cutLines(file: string, count: number, change: (last: JsonObject) => JsonObject = (last) => last): string {
  const records = fs.readFileSync(path.join(FIXTURES, file), 'utf8').split('\n').slice(0, count);
  const last = change(JSON.parse(records.pop() ?? '') as JsonObject);
  return [...records, JSON.stringify(last), ''].join('\n');
}

/** The document with the first `count` items of the list `key`; the last of them as `change` leaves it. */
function cutDocument(file: string, key: string, count: number, change: (last: any) => unknown = (last) => last): string {
  const document = JSON.parse(fs.readFileSync(path.join(FIXTURES, file), 'utf8')) as Record<string, unknown[]>;
  const items = document[key] ?? [];
  return JSON.stringify({ ...document, [key]: [...items.slice(0, count - 1), change(items[count - 1])] });
}

/** Gemini's calls from the second of the group on, as they are while they run. */
const executing = (from: number) => (message: JsonObject): JsonObject => ({
  ...message,
  toolCalls: (message['toolCalls'] as JsonObject[]).map(({ result, resultDisplay, ...call }, at) => (at < from ? { ...call, result, resultDisplay } : { ...call, status: 'executing' })) as JsonObject[],
});

/** The parts of OpenCode and Kilo from the second call on, as they are while they run. */
const running = (message: { info: JsonObject; parts: JsonObject[] }): unknown => {
  let calls = 0;
  const { time, finish: _finish, ...info } = message.info;
  const parts = message.parts.map((part) => {
    if (part['type'] !== 'tool' || (calls += 1) === 1) return part;
    const { input, time: { start } } = part['state'] as { input: JsonObject; time: { start: number } };
    return { ...part, state: { status: 'running', input, time: { start } } };
  });
  return { info: { ...info, time: { created: (time as { created: number }).created } }, parts: parts.filter((part) => (part as JsonObject)['type'] !== 'step-finish') };
};

/** What stands in the place of `name`: a file, or the folder that it lies in, with the file as `text`. */
function placed(at: string, name: string, text?: string): string {
  const file = path.join(scratch, at, path.basename(name));
  fs.cpSync(path.join(FIXTURES, path.dirname(name)), path.dirname(file), { recursive: true });
  if (text !== undefined) fs.writeFileSync(file, text);
  return file;
}

const CLINE = 'cline/1796025616579_c660q/1796025616579_c660q.messages.json';
const CLINE_KILLED = 'cline/1796025629373_xx0sh/1796025629373_xx0sh.messages.json';
const OPENCODE = 'opencode/v1.18-killed-resumed.json';
const STORAGE = 'opencode/storage/session/283804affa62b1b6ca4b715f416b9efb884e9ca9/ses_dd4920c80ffen07rgwyKmVtkm7.json';

interface Killed {
  name: string;
  /** Makes the file and gives its path. */
  make: () => string;
  /** The calls of the group that have a result, then those that have none, with their effects. */
  done: string[];
  open: string[];
}

const lines = (name: string, file: string, count: number, done: string[], open: string[], change?: (last: JsonObject) => JsonObject): Killed =>
  ({ name, make: () => placed(name.replaceAll(/\W+/g, '-'), file, cutLines(file, count, change)), done, open });
const document = (name: string, file: string, key: string, count: number, done: string[], open: string[], change?: (last: any) => unknown): Killed =>
  ({ name, make: () => placed(name.replaceAll(/\W+/g, '-'), file, cutDocument(file, key, count, change)), done, open });

const killed: Killed[] = [
  lines('Claude Code', 'claude-code/parallel-2.0.jsonl', 10, ['Read'], ['Grep read', 'Glob read']),
  lines('Codex', 'codex/v0.171-parallel.jsonl', 24, ['exec_command'], ['exec_command unknown', 'exec_command unknown']),
  lines('Codex 0.110', 'codex/v0.110-parallel.jsonl', 21, ['exec_command'], ['exec_command unknown', 'exec_command unknown']),
  lines('GitHub Copilot CLI', 'copilot/killed-resumed.jsonl', 15, ['view'], ['bash unknown']),
  lines('pi', 'pi/parallel.jsonl', 7, ['read'], ['read read', 'bash unknown']),
  lines('Qwen Code', 'qwen/v0.24-parallel.jsonl', 8, ['read_file'], ['read_file read', 'glob read']),
  document('OpenCode', OPENCODE, 'messages', 3, ['read'], ['bash unknown']),
  { name: 'OpenCode, store of files', make: () => { fs.cpSync(path.join(FIXTURES, 'opencode/storage'), path.join(scratch, 'storage'), { recursive: true }); return path.join(scratch, STORAGE.replace('opencode/', '')); }, done: ['read'], open: ['bash unknown'] },
  document('Kilo', 'kilo/v7.7.9-parallel.json', 'messages', 2, ['read'], ['read read', 'glob read'], running),
  document('Cline', CLINE, 'messages', 3, ['read_files'], ['search_codebase read']),
  document('Continue', 'continue/coding.json', 'history', 6, ['Bash'], ['Bash unknown', 'Read read', 'nosuchtool unknown'], (item: { toolCallStates: JsonObject[] }) => (
    { ...item, toolCallStates: item.toolCallStates.map(({ output, ...call }, at) => (at === 0 ? { ...call, output } : { ...call, status: 'calling' })) })),
  // This client writes calls when all of a message are done; a state between shows what its format could.
  lines('Gemini CLI, log', 'gemini/v0.61-coding.jsonl', 11, ['list_directory'], ['read_file read', 'run_shell_command unknown'], executing(1)),
  document('Gemini CLI, document', 'gemini/v0.36-coding.json', 'messages', 3, ['list_directory'], ['read_file read', 'run_shell_command unknown'], executing(1)),
  document('Gemini CLI, document of several steps', 'gemini/v0.20-coding.json', 'messages', 2, ['write_todos', 'list_directory'], ['read_file read', 'run_shell_command unknown'], executing(2)),
];

/** Recorded as they were killed, where the client loses the whole group, or never wrote it. */
const lost: Killed[] = [
  lines('Codex', 'codex/v0.171-interrupted.jsonl', 15, [], ['exec_command unknown', 'exec_command unknown']),
  lines('pi', 'pi/killed-resumed.jsonl', 8, [], ['read read', 'bash unknown']),
  lines('Qwen Code', 'qwen/v0.24-killed.jsonl', 8, [], ['run_shell_command unknown', 'read_file read']),
  { name: 'Cline', make: () => placed('Cline-killed', CLINE_KILLED), done: [], open: ['run_commands unknown', 'read_files read'] },
  lines('Gemini CLI, log', 'gemini/v0.61-coding.jsonl', 10, [], []),
  document('Gemini CLI, document', 'gemini/v0.36-coding.json', 'messages', 3, [], [], ({ toolCalls: _, ...message }: JsonObject) => message),
];

async function judge({ make, done, open }: Killed): Promise<void> {
  const root = fs.mkdtempSync(path.join(scratch, 'store-'));
  const session = new SessionFolder((await buildInto(root, make())).dir);
  expect(failures(root)).toEqual([]);
  const turns = turnsOf(session.dir);
  const pending = session.summary['pending'] as { kind: string; tool: string; call: string; effect: string; seq: number }[];
  const group = pending.map((one) => `${one.tool} ${one.effect}`);
  expect(group.sort()).toEqual([...open].sort());
  const answered = new Set(turns.filter((turn) => turn.kind === 'result' && turn.meta !== 'synthetic').map((turn) => turn.call));
  for (const { call, kind } of pending) expect([kind, answered.has(call)]).toEqual(['call', false]);
  const calls = turns.filter((turn) => turn.kind === 'call');
  for (const call of calls) expect(answered.has(call.call), call.text).toBe(!pending.some((one) => one.call === call.call));
  const last = calls.filter((turn) => answered.has(turn.call)).slice(done.length === 0 ? calls.length : -done.length).map((turn) => turn.tool);
  expect(last).toEqual(done);
  const rows = sectionOf(readBrief(session.text('HANDOFF.md')), 'Pending').rows;
  expect(rows.map((row) => [`${row[1]?.replace(/^call /, '')} ${row[2]}`, row[4]]).sort()).toEqual(open.map((one) => [one, one.endsWith(' read') ? 'safe to repeat' : 'outcome unknown: look first']).sort());
}

describe('a session that was killed in a parallel group', () => {
  it.each(killed)('$name: what was done has its result, the rest is pending with its effect', judge);
  it.each(lost)('$name: where the client kept no result of the group, none is told', judge);
});
