/** Every recorded Cline session agrees with what a person found in it, whatever states of it were captured on the way. */
import { describe, expect, it } from 'vitest';
import { cline } from '../../src/transcript/adapters/cline.mts';
import { loadCline } from '../../src/transcript/adapters/cline/load.mts';
import type { JsonObject } from '../../src/transcript/turn.mts';
import { skipWithout } from '../helpers/recorded.ts';
import { differences, loadTruth, samplePath } from '../helpers/truth.ts';
import { collectWhole, expectBrief, expectIdentity } from '../helpers/truth-brief.ts';

const entries = loadTruth('cline');

describe('recorded Cline sessions', () => {
  skipWithout(entries);

  it.each(entries)('%s agrees with its TRUTH entry', (key, entry) => {
    const file = samplePath('cline', key);
    const found = collectWhole(cline, loadCline(file).value, file);
    expect(differences(found.turns, entry, { injectedKept: true })).toEqual([]);
    expect(found.facts).toMatchObject({ uuid: entry.session, cwd: entry.cwd, branch: entry.branch, model: entry.model, clientVersion: entry.version });
    expect(found.facts.parent_session ?? null).toBe((entry as { parent?: string }).parent ?? null);
    expect([...found.usage.values()].reduce((sum, tokens) => sum + (tokens.output ?? 0), 0)).toBe(entry.usage?.output_tokens ?? 0);
    expect(found.unknown).toEqual([]);
  });

  it.each(entries)('%s: the brief names the objective, the files and the commands', (key, entry) => {
    expectBrief(collectWhole(cline, loadCline(samplePath('cline', key)).value).turns, entry);
  });

  it.each(entries)('%s gives the same turns from every state on the way', (key) => {
    const { value } = loadCline(samplePath('cline', key));
    const loaded = value as { document: JsonObject & { messages: JsonObject[] } };
    const at = (messages: JsonObject[]): JsonObject => ({ ...loaded, document: { ...loaded.document, messages } });
    const { messages } = loaded.document;
    const states = messages.flatMap((message, count) => {
      const before = messages.slice(0, count);
      const blocks = message.content as JsonObject[];
      return blocks.map((_, kept) => at([...before, { ...message, content: blocks.slice(0, kept) }]));
    });
    expectIdentity(cline, states, value);
  });
});
