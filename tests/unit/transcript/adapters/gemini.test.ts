/** Gemini CLI: what its log of operations and its documents say, state by state. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createReducer } from '../../../../src/render/reduce.mts';
import { geminiDocument, geminiLog } from '../../../../src/transcript/adapters/gemini.mts';
import { detectShape } from '../../../../src/transcript/detect.mts';
import type { Json, JsonObject, TurnDraft } from '../../../../src/transcript/turn.mts';
import { buildInto, failures, turnsOf } from '../../../helpers/build.ts';
import { freshFolder, REPOSITORY } from '../../../helpers/run.ts';
import { collectWhole, expectIdentity, type WholeFound } from '../../../helpers/truth-brief.ts';

const FIXTURES = path.join(REPOSITORY, 'tests/fixtures/gemini');
const scratch = freshFolder('handoff-gemini-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

const HEADER = { sessionId: 's-1', projectHash: 'f'.repeat(64), startTime: '2026-01-01T00:00:00.000Z', lastUpdated: '2026-01-01T00:00:00.000Z', kind: 'main' };
const CONTEXT = '<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - /w/shop\n</session_context>';
let seconds = 0;
const time = (): string => new Date(Date.UTC(2026, 0, 1, 0, 0, (seconds += 1))).toISOString();
const user = (id: string, ...content: Json[]): JsonObject => ({ id, timestamp: time(), type: 'user', content: content.map((part) => (typeof part === 'string' ? { text: part } : part)) });
const gemini = (id: string, content: Json, more: JsonObject = {}): JsonObject => ({ id, timestamp: time(), type: 'gemini', content, thoughts: [], tokens: { input: 5, output: 2, cached: 1, thoughts: 1 }, model: 'gemini-2.5-pro', ...more });
const response = (id: string, name: string, body: JsonObject): JsonObject => ({ functionResponse: { id, name, response: body } });
const entry = (id: string, name: string, args: JsonObject, body: JsonObject | undefined, status = 'success', more: JsonObject = {}): JsonObject => ({
  id, name, args, status, timestamp: time(), ...(body === undefined ? {} : { result: [response(id, name, body)] }), ...more,
});
const set = (...messages: JsonObject[]): JsonObject => ({ $set: { messages, lastUpdated: '2026-01-01T00:00:00.000Z' } });

const read = (...records: Json[]): WholeFound => collectWhole(geminiLog, records);
const short = (turns: readonly TurnDraft[]): string[] => turns.map((turn) => `${turn.kind ?? turn.class}${turn.meta === undefined ? '' : `/${turn.meta}`} ${turn.text}`);
const said = (...records: Json[]): string[] => short(read(...records).turns);
/** The state after each record gives only turns of the last one. */
const stable = (records: Json[]): void => expectIdentity(geminiLog, records.map((_, count) => records.slice(0, count)), records);

function fixture(name: string): { text: string; records: JsonObject[] } {
  const text = fs.readFileSync(path.join(FIXTURES, name), 'utf8');
  return { text, records: name.endsWith('.jsonl') ? text.trimEnd().split('\n').map((line) => JSON.parse(line) as JsonObject) : [] };
}

