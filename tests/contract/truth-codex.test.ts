/** Every recorded Codex session, of all generations, agrees with what a person found in it. */
import { describe, expect, it } from 'vitest';
import { codex } from '../../src/transcript/adapters/codex.mts';
import type { JsonObject, TurnDraft } from '../../src/transcript/turn.mts';
import { skipWithout } from '../helpers/recorded.ts';
import { collect, differences, loadTruth, readRecords, samplePath } from '../helpers/truth.ts';

const entries = loadTruth('codex');

function thoughts(turns: readonly TurnDraft[]): string {
  return turns.filter((turn) => turn.class === 'THOUGHT').map((turn) => turn.text).join('\n');
}

/** The thoughts as the response items have them, joined. */
function writtenThoughts(records: readonly JsonObject[]): string {
  const summaries = records.flatMap((record) => {
    const payload = record.payload as { type?: string; summary?: { text: string }[] };
    return payload.type === 'reasoning' ? (payload.summary ?? []) : [];
  });
  return summaries.map((part) => part.text).join('\n');
}

describe('recorded Codex sessions', () => {
  skipWithout(entries);

  it.each(entries)('%s agrees with its TRUTH entry', (key, entry) => {
    const path = samplePath('codex', key);
    const records = readRecords(path);
    const found = collect(codex, records, path);
    // Clients of that generation cut a thought into one event a section: its text is compared joined.
    const old = entry.version.startsWith('0.44');
    expect(differences(found.turns, entry, { skip: old ? ['THOUGHT'] : [] })).toEqual([]);
    if (old && entry.counts.THOUGHT > 1) expect(thoughts(found.turns)).toBe(writtenThoughts(records));
    expect(found.facts).toMatchObject({ uuid: entry.session, cwd: entry.cwd, branch: entry.branch, model: entry.model });
    expect(found.facts.fork?.of ?? null).toBe(entry.fork_of);
    expect(found.total?.output).toBe(entry.usage?.output_tokens);
    expect([...found.unknown.keys()]).toEqual([]);
  });

  it.each(entries)('%s gives the same turns from every prefix', (key) => {
    const path = samplePath('codex', key);
    const records = readRecords(path);
    const whole = collect(codex, records, path).turns;
    for (let cut = 0; cut <= records.length; cut++) {
      const part = collect(codex, records.slice(0, cut), path).turns;
      expect(part).toEqual(whole.slice(0, part.length));
    }
  });

  it.skipIf(entries.length === 0)('keep every envelope as OTHER and no fragment of a system prompt as said', () => {
    for (const [key, entry] of entries) {
      const path = samplePath('codex', key);
      const { turns } = collect(codex, readRecords(path), path);
      const other = turns.filter((turn) => turn.class === 'OTHER');
      for (const head of entry.injected) expect(other.some((turn) => turn.text.includes(head)), `${key}: ${head}`).toBe(true);
      expect(other.every((turn) => turn.meta !== undefined), key).toBe(true);
    }
  });
});
