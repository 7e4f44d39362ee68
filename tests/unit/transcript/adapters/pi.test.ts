import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createReducer } from '../../../../src/render/reduce.mts';
import type { Digest } from '../../../../src/render/digest.mts';
import { pi } from '../../../../src/transcript/adapters/pi.mts';
import { detectShape } from '../../../../src/transcript/detect.mts';
import type { Json, JsonObject, TurnDraft } from '../../../../src/transcript/turn.mts';
import { collect, readRecords } from '../../../helpers/truth.ts';

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '../../../fixtures/pi');
const ts = '2026-01-01T00:00:00.000Z';
const fixture = (name: string): JsonObject[] => readRecords(join(FIXTURES, name));

function message(value: JsonObject, id = 'e1', parentId: string | null = null): JsonObject {
  return { type: 'message', id, parentId, timestamp: ts, message: value };
}

const user = (content: Json, id = 'u1', parentId: string | null = null): JsonObject => message({ role: 'user', content }, id, parentId);

function said(...records: JsonObject[]): string[] {
  return collect(pi, records).turns.map((turn) => `${turn.class}${turn.meta === undefined ? '' : ` ${turn.meta}`}: ${turn.text}`);
}

function resultOf(value: JsonObject): TurnDraft | undefined {
  return collect(pi, [message({ role: 'toolResult', toolCallId: 'c1', ...value })]).turns[0];
}

function digestOf(records: JsonObject[]): Digest {
  const reducer = createReducer();
  collect(pi, records).turns.forEach((turn) => reducer.add({ ...turn, seq: turn.at }));
  return reducer.digest();
}

describe('the header', () => {
  it('names the session, its folder and the session that it was cloned from', () => {
    const [header] = fixture('clone.jsonl');
    expect(pi.identify({ path: '/x/a.jsonl', records: [header ?? {}] })).toEqual({
      uuid: '01a22b71-6ee5-745b-8c44-c27d7aeee5ce', cwd: '/home/dev3/shop',
      fork: { of: '01a22b71-45b8-745b-8c44-c278a1a49d41', by: 'parentSession of the header' },
    });
  });

  it('is made up for by the file name where it is missing', () => {
    expect(pi.identify({ path: '/x/2026-01-01T00-00-00-000Z_01a22b71-6ee5-745b-8c44-c27d7aeee5ce.jsonl', records: [] }).uuid).toBe('01a22b71-6ee5-745b-8c44-c27d7aeee5ce');
    expect(pi.identify({ path: '/x/a.jsonl', records: [] })).toEqual({});
  });
});

describe('a fork', () => {
  it('begins with copies, which are older than its header; labels made anew count among them', () => {
    const records = fixture('clone.jsonl');
    const replay = pi.replay?.({ path: '/x/a.jsonl', records });
    expect(records.slice(1).every((record) => replay?.judge(record) === 'copied')).toBe(true);
    expect(replay?.judge(records[0] ?? {})).toBeUndefined();
    expect(replay?.judge({ type: 'message', timestamp: '2026-11-30T07:53:04.000Z' })).toBe('own');
    expect(pi.replay?.({ path: '/x/a.jsonl', records: fixture('tree.jsonl') })).toBeUndefined();
  });
});

describe('the tree', () => {
  it('branches that were given up are told from the one that stands, though lines mix them and nodes without a message lie between', () => {
    const digest = digestOf(fixture('tree.jsonl'));
    expect(digest.prompts.map((row) => [row.text, row.abandoned ?? false])).toEqual([
      ['Give me a first idea for the cart structure', false], ['Another idea?', true], ['A third idea, different branch?', true],
      ['Which one do we take?', false], ['Still fine after compaction?', false]]);
  });

  it('an entry that says nothing has a turn all the same', () => {
    const { turns } = collect(pi, [
      { type: 'label', id: 'l1', parentId: 'x', timestamp: ts, targetId: 'y', label: 'here' },
      { type: 'custom', id: 'l2', parentId: 'l1', timestamp: ts, customType: 'note', data: {} },
      { type: 'something_new', id: 'l3', parentId: 'l2', timestamp: ts },
    ]);
    expect(turns.map(({ id, parent, class: name }) => [id, parent, name])).toEqual([['l1', 'x', 'OTHER'], ['l2', 'l1', 'OTHER'], ['l3', 'l2', 'OTHER']]);
  });

  it('an unknown entry is counted by its type', () => {
    expect([...collect(pi, [{ type: 'something_new', id: 'l3', parentId: null, timestamp: ts }]).unknown]).toEqual([['something_new', 1]]);
  });
});

