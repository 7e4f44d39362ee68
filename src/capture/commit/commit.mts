/**
 * The commit protocol (docs/ARCHITECTURE.md): a revision either happened or did not, whatever dies when.
 *
 *   the lock notes the intent: place, base manifest, committed lengths, token
 *   append to timeline.jsonl and chain.jsonl; stage every render and the manifest under names with the token; sync
 *   rename the manifest            ← this is the commit
 *   rename the staged renders, HANDOFF.md last; move the folder where the operation says so
 *   (a replacement appends nothing: its timeline and chain are staged and renamed as well)
 *   INDEX.json and PROJECT.md; unlock
 *
 * `settle` brings a session to one side or the other: it is what a build does after its commit, and what the next
 * holder of the lock does for one that died.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../lib/errors.mts';
import { FILE_MODE, makeDurableFolder, readText, removeQuietly, rename, sync, syncFolder, writeAll } from '../../lib/fs/files.mts';
import type { Lock } from '../../lib/fs/lock.mts';
import type { LockRecord } from '../../lib/fs/lock-file.mts';
import type { Rollback } from '../../lib/fs/rollback.mts';
import { sha256 } from '../../lib/hash-chain.mts';
import { stagedName, sessionPaths, type SessionPaths } from '../../store/layout.mts';
import { placeBrief } from './brief-file.mts';

/** What a lock says of the work under it. */
export interface Intent {
  /** `project/folder` of the session. */
  place: string;
  /** SHA-256 of manifest.json as it stood (null: there was none). */
  base: string | null;
  /** Lengths in bytes that the base covers. */
  timeline_bytes: number;
  chain_bytes: number;
  /** Where the session's folder goes after the commit (rename, retitle). */
  to?: string;
  /** The timeline and the chain are staged like the renders: nothing was appended, so nothing is cut back. */
  replaces?: true;
  /** The staged HANDOFF.md stands with the block in it; this is the hash of the local one that it was made over (null: none). */
  over?: string | null;
  /** The score from which on the session's objective leaves notes at other projects; absent where it leaves none. */
  link?: number;
}

/** What the record of a lock says was to be done; undefined where that is nothing, or not to be trusted. */
export function intentOf(record: LockRecord | undefined): Intent | undefined {
  if (record === undefined || typeof record['place'] !== 'string') return undefined;
  const { place, base, timeline_bytes, chain_bytes, to, replaces, over, link } = record as unknown as Intent;
  if (!isPlace(place) || (to !== undefined && !isPlace(to)) || !(base === null || typeof base === 'string')) return undefined;
  if (!Number.isInteger(timeline_bytes) || !Number.isInteger(chain_bytes)) return undefined;
  return {
    place, base, timeline_bytes, chain_bytes,
    ...(to === undefined ? {} : { to }),
    ...(replaces === true ? { replaces } : {}),
    ...(over === null || typeof over === 'string' ? { over } : {}),
    ...(typeof link === 'number' ? { link } : {}),
  };
}

/** A lock file may be anybody's: a place must not lead out of the store. */
function isPlace(place: unknown): place is string {
  return typeof place === 'string' && /^[^/\\\0]+\/[^/\\\0]+$/.test(place) && !place.split('/').some((part) => part === '.' || part === '..');
}

/** The folder of `place`, `project/folder`. */
export function placeDir(root: string, place: string): string {
  return path.join(root, 'projects', ...place.split('/'));
}

/** Makes the session's folder, and takes it back (with the folders above it) if the work fails and it is empty. */
export function makeSessionFolder(dir: string, rollback: Rollback): void {
  if (fs.existsSync(dir)) return;
  let above = path.dirname(dir);
  while (!fs.existsSync(above)) above = path.dirname(above);
  // Before the attempt: where the second of two folders cannot be made, the first is there already.
  rollback.push(() => removeEmpty(dir, above));
  makeDurableFolder(dir);
}

