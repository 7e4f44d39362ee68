/** Every recorded pi session agrees with what a person found in it. */
import { describe, expect, it } from 'vitest';
import { pi } from '../../src/transcript/adapters/pi.mts';
import { skipWithout } from '../helpers/recorded.ts';
import { collect, differences, loadTruth, readRecords, samplePath } from '../helpers/truth.ts';
import { expectBrief } from '../helpers/truth-brief.ts';

const entries = loadTruth('pi');

describe('recorded pi sessions', () => {
  skipWithout(entries);

  it.each(entries)('%s agrees with its TRUTH entry', (key, entry) => {
    const file = samplePath('pi', key);
    const records = readRecords(file);
    const found = collect(pi, records, file);
    expect(differences(found.turns, entry, { injectedKept: true })).toEqual([]);
    expect(found.facts.uuid).toBe(entry.session);
    expect(found.facts.cwd).toBe(entry.cwd);
    expect(found.facts.branch ?? null).toBe(entry.branch);
    expect(found.facts.model ?? null).toBe(entry.model);
    expect(found.facts.fork?.of ?? null).toBe(entry.fork_of);
    expect([...found.usage.values()].reduce((sum, tokens) => sum + (tokens.output ?? 0), 0)).toBe(entry.usage?.output_tokens ?? 0);
    expect([...found.unknown.keys()]).toEqual([]);
    expect(records.filter((record) => !pi.recognises(record))).toEqual([]);
  });

  it.each(entries)('%s: every entry of the tree has a turn, so that every parent resolves', (key) => {
    const records = readRecords(samplePath('pi', key));
    const known = new Set(collect(pi, records).turns.map((turn) => turn.id));
    expect(records.flatMap((record) => (record.type === 'session' || known.has(String(record.id)) ? [] : [record.id]))).toEqual([]);
  });

  it.each(entries)('%s: the brief names the objective, the branches, the files and the commands', (key, entry) => {
    expectBrief(collect(pi, readRecords(samplePath('pi', key))).turns, entry);
  });

  it.each(entries)('%s: what was copied into a fork is told from its own work', (key, entry) => {
    const file = samplePath('pi', key);
    const records = readRecords(file);
    const judge = pi.replay?.({ path: file, records })?.judge;
    expect(judge === undefined).toBe(entry.fork_of === null);
    if (judge === undefined) return;
    const own = records.findIndex((record) => judge(record) === 'own');
    const turns = collect(pi, records).turns.filter((turn) => own >= 0 && turn.at >= own);
    const count = (name: string): number => turns.filter((turn) => turn.class === name).length;
    expect({ USER: count('USER'), AGENT: count('AGENT'), THOUGHT: count('THOUGHT') }).toMatchObject({
      USER: entry.own_counts?.USER, AGENT: entry.own_counts?.AGENT, THOUGHT: entry.own_counts?.THOUGHT });
  });

  it.each(entries)('%s gives the same turns from every prefix', (key) => {
    const records = readRecords(samplePath('pi', key));
    const whole = collect(pi, records).turns;
    for (let cut = 0; cut <= records.length; cut++) {
      const part = collect(pi, records.slice(0, cut)).turns;
      expect(part).toEqual(whole.slice(0, part.length));
    }
  });
});
