/** Every recorded Gemini CLI session, of all generations, agrees with what a person found in it, whatever states of it were captured on the way. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { geminiDocument, geminiLog } from '../../src/transcript/adapters/gemini.mts';
import type { WholeAdapter } from '../../src/transcript/adapter.mts';
import type { Json, JsonObject } from '../../src/transcript/turn.mts';
import { collectWhole, expectBrief, expectIdentity } from '../helpers/truth-brief.ts';
import { skipWithout } from '../helpers/recorded.ts';
import { differences, loadTruth, readRecords, samplePath } from '../helpers/truth.ts';

const entries = loadTruth('gemini');

function load(key: string): { adapter: WholeAdapter; value: Json; file: string } {
  const file = samplePath('gemini', key);
  const text = readFileSync(file, 'utf8');
  const log = file.endsWith('.jsonl');
  const [adapter, other] = log ? [geminiLog, geminiDocument] : [geminiDocument, geminiLog];
  const head = text.slice(0, 256 * 1024);
  expect(adapter.looksLike(head, '-')).toBe(true);
  expect(other.looksLike(head, '-')).toBe(false);
  return { adapter, file, value: log ? readRecords(file) : (JSON.parse(text) as Json) };
}

/** The states that the file had: every prefix of a log; a document with fewer messages, and with the last one not yet done. */
function statesOf(value: Json): Json[] {
  if (Array.isArray(value)) return value.map((_, count) => value.slice(0, count));
  const document = value as JsonObject & { messages: JsonObject[] };
  return document.messages.flatMap((message, count) => {
    const before = document.messages.slice(0, count);
    const calls = (message.toolCalls ?? []) as JsonObject[];
    const at = (last: JsonObject): Json => ({ ...document, messages: [...before, last] });
    const { toolCalls: _, ...bare } = message;
    return [
      { ...document, messages: before },
      at(bare),
      ...calls.flatMap((call, done) => ['scheduled', 'executing'].map((status) => {
        const { result: _result, resultDisplay: _display, ...rest } = call;
        return at({ ...message, toolCalls: [...calls.slice(0, done), { ...rest, status }] });
      })),
    ];
  });
}

describe('recorded Gemini CLI sessions', () => {
  skipWithout(entries);

  it.each(entries)('%s agrees with its TRUTH entry', (key, entry) => {
    const { adapter, value, file } = load(key);
    const found = collectWhole(adapter, value, file);
    expect(differences(found.turns, entry, { injectedKept: true })).toEqual([]);
    expect(found.facts.uuid).toBe(entry.session);
    expect(found.facts.cwd ?? null).toBe(entry.cwd);
    expect(found.facts.branch ?? null).toBe(entry.branch);
    expect(found.facts.model ?? null).toBe(entry.model);
    const sum = (kind: 'output' | 'reasoning'): number => [...found.usage.values()].reduce((total, tokens) => total + (tokens[kind] ?? 0), 0);
    const usage = entry.usage as { output_tokens?: number; thought_tokens?: number } | null;
    expect([sum('output'), sum('reasoning')]).toEqual([usage?.output_tokens ?? 0, usage?.thought_tokens ?? 0]);
    expect(found.unknown).toEqual([]);
  });

  it.each(entries)('%s: the brief names the objective, the files and the commands', (key, entry) => {
    const { adapter, value } = load(key);
    expectBrief(collectWhole(adapter, value).turns, entry);
  });

  it.each(entries)('%s gives the same turns from every state on the way', (key) => {
    const { adapter, value } = load(key);
    expectIdentity(adapter, statesOf(value), value);
  });
});
