import { describe, expect, it } from 'vitest';
import { HandoffError } from '../../../src/lib/errors.mts';
import { createRedactor } from '../../../src/transcript/redaction/create.mts';
import type { Redactor } from '../../../src/transcript/redaction/redactor.mts';
import type { JsonObject, SessionFacts, TurnDraft } from '../../../src/transcript/turn.mts';

const DEAF = { turn: () => {}, facts: () => {}, usage: () => {}, usageTotal: () => {}, unknown: () => {} };

/** The turn as it comes out behind the patterns. */
function turn(redactor: Redactor, draft: Partial<TurnDraft>): TurnDraft {
  let out: TurnDraft | undefined;
  redactor.words({ ...DEAF, turn: (given) => void (out = given) }).turn({ class: 'TOOL', ts: '', text: '', ...draft });
  if (out === undefined) throw new Error('no turn came out');
  return out;
}

/** A call's input as it comes out behind the patterns. */
function redact(redactor: Redactor, input: JsonObject): JsonObject {
  return JSON.parse(turn(redactor, { kind: 'call', text: JSON.stringify(input) }).text) as JsonObject;
}

function failure(act: () => unknown): HandoffError {
  try {
    act();
  } catch (error) {
    if (error instanceof HandoffError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe("the config's own patterns", () => {
  it('are applied to values and keys of what a call is given', () => {
    const redactor = createRedactor({ patterns: ['ACME-\\d{4}', 'internal\\.example'] });
    expect(redact(redactor, { a: 'see ACME-1234 at internal.example', 'ACME-9999': [{ b: 'ACME-0000' }] })).toEqual({ a: 'see [redacted:custom] at [redacted:custom]', '[redacted:custom]': [{ b: '[redacted:custom]' }] });
    expect(redactor.counts).toEqual({ custom: 4 });
    expect(redactor.text('ACME-1234')).toBe('[redacted:custom]');
  });

  it('leave the text of a call as it is written where they find nothing', () => {
    const text = 'tool_use Read {"a": "nothing",  "b":[1.0]}';
    expect(turn(createRedactor({ patterns: ['ACME'] }), { kind: 'call', tool: 'Read', text }).text).toBe(text);
  });

  it('take words, and leave what tells a turn from another and what it is', () => {
    const draft: TurnDraft = { class: 'TOOL', kind: 'result', ts: 'word', text: 'a word', id: 'word-1', parent: 'word-0', record: 'word-2', call: 'word-3', side: 'word', meta: 'word', tool: 'word', ok: true };
    expect(turn(createRedactor({ patterns: ['word'] }), draft)).toEqual({ ...draft, text: 'a [redacted:custom]', tool: '[redacted:custom]' });
    expect(turn(createRedactor({ patterns: ['\\w+'] }), { kind: 'call', tool: 'Read', text: 'function_call Read {"a":1}' })).toMatchObject({ tool: '[redacted:custom]', text: 'function_call [redacted:custom] {"[redacted:custom]":1}' });
    expect(turn(createRedactor({ patterns: ['\\w+'] }), { kind: 'call', text: 'my_call is [not data' }).text).toBe('my_call [redacted:custom] [[redacted:custom] [redacted:custom]');
  });

  it('leave a number of their own to ids that differ, and a UUID as it is', () => {
    const redactor = createRedactor({ patterns: ['customer-\\d+', '[0-9a-f]{4}'] });
    const uuid = '01a22b68-0000-7000-8000-000000000001';
    let facts: SessionFacts = {};
    redactor.words({ ...DEAF, facts: (given) => void (facts = given) }).facts({ uuid: 'customer-1', parent_session: uuid, title: 'customer-1', fork: { of: 'customer-2', by: 'customer-1' } });
    expect(facts).toEqual({ uuid: redactor.id('customer-1'), parent_session: uuid, title: '[redacted:custom]', fork: { of: redactor.id('customer-2'), by: redactor.id('customer-1') } });
    expect([redactor.id('customer-1'), redactor.id('customer-2')]).toEqual([1, 2].map(() => expect.stringMatching(/^\[redacted:custom:[0-9a-f]{8}\]$/)));
    expect(redactor.id('customer-1')).not.toBe(redactor.id('customer-2'));
  });

  it.each([
    ['a key that stands twice', { kind: 'call', tool: 'shell', text: 'function_call shell {"command":"ACME-1234","command":"ls"}' }, 'function_call shell {"command":"[redacted:custom]","command":"ls"}'],
    ['two keys that become one', { kind: 'call', tool: 'shell', text: 'function_call shell {"ACME-1234":"a","ACME-1235":"b"}' }, 'function_call shell {"[redacted:custom]":"a","[redacted:custom]":"b"}'],
    ['a tool with a bracket in its name', { kind: 'call', tool: 'sh [x', text: 'function_call sh [x {"command":"\\u0041CME-1234"}' }, 'function_call sh [x {"command":"[redacted:custom]"}'],
    ['numbers that no computer counts with', { kind: 'call', tool: 'pay', text: 'tool_use pay {"of":12345678901234567890,"to":"ACME-1234"}' }, 'tool_use pay {"of":12345678901234567890,"to":"[redacted:custom]"}'],
    ['a number in what is no call', { class: 'OTHER', text: 'They said [4111111111111111, "ACME-1234", 1]' }, 'They said ["[redacted:custom]", "[redacted:custom]", 1]'],
  ] satisfies [string, Partial<TurnDraft>, string][])('lose nothing and let nothing through at %s', (_what, draft, clean) => {
    expect(turn(createRedactor({ patterns: ['ACME-\\d{4}', '\\d{16}$'] }), draft).text).toBe(clean);
  });

  it.each([
    ['.*ACME.*', '[redacted:token:12345678] ACME-1234', '[redacted:token:12345678][redacted:custom]'],
    ['.+', 'of [redacted:token] ACME [redacted:token]', '[redacted:custom][redacted:token]'],
    ['\\w+ \\[', 'ACME [redacted:token]', '[redacted:custom][redacted:token]'],
  ])('replace what stands before and behind a marker that they reach into: %s', (pattern, text, clean) => {
    const redactor = createRedactor({ patterns: [pattern] });
    expect(redactor.text(text)).toBe(clean);
    expect(redactor.text(clean)).toBe(clean);
  });

  it('go over data that no adapter reads', () => {
    expect(createRedactor({ patterns: ['ACME'] }).data({ 'ACME-1': ['of ACME', { n: 1, key: `ghp_${'a1B2'.repeat(9)}` }] })).toEqual({ '[redacted:custom]-1': ['of [redacted:custom]', { n: 1, key: expect.stringMatching(/^\[redacted:/) }] });
  });

  it('count a word as often as it is said, though it is looked for once', () => {
    const redactor = createRedactor({ patterns: ['ACME'] });
    for (let at = 0; at < 3; at++) redactor.text('ACME');
    expect(redactor.counts).toEqual({ custom: 3 });
  });

  it('change nothing the second time, even where they match what stands there then', () => {
    const redactor = createRedactor({ patterns: ['[a-z]+', 'x*'] });
    const once = redact(redactor, { A: 'password=hunter2 abc' });
    expect(redact(redactor, once)).toEqual(once);
  });

  it.each([900, 1_200, 4_000])('let nothing through however deep it lies: %i', (depth) => {
    const text = `{"a":${'['.repeat(depth)}"ACME-1234"${']'.repeat(depth)}}`;
    expect(turn(createRedactor({ patterns: ['ACME-\\d{4}'] }), { kind: 'call', text }).text.includes('ACME')).toBe(false);
  });

  it('are looked for among thousands of earlier markers in linear time', () => {
    const redactor = createRedactor({ patterns: ['ACME', '[a-z]'], budgetMs: 5_000 });
    const start = performance.now();
    const said = redactor.text('[redacted:token] ACME '.repeat(20_000));
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(said).toBe('[redacted:token] [redacted:custom] '.repeat(20_000));
  });

  it('that do not compile are named', () => {
    const error = failure(() => createRedactor({ patterns: ['('] }));
    expect(error.code).toBe('CONFIG');
    expect(error.message).toContain('"("');
  });

  it('that take too long are stopped and named, without what they were matched against', () => {
    const redactor = createRedactor({ patterns: ['fine', '(a+)+$'], budgetMs: 100 });
    const start = performance.now();
    const error = failure(() => redact(redactor, { text: `${'a'.repeat(60)}hunter2!` }));
    expect(performance.now() - start).toBeLessThan(5000);
    expect(error.code).toBe('CONFIG');
    expect(error.message).toContain('"(a+)+$"');
    expect(error.message).not.toContain('hunter2');
    expect(error.message).not.toContain('fine');
    expect(redact(redactor, { text: 'fine' })).toEqual({ text: '[redacted:custom]' });
  });
});
