import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Digest } from '../../../../src/render/digest.mts';
import { createReducer } from '../../../../src/render/reduce.mts';
import { checkSources } from '../../../../src/store/check-notes.mts';
import type { Manifest, SourceRow } from '../../../../src/store/manifest.mts';
import type { Loaded } from '../../../../src/transcript/adapter.mts';
import { opencodeDatabase, opencodeExport, opencodeFiles } from '../../../../src/transcript/adapters/opencode.mts';
import { detectShape } from '../../../../src/transcript/detect.mts';
import type { Json, JsonObject, TurnDraft } from '../../../../src/transcript/turn.mts';
import { buildInto, checkedAll, failures, turnsOf as turnsIn } from '../../../helpers/build.ts';
import { databaseOf, inSqlite, nodeWithSqlite } from '../../../helpers/node-sqlite.ts';
import { freshFolder, REPOSITORY } from '../../../helpers/run.ts';
import { collectWhole, expectIdentity, identityOf, type WholeFound } from '../../../helpers/truth-brief.ts';
import { statesOf } from '../../../helpers/truth-rows.ts';

const FIXTURES = new URL('../../../fixtures/opencode/', import.meta.url).pathname;
const KILLED = 'ses_dd4920c80ffen07rgwyKmVtkm7';
const EXPORTS = readdirSync(FIXTURES).filter((name) => name.endsWith('.json'));
const sqlite = nodeWithSqlite();
const T = 1_796_000_000_000;

const folders: string[] = [];
function fresh(): string {
  const folder = freshFolder();
  folders.push(folder);
  return folder;
}
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function fixture(name: string): Json {
  return JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')) as Json;
}

let next = 0;
function user(...parts: JsonObject[]): JsonObject {
  return message({ role: 'user', time: { created: T } }, parts);
}
function agent(parts: JsonObject[], more: JsonObject = {}): JsonObject {
  return message({ role: 'assistant', time: { created: T, completed: T + 9 }, modelID: 'm', ...more }, parts);
}
function message(info: JsonObject, parts: JsonObject[]): JsonObject {
  next += 1;
  return { info: { id: `msg_${next}`, ...info }, parts: parts.map((part, at) => ({ id: `prt_${next}_${at}`, ...part })) };
}
function tool(state: JsonObject, name = 'bash'): JsonObject {
  return { type: 'tool', tool: name, callID: 'c1', state: { input: { command: 'npm test' }, time: { start: T + 1, end: T + 2 }, ...state } };
}
function read(messages: JsonObject[], info: JsonObject = {}): WholeFound {
  return collectWhole(opencodeExport, { info: { id: 'ses_1', directory: '/w', time: { created: T }, ...info }, messages });
}
function said(messages: JsonObject[], info: JsonObject = {}): string[] {
  return read(messages, info).turns.map((turn) => `${turn.class}${turn.kind === undefined ? '' : ` ${turn.kind}`}${turn.meta === undefined ? '' : ` ${turn.meta}`}: ${turn.text}`);
}
function resultOf(state: JsonObject, name = 'bash'): TurnDraft | undefined {
  return read([agent([tool(state, name)])]).turns.find((turn) => turn.kind === 'result');
}

