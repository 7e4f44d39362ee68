/** Whether the store has a recorded session, and how far behind it is: by lengths and times, nothing is hashed. */
import path from 'node:path';
import type { IndexRow } from '../../store/index-file.mts';
import { sessionPaths } from '../../store/layout.mts';
import { dirOf } from '../../store/lookup.mts';
import { readManifest, type Manifest } from '../../store/manifest.mts';
import type { Recorded } from './sessions-here.mts';

export type Standing =
  | { state: 'not-captured' }
  /** `changed`: other bytes than were captured, and no count tells how many. `unknown`: 2.0.x captured it and kept no lengths. */
  | { state: 'captured' | 'changed' | 'unknown'; session: string; place: string }
  | { state: 'behind'; bytes: number; session: string; place: string };

/** `rows`: those of the store, read once for many sessions. */
export function createStanding(root: string, rows: readonly IndexRow[]): (one: Recorded) => Standing {
  const byId = new Map<string, IndexRow>();
  for (const row of rows) byId.set(row.uuid, row);
  // The transcript's own id tells more than a name that a session may have been given.
  for (const row of rows) if (row.source_id !== undefined) byId.set(row.source_id, row);
  return (one) => {
    const row = byId.get(one.peek.facts.uuid ?? path.basename(one.path).replace(/\.(jsonl|json)$/i, ''));
    if (row === undefined || one.isDatabase) return { state: 'not-captured' };
    const read = readManifest(sessionPaths(dirOf(root, row)).manifest);
    if (read.state !== 'read') return { state: 'not-captured' };
    const where = { session: row.uuid, place: `${row.project}/${row.id}` };
    const behind = bytesBehind(one, read.manifest);
    if (behind === 0) return { state: 'captured', ...where };
    if (typeof behind === 'number') return { state: 'behind', bytes: behind, ...where };
    return { state: behind, ...where };
  };
}

function bytesBehind({ path: file, size, mtimeMs, peek }: Recorded, manifest: Manifest): number | 'changed' | 'unknown' {
  const sources = manifest.sources ?? [];
  const row = sources.find((source) => source.path === file) ?? sources.toSorted((a, b) => b.bytes - a.bytes)[0];
  if (row === undefined) return 'unknown';
  // What was read out of several files or a database has a length of its own.
  if (peek.loads === true) return mtimeMs <= Date.parse(manifest.updated_at) ? 0 : 'changed';
  return size >= row.bytes ? size - row.bytes : 'changed';
}
