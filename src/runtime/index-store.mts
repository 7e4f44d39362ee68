/** INDEX.json and the PROJECT.md files, made anew from what the sessions say of themselves. */
import fs from 'node:fs';
import path from 'node:path';
import { sessionPaths, storePaths } from '../store/layout.mts';
import { dirOf } from '../store/lookup.mts';
import { rebuildIndex, folders, type IndexRow } from '../store/index-file.mts';
import { objectiveOf } from '../store/objective.mts';
import { rebuildProjectPage } from '../store/project-page.mts';

export interface Indexed {
  ok: true;
  action: 'index';
  sessions: number;
  stale: number;
  /** Sessions without a brief. */
  stale_sessions: string[];
}

export function indexStore(root: string): Indexed {
  const rows = rebuildIndex(root, (all) => {
    for (const project of folders(storePaths(root).projects)) {
      const lines = all.filter((row) => row.project === project).map((row) => ({
        session: row.uuid, turns: row.turns, revisions: row.revisions, objective: objectiveOf(sessionPaths(dirOf(root, row)).summary),
      }));
      rebuildProjectPage(root, project, lines);
    }
  });
  const stale = rows.filter((row) => !hasBrief(root, row)).map((row) => `${row.id} (missing HANDOFF.md)`);
  return { ok: true, action: 'index', sessions: rows.length, stale: stale.length, stale_sessions: stale };
}

function hasBrief(root: string, row: IndexRow): boolean {
  return fs.existsSync(path.join(dirOf(root, row), 'HANDOFF.md'));
}
