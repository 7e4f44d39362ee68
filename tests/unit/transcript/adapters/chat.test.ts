import { describe, expect, it } from 'vitest';
import { HandoffError } from '../../../../src/lib/errors.mts';
import { chat } from '../../../../src/transcript/adapters/chat.mts';
import { documentHead } from '../../../../src/transcript/adapters/chat/head.mts';
import { timeOf } from '../../../../src/transcript/adapters/chat/identity.mts';
import { detectShape } from '../../../../src/transcript/detect.mts';
import { wholeAdapters } from '../../../../src/transcript/registry.mts';
import type { Json, JsonObject } from '../../../../src/transcript/turn.mts';
import { collectWhole, expectIdentity } from '../../../helpers/truth-brief.ts';

function said(...messages: JsonObject[]): string[] {
  return collectWhole(chat, messages).turns.map((turn) => `${turn.class}${turn.meta === undefined ? '' : ` ${turn.meta}`}: ${turn.text}`);
}

const OPENAI: JsonObject[] = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: [{ type: 'text', text: 'Weather in Lisbon?' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
  { role: 'assistant', content: null, reasoning_content: 'Ask the tool.', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Lisbon"}' } }, { id: 'c2', type: 'function', function: { name: 'read', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: 'c1', content: '{"celsius":21}' },
  { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }] },
  { role: 'assistant', content: '21 degrees.' },
];
const ANTHROPIC: JsonObject[] = [
  { role: 'user', content: 'Fix the parser' },
  { id: 'm1', role: 'assistant', model: 'claude-x', content: [{ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'Reading.' }, { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'a' } }], usage: { input_tokens: 5, output_tokens: 7 } },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'no such file' }], is_error: true }, { type: 'text', text: 'try b' }] },
];

describe('turns', () => {
  it('of OpenAI\'s shape: a thought, calls beside the content, results as messages', () => {
    expect(said(...OPENAI)).toEqual([
      'OTHER instructions: Be kind.', 'USER: Weather in Lisbon?', expect.stringMatching(/^OTHER attachment: \[image image\/png 3 bytes sha256:/), 'THOUGHT: Ask the tool.',
      'TOOL: function_call weather {"city":"Lisbon"}', 'TOOL: function_call read {}', 'TOOL: {"celsius":21}', 'TOOL: a\nb', 'AGENT: 21 degrees.']);
    const { turns } = collectWhole(chat, OPENAI);
    expect(turns.filter((turn) => turn.kind !== undefined).map((turn) => [turn.kind, turn.call, turn.effect, turn.part])).toEqual([
      ['call', 'c1', 'unknown', 2], ['call', 'c2', 'read', 3], ['result', 'c1', undefined, 1], ['result', 'c2', undefined, 1]]);
  });

  it('of Anthropic\'s shape: a turn a block, failed results among what was typed', () => {
    expect(said(...ANTHROPIC)).toEqual(['USER: Fix the parser', 'THOUGHT: hm', 'AGENT: Reading.', 'TOOL: tool_use Read {"file_path":"a"}', 'TOOL: no such file', 'USER: try b']);
    const { turns, facts, usage } = collectWhole(chat, ANTHROPIC);
    expect(turns[4]).toMatchObject({ kind: 'result', call: 't1', ok: false });
    expect(facts.model).toBe('claude-x');
    expect([...usage]).toEqual([['m1', { input: 5, output: 7 }]]);
  });

  it('of other writers: an old function call, parts of an SDK, plain roles', () => {
    expect(said({ role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }, { role: 'function', name: 'f', content: 'x' })).toEqual(['TOOL: function_call f {}', 'TOOL: x']);
    expect(said({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { a: 1 } }] }, { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'f', output: { type: 'text', value: 'x' } }] })).toEqual(['TOOL: tool_use f {"a":1}', 'TOOL: x']);
    expect(said({ role: 'human', content: 'q' }, { role: 'ai', content: 'a' })).toEqual(['USER: q', 'AGENT: a']);
  });

  it('keep what a client put in apart from what was typed', () => {
    expect(said({ role: 'user', content: '<system-reminder>x</system-reminder>\nFix it' })).toEqual(['OTHER reminder: <system-reminder>x</system-reminder>', 'USER: Fix it']);
  });

  it('of messages that name their conversation are still one chat', () => {
    expect(said({ role: 'user', content: 'q', conversation: { id: 'x' } }, { role: 'assistant', content: 'a', conversation: { id: 'x' } })).toEqual(['USER: q', 'AGENT: a']);
  });

  it('items that are no messages are counted and left out', () => {
    expect(collectWhole(chat, [...ANTHROPIC, 'x', { note: 1 }]).unknown).toEqual(['message without a role', 'message without a role']);
  });
});

describe('identity', () => {
  it('is the id or the position; the same set comes out of every state', () => {
    for (const whole of [OPENAI, ANTHROPIC]) expectIdentity(chat, whole.map((_, count) => ({ messages: whole.slice(0, count) })), { messages: whole });
  });

  it('an id that several messages share is no reason to lose one', () => {
    const twice = ['a', 'b'].map((content) => ({ id: 'x', role: 'user', content }));
    expect(collectWhole(chat, twice).turns.map((turn) => turn.id)).toEqual(['x', 'x#1']);
  });
});