describe('what a person typed', () => {
  it.each([
    ['"Run the long migration"', 'Run the long migration'],
    ['"Run the long migration"\n', 'Run the long migration'],
    ['"say \\"hi\\" twice"', 'say "hi" twice'],
    ['"one thing" "another thing"', '"one thing" "another thing"'],
    ['fix "the cart"', 'fix "the cart"'],
    ['"quoted"', '"quoted"'],
    ['"', '"'],
  ])('%j is the prompt %j', (stored, prompt) => {
    expect(said([user({ type: 'text', text: stored })])).toEqual([`USER: ${prompt}`]);
  });

  it('is what the client did not mark; files and what it read from them are OTHER', () => {
    const { turns } = collectWhole(opencodeExport, fixture('v1.18-attachments.json'));
    expect(turns.filter((turn) => turn.class === 'USER').map((turn) => turn.text)).toEqual(['Describe the attached picture and notes']);
    expect(turns.filter((turn) => turn.meta === 'synthetic')).toHaveLength(4);
    expect(turns.filter((turn) => turn.meta === 'attachment').map((turn) => turn.text)).toEqual([
      expect.stringMatching(/^\[image image\/png 74 bytes sha256:[0-9a-f]{64}\]$/), '[file text/plain README.md file:///home/dev3/shop/README.md]',
    ]);
  });

  it('is nothing in the session of a sub-agent: its parent gave the task', () => {
    const { turns, facts } = collectWhole(opencodeExport, fixture('v1.18-subagent.json'));
    expect(turns[0]).toMatchObject({ class: 'OTHER', meta: 'task', text: 'List the source files and say what each does.' });
    expect(turns.some((turn) => turn.class === 'USER')).toBe(false);
    expect(facts.parent_session).toBe('ses_dd494dbc0ffeKwKxUbuenyxC1G');
  });

  it('is a shell escape where the person ran the command', () => {
    const note = user({ type: 'text', synthetic: true, text: 'The following tool was executed by the user' });
    const ran = agent([tool({ status: 'completed', input: { command: 'git status' }, output: 'clean' })], { parentID: (note.info as JsonObject).id ?? null });
    expect(said([note, ran])).toEqual(['OTHER command: The following tool was executed by the user', 'USER: !git status', 'TOOL call: tool_use bash {"command":"git status"}', 'TOOL result: clean']);
  });

  it('is the name of a command that the client expanded', () => {
    expect(said([user({ type: 'subtask', command: 'review', prompt: 'Review all of it.', agent: 'general' })])).toEqual(['USER: /review', 'OTHER expanded: Review all of it.']);
  });

  it('is told from an envelope around it, each a block of its own', () => {
    const { turns } = read([user({ type: 'text', text: '<system-reminder>\nplan mode\n</system-reminder>\nFix the parser' })]);
    expect(turns.map((turn) => [turn.class, turn.meta, turn.part, turn.text])).toEqual([['OTHER', 'reminder', 0, '<system-reminder>\nplan mode\n</system-reminder>'], ['USER', undefined, 1, 'Fix the parser']]);
  });

  it('is not what a plug-in shows, nor the word to go on after a compaction', () => {
    expect(said([user({ type: 'text', ignored: true, text: 'note' }, { type: 'text', synthetic: true, text: 'go on', metadata: { compaction_continue: true } })])).toEqual(['OTHER notification: note', 'OTHER continue: go on']);
  });
});