describe('the log of operations', () => {
  it('gives a message that is written again once, in the order thought, text, call, result', () => {
    const thoughts = [{ subject: 'Plan', description: 'Look first.' }];
    const call = entry('c1', 'read_file', { file_path: 'a' }, { output: 'A' });
    const found = read(HEADER, user('u1', 'Fix it'), gemini('g1', 'I look.', { thoughts }), { $set: { lastUpdated: 'x' } }, gemini('g1', 'I look.', { thoughts, toolCalls: [call] }), user('u2', response('c1', 'read_file', { output: 'A' })));
    expect(short(found.turns)).toEqual(['USER Fix it', 'THOUGHT Plan\nLook first.', 'AGENT I look.', 'call function_call read_file {"file_path":"a"}', 'result A']);
    expect(found.turns[3]).toMatchObject({ id: 'g1', tool: 'read_file', call: 'c1', effect: 'read' });
    expect(found.turns[4]).toMatchObject({ id: 'g1', tool: 'read_file', call: 'c1', ok: true });
    expect([...found.usage]).toEqual([['g1', { input: 5, output: 2, cache_read: 1, reasoning: 1 }]]);
    expect(found.facts).toEqual({ uuid: 's-1', model: 'gemini-2.5-pro' });
  });

  it('takes nothing from a resumed history that is poorer than what was written before', () => {
    const { records } = fixture('v0.61-resumed.jsonl');
    const before = read(...records.slice(0, 11));
    const resumed = read(...records.slice(0, 15));
    expect(resumed.turns).toEqual(before.turns);
    expect(read(...records).turns.slice(before.turns.length).map((turn) => turn.class)).toEqual(['USER', 'THOUGHT', 'TOOL', 'TOOL', 'AGENT']);
    stable(records);
  });

  it('keeps one prompt each when history is compressed and the kept tail is written anew', () => {
    const call = entry('c1', 'write_file', { file_path: 'a', content: 'x' }, { output: 'Successfully created' });
    const records: JsonObject[] = [
      HEADER, set(user('env', CONTEXT)), user('u1', 'Build X'), gemini('g1', 'Done.', { toolCalls: [call] }), user('u2', 'continue'), gemini('g2', 'Went on.'),
      user('n1', '<state_snapshot>\n<overall_goal>Build X</overall_goal>\n</state_snapshot>'),
      gemini('n2', [{ text: 'Understood, the client says.' }]),
      user('n3', 'continue'),
      gemini('n4', [{ text: 'Went on.' }, { functionCall: { id: 'c1', name: 'write_file', args: {} } }]),
      set(user('env', CONTEXT), user('n1', '<state_snapshot>…</state_snapshot>'), gemini('n2', [{ text: 'Understood, the client says.' }]), user('n3', 'continue'), gemini('n4', [{ text: 'Went on.' }])),
      user('u3', 'continue'), gemini('g3', 'And on.'),
    ];
    const found = read(...records);
    expect(found.turns.filter((turn) => turn.class === 'USER').map((turn) => turn.text)).toEqual(['Build X', 'continue', 'continue']);
    expect(found.turns.filter((turn) => turn.class === 'AGENT').map((turn) => turn.text)).toEqual(['Done.', 'Went on.', 'And on.']);
    expect(found.turns.filter((turn) => turn.class === 'OTHER').map((turn) => turn.meta)).toEqual(['environment', 'compaction-summary', 'rewritten']);
    expect(found.turns.filter((turn) => turn.kind === 'call')).toHaveLength(1);
    expect(found.facts.cwd).toBe('/w/shop');
    stable(records);
  });

  it('takes prompts for typed again when the client died while it compressed and was started anew', () => {
    const turns = said(HEADER, user('u1', 'Build X'), user('n1', '<state_snapshot>goal</state_snapshot>'), HEADER, user('u2', 'Go on'));
    expect(turns).toEqual(['USER Build X', 'OTHER/compaction-summary <state_snapshot>goal</state_snapshot>', 'USER Go on']);
  });

  it('reads messages that only a list holds, also a list that grows', () => {
    const [a, b, c] = [user('u1', 'Fix the parser'), gemini('g1', 'Fixed.'), user('u2', 'Thanks, now the docs')];
    const records = [HEADER, set(a, b), set(a, b, c)];
    expect(said(...records)).toEqual(['USER Fix the parser', 'AGENT Fixed.', 'USER Thanks, now the docs']);
    stable(records);
  });

  it('takes a message that a list puts among known ones for an old one in another form', () => {
    const [a, b] = [user('u1', 'Fix the parser'), gemini('g1', 'Fixed.')];
    expect(said(HEADER, a, b, set(a, user('m1', 'Fix the par… (shortened)'), b))).toEqual(['USER Fix the parser', 'AGENT Fixed.', 'OTHER/rewritten Fix the par… (shortened)']);
  });

  it('tells how many prompts a rewind took back, and the brief shows them as given up', () => {
    const records = [HEADER, user('u1', 'Do A'), gemini('g1', 'A done.'), user('u2', 'Do B'), gemini('g2', 'B done.'), { $rewindTo: 'u2' }, user('u3', 'Do C'), gemini('g3', 'C done.')];
    const { turns } = read(...records);
    expect(short(turns)[4]).toBe('OTHER/rolled-back Rewound: 1 prompts taken back');
    const reducer = createReducer();
    turns.forEach((turn, seq) => reducer.add({ ...turn, seq }));
    expect(reducer.digest().prompts.map((row) => [row.text, row.abandoned === true])).toEqual([['Do A', false], ['Do B', true], ['Do C', false]]);
    stable(records);
  });

  it('says of the client\'s own messages why they are there', () => {
    const note = (id: string, type: string, content: string): JsonObject => ({ id, timestamp: time(), type, content });
    expect(said(HEADER, user('u', 'Go'), note('1', 'info', 'Request cancelled.'), note('2', 'error', '[API Error: quota]'), note('3', 'warning', 'Low disk'), note('4', 'info', ''), note('5', 'brand-new', 'hm'))).toEqual([
      'USER Go', 'OTHER/interrupted Request cancelled.', 'OTHER/api-error [API Error: quota]', 'OTHER/warning Low disk', 'OTHER/unknown-record hm',
    ]);
    expect(read(HEADER, note('5', 'brand-new', 'hm'), { x: 1 }).unknown).toEqual(['(x)', 'brand-new']);
  });

  it('takes the title and the workspace from values that were set', () => {
    const found = read({ ...HEADER, directories: ['/w/a', '/w/b'] }, { $set: { summary: 'First' } }, { $set: { summary: 'Second' } });
    expect(found.facts).toEqual({ uuid: 's-1', cwd: '/w/a', title: 'Second' });
  });
});

