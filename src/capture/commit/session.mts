/**
 * A session under its lock: take it, settle what a dead holder left, find where the session lies now.
 */
import fs from 'node:fs';
import path from 'node:path';
import { syncFolder } from '../../lib/fs/files.mts';
import { acquire, type Lock } from '../../lib/fs/lock.mts';
import type { LockRecord } from '../../lib/fs/lock-file.mts';
import { placeParts, sessionKey, sessionPaths, storePaths } from '../../store/layout.mts';
import { indexRow, updateIndex } from '../../store/index-file.mts';
import { dropLinks, moveLinks } from '../../store/links.mts';
import { isListed } from '../../store/lookup.mts';
import { readManifest } from '../../store/manifest.mts';
import { objectiveOf } from '../../store/objective.mts';
import { updateProjectPage } from '../../store/project-page.mts';
import { refuseLinks } from './base-line.mts';
import { linkSession } from './link.mts';
import { intentOf, placeDir, removeProjectIfEmpty, settle } from './commit.mts';
import { Unsettled } from '../work.mts';

/**
 * Takes the lock of the session `id` and settles what was left under it. Throws HELD where a living process has it.
 * Where settling fails the lock stays, with all that it knows, for the next to try.
 */
export function takeSession(root: string, id: string, operation: string, elsewhereIsDead = false): Lock {
  const lock = acquire(storePaths(root).locks, sessionKey(id), operation, 0, elsewhereIsDead);
  for (const record of lock.left) {
    lock.stillMine();
    recover(root, record);
  }
  return lock;
}

/**
 * Runs `work` under the lock of the session `id`, and releases it. Where that failed and left something to settle, the lock
 * stays for the next holder. Throws as takeSession and `work` do; of Unsettled, its cause.
 */
export async function underSession<T>(root: string, id: string, operation: string, work: (lock: Lock) => T | Promise<T>): Promise<T> {
  const lock = takeSession(root, id, operation);
  let release = true;
  try {
    return await work(lock);
  } catch (error) {
    if (!(error instanceof Unsettled)) throw error;
    release = false;
    throw error.cause;
  } finally {
    if (release) lock.release();
  }
}

function recover(root: string, record: LockRecord): void {
  const intent = intentOf(record);
  if (intent === undefined) return;
  if (record.operation === 'forget') {
    settleForget(root, intent.place, record.token);
    return;
  }
  // A store may have come with somebody's checkout, locks and links in it.
  for (const place of [intent.place, intent.to]) if (place !== undefined) refuseLinks(sessionPaths(placeDir(root, place)));
  const settled = settle(root, intent, record.token);
  if (settled.happened && settled.place !== undefined) {
    indexSession(root, settled.place, settled.place === intent.place ? undefined : intent.place);
    if (intent.link !== undefined) linkSession(root, settled.place, objectiveOf(sessionPaths(placeDir(root, settled.place)).summary), intent.link);
  }
}

/** Where a forgotten session waits for its end: out of the projects in one rename, which is the commit. */
export function trashOf(root: string, token: string): string {
  return path.join(storePaths(root).locks, `${token}.gone`);
}

/**
 * The end of a forgotten session: its files, its row, its line, its notes. Nothing where it was not forgotten. `id` is its id
 * where that is known, since its manifest may be damaged.
 */
export function settleForget(root: string, place: string, token: string, id?: string): boolean {
  const { project, folder } = placeParts(place);
  if (fs.existsSync(placeDir(root, place))) return false;
  const trash = trashOf(root, token);
  const read = readManifest(sessionPaths(trash).manifest);
  const session = id ?? (read.state === 'read' ? read.manifest.session : folder);
  updateIndex(root, {
    remove: { project, id: folder },
    pages: () => {
      // A folder whose manifest cannot be read may be called as another session is.
      if (read.state === 'read' || !isListed(root, session)) updateProjectPage(root, project, { remove: session });
      dropLinks(root, `${project}/${folder}`);
      removeProjectIfEmpty(path.dirname(placeDir(root, place)));
    },
  });
  fs.rmSync(trash, { recursive: true, force: true });
  // What was to be forgotten must not come back when the lock that names it is gone.
  syncFolder(path.dirname(trash));
  return true;
}

/** Writes the row and the line of the session at `place`; takes those of the place that it left. */
export function indexSession(root: string, place: string, left?: string, objective?: string): void {
  const { project, folder } = placeParts(place);
  const paths = sessionPaths(placeDir(root, place));
  const read = readManifest(paths.manifest);
  if (read.state !== 'read') return;
  const { manifest } = read;
  const purpose = objective ?? objectiveOf(paths.summary);
  const before = left === undefined ? undefined : placeParts(left);
  updateIndex(root, {
    put: { ...indexRow(folder, manifest, purpose), project },
    ...(before === undefined ? {} : { remove: { project: before.project, id: before.folder } }),
    pages: () => {
      const line = { session: manifest.session, turns: manifest.turn_count, revisions: manifest.revisions, objective: purpose };
      updateProjectPage(root, project, { put: line });
      if (left !== undefined) moveLinks(root, left, place);
      if (before === undefined || before.project === project) return;
      updateProjectPage(root, before.project, { remove: manifest.session });
      removeProjectIfEmpty(path.join(storePaths(root).projects, before.project));
    },
  });
}
