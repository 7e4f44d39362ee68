import { describe, expect, it } from 'vitest';
import { claudeCode, ownSide } from '../../src/transcript/adapters/claude-code.mts';
import { skipWithout } from '../helpers/recorded.ts';
import { collect, differences, loadTruth, readRecords, samplePath } from '../helpers/truth.ts';

const entries = loadTruth('claude-code');

describe('recorded Claude Code sessions', () => {
  skipWithout(entries);

  it.each(entries)('%s agrees with its TRUTH entry', (key, entry) => {
    const file = samplePath('claude-code', key);
    const records = readRecords(file);
    const found = collect(claudeCode, records, file);
    const own = ownSide({ path: file, records });

    expect(differences(found.turns, entry, { own, injectedKept: true })).toEqual([]);
    expect(own ?? null).toBe(entry.agent_id ?? null);
    expect(found.facts.uuid).toBe(own === undefined ? entry.session : `${entry.session}.agent-${own}`);
    expect(found.facts.parent_session ?? null).toBe(own === undefined ? null : entry.session);
    expect(found.facts.cwd).toBe(entry.cwd);
    expect(found.facts.branch ?? null).toBe(entry.branch);
    expect(found.facts.model ?? null).toBe(entry.model);
    expect(found.facts.clientVersion).toBe(entry.version);
    // 1.0.x leaves no trace of the parent in the copy.
    if (entry.version !== '1.0.128') expect(found.facts.fork?.of ?? null).toBe(entry.fork_of);
    expect([...found.usage.values()].reduce((sum, tokens) => sum + (tokens.output ?? 0), 0)).toBe(entry.usage?.output_tokens ?? 0);
    expect([...found.unknown.keys()]).toEqual([]);
    expect(records.filter((record) => !claudeCode.recognises(record))).toEqual([]);
  });

  it.each(entries)('%s: every record of the chain has a turn, and parents that are in the file resolve', (key) => {
    const records = readRecords(samplePath('claude-code', key));
    const { turns } = collect(claudeCode, records);
    const known = new Set(turns.map((turn) => turn.record ?? turn.id));
    const uuids = records.flatMap((record) => (typeof record.uuid === 'string' ? [record.uuid] : []));
    expect(uuids.filter((uuid) => !known.has(uuid))).toEqual([]);
  });
});