describe('the document', () => {
  it('names session, title and model, and times of any kind', () => {
    const { facts, turns } = collectWhole(chat, { id: 's1', title: 'Weather', model: 'gpt-x', messages: [{ role: 'user', content: 'q', created_at: 1_767_225_600 }, { role: 'assistant', content: 'a', timestamp: '2026-01-01T00:00:01Z' }] });
    expect(facts).toEqual({ uuid: 's1', title: 'Weather', model: 'gpt-x' });
    expect(turns.map((turn) => turn.ts)).toEqual(['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01Z']);
    expect([timeOf(1_767_225_600_000), timeOf(null, 0, Number.NaN, 9e20), timeOf(undefined, 'x')]).toEqual(['2026-01-01T00:00:00.000Z', '', 'x']);
  });

  it.each<[string, Json]>([
    ['ChatGPT', [{ title: 'a', mapping: {} }, { title: 'b', mapping: {} }]],
    ['Claude', [{ uuid: 'a', name: 'x', chat_messages: [] }]],
    ['chats', [{ messages: OPENAI }, { messages: ANTHROPIC }]],
    ['an object of chats', { conversations: [{ messages: OPENAI }] }],
  ])('that lists conversations (%s) is refused with a sentence that says what to do', (_name, value) => {
    expect(detectShape(Buffer.from(JSON.stringify(value)), '/x/conversations.json')).toMatchObject({ kind: 'whole', adapter: chat });
    const read = (): unknown => collectWhole(chat, value, '/x/conversations.json');
    expect(read).toThrow(HandoffError);
    expect(read).toThrow(/^\/x\/conversations\.json is a list of \d conversations, and a handoff is one session: save one of them as a file of its own/);
  });
});

describe('recognition', () => {
  it('is asked last of all', () => expect(wholeAdapters.at(-1)).toBe(chat));

  it.each<[string, string]>([
    ['a list', JSON.stringify(OPENAI)], ['an object', JSON.stringify({ model: 'x', messages: ANTHROPIC })], ['over several lines', JSON.stringify({ messages: OPENAI }, null, 2)],
    ['cut in the middle', JSON.stringify({ messages: OPENAI }, null, 2).slice(0, 333)], ['with blanks before', `\n ${JSON.stringify(OPENAI)}`],
    ['one line in a .jsonl', `${JSON.stringify({ messages: OPENAI })}\n`],
  ])('%s', (_name, text) => {
    expect(detectShape(Buffer.from(text), '/x/a.json')).toMatchObject({ kind: 'whole', adapter: chat });
    expect(detectShape(Buffer.from(text), '-')).toMatchObject({ kind: 'whole', adapter: chat });
  });

  it('of a document cut anywhere never throws, and never finds another shape', () => {
    const text = JSON.stringify({ title: 'a "quoted\\" title', messages: OPENAI });
    for (let cut = 0; cut < text.length; cut++) if (chat.looksLike(text.slice(0, cut), '/x')) expect(cut).toBeGreaterThan(text.indexOf('"role"'));
  });

  it.each<[string, string]>([
    ['a canonical line', JSON.stringify({ role: 'user', content: 'x' })],
    ['canonical lines', `${JSON.stringify({ role: 'user', content: 'x' })}\n${JSON.stringify({ role: 'assistant', content: 'y' })}\n`],
    ['chats, one a line', `${JSON.stringify({ messages: OPENAI })}\n${JSON.stringify({ messages: OPENAI })}\n`],
    ['messages with a type and no role', JSON.stringify({ sessionId: 's', messages: [{ id: '1', type: 'user', content: 'role "role"' }] })],
    ['messages with parts', JSON.stringify({ messages: [{ info: { role: 'user' }, parts: [] }] })],
    ['messages of which one has no role', JSON.stringify({ messages: [{ role: 'user', content: 'x' }, { type: 'x', content: 'y' }, { role: 'user', content: 'x' }] })],
    ['no messages', JSON.stringify({ messages: [], role: 'x' })],
    ['a list of words', '["role","role"]'],
    ['text', 'user: what is a "role"?'],
  ])('%s is none', (_name, text) => expect(chat.looksLike(text, '/x')).toBe(false));
});

describe('the head of a document', () => {
  it('is the value up to the last whole one', () => {
    expect(documentHead('{"a":1,"b":[{"c":"x"},{"d":"cut')).toEqual({ a: 1, b: [{ c: 'x' }, {}] });
    expect(documentHead('[{"a":"\\\\"},{"b":"\\"')).toEqual([{ a: '\\' }, {}]);
    expect(documentHead('{"a":1} trailing')).toEqual({ a: 1 });
  });

  it('takes no more time than the text is long', () => {
    const start = performance.now();
    for (const hostile of ['[{"a":' + '['.repeat(300_000), '{"a":"' + '\\'.repeat(400_000), '[{' + '"a":1,'.repeat(100_000)]) documentHead(hostile);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
