/** Which folder a new session gets. */
import fs from 'node:fs';
import path from 'node:path';
import { namesIn } from '../../lib/fs/files.mts';
import { allLocks } from '../../lib/fs/lock-file.mts';
import { sessionKey, sessionPaths, storePaths } from '../../store/layout.mts';
import { folders, unlessRefused } from '../../store/index-file.mts';
import { refuseConflict } from '../../store/manifest.mts';
import { withSuffix } from '../../store/names.mts';
import { placeDir } from './commit.mts';

/**
 * `project/folder` for the new session `id`: the wanted one where it is free. Names that differ only in case are the same on some file
 * systems. Throws DAMAGED where a folder of that name, in any project, holds this session with a conflict that git left.
 */
export function freePlace(root: string, id: string, project: string, wanted: string): string {
  refuseConflicts(root, wanted, id);
  return isTaken(root, project, wanted, id) ? `${project}/${withSuffix(wanted, id)}` : `${project}/${wanted}`;
}

/**
 * A manifest that a merge of git left with both sides in it can be read by nobody, and no row names it. A second copy of its session
 * would hold the id twice once the first is put right, and nothing could be built or imported then. Throws DAMAGED.
 */
export function refuseConflicts(root: string, folder: string, id: string): void {
  const { projects } = storePaths(root);
  for (const project of folders(projects)) unlessRefused(() => {}, undefined, () => refuseConflict(sessionPaths(placeDir(root, `${project}/${folder}`)).manifest, id));
}

/** A folder without a manifest is nobody's, unless another session's lock names it: its first build is at work. */
function isTaken(root: string, project: string, folder: string, id: string): boolean {
  const lower = folder.toLowerCase();
  const named = allLocks(storePaths(root).locks).some(({ record }) => record?.key !== sessionKey(id) && String(record?.['place']).toLowerCase() === `${project}/${lower}`);
  if (named) return true;
  return namesIn(path.join(storePaths(root).projects, project)).some((name) => name.toLowerCase() === lower
    && (name !== folder || fs.existsSync(sessionPaths(placeDir(root, `${project}/${name}`)).manifest)));
}