describe('what the agent said', () => {
  it('comes in the order of the parts, with the time of each', () => {
    const { turns } = read([agent([{ type: 'reasoning', text: 'hm', time: { start: T + 1, end: T + 2 } }, { type: 'text', text: 'I will', time: { start: T + 3, end: T + 4 } }, tool({ status: 'completed', output: 'ok', time: { start: T + 5, end: T + 6 } })])]);
    expect(turns.map((turn) => [turn.class, turn.ts.slice(-5)])).toEqual([['THOUGHT', '.001Z'], ['AGENT', '.003Z'], ['TOOL', '.005Z'], ['TOOL', '.006Z']]);
  });

  it('waits for its end while it is being written, and only then', () => {
    const open = { type: 'text', text: 'Half a sen', time: { start: T } };
    const running = { time: { created: T } };
    expect(said([agent([open], running)])).toEqual([]);
    expect(said([agent([{ ...open, type: 'reasoning' }], running)])).toEqual([]);
    expect(said([agent([open])])).toEqual(['AGENT: Half a sen']);
    expect(said([agent([open], running), user({ type: 'text', text: 'stop' })])).toEqual(['AGENT: Half a sen', 'USER: stop']);
  });

  it('is a summary where the client compacted, and the model of a summary is not the session\'s', () => {
    expect(said((fixture('v1.18-compaction.json') as { messages: JsonObject[] }).messages).slice(4)).toEqual([
      'OTHER compaction: Context compacted (by the client)', 'OTHER compaction-summary: Broken upstream', expect.stringMatching(/^OTHER continue: The previous request/), 'AGENT: (script exhausted)',
    ]);
    expect(read([agent([], { modelID: 'big' }), agent([], { modelID: 'small', summary: true })]).facts.model).toBe('big');
  });

  it('is OTHER where a request failed or was stopped', () => {
    expect(said([agent([{ type: 'retry', attempt: 1, error: { name: 'APIError', data: { message: 'overloaded' } } }], { error: { name: 'ContextOverflowError', data: { message: 'too long' } } })])).toEqual(['OTHER api-error: overloaded', 'OTHER api-error: too long']);
    expect(said([agent([], { error: { name: 'MessageAbortedError', data: {} } })])).toEqual(['OTHER interrupted: MessageAbortedError']);
  });

  it('costs what its steps cost, or what the message says where it has none', () => {
    const step = (output: number): JsonObject => ({ type: 'step-finish', tokens: { input: 1, output, reasoning: 0, cache: { read: 3, write: 0 } } });
    const { usage } = read([agent([step(5), step(7)], { tokens: { input: 1, output: 7 } }), agent([], { tokens: { input: 2, output: 9 } })]);
    expect([...usage.values()].map((tokens) => tokens.output)).toEqual([5, 7, 9]);
    expect([...usage.values()][0]).toEqual({ input: 1, output: 5, reasoning: 0, cache_read: 3, cache_write: 0 });
  });

  it('unknown records are counted and never fatal', () => {
    expect(read([agent([{ type: 'hologram' }, tool({ status: 'dreaming' })]), user({ type: 'hologram' }), { info: { role: 'oracle' } }, {}]).unknown).toEqual(['part/hologram', 'tool/dreaming', 'part/hologram', 'message/oracle', 'message/(no role)']);
    for (const odd of [null, 7, [], { info: 3, messages: 'x' }, { messages: [null, { info: null, parts: [null, 3] }] }] as Json[]) expect(collectWhole(opencodeExport, odd).turns).toEqual([]);
    expect(read([agent([{ type: 'text', text: 'x', time: { start: 1e300 } }])]).turns[0]?.ts).toBe('2026-11-30T00:53:20.000Z');
  });
});

describe('tools', () => {
  it('a call is given once it has left pending, its result when it is there', () => {
    expect(said([agent([tool({ status: 'pending', input: {} })])])).toEqual([]);
    expect(said([agent([tool({ status: 'running' })])])).toEqual(['TOOL call: tool_use bash {"command":"npm test"}']);
    expect(read([agent([tool({ status: 'completed', output: '' })])]).turns).toMatchObject([{ kind: 'call', call: 'c1', effect: 'unknown' }, { kind: 'result', call: 'c1', ok: true, text: '' }]);
  });

  it.each([
    ['an exit that is not 0', { status: 'completed', output: 'x', metadata: { exit: 1 } }, 'bash', { ok: false, exit: 1 }],
    ['an exit of 0', { status: 'completed', output: 'x', metadata: { exit: 0 } }, 'bash', { ok: true, exit: 0 }],
    ['no exit, since it was stopped', { status: 'completed', output: 'x', metadata: { exit: null } }, 'bash', { ok: false }],
    ['an error of the tool', { status: 'error', error: 'File not found' }, 'read', { ok: false, text: 'File not found' }],
    ['a tool that is not there', { status: 'completed', output: 'invalid' }, 'invalid', { ok: false }],
    ['a call that the client closed', { status: 'error', error: 'Tool execution aborted' }, 'bash', { ok: false, meta: 'synthetic' }],
    ['a call that was interrupted', { status: 'error', error: 'stopped', metadata: { interrupted: true } }, 'bash', { ok: false, meta: 'synthetic' }],
  ] as [string, JsonObject, string, object][])('%s tells how it went', (_what, state, name, expected) => {
    expect(resultOf(state, name)).toMatchObject(expected);
  });

  it('a picture in a result is one line', () => {
    expect(resultOf({ status: 'completed', output: 'Image read', attachments: [{ type: 'file', mime: 'image/png', url: `data:image/png;base64,${'A'.repeat(4000)}` }] }, 'read')?.text).toMatch(/^Image read\n\[image image\/png 3000 bytes sha256:[0-9a-f]{64}\]$/);
  });

  it('a sub-agent is named with its session, also while it runs', () => {
    expect(said([agent([tool({ status: 'running', input: { description: 'Survey' }, metadata: { sessionId: 'ses_2' } }, 'task')])])).toEqual(['TOOL call: tool_use task {"description":"Survey"}', 'OTHER subagent: Sub-agent session ses_2']);
  });
});

