/** An older layout had the session folders directly under the root; the next build moves them into projects/. */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../lib/errors.mts';
import { makeFolder, rename } from '../../lib/fs/files.mts';
import { folders, indexRow, updateIndex } from '../../store/index-file.mts';
import { sessionDir, sessionPaths } from '../../store/layout.mts';
import { readManifest, type Manifest } from '../../store/manifest.mts';
import { projectSlug } from '../../store/names.mts';
import { objectiveOf } from '../../store/objective.mts';

/** Folders of a store, or of the skill directory that it may lie in. */
const OURS = new Set(['projects', 'links', 'tools', 'templates', 'refs', 'docs', 'schemas', 'install', 'node_modules', 'src', 'tests', 'scripts', '.locks', '.git']);

export interface Migrated {
  from: string;
  to: string;
  /** It stays where it is: something lies in the place where it would go. */
  isTaken?: true;
}

/** Folders that may be sessions of the older layout. */
export function legacyFolders(root: string): string[] {
  return folders(root).filter((name) => !OURS.has(name) && fs.existsSync(sessionPaths(path.join(root, name)).manifest));
}

/** Those that are: their manifests name a session and its hash. */
export function legacySessions(root: string): { name: string; manifest: Manifest }[] {
  return legacyFolders(root).flatMap((name) => {
    const read = readManifest(sessionPaths(path.join(root, name)).manifest);
    return read.state === 'read' ? [{ name, manifest: read.manifest }] : [];
  });
}

/** Moves what is found, each in one rename, and gives what went where, or would have gone. */
export function migrateLegacy(root: string): Migrated[] {
  const moved: Migrated[] = [];
  for (const { name, manifest } of legacySessions(root)) {
    const project = projectSlug(manifest.project || manifest.harness || 'unsorted');
    const target = sessionDir(root, project, name);
    if (fs.existsSync(target)) {
      moved.push({ from: name, to: `projects/${project}`, isTaken: true });
      continue;
    }
    // The row first: a crash before the rename is repeated by the next build, a move without a row would not be seen.
    updateIndex(root, { put: { ...indexRow(name, manifest, objectiveOf(sessionPaths(path.join(root, name)).summary)), project } });
    makeFolder(path.dirname(target));
    try {
      rename(path.join(root, name), target);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') continue; // another build was faster
      throw error;
    }
    moved.push({ from: name, to: `projects/${project}` });
  }
  return moved;
}
