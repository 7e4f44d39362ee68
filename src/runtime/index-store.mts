/** INDEX.json and the PROJECT.md files, made anew from what the sessions say of themselves. */
import fs from 'node:fs';
import { sessionPaths, storePaths } from '../store/layout.mts';
import { dirOf, relativePlace, unreadableSessions } from '../store/lookup.mts';
import { rebuildIndex, folders, type IndexRow } from '../store/index-file.mts';
import { NONE } from '../store/objective.mts';
import { rebuildProjectPage } from '../store/project-page.mts';
import { clearOlder } from './older-locks.mts';

export interface Indexed {
  ok: boolean;
  action: 'index';
  sessions: number;
  stale: number;
  /** Sessions without a brief. */
  stale_sessions: string[];
  /** Manifests that cannot be read, each with why: their sessions have no row. Absent where there is none. */
  unreadable?: string[];
}

/** Makes INDEX.json and every PROJECT.md anew. Throws HELD where the index lock is not free within 20 s. */
export function indexStore(root: string): Indexed {
  clearOlder(root);
  const rows = rebuildIndex(root, (all) => {
    for (const project of folders(storePaths(root).projects)) {
      const lines = all.filter((row) => row.project === project).map((row) => ({
        session: row.uuid, turns: row.turns, revisions: row.revisions, objective: row.objective ?? NONE,
      }));
      rebuildProjectPage(root, project, lines);
    }
  });
  const stale = rows.filter((row) => !hasBrief(root, row)).map((row) => `${row.id} (missing HANDOFF.md)`);
  const unreadable = unreadableSessions(root, rows).map((row) => `${relativePlace(row)} (${row.reason})`);
  return { ok: unreadable.length === 0, action: 'index', sessions: rows.length, stale: stale.length, stale_sessions: stale, ...(unreadable.length === 0 ? {} : { unreadable }) };
}

function hasBrief(root: string, row: IndexRow): boolean {
  return fs.existsSync(sessionPaths(dirOf(root, row)).brief);
}
