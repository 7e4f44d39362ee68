/**
 * Work on one target: a folder beside it that holds the lock and what is staged. Staged files have numbers for names,
 * so that a client which looks for skills there finds none. A folder that a killed run left goes when the next one begins.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError, errnoOf } from '../lib/errors.mts';
import { FILE_MODE, makeFolder, removeTree, syncSoon, writeAll, type Pending } from '../lib/fs/files.mts';
import { ownHolder } from '../lib/fs/holder.mts';
import { acquire, type Lock } from '../lib/fs/lock.mts';
import { sha256 } from '../lib/hash-chain.mts';
import type { Source } from './source.mts';

const WORK_NAME = '.agents-handoff-install';

export interface Work {
  readonly lock: Lock;
  /** Where staged files lie; made when the first one comes. */
  readonly stage: string;
  /** Removes what is staged, gives the lock back and takes the folder away where nobody else is in it. */
  end(): void;
}

/** Takes the lock of a target. Throws HELD where another installer is at it. */
export function beginWork(target: string, operation: string): Work {
  const parent = path.dirname(target);
  const made = makeFolder(parent);
  const folder = path.join(parent, WORK_NAME);
  try {
    const lock = take(folder, `install:${path.basename(target)}`, operation);
    const stage = path.join(folder, `stage.${ownHolder().pid}.${lock.token}.tmp`);
    return {
      lock,
      stage,
      end() {
        removeTree(stage);
        lock.release();
        removeIfEmpty(folder);
        if (made !== undefined) removeEmptyUpTo(parent, made);
      },
    };
  } catch (error) {
    removeIfEmpty(folder);
    if (made !== undefined) removeEmptyUpTo(parent, made);
    throw error;
  }
}

/** Another installer may take the folder away between two steps of ours. */
function take(folder: string, key: string, operation: string): Lock {
  for (let tries = 0; ; tries += 1) {
    try {
      return acquire(folder, key, operation);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || tries === 3) throw error;
    }
  }
}

/** Files that are open at a time. */
const AT_ONCE = 100;

/** Writes these files of the source beside the target and reads each back; gives the staged path of each. Throws DAMAGED where one differs. */
export async function stageFiles(stage: string, source: Source, names: readonly string[]): Promise<Map<string, string>> {
  const staged = new Map<string, string>();
  if (names.length > 0) makeFolder(stage);
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const open: number[] = [];
    const synced: Pending[] = [];
    try {
      for (const name of names.slice(from, from + AT_ONCE)) {
        const file = path.join(stage, String(staged.size));
        const fd = fs.openSync(file, 'wx', FILE_MODE);
        open.push(fd);
        writeAll(fd, fs.readFileSync(path.join(source.root, name)));
        synced.push(syncSoon(fd));
        if (sha256(fs.readFileSync(file)) !== source.files.get(name)) throw new HandoffError('DAMAGED', `${name} changed while it was copied; nothing was installed`);
        staged.set(name, file);
      }
      await Promise.all(synced);
    } finally {
      // A descriptor must stay open until the system is done with it.
      await Promise.allSettled(synced);
      for (const fd of open) fs.closeSync(fd);
    }
  }
  return staged;
}

/** True where the folder was empty and is gone. Throws what the file system says otherwise. */
export function removeEmpty(folder: string): boolean {
  try {
    fs.rmdirSync(folder);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

/** The same for a folder of ours that harms nobody where it stays. */
function removeIfEmpty(folder: string): boolean {
  try {
    return removeEmpty(folder);
  } catch {
    // The next run takes it away.
    return false;
  }
}

/** The folder and those above it up to `top`, as long as they are empty. */
export function removeEmptyUpTo(folder: string, top: string): void {
  for (let at = folder; removeIfEmpty(at) && at !== top; at = path.dirname(at));
}