describe('tool calls', () => {
  const after = (...calls: JsonObject[]): TurnDraft[] => read(HEADER, gemini('g', '', { toolCalls: calls })).turns;
  const shell = (output: string, more: JsonObject = {}): TurnDraft | undefined => after(entry('c', 'run_shell_command', { command: 'x' }, { output }, 'success', more))[1];

  it('are given when they have left their queue, and without a result while they run', () => {
    expect(after(entry('c', 'x', {}, undefined, 'scheduled'))).toEqual([]);
    expect(after(entry('c', 'x', {}, undefined, 'awaiting_approval'))).toEqual([]);
    expect(after(entry('c', 'x', {}, undefined, 'executing')).map((turn) => turn.kind)).toEqual(['call']);
    expect(after(entry('c', 'x', {}, undefined, 'cancelled')).map((turn) => [turn.kind, turn.ok])).toEqual([['call', undefined], ['result', false]]);
  });

  it('failed where the exit code stands in the text behind a success', () => {
    expect(shell('<untrusted_context>\nOutput: no\nExit Code: 3\nProcess Group PGID: 7\n</untrusted_context>', { resultDisplay: 'no' })).toMatchObject({ ok: false, exit: 3 });
    expect(shell('Output: (empty)\nExit Code: 1', { resultDisplay: 'Command exited with code: 1' })).toMatchObject({ ok: false, exit: 1 });
    expect(shell('Command: x\nDirectory: (root)\nOutput: yes\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 9')).toMatchObject({ ok: true, exit: 0 });
    expect(shell('Command: x\nDirectory: (root)\nOutput: yes\nError: (none)\nExit Code: (none)\nSignal: 9\nProcess Group PGID: 9')).toMatchObject({ ok: false });
    expect(shell('Output: fine\nProcess Group PGID: 7')?.ok).toBe(true);
  });

  it('did not fail where the command itself printed such lines', () => {
    const printed = 'result:\nExit Code: 1';
    expect(shell(`Output: ${printed}\nProcess Group PGID: 7`, { resultDisplay: printed })).toMatchObject({ ok: true });
    expect(shell(`Output: ${printed}\nExit Code: 2\nProcess Group PGID: 7`, { resultDisplay: printed })).toMatchObject({ ok: false, exit: 2 });
    expect(shell('Output: Exit Code: 1\nmore\nProcess Group PGID: 7')?.ok).toBe(true);
  });

  it('failed where the client refused the command, the tool gave an error, or the call was cancelled', () => {
    expect(shell('Command injection detected: it was blocked.')?.ok).toBe(false);
    expect(after(entry('c', 'read_file', {}, { error: 'File not found' }))[1]).toMatchObject({ ok: false, text: 'File not found' });
    expect(after(entry('c', 'read_file', {}, { output: 'x' }, 'cancelled'))[1]).toMatchObject({ ok: false, text: 'x', meta: 'cancelled' });
  });

  it('keep their result when a rewritten history gives each call the responses of its whole group', () => {
    const both = [response('a', 'glob', { output: 'A' }), response('b', 'glob', { output: 'B' })];
    const found = read(HEADER, set(gemini('g', '', { toolCalls: [{ ...entry('a', 'glob', {}, undefined), result: both }, { ...entry('b', 'glob', {}, undefined), result: both }] })));
    expect(found.turns.filter((turn) => turn.kind === 'result').map((turn) => [turn.call, turn.text])).toEqual([['a', 'A'], ['b', 'B']]);
  });

  it('are known from a history in which only their parts are left; a response without its call stands alone', () => {
    const records = [HEADER, set(gemini('g', [{ text: 'Look.' }, { functionCall: { id: 'a', name: 'glob', args: { pattern: '*' } } }]), user('r', response('a', 'glob', { output: 'A' })), user('o', response('z', 'glob', { output: 'Z' })))];
    expect(said(...records)).toEqual(['AGENT Look.', 'call function_call glob {"pattern":"*"}', 'result A', 'result Z']);
  });

  it('show an image as one line', () => {
    const turn = after({ ...entry('c', 'read_file', {}, undefined), result: [response('c', 'read_file', { output: 'Binary content' }), { inlineData: { mimeType: 'image/png', data: 'aGFsbG8=' } }] })[1];
    expect(turn?.text).toMatch(/^Binary content\n\[image image\/png 5 bytes sha256:[0-9a-f]{64}\]$/);
  });

  it('without ids keep their places', () => {
    const { id: _, ...bare } = entry('c', 'glob', {}, undefined, 'success', { result: 'found' });
    const found = after(bare, bare);
    expect(found.map((turn) => [turn.kind, turn.part, turn.call])).toEqual([['call', 0, undefined], ['result', 0, undefined], ['call', 1, undefined], ['result', 1, undefined]]);
    expect(found[1]?.text).toBe('found');
  });
});