describe('what the session says of itself', () => {
  it('a title that the client made for want of one is none, and quotes of a prompt come off it', () => {
    expect(read([], { title: 'New session - 2026-11-30T08:03:52.831Z' }).facts.title).toBeUndefined();
    expect(read([], { title: '"Run the thing"' }).facts.title).toBe('Run the thing');
  });

  it('a sanitized export is another session: its texts must not stand beside the real ones', () => {
    expect(read([], { directory: '[redacted:session-directory:ses_1]', title: '[redacted:session-title:ses_1]' }).facts).toEqual({ uuid: 'ses_1-sanitized' });
  });
});

describe('what a brief makes of it', () => {
  function digestOf(...tools: [name: string, input: JsonObject, state: JsonObject][]): Digest {
    const reducer = createReducer();
    const { turns } = read([agent(tools.map(([name, input, state], at) => ({ ...tool({ status: 'completed', output: 'done', ...state, input }, name), callID: `c${at}` })))]);
    turns.forEach((turn, seq) => reducer.add({ ...turn, seq }));
    return reducer.digest();
  }

  it('files by what the tools say: an edit of nothing creates, an edit that failed changes nothing', () => {
    const { filesChanged } = digestOf(
      ['write', { filePath: '/w/a.js', content: 'x' }, { output: 'Wrote file successfully.' }],
      ['edit', { filePath: '/w/b.js', oldString: '', newString: 'x' }, {}],
      ['edit', { filePath: '/w/c.js', oldString: 'say "oldString":""', newString: 'x' }, {}],
      ['edit', { filePath: '/w/d.js', oldString: 'x', newString: 'y' }, { status: 'error', error: 'Could not find oldString' }],
      ['apply_patch', { patchText: '*** Begin Patch\n*** Add File: e.js\n+x\n*** End Patch' }, {}],
    );
    expect(filesChanged.map(({ how, path }) => `${how} ${path}`)).toEqual(['created /w/a.js', 'created /w/b.js', 'edited /w/c.js', 'created e.js']);
  });

  it('what a person refused is a decision, with the words that came with it, and no error', () => {
    const { decisions, errors, commands } = digestOf(
      ['bash', { command: 'rm -r /' }, { status: 'error', error: 'The user rejected permission to use this specific tool call.' }],
      ['bash', { command: 'ls' }, { status: 'error', error: 'The user rejected permission to use this specific tool call with the following feedback: use rg' }],
    );
    expect(decisions.map(({ kind, text }) => `${kind} ${text}`)).toEqual(['refused rm -r /', 'refused ls (with the words: use rg)']);
    expect(errors).toEqual([]);
    expect(commands.map((row) => row.refused)).toEqual([true, true]);
  });

  it('the plan and the questions', () => {
    const { plan, decisions } = digestOf(
      ['todowrite', { todos: [{ content: 'Fix total()', status: 'in_progress', priority: 'high' }] }, {}],
      ['question', { questions: [{ question: 'Which one?' }] }, { output: 'User has answered: the first' }],
      ['plan_exit', {}, { output: 'User approved switching to build agent' }],
    );
    expect(plan).toEqual([{ status: 'in_progress', text: 'Fix total()' }]);
    expect(decisions.map(({ tool: by, text }) => `${by}: ${text}`)).toEqual(['question: User has answered: the first', 'plan_exit: User approved switching to build agent']);
  });
});

