/** Every recorded Continue session agrees with what a person found in it, whatever states of it were captured on the way. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { continueDev } from '../../src/transcript/adapters/continue.mts';
import type { JsonObject } from '../../src/transcript/turn.mts';
import { skipWithout } from '../helpers/recorded.ts';
import { differences, loadTruth, samplePath } from '../helpers/truth.ts';
import { collectWhole, expectBrief, expectIdentity } from '../helpers/truth-brief.ts';

const entries = loadTruth('continue');

function load(key: string): JsonObject & { history: JsonObject[] } {
  return JSON.parse(readFileSync(samplePath('continue', key), 'utf8')) as JsonObject & { history: JsonObject[] };
}

describe('recorded Continue sessions', () => {
  skipWithout(entries);

  it.each(entries)('%s agrees with its TRUTH entry', (key, entry) => {
    const found = collectWhole(continueDev, load(key));
    expect(differences(found.turns, entry, { injectedKept: true })).toEqual([]);
    expect(found.facts.branch ?? null).toBe(entry.branch);
    expect(found.facts).toMatchObject({ uuid: entry.session, cwd: entry.cwd, model: entry.model });
    expect([...found.usage.values()].reduce((sum, tokens) => sum + (tokens.output ?? 0), 0)).toBe(entry.usage?.output_tokens ?? 0);
    expect(found.unknown).toEqual([]);
  });

  it.each(entries)('%s: the brief names the objective, the files and the commands', (key, entry) => {
    expectBrief(collectWhole(continueDev, load(key)).turns, entry);
  });

  it.each(entries)('%s gives the same turns from every state on the way', (key) => {
    const whole = load(key);
    const states = whole.history.flatMap((item, count) => {
      const before = whole.history.slice(0, count);
      const calls = (item['toolCallStates'] ?? []) as JsonObject[];
      const cut = [{ ...whole, history: before }];
      for (const status of ['generating', 'generated', 'calling']) {
        for (let from = 0; from < calls.length; from++) {
          const toolCallStates = calls.map((state, at) => (at < from ? state : { ...state, status, output: [{ content: 'partial' }] }));
          cut.push({ ...whole, history: [...before, { ...item, toolCallStates }] });
        }
      }
      return cut;
    });
    expectIdentity(continueDev, states, whole);
  });
});
