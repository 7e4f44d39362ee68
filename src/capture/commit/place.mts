/** Which folder a new session gets. */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError } from '../../lib/errors.mts';
import { namesIn } from '../../lib/fs/files.mts';
import { allLocks } from '../../lib/fs/lock-file.mts';
import { sessionKey, sessionPaths, storePaths } from '../../store/layout.mts';
import { folders, unlessRefused } from '../../store/index-file.mts';
import { readManifest } from '../../store/manifest.mts';
import { withSuffix } from '../../store/names.mts';
import { placeDir } from './commit.mts';

/**
 * `project/folder` for the new session `id`: the wanted one where it is free. Names that differ only in case are the same on some file
 * systems. Throws DAMAGED where a folder of that name, in any project, has a manifest that cannot be read.
 */
export function freePlace(root: string, id: string, project: string, wanted: string): string {
  refuseUnreadable(root, wanted);
  return isTaken(root, project, wanted, id) ? `${project}/${withSuffix(wanted, id)}` : `${project}/${wanted}`;
}

/**
 * A merge of git leaves a manifest that nobody can read and that no row names. A second copy of its session beside it would hold the
 * id twice once the first is put right, and nothing could be built or imported then.
 */
function refuseUnreadable(root: string, folder: string): void {
  const { projects } = storePaths(root);
  // What may not be looked into stops nobody who works elsewhere: it is told by whoever lists the store.
  const refused = (): void => {};
  for (const project of folders(projects, refused)) {
    const { manifest } = sessionPaths(placeDir(root, `${project}/${folder}`));
    const read = unlessRefused(refused, undefined, () => readManifest(manifest));
    if (read?.state === 'unreadable') throw new HandoffError('DAMAGED', `${manifest} cannot be read: ${read.reason}; nothing was written`);
  }
}

/** A folder without a manifest is nobody's, unless another session's lock names it: its first build is at work. */
function isTaken(root: string, project: string, folder: string, id: string): boolean {
  const lower = folder.toLowerCase();
  const named = allLocks(storePaths(root).locks).some(({ record }) => record?.key !== sessionKey(id) && String(record?.['place']).toLowerCase() === `${project}/${lower}`);
  if (named) return true;
  return namesIn(path.join(storePaths(root).projects, project)).some((name) => name.toLowerCase() === lower
    && (name !== folder || fs.existsSync(sessionPaths(placeDir(root, `${project}/${name}`)).manifest)));
}
