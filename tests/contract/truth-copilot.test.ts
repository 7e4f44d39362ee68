/** Every recorded Copilot session agrees with what a person found in it. */
import { describe, expect, it } from 'vitest';
import { copilot } from '../../src/transcript/adapters/copilot.mts';
import { skipWithout } from '../helpers/recorded.ts';
import { collect, differences, loadTruth, readRecords, samplePath } from '../helpers/truth.ts';
import { expectBrief } from '../helpers/truth-brief.ts';

const entries = loadTruth('copilot');

describe('recorded Copilot sessions', () => {
  skipWithout(entries);

  it.each(entries)('%s agrees with its TRUTH entry', (key, entry) => {
    const file = samplePath('copilot', key);
    const records = readRecords(file);
    const found = collect(copilot, records, file);
    expect(differences(found.turns, entry)).toEqual([]);
    expect(found.facts.uuid).toBe(entry.session);
    expect(found.facts.cwd).toBe(entry.cwd);
    expect(found.facts.branch ?? null).toBe(entry.branch);
    expect(found.facts.model ?? null).toBe(entry.model);
    expect(found.facts.clientVersion).toBe(entry.version);
    for (const head of entry.injected) expect(found.turns.find((turn) => turn.text.startsWith(head))).toMatchObject({ class: 'OTHER', meta: 'task' });
    expect([...found.usage.values()].reduce((sum, tokens) => sum + (tokens.output ?? 0), 0)).toBe(entry.usage?.output_tokens ?? 0);
    expect([...found.unknown.keys()]).toEqual([]);
    expect(records.filter((record) => !copilot.recognises(record))).toEqual([]);
  });

  it.each(entries)('%s: the brief names the objective, the files and the commands', (key, entry) => {
    expectBrief(collect(copilot, readRecords(samplePath('copilot', key))).turns, entry);
  });

  it.each(entries)('%s gives the same turns from every prefix', (key) => {
    const records = readRecords(samplePath('copilot', key));
    const whole = collect(copilot, records).turns;
    for (let cut = 0; cut <= records.length; cut++) {
      const part = collect(copilot, records.slice(0, cut)).turns;
      expect(part).toEqual(whole.slice(0, part.length));
    }
  });
});
