/** Long sessions with a thin brief: where the renders could do better. Counts only, never what was said. */
import fs from 'node:fs';
import path from 'node:path';
import { replaceFile } from '../lib/fs/files.mts';
import { acquire } from '../lib/fs/lock.mts';
import { NEW } from '../store/index-file.mts';
import { sessionPaths } from '../store/layout.mts';
import { allSessions, dirOf } from '../store/lookup.mts';
import { readManifest } from '../store/manifest.mts';

const LONG_TURNS = 40;
const THIN_CHARACTERS = 800;
const WAIT_MS = 2000;

export interface Improvement {
  ok: true;
  action: 'self-improve';
  scanned: number;
  candidates: number;
  written_to: string;
}

/** `home`: the skill directory, whose docs/ takes the list. */
export function selfImprove(root: string, home: string, now: string): Improvement {
  const rows = allSessions(root);
  const found = rows.flatMap((row) => {
    const paths = sessionPaths(dirOf(root, row));
    const read = readManifest(paths.manifest);
    if (read.state !== 'read') return [];
    const turns = (read.manifest.counts['USER'] ?? 0) + (read.manifest.counts['AGENT'] ?? 0);
    const length = fs.statSync(paths.brief, { throwIfNoEntry: false })?.size ?? 0;
    const characters = length > THIN_CHARACTERS * 4 ? length : lengthOf(paths.brief);
    return turns >= LONG_TURNS && characters < THIN_CHARACTERS ? [{ id: row.id, project: row.project, turns, characters, revision: read.manifest.revisions }] : [];
  });
  const folder = path.join(home, 'docs');
  const file = path.join(folder, 'self-improve-candidates.json');
  // Beside the list, since the store is not written: two at once would write one temporary file.
  const lock = acquire(folder, 'self-improve', 'self-improve', WAIT_MS);
  try {
    replaceFile(file, `${JSON.stringify({ generated_at: now, scanned: rows.length, candidates: found }, null, 2)}\n`, NEW);
  } finally {
    lock.release();
  }
  return { ok: true, action: 'self-improve', scanned: rows.length, candidates: found.length, written_to: file };
}

function lengthOf(file: string): number {
  try {
    return fs.readFileSync(file, 'utf8').length;
  } catch {
    return 0;
  }
}
