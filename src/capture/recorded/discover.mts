/**
 * The walk over the places where harnesses keep their sessions. It lists folders and looks at entries, and opens no file:
 * a link is not followed (but for the names that a place begins with), a pipe is not opened, the depth is that of the
 * place's glob, so no loop has a turn. What cannot be read is told, and the rest goes on.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../lib/errors.mts';
import { isThere } from '../../lib/look.mts';
import type { Glob, Place } from '../../transcript/places.mts';

export interface Found {
  place: Place;
  /** Absolute, the place's own links resolved. */
  path: string;
  size: number;
  mtimeMs: number;
  /** The folder at the first star, where there is one below the place. */
  folder: string | undefined;
  isDatabase: boolean;
}

export interface Walk {
  found: Found[];
  /** Sentences about what was passed over. */
  notes: string[];
}

/**
 * The sessions that lie below `root`, the folder of `place`, in no order. `only`: which folders at the first star are
 * looked into. Never throws for what the file system refuses.
 */
export function walkPlace(place: Place, root: string, only?: (folder: string) => boolean): Walk {
  const walk: Walk = { found: [], notes: [] };
  for (const glob of place.globs) {
    const parts = glob.path.split('/');
    const star = parts.findIndex((part) => part.includes('*'));
    const start = realPath(path.join(root, ...parts.slice(0, star)), walk);
    if (start !== undefined) descend({ walk, place, glob, only }, start, parts.slice(star), undefined);
  }
  return walk;
}

interface Descent {
  walk: Walk;
  place: Place;
  glob: Glob;
  only: ((folder: string) => boolean) | undefined;
}

function descend(at: Descent, dir: string, parts: readonly string[], folder: string | undefined): void {
  const [part = '', ...rest] = parts;
  const fits = matcher(part);
  if (rest.length === 0) {
    for (const name of listing(dir, at.walk, () => fs.readdirSync(dir))) if (fits(name) && at.glob.not?.test(name) !== true) take(at, dir + path.sep + name, folder);
    return;
  }
  for (const entry of listing(dir, at.walk, () => fs.readdirSync(dir, { withFileTypes: true }))) {
    if (!fits(entry.name) || !entry.isDirectory() || (folder === undefined && part === '*' && at.only?.(entry.name) === false)) continue;
    descend(at, dir + path.sep + entry.name, rest, folder ?? entry.name);
  }
}

function take({ walk, place, glob }: Descent, file: string, folder: string | undefined): void {
  const stat = statOf(file, walk);
  if (stat === undefined || !stat.isFile()) return;
  const isDatabase = glob.database === true;
  // What was written last may stand in the database's log only.
  const log = isDatabase ? statOf(`${file}-wal`, walk) : undefined;
  walk.found.push({ place, path: file, size: stat.size, mtimeMs: Math.max(stat.mtimeMs, log?.mtimeMs ?? 0), folder, isDatabase });
}

function matcher(part: string): (name: string) => boolean {
  const star = part.indexOf('*');
  if (star < 0) return (name) => name === part;
  const [before, after] = [part.slice(0, star), part.slice(star + 1)];
  return (name) => name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}

function realPath(dir: string, walk: Walk): string | undefined {
  try {
    return fs.realpathSync(dir);
  } catch (error) {
    // A harness that was never used here; a link that leads nowhere is told.
    if (errnoOf(error) !== 'ENOENT' || isThere(dir)) refused(dir, error, walk);
    return undefined;
  }
}

function listing<T>(dir: string, walk: Walk, read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    refused(dir, error, walk);
    return [];
  }
}

function statOf(file: string, walk: Walk): fs.Stats | undefined {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    refused(file, error, walk);
    return undefined;
  }
}

function refused(name: string, error: unknown, { notes }: Walk): void {
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  if (errno !== 'ENOTDIR') notes.push(`${name} cannot be read (${errno})`);
}
