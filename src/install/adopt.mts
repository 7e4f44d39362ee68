/**
 * A user without an installed copy keeps handoffs in `~/.agents/handoffs`. Once a copy is there, its folder is the store where
 * none is named, and what was kept would seem lost: it is moved in, folder by folder, and a run that is killed is finished by
 * the next install.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../lib/errors.mts';
import { namesIn, rename } from '../lib/fs/files.mts';
import { homeStore, installedCopy } from '../lib/handoff-root.mts';
import { isFolder, isThere } from '../lib/look.mts';
import { sessionPaths, storePaths } from '../store/layout.mts';
import { mustRest } from './at-rest.mts';
import type { Ground } from './places.mts';
import { removeEmpty } from './stage.mts';

export interface Adopted {
  from: string;
  to: string;
  /** Sessions that could not be moved, since some of that name are there. */
  left: string[];
}

/** The store that the next install will have to move; undefined where there is none, or it was named by the user. Throws HELD while it is at work. */
export function strayStore(home: string, { cwd, env }: Ground): string | undefined {
  const store = homeStore(home);
  const named = env['HANDOFFS_ROOT'];
  // An empty folder is what a run left that was killed at its very end.
  if (!(isFolder(storePaths(store).projects) || (isFolder(store) && namesIn(store).length === 0)) || (named && path.resolve(cwd, named) === store)) return undefined;
  mustRest(store);
  return store;
}

/** Moves the store at `from` into the copy whose folder is the default now. Undefined where there is none. */
export function adoptStore(from: string, home: string, env: Ground['env']): Adopted | undefined {
  const to = installedCopy(home, env);
  if (to === undefined) return undefined;
  if (namesIn(from).length === 0) {
    removeEmpty(from);
    return undefined;
  }
  mustRest(from);
  mustRest(to);
  const [old, now] = [storePaths(from), storePaths(to)];
  const fresh = !isThere(now.projects) && !isThere(now.index);
  const left: string[] = [];
  for (const name of namesIn(from)) {
    const file = path.join(from, name);
    if (file !== old.index && file !== old.locks) move(file, path.join(to, name), left);
  }
  // Two indexes can't become one by moving; without any, the sessions themselves are looked at, and the next build writes one.
  if (fresh && left.length === 0) move(old.index, now.index, left);
  else for (const { index } of [old, now]) fs.rmSync(index, { force: true });
  fs.rmSync(old.locks, { recursive: true, force: true });
  removeEmpty(from);
  return { from, to, left: left.map((file) => path.relative(from, file)) };
}

function move(from: string, to: string, left: string[]): void {
  if (!isThere(from)) return;
  if (isThere(to)) {
    // A folder of sessions is opened; a session, or a file, of that name stays where it is.
    if (!isFolder(from) || !isFolder(to) || isThere(sessionPaths(from).manifest)) {
      left.push(from);
      return;
    }
    for (const name of namesIn(from)) move(path.join(from, name), path.join(to, name), left);
    removeEmpty(from);
    return;
  }
  try {
    rename(from, to);
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
    const whole = `${to}.moving.tmp`;
    fs.rmSync(whole, { recursive: true, force: true });
    fs.cpSync(from, whole, { recursive: true, preserveTimestamps: true });
    rename(whole, to);
    fs.rmSync(from, { recursive: true });
  }
}