describe('the shapes', () => {
  it('an export is known by its content, a file store by where it lies, a database by its name or its tables', () => {
    const shape = (text: string, path: string): string => {
      const found = detectShape(Buffer.from(text), path);
      return found.kind === 'whole' ? found.adapter.id : found.kind;
    };
    const magic = 'SQLite format 3\0';
    const tables = ['session', 'message', 'part'].map((name) => `CREATE TABLE \`${name}\` (`).join(' ');
    expect(shape('{"info":{"id":"ses_1","version":"1.1.65"},"messages":[]}', '/x/any.json')).toBe('opencode');
    expect(shape('{"id":"ses_1"}', '/d/storage/session/p/ses_1.json')).toBe('opencode-files');
    expect(shape('{"id":"ses_1"}', '/d/elsewhere/ses_1.json')).not.toMatch(/opencode/);
    expect(shape('{"info":{"id":"other"},"messages":[]}', '/x/any.json')).not.toMatch(/opencode/);
    expect(shape(magic, '/d/opencode.db')).toBe('opencode-database');
    expect(shape(magic, '/d/opencode-beta.db')).toBe('opencode-database');
    expect(shape(`${magic}${tables}`, '/d/backup.sqlite')).toBe('opencode-database');
    expect(shape(`${magic}CREATE TABLE \`message\` (`, '/d/state.db')).toBe('unreadable');
    expect(shape('no database', '/d/opencode.db')).not.toMatch(/opencode/);
  });
});

describe('the file store', () => {
  const load = opencodeFiles.form as (path: string, session: undefined, scratch: string) => Loaded;
  function store(): { file: string; storage: string } {
    const storage = join(fresh(), 'storage');
    cpSync(join(FIXTURES, 'storage'), storage, { recursive: true });
    const project = readdirSync(join(storage, 'session'))[0] ?? '';
    return { storage, file: join(storage, 'session', project, `${KILLED}.json`) };
  }

  it('gives the session with its messages and parts; the killed call of a parallel group stays open', () => {
    const { file } = store();
    const loaded = load(file, undefined, '');
    const { turns, facts } = collectWhole(opencodeFiles, loaded.value);
    expect(facts).toMatchObject({ uuid: KILLED, cwd: '/home/dev3/shop', model: 'mock-coder-1', clientVersion: '1.1.65', title: 'Watch the long migration' });
    expect(turns.map((turn) => turn.kind ?? turn.class)).toEqual(['USER', 'AGENT', 'call', 'result', 'THOUGHT', 'AGENT', 'call', 'call', 'result']);
    expect(turns.filter((turn) => turn.tool === 'bash' && turn.kind === 'result')).toHaveLength(1);
    expectIdentity(opencodeFiles, statesOf(loaded.value), loaded.value);
  });

  it('is hashed over all its files', () => {
    const { file, storage } = store();
    const before = load(file, undefined, '');
    expect(load(file, undefined, '').raw_sha256).toBe(before.raw_sha256);
    const part = join(storage, 'part', readdirSync(join(storage, 'part'))[0] ?? '');
    const name = join(part, readdirSync(part)[0] ?? '');
    writeFileSync(name, `${readFileSync(name, 'utf8')} `);
    expect(load(file, undefined, '')).toMatchObject({ bytes: before.bytes + 1 });
    expect(load(file, undefined, '').raw_sha256).not.toBe(before.raw_sha256);
  });

  it('is not left through a link, and what is no record in it is passed over', () => {
    const { file, storage } = store();
    const before = load(file, undefined, '').raw_sha256;
    const part = join(storage, 'part', readdirSync(join(storage, 'part'))[0] ?? '');
    writeFileSync(join(storage, 'secret.json'), '{"type":"text","text":"secret"}');
    symlinkSync(join(storage, 'secret.json'), join(part, 'prt_zz.json'));
    symlinkSync(join(storage, 'part'), join(storage, 'message', 'ses_other'));
    mkdirSync(join(part, 'prt_dir.json'));
    writeFileSync(join(part, 'prt_x.json.123'), '{');
    expect(load(file, undefined, '').raw_sha256).toBe(before);
  });

  it('is neither gone nor shorter for a check that knows only the file that names it', async () => {
    const { file } = store();
    const root = fresh();
    const { dir } = await buildInto(root, file);
    expect(checkedAll(root).flatMap(({ findings }) => findings)).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as Manifest;
    const row = manifest.sources?.[0] as SourceRow;
    const notes = (path: string): string[] => checkSources({ ...manifest, sources: [{ ...row, path }] }).map(({ id }) => id);
    expect(notes(`${file}#ses_1`)).toEqual([]);
    expect(notes(`${file}.gone#ses_1`)).toEqual(['source-gone']);
  });

  it('a part that was cut stops the build and is named; --allow-bad-lines leaves it out', async () => {
    const { file, storage } = store();
    const part = join(storage, 'part', readdirSync(join(storage, 'part')).sort()[1] ?? '');
    const name = readdirSync(part).sort()[1] ?? '';
    writeFileSync(join(part, name), '{"id":"prt_1","type":"te');
    const root = fresh();
    await expect(buildInto(root, file)).rejects.toMatchObject({ code: 'BAD_LINES', message: expect.stringContaining(name) as string });
    expect(existsSync(join(root, 'projects'))).toBe(false);
    await expect(buildInto(root, file, { allowBadLines: true })).resolves.toMatchObject({ action: 'built', turns: 8, bad_lines: 1 });
  });
});

