/** Copies of a session's folder from before it was replaced: `<root>/.backups/<project>/<folder>/<revision>-<hash>/`. */
import fs from 'node:fs';
import path from 'node:path';
import { makeDurableFolder, makeFolder, readFile, removeTree, rename, sync, syncFolder } from '../../lib/fs/files.mts';
import type { Rollback } from '../../lib/fs/rollback.mts';
import { placeParts, sessionPaths, storePaths } from '../../store/layout.mts';
import { folders, unlessRefused } from '../../store/index-file.mts';
import { readManifest, type Manifest } from '../../store/manifest.mts';
import { placeDir, removeEmpty } from './commit.mts';

const NOTHING = Buffer.alloc(0);

/**
 * Copies the session at `place`, by way of `work` (a folder of ours on the same file system). A copy that is there from
 * before, with the same author's part, is enough. Taken back where the work fails.
 */
export function backUp(root: string, place: string, manifest: Manifest, work: string, rollback: Rollback): string {
  const dir = placeDir(root, place);
  const { project, folder } = placeParts(place);
  const home = path.join(storePaths(root).backups, project, folder);
  const name = `${manifest.revisions}-${manifest.manifest_sha256.slice(0, 8)}`;
  const brief = readFile(sessionPaths(dir).brief) ?? NOTHING;
  let target = path.join(home, name);
  for (let number = 2; fs.existsSync(target); number += 1) {
    if ((readFile(sessionPaths(target).brief) ?? NOTHING).equals(brief)) return target;
    target = path.join(home, `${name}.${number}`);
  }
  const copy = path.join(work, 'backup');
  removeTree(copy);
  makeFolder(copy);
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    if (entry.isFile() && !entry.name.endsWith('.tmp')) copyFile(path.join(dir, entry.name), path.join(copy, entry.name));
  }
  syncFolder(copy);
  // The folders above a copy that is not made; one of them may not be made either.
  rollback.push(() => removeEmpty(home, root));
  makeDurableFolder(home);
  rename(copy, target);
  rollback.push(() => fs.rmSync(target, { recursive: true, force: true }));
  syncFolder(home);
  return target;
}

/** The copies of the session `id`, wherever it lay when they were made. What may not be looked into is left out. */
export function copiesOf(root: string, id: string): string[] {
  const { backups } = storePaths(root);
  const below = (dir: string): string[] => folders(dir, () => {}).map((name) => path.join(dir, name));
  return below(backups).flatMap(below).flatMap(below).filter((copy) => {
    const read = unlessRefused(() => {}, undefined, () => readManifest(sessionPaths(copy).manifest));
    return read?.state === 'read' && read.manifest.session === id;
  });
}

function copyFile(from: string, to: string): void {
  fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
  const fd = fs.openSync(to, 'r+');
  try {
    sync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
