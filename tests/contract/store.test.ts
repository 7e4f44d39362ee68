/** Every recorded session, built into a store by the real build, verifies and reads back as what is known of it. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readManifest, type Manifest } from '../../src/store/manifest.mts';
import type { Turn } from '../../src/transcript/turn.mts';
import { buildInto, checkedAll, failures, turnsOf } from '../helpers/build.ts';
import { verify2 } from '../helpers/reference-verify.ts';
import { freshFolder } from '../helpers/run.ts';
import { differences, loadTruth, samplePath, type TruthEntry } from '../helpers/truth.ts';

const entries = ['claude-code', 'codex'].flatMap((harness) => loadTruth(harness).map(([key, entry]): [string, string, TruthEntry] => [harness, key, entry]));
const missing = entries.length === 0;
const scratch = freshFolder('handoff-store-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

async function built(harness: string, key: string): Promise<{ root: string; dir: string; manifest: Manifest; turns: Turn[] }> {
  const root = path.join(scratch, `${harness}-${key.replaceAll('/', '_')}`);
  const result = await buildInto(root, samplePath(harness, key));
  const read = readManifest(path.join(result.dir, 'manifest.json'));
  if (read.state !== 'read') throw new Error(`manifest of ${key} is ${read.state}`);
  return { root, dir: result.dir, manifest: read.manifest, turns: turnsOf(result.dir) };
}

describe.skipIf(missing)(`every recorded session in a store${missing ? ' (not on this machine: set HANDOFF_TRANSCRIPTS)' : ''}`, () => {
  it.each(entries)('%s/%s', async (harness, key, entry) => {
    const { root, dir, manifest, turns } = await built(harness, key);
    expect(failures(root)).toEqual([]);
    expect(checkedAll(root).flatMap(({ findings }) => findings.map(({ id }) => id))).toEqual([]);
    expect(verify2(dir)).toMatch(/^PASS /);

    // Clients of that generation cut a thought into one event a section.
    const skip = harness === 'codex' && entry.version.startsWith('0.44') ? ['THOUGHT' as const] : [];
    expect(differences(turns, entry, { skip, injectedKept: true })).toEqual([]);

    const sub = entry.agent_id !== undefined && harness === 'claude-code';
    expect(manifest.uuid).toBe(sub ? `${entry.session}.agent-${entry.agent_id}` : entry.session);
    expect(manifest.harness).toBe(entry.harness);
    expect(manifest.cwd ?? null).toBe(entry.cwd);
    expect(manifest.git?.branch ?? null).toBe(entry.branch);
    expect(manifest.model || null).toBe(entry.model);
    expect(manifest.usage?.output ?? 0).toBe(entry.usage?.output_tokens ?? 0);
    expect(manifest.turn_count).toBe(turns.length);
    expect(new Set(turns.map(({ seq, part }) => `${seq}.${part ?? 0}`)).size).toBe(turns.length);

    const before = fs.readFileSync(path.join(dir, 'manifest.json'));
    expect((await buildInto(root, samplePath(harness, key))).action).toBe('up-to-date');
    expect(fs.readFileSync(path.join(dir, 'manifest.json')).equals(before)).toBe(true);
    expect(fs.readdirSync(path.join(root, '.locks'))).toEqual([]);
    fs.rmSync(root, { recursive: true });
  });
});
