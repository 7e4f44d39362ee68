import { describe, expect, it } from 'vitest';
import { HandoffError } from '../../../src/lib/errors.mts';
import { createRedactor } from '../../../src/transcript/redaction/create.mts';
import type { Redactor } from '../../../src/transcript/redaction/redactor.mts';
import type { JsonObject } from '../../../src/transcript/turn.mts';

function redact(redactor: Redactor, record: JsonObject): JsonObject {
  return redactor.record(record, JSON.stringify(record));
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
  it('are applied to values and keys of records that hold nothing else', () => {
    const redactor = createRedactor({ patterns: ['ACME-\\d{4}', 'internal\\.example'] });
    expect(redact(redactor, { a: 'see ACME-1234 at internal.example', 'ACME-9999': [{ b: 'ACME-0000' }] })).toEqual({ a: 'see [redacted:custom] at [redacted:custom]', '[redacted:custom]': [{ b: '[redacted:custom]' }] });
    expect(redactor.counts).toEqual({ custom: 4 });
    expect(redactor.text('ACME-1234')).toBe('[redacted:custom]');
  });

  it('give back the very record where they find nothing', () => {
    const record = { a: 'nothing' };
    expect(redact(createRedactor({ patterns: ['ACME'] }), record)).toBe(record);
  });

  it('change nothing the second time, even where they match what stands there then', () => {
    const redactor = createRedactor({ patterns: ['[a-z]+', 'x*'] });
    const once = redact(redactor, { A: 'password=hunter2 abc' });
    expect(redact(redactor, once)).toEqual(once);
  });

  it.each([900, 1_200, 4_000])('let nothing through however deep it lies: %i', (depth) => {
    const text = `{"a":${'['.repeat(depth)}"ACME-1234"${']'.repeat(depth)}}`;
    expect(JSON.stringify(createRedactor({ patterns: ['ACME-\\d{4}'] }).record(JSON.parse(text) as JsonObject, text))).not.toContain('ACME');
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
