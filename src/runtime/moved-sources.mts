/** Whether the transcripts of a handoff hold more, or other bytes, than were captured. */
import fs from 'node:fs';
import path from 'node:path';
import { readBytes } from '../lib/fs/lines.mts';
import { hasher } from '../lib/hash-chain.mts';
import type { Manifest, SourceRow } from '../store/manifest.mts';
import type { Comparison } from './moved.mts';

/** Reads a source only where its entry does not tell: the same length, and written after the capture. */
export function movedSources(manifest: Manifest): Pick<Comparison, 'moved' | 'notes'> {
  const found: Pick<Comparison, 'moved' | 'notes'> = { moved: [], notes: [] };
  const rows = manifest.sources ?? [];
  if (rows.length === 0) found.notes.push('no lengths of the transcript are known: it was not compared');
  const captured = Date.parse(manifest.updated_at);
  for (const row of rows) {
    if (row.path === '-') {
      found.notes.push('the transcript came from standard input: it was not compared');
      continue;
    }
    const text = sourceMoved(row, captured);
    if (text !== undefined) found.moved.push({ what: 'source', text: `the transcript ${path.basename(row.path)} ${text}`, path: row.path });
  }
  return found;
}

function sourceMoved(row: SourceRow, captured: number): string | undefined {
  try {
    let stat = fs.statSync(row.path, { throwIfNoEntry: false });
    // A session in a database is named behind its file, whose log may be younger.
    const database = stat === undefined && row.path.includes('#') ? row.path.slice(0, row.path.lastIndexOf('#')) : undefined;
    if (database !== undefined) stat = newest(database, `${database}-wal`);
    if (stat === undefined) return 'is not there any more';
    if (database !== undefined) return stat.mtimeMs > captured ? 'was written since it was captured' : undefined;
    // One that is read whole may lie in more files than the one that names it: its length tells nothing.
    if (row.lines > 0 && stat.size > row.bytes) return `has grown by ${stat.size - row.bytes} bytes`;
    if (row.lines > 0 && stat.size < row.bytes) return 'is shorter than what was captured';
    if (stat.mtimeMs <= captured) return undefined;
    return stat.isFile() && stat.size === row.bytes && hashOf(row.path, row.bytes) === row.raw_sha256 ? undefined : 'was written since it was captured';
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`;
  }
}

function newest(...files: readonly string[]): fs.Stats | undefined {
  const stats = files.flatMap((file) => fs.statSync(file, { throwIfNoEntry: false }) ?? []);
  return stats.sort((a, b) => b.mtimeMs - a.mtimeMs)[0];
}

function hashOf(file: string, bytes: number): string {
  const fd = fs.openSync(file, 'r');
  try {
    const sum = hasher();
    readBytes(fd, 0, bytes, (chunk) => void sum.update(chunk));
    return sum.digest('hex');
  } finally {
    fs.closeSync(fd);
  }
}
