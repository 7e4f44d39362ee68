/** Every recorded OpenCode session, from exports, the file store and the database, agrees with what a person found in it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rmSync } from 'node:fs';
import { detectShape } from '../../src/transcript/detect.mts';
import { opencodeDatabase, opencodeExport, opencodeFiles } from '../../src/transcript/adapters/opencode.mts';
import type { Loaded, WholeAdapter } from '../../src/transcript/adapter.mts';
import type { Json } from '../../src/transcript/turn.mts';
import { inSqlite, nodeWithSqlite } from '../helpers/node-sqlite.ts';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';
import { skipWithout } from '../helpers/recorded.ts';
import { loadTruth, samplePath, type TruthEntry } from '../helpers/truth.ts';
import { collectWhole } from '../helpers/truth-brief.ts';
import { expectSession } from '../helpers/truth-rows.ts';

const entries = loadTruth('opencode');
const exported = entries.filter(([key]) => !key.includes('#'));
const files = entries.filter(([key]) => /storage#/.test(key));
const databases = entries.filter(([key]) => /\.db#/.test(key));
const sqlite = databases.length === 0 ? { reason: '', skip: true } : nodeWithSqlite();
const scratch = freshFolder();
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function shapeOf(file: string): WholeAdapter | undefined {
  const shape = detectShape(readFileSync(file).subarray(0, 256 * 1024), file);
  return shape.kind === 'whole' ? shape.adapter : undefined;
}

/** The session's own file in a file store. */
function sessionFile(key: string, entry: TruthEntry): string {
  const folder = join(samplePath('opencode', key), 'session');
  const project = readdirSync(folder)[0] ?? '';
  return join(folder, project, `${entry.session}.json`);
}

describe('recorded OpenCode sessions', () => {
  skipWithout(entries);

  it.each(exported)('export %s agrees with its TRUTH entry', (key, entry) => {
    const file = samplePath('opencode', key);
    expect(shapeOf(file)).toBe(opencodeExport);
    expectSession(opencodeExport, JSON.parse(readFileSync(file, 'utf8')) as Json, entry);
  });

  it.each(files)('file store %s agrees with its TRUTH entry', async (key, entry) => {
    const file = sessionFile(key, entry);
    expect(shapeOf(file)).toBe(opencodeFiles);
    const loaded = await (opencodeFiles.form as (path: string, session: undefined, scratch: string) => Loaded)(file, undefined, scratch);
    expect(loaded.bad).toEqual([]);
    expectSession(opencodeFiles, loaded.value, entry);
  });

  it.each(files)('file store %s gives the turns of the export of the same session', async (key, entry) => {
    const file = sessionFile(key, entry);
    const loaded = await (opencodeFiles.form as (path: string, session: undefined, scratch: string) => Loaded)(file, undefined, scratch);
    const other = JSON.parse(readFileSync(samplePath('opencode', `exports-v1.1/${entry.session}.json`), 'utf8')) as Json;
    expect(collectWhole(opencodeFiles, loaded.value).turns).toEqual(collectWhole(opencodeExport, other).turns);
  });

  it.skipIf(sqlite.skip).each(databases)(`database %s agrees with its TRUTH entry${sqlite.reason}`, (key, entry) => {
    const file = samplePath('opencode', key);
    expect(shapeOf(file)).toBe(opencodeDatabase);
    const loaded = inSqlite<Loaded>(`
      const { opencodeDatabase } = await import(argv[3]);
      console.log(JSON.stringify(await opencodeDatabase.form(argv[0], argv[1], argv[2])));
    `, [file, entry.session, scratch, join(REPOSITORY, 'src/transcript/adapters/opencode.mts')]);
    expect(loaded.path).toBe(`${file}#${entry.session}`);
    expect(loaded.bad).toEqual([]);
    expectSession(opencodeDatabase, loaded.value, entry);
    expect(readdirSync(scratch)).toEqual([]);
  });
});