/** Removes a folder and the empty ones above it, up to but without `until`. */
export function removeEmpty(dir: string, until: string): void {
  for (let at = dir; at !== until && at.startsWith(until); at = path.dirname(at)) {
    try {
      fs.rmdirSync(at);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') continue;
      if (['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) return;
      throw error;
    }
  }
}

export interface AppendFile {
  fd: number;
  /** Once; a second call does nothing. */
  close(): void;
}

/** Opens an append-only file behind its committed length; what stands past it goes, and so does all that is appended, if the work fails. */
export function openAppend(file: string, committed: number, rollback: Rollback): AppendFile {
  const there = fs.existsSync(file);
  const fd = fs.openSync(file, 'a', FILE_MODE);
  if (there) rollback.push(() => fs.truncateSync(file, committed));
  else rollback.push(() => fs.unlinkSync(file));
  try {
    if (fs.fstatSync(fd).size > committed) fs.ftruncateSync(fd, committed);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  let open = true;
  const close = () => {
    if (open) fs.closeSync(fd);
    open = false;
  };
  rollback.push(close);
  return { fd, close };
}

/** Writes the manifest beside its target and makes it durable. */
export function stageManifest(paths: SessionPaths, token: string, text: string, rollback: Rollback): void {
  const staged = stagedName(paths.manifest, token);
  const fd = fs.openSync(staged, 'w', FILE_MODE);
  rollback.push(() => removeQuietly(staged));
  try {
    writeAll(fd, Buffer.from(text));
    sync(fd);
  } finally {
    fs.closeSync(fd);
  }
  syncFolder(paths.dir);
}

/**
 * The commit itself. From here on nothing is undone: a failure after it leaves the lock, and whoever takes it next settles
 * the rest.
 */
export function commitManifest(paths: SessionPaths, lock: Lock, rollback: Rollback): void {
  lock.stillMine();
  rename(stagedName(paths.manifest, lock.token), paths.manifest);
  rollback.commit();
}

export interface Settled {
  /** False where the operation was undone. */
  happened: boolean;
  /** The session's folder now; undefined where it is gone. */
  place: string | undefined;
  /** The name under which an edited HANDOFF.md was kept. */
  kept?: string;
}

/**
 * Finishes what was committed, or takes back what was not. Idempotent. The index is the caller's, who knows what else to
 * say of the session.
 */
export function settle(root: string, intent: Intent, token: string): Settled {
  const moved = intent.to !== undefined && !fs.existsSync(placeDir(root, intent.place)) && fs.existsSync(placeDir(root, intent.to));
  const place = moved ? (intent.to as string) : intent.place;
  const dir = placeDir(root, place);
  const paths = sessionPaths(dir);
  const text = readText(paths.manifest);
  const now = text === undefined ? null : sha256(text);
  if (!moved && now === intent.base) {
    undo(root, paths, intent, token);
    return { happened: false, place: text === undefined ? undefined : place };
  }
  const kept = finish(paths, token, intent.over);
  if (intent.to === undefined || moved) return { happened: true, place, ...(kept === undefined ? {} : { kept }) };
  const target = placeDir(root, intent.to);
  makeDurableFolder(path.dirname(target));
  rename(dir, target);
  syncFolder(path.dirname(target));
  removeProjectIfEmpty(path.dirname(dir));
  return { happened: true, place: intent.to, ...(kept === undefined ? {} : { kept }) };
}

/** Renames what is staged into its place; HANDOFF.md last, with the author's part as it is now. */
function finish(paths: SessionPaths, token: string, over: Intent['over']): string | undefined {
  // The commit must be on the disk before what rests on it: a render must never be newer than the manifest.
  syncFolder(paths.dir);
  for (const target of [paths.timeline, paths.chain, paths.tools, paths.summary, paths.payload]) {
    const staged = stagedName(target, token);
    if (fs.existsSync(staged)) rename(staged, target);
  }
  const kept = placeBrief(paths.brief, token, over);
  syncFolder(paths.dir);
  dropStaged(paths.dir, token);
  return kept;
}

function undo(root: string, paths: SessionPaths, intent: Intent, token: string): void {
  if (!fs.existsSync(paths.dir)) {
    removeProjectIfEmpty(path.dirname(paths.dir));
    return;
  }
  if (intent.replaces !== true) {
    cut(paths.timeline, intent.timeline_bytes, intent.base === null);
    cut(paths.chain, intent.chain_bytes, intent.base === null || intent.chain_bytes === 0);
  }
  dropStaged(paths.dir, token);
  // The lock goes next, and with it all that is known of this.
  syncFolder(paths.dir);
  if (intent.base === null) {
    removeEmpty(paths.dir, path.join(root, 'projects'));
    removeProjectIfEmpty(path.dirname(paths.dir));
  }
}

/** Back to the committed length; a file that the operation made goes. */
function cut(file: string, length: number, made: boolean): void {
  try {
    if (made && length === 0) fs.unlinkSync(file);
    else if (fs.statSync(file).size > length) cutDurably(file, length);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

function cutDurably(file: string, length: number): void {
  const fd = fs.openSync(file, 'r+');
  try {
    fs.ftruncateSync(fd, length);
    sync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function dropStaged(dir: string, token: string): void {
  for (const name of fs.readdirSync(dir)) if (name.endsWith(`.${token}.tmp`)) fs.unlinkSync(path.join(dir, name));
}

/** A project's folder that holds no session any more goes, with a page that names none. */
export function removeProjectIfEmpty(project: string): void {
  let names: string[];
  try {
    names = fs.readdirSync(project);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  if (names.some((name) => name !== 'PROJECT.md')) return;
  const page = path.join(project, 'PROJECT.md');
  // A page on which somebody wrote stays.
  if (names.length > 0 && !/^# Project: .*\n+(<!-- .* -->\n+)?## Sessions\n*$/.test(readText(page) ?? '')) return;
  for (const name of names) fs.unlinkSync(path.join(project, name));
  try {
    fs.rmdirSync(project);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errnoOf(error) ?? '')) throw error;
  }
}