describe('what was typed', () => {
  it.each<[string, Json[], string[]]>([
    ['files that @path named are the client\'s', ['Explain @a.txt', '\n--- Content from referenced files ---', '\nContent from @a.txt:\n', 'secret plan', '\n--- End of content ---'], ['USER Explain @a.txt', 'OTHER/expanded --- Content from referenced files ---\nContent from @a.txt:\nsecret plan\n--- End of content ---']],
    ['in one text too', ['Explain @a\n--- Content from referenced files ---\nbody\n--- End of content ---\nand @b'], ['USER Explain @a', 'OTHER/expanded --- Content from referenced files ---\nbody\n--- End of content ---', 'USER and @b']],
    ['a hook\'s context', ['Go on', '<hook_context>be kind</hook_context>'], ['USER Go on', 'OTHER/hook <hook_context>be kind</hook_context>']],
    ['a command to the shell', ['I ran the following shell command:\n```sh\ngit status\n```\n\nThis produced the following result:\n```\nclean\n```'], ['USER !git status', 'OTHER/command-output ```\nclean\n```']],
    ['the editor\'s state', ["Here is the user's editor context as a JSON object. {}"], ["OTHER/environment Here is the user's editor context as a JSON object. {}"]],
    ['the client\'s push to go on', ['System: Please continue.'], ['OTHER/continue System: Please continue.']],
    ['a question about an envelope stays whole', ['why does <session_context> appear, and <state_snapshot>?'], ['USER why does <session_context> appear, and <state_snapshot>?']],
    ['slash commands', ['/memory show'], ['USER /memory show']],
    ['an image', ['What is this?', { inlineData: { mimeType: 'image/png', data: 'aGFsbG8=' } }], ['USER What is this?\n[image image/png 5 bytes sha256:d3751d33f9cd5049c4af2b462735457e4d3baf130bcbb87f389e349fbaeb20b9]']],
  ])('%s', (_name, content, turns) => {
    expect(said(HEADER, user('u', ...content))).toEqual(turns);
  });

  it('has beside it pieces that are known apart', () => {
    const records = [HEADER, user('u', 'Go on', '<hook_context>a</hook_context>', '<session_context>b</session_context>')];
    expect(read(...records).turns.map((turn) => [turn.class, turn.part])).toEqual([['USER', 0], ['OTHER', 0], ['OTHER', 1]]);
    stable(records);
  });

  it('is what the client showed, where it sent something else', () => {
    expect(said(HEADER, { ...user('u', 'Long body of the command'), displayContent: [{ text: '/plan shop' }] })).toEqual(['USER /plan shop', 'OTHER/expanded Long body of the command']);
  });

  it('is nobody\'s in a sub-agent: its parent set the task', () => {
    const found = collectWhole(geminiLog, [{ ...HEADER, kind: 'subagent' }, user('u', 'Find the tests')], '/home/dev/.gemini/tmp/shop/chats/parent-1/s-1.jsonl');
    expect(short(found.turns)).toEqual(['OTHER/task Find the tests']);
    expect(found.facts.parent_session).toBe('parent-1');
  });
});

