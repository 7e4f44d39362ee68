/** A recorded session through the real build: what the store says of it, and that a second build changes nothing. */
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { readManifest } from '../../src/store/manifest.mts';
import { buildInto, failures, turnsOf } from './build.ts';
import { freshFolder } from './run.ts';
import { differences, samplePath, type TruthEntry } from './truth.ts';

export async function expectStored(harness: string, key: string, entry: TruthEntry): Promise<void> {
  const root = freshFolder('handoff-truth-');
  try {
    const file = samplePath(harness, key);
    const { dir } = await buildInto(root, file);
    expect(failures(root)).toEqual([]);
    const read = readManifest(path.join(dir, 'manifest.json'));
    if (read.state !== 'read') throw new Error(`manifest of ${key} is ${read.state}`);
    const { manifest } = read;
    expect(manifest).toMatchObject({ uuid: entry.session, harness: entry.harness, session: entry.session });
    expect(manifest.cwd ?? null).toBe(entry.cwd);
    expect(manifest.git?.branch ?? null).toBe(entry.branch);
    expect(manifest.model || null).toBe(entry.model);
    expect(manifest.usage?.output ?? 0).toBe(entry.usage?.output_tokens ?? 0);
    const turns = turnsOf(dir);
    expect(differences(turns, entry)).toEqual([]);
    expect(new Set(turns.map(({ seq, part }) => `${seq}.${part ?? 0}`)).size).toBe(turns.length);
    const before = fs.readFileSync(path.join(dir, 'manifest.json'));
    expect((await buildInto(root, file)).action).toBe('up-to-date');
    expect(fs.readFileSync(path.join(dir, 'manifest.json')).equals(before)).toBe(true);
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}
