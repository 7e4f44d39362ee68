/** Every recorded Qwen Code session agrees with what a person found in it. */
import { describe, expect, it } from 'vitest';
import { qwen } from '../../src/transcript/adapters/qwen.mts';
import { lineAdapters } from '../../src/transcript/registry.mts';
import { expectBrief } from '../helpers/truth-brief.ts';
import { skipWithout } from '../helpers/recorded.ts';
import { collect, differences, loadTruth, readRecords, samplePath } from '../helpers/truth.ts';

const entries = loadTruth('qwen');

describe('recorded Qwen Code sessions', () => {
  skipWithout(entries);

  it.each(entries)('%s agrees with its TRUTH entry', (key, entry) => {
    const file = samplePath('qwen', key);
    const records = readRecords(file);
    const found = collect(qwen, records, file);
    const own = qwen.ownSide?.({ path: file, records });
    expect(differences(found.turns, entry, { own, injectedKept: true })).toEqual([]);
    const parent = (entry as { parent?: string }).parent;
    expect(found.facts).toMatchObject({ uuid: entry.session, cwd: entry.cwd, branch: entry.branch, model: entry.model, clientVersion: entry.version });
    expect(own).toBe(parent === undefined ? undefined : entry.session);
    expect(found.facts.parent_session).toBe(parent);
    expect(found.facts.fork?.of ?? null).toBe(entry.fork_of);
    expect([...found.usage.values()].reduce((sum, tokens) => sum + (tokens.output ?? 0), 0)).toBe(entry.usage?.output_tokens ?? 0);
    expect([...found.unknown.keys()]).toEqual([]);
    expect(records.filter((record) => !qwen.recognises(record))).toEqual([]);
    for (const adapter of lineAdapters.filter((other) => other !== qwen)) {
      expect(records.filter((record) => adapter.recognises(record)).length, adapter.id).toBeLessThan(records.length);
    }
  });

  it.each(entries)('%s: every record has a turn, so that every parent resolves', (key) => {
    const records = readRecords(samplePath('qwen', key));
    const known = new Set(collect(qwen, records).turns.map((turn) => turn.id));
    expect(records.flatMap((record) => (known.has(String(record.uuid)) ? [] : [record.uuid]))).toEqual([]);
  });

  it.each(entries)('%s: the brief names the objective, the files and the commands', (key, entry) => {
    expectBrief(collect(qwen, readRecords(samplePath('qwen', key))).turns, entry);
  });

  it.each(entries)('%s gives the same turns from every prefix', (key) => {
    const file = samplePath('qwen', key);
    const records = readRecords(file);
    const whole = collect(qwen, records, file).turns;
    for (let cut = 0; cut <= records.length; cut++) {
      const part = collect(qwen, records.slice(0, cut), file).turns;
      expect(part).toEqual(whole.slice(0, part.length));
    }
  });
});