describe('what a person typed', () => {
  it('is USER as a string or as blocks; a picture stands beside it, and alone it is the prompt', () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const placeholder = expect.stringMatching(/^OTHER attachment: \[image image\/png 3 bytes sha256:[0-9a-f]{64}\]$/) as string;
    expect(said(user('plain'))).toEqual(['USER: plain']);
    expect(said(user([{ type: 'text', text: 'Look' }, image]))).toEqual(['USER: Look', placeholder]);
    expect(said(user([image]))).toEqual([expect.stringMatching(/^USER: \[image image\/png/)]);
  });

  it('is given back from a skill that was expanded, and becomes the objective', () => {
    expect(said(...fixture('skill.jsonl')).filter((line) => !line.startsWith('OTHER state'))).toEqual([
      'USER: /skill:agents-handoff please hand off', expect.stringMatching(/^OTHER expanded: <skill name="agents-handoff"[^]*<\/skill>$/), 'AGENT: After the compaction: all good.']);
    expect(digestOf(fixture('skill.jsonl')).objective).toBe('/skill:agents-handoff please hand off');
  });

  it('stays whole where it only writes about such an envelope', () => {
    const asked = 'What is <skill name="x" location="y"> for?';
    expect(said(user(asked))).toEqual([`USER: ${asked}`]);
    expect(said(user('<skill name="x" location="y">\nnever closed'))[0]).not.toMatch(/\/skill:x/);
  });

  it('as a command of the shell is neither a prompt nor a call of the agent', () => {
    const run = (more: JsonObject): string[] => said(message({ role: 'bashExecution', command: 'git status', output: 'clean\n', exitCode: 0, ...more }));
    expect(run({})).toEqual(['OTHER user-command: !git status', 'OTHER command-output: clean\n']);
    expect(run({ excludeFromContext: true, exitCode: 2 })).toEqual(['OTHER user-command: !!git status', 'OTHER command-output: clean\n\n[exit 2]']);
  });
});

describe('answers', () => {
  const answer = (content: Json, more: JsonObject = {}): JsonObject => message({ role: 'assistant', model: 'm2', content, ...more });

  it('give a turn a block, in their order', () => {
    expect(said(answer([{ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'ok' }, { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } }]))).toEqual([
      'THOUGHT: hm', 'AGENT: ok', 'TOOL: tool_use read {"path":"a"}']);
    const [call] = collect(pi, [answer([{ type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } }])]).turns;
    expect(call).toMatchObject({ kind: 'call', tool: 'read', call: 'c1', effect: 'read', id: 'e1' });
  });

  it('that failed or were stopped are no answers', () => {
    expect(said(answer([], { stopReason: 'error', errorMessage: '400: no' }))).toEqual(['OTHER api-error: 400: no']);
    expect(said(answer([], { stopReason: 'aborted', errorMessage: 'This operation was aborted' }))).toEqual(['OTHER interrupted: [aborted] This operation was aborted']);
    expect(digestOf(fixture('upstream-error.jsonl')).errors.filter((row) => row.tool === 'api')).toEqual([]);
    expect(digestOf(fixture('upstream-error.jsonl').slice(0, 8)).errors.filter((row) => row.tool === 'api')).toHaveLength(1);
  });

  it('count their tokens once for each entry, summaries with them', () => {
    const { usage } = collect(pi, [answer([], { usage: { input: 5, output: 7, cacheRead: 1, cacheWrite: 2, reasoning: 3 } }),
      { type: 'compaction', id: 'k1', parentId: 'e1', timestamp: ts, summary: 'so far', usage: { input: 1, output: 9 } }]);
    expect([...usage]).toEqual([['e1', { input: 5, output: 7, cache_read: 1, cache_write: 2, reasoning: 3 }], ['k1', { input: 1, output: 9 }]]);
  });

  it('name the model, and the last one stands', () => {
    expect(collect(pi, [{ type: 'model_change', id: 'a', parentId: null, timestamp: ts, provider: 'p', modelId: 'm1' }, answer([])]).facts.model).toBe('m2');
  });
});

describe('results', () => {
  it('that failed say so, with the exit status that stands in the text', () => {
    expect(resultOf({ toolName: 'bash', content: [{ type: 'text', text: 'no\n\nCommand exited with code 3' }], isError: true })).toMatchObject({ ok: false, exit: 3, call: 'c1', tool: 'bash' });
    expect(resultOf({ toolName: 'edit', content: [{ type: 'text', text: 'not found' }], isError: true })).not.toHaveProperty('exit');
    expect(resultOf({ toolName: 'read', content: [{ type: 'text', text: 'Command exited with code 3' }], isError: false })).toMatchObject({ ok: true });
    expect(resultOf({ toolName: 'read', content: [] })).toMatchObject({ text: '(no output)' });
    expect(resultOf({ toolName: 'read', content: [] })).not.toHaveProperty('ok');
  });

  it('of a group that was killed are missing after the resume too', () => {
    expect(digestOf(fixture('killed-resumed.jsonl')).pending.map((row) => [row.tool, row.effect])).toEqual([['bash', 'unknown'], ['read', 'read']]);
  });
});

describe('recognition', () => {
  it.each(['tree.jsonl', 'clone.jsonl', 'killed-resumed.jsonl', 'skill.jsonl', 'upstream-error.jsonl'])('every record of %s is known', (name) => {
    expect(fixture(name).filter((record) => !pi.recognises(record))).toEqual([]);
    expect(detectShape(Buffer.from(fixture(name).map((record) => JSON.stringify(record)).join('\n')), '/x/a.jsonl')).toMatchObject({ kind: 'lines', adapter: { id: 'pi' } });
  });

  it('records of the first format, without a tree, are known by their message', () => {
    expect(pi.recognises({ type: 'message', timestamp: ts, message: { role: 'user', content: 'x' } })).toBe(true);
    expect(said({ type: 'message', timestamp: ts, message: { role: 'user', content: 'x' } })).toEqual(['USER: x']);
  });

  it.each<[string, JsonObject]>([
    ['Claude Code', { type: 'user', uuid: 'u', parentUuid: null, sessionId: 's', message: { role: 'user', content: 'x' } }],
    ['Copilot', { type: 'user.message', id: 'x', parentId: null, timestamp: ts, data: { content: 'x' } }],
    ['a canonical line', { type: 'message', role: 'user', content: 'x' }],
  ])('a record of %s is not', (_name, record) => expect(pi.recognises(record)).toBe(false));
});
