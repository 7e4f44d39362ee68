import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { continueDev } from '../../../../src/transcript/adapters/continue.mts';
import { detectShape } from '../../../../src/transcript/detect.mts';
import type { Json, JsonObject } from '../../../../src/transcript/turn.mts';
import { collectWhole, expectIdentity } from '../../../helpers/truth-brief.ts';

const CODING = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../../../fixtures/continue/coding.json'));
const coding = JSON.parse(CODING.toString()) as JsonObject & { history: JsonObject[] };

function session(...history: JsonObject[]): JsonObject {
  return { sessionId: 's1', title: 'Untitled Session', workspaceDirectory: '/w', history };
}

function said(...history: JsonObject[]): string[] {
  return collectWhole(continueDev, session(...history)).turns.map((turn) => `${turn.class}${turn.meta === undefined ? '' : ` ${turn.meta}`}: ${turn.text}`);
}

function called(status: string, output?: Json): JsonObject {
  const call = { id: 'c1', type: 'function', function: { name: 'Bash', arguments: '{"command":"ls"}' } };
  return { message: { role: 'assistant', content: '', toolCalls: [call] }, contextItems: [], toolCallStates: [{ toolCallId: 'c1', toolCall: call, status, ...(output === undefined ? {} : { output }) }] };
}

describe('messages', () => {
  it('are what was typed and answered; a thought, a summary and what was attached are apart', () => {
    expect(said({ message: { role: 'user', content: 'Fix it' }, contextItems: [{ name: 'a.js', content: 'x = 1' }] }, { message: { role: 'assistant', content: 'ok' }, reasoning: { text: 'hm' }, conversationSummary: 'so far' })).toEqual([
      'USER: Fix it', 'OTHER attachment: [attachment a.js]\nx = 1', 'OTHER compaction-summary: so far', 'THOUGHT: hm', 'AGENT: ok']);
    expect(said({ message: { role: 'system', content: 'be kind' } }, { message: { role: 'thinking', content: 'hm' } })).toEqual(['OTHER instructions: be kind', 'THOUGHT: hm']);
  });

  it('of parts keep pictures out', () => {
    expect(said({ message: { role: 'user', content: [{ type: 'text', text: 'Look' }, { type: 'imageUrl', imageUrl: { url: `data:image/png;base64,${'A'.repeat(4000)}` } }] } })).toEqual([
      'USER: Look', expect.stringMatching(/^OTHER attachment: \[image image\/png 3000 bytes sha256:/)]);
  });

  it('of an unknown role are counted', () => expect(collectWhole(continueDev, session({ message: { role: 'robot', content: 'x' } })).unknown).toEqual(['message/robot']));
});

describe('calls', () => {
  it('are taken once their input is whole, their result once they have ended', () => {
    expect(said(called('generating'))).toEqual([]);
    expect(said(called('generated'))).toEqual(['TOOL: function_call Bash {"command":"ls"}']);
    expect(said(called('calling', [{ content: 'half' }]))).toEqual(['TOOL: function_call Bash {"command":"ls"}']);
    expect(said(called('done', [{ content: 'a' }, { content: 'b' }]))).toEqual(['TOOL: function_call Bash {"command":"ls"}', 'TOOL: a\nb']);
  });

  it.each([['done', undefined, 'x'], ['errored', false, 'x'], ['canceled', false, 'x']])('that are %s have ok %s', (status, ok, text) => {
    expect(collectWhole(continueDev, session(called(status, [{ content: 'x' }]))).turns[1]).toMatchObject({ kind: 'result', call: 'c1', tool: 'Bash', text, ...(ok === undefined ? {} : { ok }) });
    const empty = collectWhole(continueDev, session(called(status, []))).turns[1];
    expect(['ok' in (empty ?? {}), empty?.meta]).toEqual([ok !== undefined, status === 'canceled' ? 'cancelled' : undefined]);
  });

  it('have one result, also where a message says it again', () => {
    expect(said(called('done', [{ content: 'a' }]), { message: { role: 'tool', toolCallId: 'c1', content: 'a' } })).toHaveLength(2);
    expect(said({ message: { role: 'tool', toolCallId: 'c9', content: 'a' } })).toEqual(['TOOL: a']);
  });
});

describe('the session', () => {
  it('names its folder, its model and its tokens, and no title where it has none', () => {
    const { facts, usage, total } = collectWhole(continueDev, coding);
    expect(facts).toEqual({ uuid: '3fa55519-e358-4e37-838c-260d1160fba7', cwd: '/home/dev3/shop', model: 'mock-coder-1' });
    expect([...usage.values()].reduce((sum, tokens) => sum + (tokens.output ?? 0), 0)).toBe(810);
    expect(usage.get('#1')).toEqual({ input: 1406, output: 90, cache_read: 512, reasoning: 20 });
    expect(total).toBeUndefined();
    expect(collectWhole(continueDev, { ...session({ message: { role: 'user', content: 'x' } }), usage: { promptTokens: 5, completionTokens: 7 } }).total).toEqual({ input: 5, output: 7 });
  });
});

describe('identity', () => {
  it('is the position: the same set comes out of every state', () => {
    const states = coding.history.flatMap((item, count) => {
      const before = coding.history.slice(0, count);
      const states_ = (item['toolCallStates'] ?? []) as JsonObject[];
      return [before, ...['generating', 'calling'].map((status) => [...before, { ...item, toolCallStates: states_.map((state, at) => (at === 0 ? state : { ...state, status })) }])].map((history) => ({ ...coding, history }));
    });
    expectIdentity(continueDev, states, coding);
  });
});

describe('recognition', () => {
  it('is by content, also of the beginning only', () => {
    expect(detectShape(CODING, '/x/a.json')).toMatchObject({ kind: 'whole', adapter: continueDev });
    expect(detectShape(CODING, '-')).toMatchObject({ kind: 'whole', adapter: continueDev });
    for (const bytes of [300, 1000, 5000]) expect(detectShape(CODING.subarray(0, bytes), '/x/a.json')).toMatchObject({ kind: 'whole', adapter: continueDev });
    expect(continueDev.looksLike(JSON.stringify(session()), '/x')).toBe(true);
  });

  it('needs a history of messages', () => {
    expect(continueDev.looksLike('{"sessionId":"s","history":[{"role":"user"}]}', '/x')).toBe(false);
    expect(continueDev.looksLike('{"sessionId":"s","history":"x"}', '/x')).toBe(false);
    expect(continueDev.looksLike('[{"sessionId":"s","title":"history"}]', '/x')).toBe(false);
  });
});