describe('the database', () => {
  interface Answer { loaded?: Loaded; code?: string; message?: string }
  /** All questions in one process, since each start of Node is slow. */
  const ask = (scratch: string, questions: [file: string, session: string | null][]): Answer[] => inSqlite(`
    const { opencodeDatabase } = await import(argv[0]);
    const answers = [];
    for (const [file, session] of JSON.parse(argv[2])) {
      answers.push(await opencodeDatabase.form(file, session ?? undefined, argv[1]).then((loaded) => ({ loaded }), ({ code, message }) => ({ code, message })));
    }
    console.log(JSON.stringify(answers));
  `, [join(REPOSITORY, 'src/transcript/adapters/opencode.mts'), scratch, JSON.stringify(questions)]);
  const idOf = (session: Json | undefined): string => (session as { info: { id: string } }).info.id;
  const sessions = EXPORTS.map(fixture);
  const title = (text: string): string => `${text}${sqlite.reason}`;

  it.skipIf(sqlite.skip)(title('gives the turns of the exports of its sessions, though all rows are still in its log'), () => {
    const folder = fresh();
    const file = join(folder, 'opencode.db');
    const scratch = join(folder, 'scratch');
    databaseOf(file, sessions);
    const names = readdirSync(folder).sort();
    const answers = ask(scratch, sessions.map((session) => [file, idOf(session)]));
    for (const [at, session] of sessions.entries()) {
      const { loaded } = answers[at] ?? {};
      expect(loaded).toMatchObject({ path: `${file}#${idOf(session)}`, bad: [] });
      const found = collectWhole(opencodeDatabase, loaded?.value ?? null);
      const expected = collectWhole(opencodeExport, session);
      expect(found.turns).toEqual(expected.turns);
      expect(found.facts).toEqual(expected.facts);
      expect(JSON.stringify(loaded)).not.toContain('not-to-be-read');
    }
    expect(readdirSync(scratch)).toEqual([]);
    expect(readdirSync(folder).filter((name) => name !== 'scratch').sort()).toEqual(names);
  });

  it.skipIf(sqlite.skip)(title('has a hash for each session, which the rows of another do not move'), () => {
    const folder = fresh();
    const first = sessions[0] as { info: { id: string }; messages: { info: { id: string } }[] };
    const more = [{ id: 'prt_zz', message_id: first.messages[0]?.info.id ?? '', session_id: first.info.id, data: '{"type":"text","text":"more"}' }];
    const files = ['opencode-1.db', 'opencode-2.db', 'opencode-3.db'].map((name) => join(folder, name)) as [string, string, string];
    databaseOf(files[0], sessions.slice(0, 1));
    databaseOf(files[1], sessions);
    databaseOf(files[2], sessions, { part: more });
    const [one, beside, grown] = ask(folder, files.map((file) => [file, first.info.id])).map((answer) => answer.loaded?.raw_sha256);
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(beside).toBe(one);
    expect(grown).not.toBe(one);
  });

  it.skipIf(sqlite.skip)(title('wants a session named where it holds several, takes the only one, and says which are there'), () => {
    const folder = fresh();
    const [several, single, other] = ['opencode.db', 'opencode-one.db', 'opencode-bad.db'].map((name) => join(folder, name)) as [string, string, string];
    databaseOf(several, sessions);
    databaseOf(single, sessions.slice(0, 1), { part: [{ id: 'prt_zz', message_id: 'msg_x', session_id: idOf(sessions[0]), data: '{"type":' }] });
    writeFileSync(other, `SQLite format 3\0${'x'.repeat(5000)}`);
    expect(ask(folder, [[several, null], [several, 'ses_nope'], [single, null], [other, null]])).toMatchObject([
      { code: 'USAGE', message: expect.stringMatching(/holds 4 sessions: name one as <file>#<session>; the newest are (ses_\w+, ){3}ses_\w+$/) as string },
      { code: 'SOURCE', message: expect.stringMatching(/holds no session ses_nope; the newest are ses_/) as string },
      { loaded: { bad: [{ reason: 'part prt_zz is not valid JSON' }] } },
      { code: 'SHAPE', message: expect.stringContaining('opencode export') as string },
    ]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it.skipIf(sqlite.node === process.execPath)('where this Node has no SQLite, the way round is named and nothing is copied', async () => {
    const folder = fresh();
    const file = join(folder, 'opencode.db');
    writeFileSync(file, 'SQLite format 3\0');
    await expect(buildInto(join(folder, 'store'), `${file}#ses_1`)).rejects.toMatchObject({ code: 'SHAPE', message: expect.stringContaining('`opencode export ses_1 > session.json` and build that file') as string });
    await expect(buildInto(join(folder, 'store'), file)).rejects.toMatchObject({ code: 'SHAPE', message: expect.stringContaining('`opencode session list`') as string });
    expect(readdirSync(folder)).toEqual(['opencode.db']);
  });
});

describe.each(EXPORTS)('%s', (name) => {
  it('gives only turns of its end, whatever was captured on the way', () => {
    expectIdentity(opencodeExport, statesOf(fixture(name)), fixture(name));
  });

  it.skipIf(!/resumed|compaction/.test(name))('comes to the same turns through a build of every fifth state as through one', async () => {
    const folder = fresh();
    const file = join(folder, 'session.json');
    const states = statesOf(fixture(name)).filter((_, at) => at % 5 === 0);
    for (const state of states) {
      writeFileSync(file, JSON.stringify(state));
      // The first states hold no turn yet.
      await buildInto(join(folder, 'grown'), file).catch((error: { code?: string }) => expect(error.code).toBe('NO_TURNS'));
    }
    copyFileSync(join(FIXTURES, name), file);
    const grown = await buildInto(join(folder, 'grown'), file);
    const once = await buildInto(join(folder, 'once'), file);
    const turns = (dir: string): string[] => turnsIn(dir).map((turn) => `${identityOf(turn)} ${turn.meta ?? ''} ${turn.text}`).sort();
    expect(turns(grown.dir)).toEqual(turns(once.dir));
    expect(failures(join(folder, 'grown'))).toEqual([]);
    await expect(buildInto(join(folder, 'grown'), file)).resolves.toMatchObject({ action: 'up-to-date' });
  });
});