describe('the working directory beside the transcript', () => {
  const project = path.join(scratch, 'home/.gemini/tmp/shop');
  const file = path.join(project, 'chats/session-1.jsonl');
  const cwdOf = (where: string): string | undefined => collectWhole(geminiLog, [HEADER, user('u', 'Go')], where).facts.cwd;
  fs.mkdirSync(path.join(project, 'chats/parent'), { recursive: true });
  fs.writeFileSync(path.join(project, '.project_root'), '/w/shop\n');

  it('is read in the folder that the client keeps for a project, and nowhere else', () => {
    expect(cwdOf(file)).toBe('/w/shop');
    expect(cwdOf(path.join(project, 'chats/parent/sub.jsonl'))).toBe('/w/shop');
    fs.mkdirSync(path.join(scratch, 'other/shop/chats'), { recursive: true });
    fs.writeFileSync(path.join(scratch, 'other/shop/.project_root'), '/w/other');
    expect(cwdOf(path.join(scratch, 'other/shop/chats/session-1.jsonl'))).toBeUndefined();
    expect(cwdOf('-')).toBeUndefined();
  });

  it('is what the session itself says where it says it', () => {
    expect(collectWhole(geminiLog, [HEADER, set(user('env', CONTEXT.replace('/w/shop', '/w/said')))], file).facts.cwd).toBe('/w/said');
  });

  it('is not read through a link, nor from what is no path', () => {
    const linked = path.join(scratch, 'linked/.gemini/tmp/shop');
    fs.mkdirSync(path.join(linked, 'chats'), { recursive: true });
    fs.symlinkSync(path.join(project, '.project_root'), path.join(linked, '.project_root'));
    expect(cwdOf(path.join(linked, 'chats/s.jsonl'))).toBeUndefined();
    fs.rmSync(path.join(linked, '.project_root'));
    fs.writeFileSync(path.join(linked, '.project_root'), 'shop');
    expect(cwdOf(path.join(linked, 'chats/s.jsonl'))).toBeUndefined();
  });
});

