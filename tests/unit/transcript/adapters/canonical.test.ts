import { describe, expect, it } from 'vitest';
import { canonical } from '../../../../src/transcript/adapters/canonical.mts';
import type { Json, JsonObject, TurnDraft } from '../../../../src/transcript/turn.mts';
import { collect } from '../../../helpers/truth.ts';

function turnsOf(...records: JsonObject[]): TurnDraft[] {
  return collect(canonical, records).turns;
}

function said(record: JsonObject): string[] {
  return turnsOf(record).map((turn) => `${turn.class}${turn.kind === undefined ? '' : ` ${turn.kind}`}: ${turn.text}`);
}

describe('the canonical line', () => {
  it('gives seq, time, class, text and the facts of its session', () => {
    const found = collect(canonical, [{ seq: 7, ts: '2026-01-01T00:00:00Z', harness: 'mine', source: 'x', session: 's1', thread: 't --shop--', role: 'user', text: 'Hi', model: 'm' }]);
    expect(found.turns).toMatchObject([{ class: 'USER', ts: '2026-01-01T00:00:00Z', seq: 7, text: 'Hi' }]);
    expect(found.facts).toEqual({ uuid: 's1', harness: 'mine', thread: 't --shop--', model: 'm' });
  });

  it('takes the session of the first record only, so that a grown file keeps its name', () => {
    expect(collect(canonical, [{ role: 'user', text: 'a' }, { role: 'user', text: 'b', session: 'late' }]).facts.uuid).toBeUndefined();
  });

  it.each<[Json, number | undefined]>([[3, 3], ['7', 7], [' 8 ', 8], [1.5, 1.5], [-2, -2], [null, undefined], ['', undefined], [true, undefined], ['x', undefined], ['0x10', undefined], ['9'.repeat(400), undefined]])(
    'seq %j is %s', (seq, expected) => {
      expect(turnsOf({ seq, role: 'user', text: 'a' })[0]?.seq).toBe(expected);
    });

  it.each<[JsonObject, string]>([
    [{ role: 'user', text: 'a' }, 'USER: a'],
    [{ kind: 'human', content: 'a' }, 'USER: a'],
    [{ type: 'user', content: 'a' }, 'USER: a'],
    [{ role: 'assistant', output: 'a' }, 'AGENT: a'],
    [{ kind: 'ai', parts: [{ text: 'a' }, { text: 'b' }] }, 'AGENT: a\nb'],
    [{ role: 'model', parts: [{ text: 'a' }] }, 'AGENT: a'],
    [{ message: { role: 'assistant', text: 'a' } }, 'AGENT: a'],
    [{ message: { role: 'user', content: ['a', '', 'b'] } }, 'USER: a\nb'],
    [{ payload: { role: 'user', message: { content: 'a' } } }, 'USER: a'],
    [{ payload: { type: 'function_call', name: 'ls', arguments: '{}', call_id: 'c' } }, 'TOOL call: function_call ls {}'],
    [{ payload: { type: 'function_call_output', output: 'x' } }, 'TOOL result: x'],
    [{ kind: 'reasoning', role: 'assistant', text: 'a' }, 'THOUGHT: a'],
    [{ type: 'thinking', text: 'a' }, 'THOUGHT: a'],
    [{ kind: 'tool_call', role: 'assistant', text: 'ls' }, 'TOOL call: ls'],
    [{ kind: 'tool_result', text: 'out' }, 'TOOL result: out'],
    [{ role: 'tool', content: 'out' }, 'TOOL result: out'],
    [{ kind: 'tool', text: 'x' }, 'TOOL: x'],
    [{ role: 'system', text: 'a' }, 'OTHER: a'],
    [{ text: 'a' }, 'OTHER: a'],
    [{ text: '  ', content: 'b', role: 'user' }, 'USER: b'],
    [{ parts: [{ x: 1 }], content: [{ type: 'text', text: 'b' }], role: 'user' }, 'USER: b'],
    [{ role: 'user', content: [{ content: [{ text: 'a' }, 'b'] }] }, 'USER: a\nb'],
  ])('reads %j', (record, expected) => {
    expect(said(record)).toEqual([expected]);
  });

  it('a line without a text gives no turn', () => {
    expect([{}, { role: 'user' }, { role: 'user', text: ' ' }, { role: 'user', content: [] }].flatMap(said)).toEqual([]);
  });

  it('gives a turn for each block of another API\'s message', () => {
    const content = [{ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'a' }, { type: 'text', text: 'b' }, { type: 'tool_use', id: 't1', name: 'Read', input: { p: 1 } }, { type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'no' }];
    const turns = turnsOf({ role: 'assistant', content });
    expect(turns.map((turn) => [turn.class, turn.text])).toEqual([['THOUGHT', 'hm'], ['AGENT', 'a\nb'], ['TOOL', 'tool_use Read {"p":1}'], ['TOOL', 'no']]);
    expect(turns[2]).toMatchObject({ kind: 'call', tool: 'Read', call: 't1', effect: 'read' });
    expect(turns[3]).toMatchObject({ kind: 'result', call: 't1', ok: false });
  });

  it('keeps the calls of OpenAI and Gemini', () => {
    expect(turnsOf({ role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'ls', arguments: '{}' } }] })[0]).toMatchObject({ class: 'TOOL', kind: 'call', tool: 'ls', call: 'c1', text: 'function_call ls {}' });
    expect(turnsOf({ role: 'tool', tool_call_id: 'c1', content: 'out' })[0]).toMatchObject({ kind: 'result', call: 'c1', text: 'out' });
    expect(turnsOf({ role: 'model', parts: [{ functionCall: { name: 'ls', args: { a: 1 } } }] })[0]).toMatchObject({ kind: 'call', tool: 'ls', text: 'functionCall ls {"a":1}' });
  });

  it('reads the outcome of a result where the line states it', () => {
    expect(turnsOf({ kind: 'tool_result', call: 'c', tool: 'Bash', exit: 2, text: 'no' })[0]).toMatchObject({ ok: false, exit: 2, tool: 'Bash', call: 'c' });
    expect(turnsOf({ kind: 'tool_result', text: 'x' })[0]?.ok).toBeUndefined();
  });
});

describe('what is not canonical', () => {
  it.each<[JsonObject]>([
    [{ type: 'user', uuid: 'u', parentUuid: null, sessionId: 's', message: { role: 'user', content: 'x' } }],
    [{ type: 'response_item', timestamp: 't', payload: { type: 'message' } }],
    [{ type: 'message', id: 'a', parentId: null, message: { role: 'user', content: [] } }],
    [{ id: 'a', timestamp: 't', type: 'user', content: [{ text: 'x' }] }],
    [{ type: 'user.message', data: { content: 'x' }, id: 'a', parentId: 'b' }],
    [{ role: 'user', content: 'x', sessionId: 's', parentUuid: null }],
    [{ type: 'brand-new', x: 1 }],
  ])('%j', (record) => {
    expect(canonical.recognises(record)).toBe(false);
  });
});