describe('recognition', () => {
  const shape = (text: string, file = '-'): string => {
    const found = detectShape(Buffer.from(text), file);
    return found.kind === 'whole' || found.kind === 'lines' ? found.adapter.id : found.kind;
  };
  const lines = (...records: Json[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

  it('is by content, for each generation, in any layout', () => {
    expect(shape(fixture('v0.61-coding.jsonl').text)).toBe('gemini');
    expect(shape(fixture('v0.20-coding.json').text)).toBe('gemini-document');
    expect(shape(JSON.stringify({ ...HEADER, messages: [] }))).toBe('gemini-document');
    expect(shape(JSON.stringify({ ...HEADER, messages: [user('u', 'x'.repeat(300_000))] }).slice(0, 262_144))).toBe('gemini-document');
    expect(shape(`\ufeff${lines(HEADER)}`, 'a.jsonl')).toBe('gemini');
    expect(shape(lines(set(user('u', 'Go'))))).toBe('gemini');
    expect(shape(`{"sessionId":"s-1","proj\n${lines(gemini('g', 'Hi'))}`, 'a.jsonl')).toBe('gemini');
  });

  it('leaves lines of others alone, also those that talk about it', () => {
    const claude = { type: 'user', uuid: 'u1', parentUuid: null, sessionId: 's', message: { role: 'user', content: '"projectHash" "$set" {"type":"gemini"} "messages"' } };
    expect(shape(lines(claude, claude), 'a.jsonl')).toBe('claude-code');
    expect(shape(lines({ $set: { x: 1 }, text: 'hi', role: 'user' }), 'a.jsonl')).toBe('canonical');
  });
});

describe('through the build', () => {
  it('a document that is captured in each of its states gives the turns of the last one, each once', async () => {
    const document = JSON.parse(fixture('v0.36-coding.json').text) as JsonObject & { messages: JsonObject[] };
    const [file, root] = [path.join(scratch, 'session-36.json'), path.join(scratch, 'store-36')] as const;
    const calls = (message: JsonObject | undefined): JsonObject[] => (message?.toolCalls ?? []) as JsonObject[];
    let dir = '';
    for (let count = 1; count <= document.messages.length; count++) {
      const last = document.messages[count - 1];
      const running = { ...last, toolCalls: calls(last).map(({ result: _result, resultDisplay: _display, ...call }) => ({ ...call, status: 'executing' })) };
      for (const state of [running, last]) {
        fs.writeFileSync(file, JSON.stringify({ ...document, messages: [...document.messages.slice(0, count - 1), state] }, null, 2));
        ({ dir } = await buildInto(root, file));
      }
    }
    const expected = collectWhole(geminiDocument, document).turns;
    const names = (turns: readonly TurnDraft[]): string[] => turns.map((turn) => JSON.stringify([turn.id, turn.call, turn.kind ?? turn.class, turn.part ?? 0, turn.text, turn.ok, turn.exit, turn.meta])).sort();
    expect(names(turnsOf(dir))).toEqual(names(expected));
    expect(failures(root)).toEqual([]);
  });

  it('a log is up-to-date when nothing was added, and takes what is added', async () => {
    const lines = fixture('v0.61-resumed.jsonl').text.split('\n');
    const [file, root] = [path.join(scratch, 'session-61.jsonl'), path.join(scratch, 'store-61')] as const;
    fs.writeFileSync(file, `${lines.slice(0, 11).join('\n')}\n`);
    const first = await buildInto(root, file);
    expect((await buildInto(root, file)).action).toBe('up-to-date');
    // The last line is still being written.
    fs.writeFileSync(file, `${lines.slice(0, 15).join('\n')}\n${(lines[15] ?? '').slice(0, 40)}`);
    await buildInto(root, file);
    expect(turnsOf(first.dir).map((turn) => turn.class)).toEqual(['OTHER', 'USER', 'AGENT', 'TOOL', 'TOOL', 'AGENT']);
    fs.writeFileSync(file, lines.join('\n'));
    await buildInto(root, file);
    expect(turnsOf(first.dir).slice(6).map((turn) => turn.class)).toEqual(['USER', 'THOUGHT', 'TOOL', 'TOOL', 'AGENT']);
  });
});
