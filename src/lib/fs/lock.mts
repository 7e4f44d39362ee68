/**
 * Locks: one file a key, written whole under a name of its own and then linked into place, so that nobody ever sees half
 * of one. A lock is also the intent of the work under it: who takes over a dead holder's lock is given its record first.
 *
 *   acquire → (settle what the holders in `left` began) → note(...) → work → stillMine() → commit → release
 *
 * A session's lock does not wait: a living holder is HELD at once. Short internal locks (the index) wait with a bound.
 * Taking over is serialised by a second exclusive file and puts the new lock over the old in one rename.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError, errnoOf } from '../errors.mts';
import { FILE_MODE, makeDurableFolder, namesIn, removeQuietly, removeTree, rename, sleep, sync, syncFolder, writeAll } from './files.mts';
import { ownHolder, type Life } from './holder.mts';
import { lockFile, look, parse, readOr, type Held, type LockRecord } from './lock-file.mts';
import { ageMs, isLeftBehind, newToken, temporaryName } from './temporary.mts';

export interface Lock {
  readonly token: string;
  readonly file: string;
  /** The records of dead holders whose work has to be settled first, oldest first. */
  readonly left: readonly LockRecord[];
  /**
   * Adds facts to the lock in one rename: what recovery needs must be there before the work begins, also where the power
   * goes. What dead holders left is taken as settled.
   */
  note(facts: Record<string, unknown>): void;
  /** Throws HELD where somebody took the lock away: the work must not be committed then. */
  stillMine(): void;
  release(): void;
}

/** A file that serialises a take-over was left by a crash, after this many ms at the latest. */
const TAKING_DEAD_MS = 2000;

/**
 * Takes the lock of `key` in `folder`. `waitMs` 0: a living holder is HELD at once. `elsewhereIsDead`: a person said that the
 * other host which holds it is gone.
 * Throws HandoffError HELD, or the file system's error.
 */
export function acquire(folder: string, key: string, operation: string, waitMs = 0, elsewhereIsDead = false): Lock {
  refusals(folder, () => makeDurableFolder(folder));
  const file = lockFile(folder, key);
  const record: LockRecord = { ...ownHolder(), token: newToken(), key, operation, at: new Date().toISOString() };
  const staged = temporaryName(file, record.token);
  sweep(folder);
  const deadline = Date.now() + waitMs;
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    try {
      refusals(folder, () => writeStaged(staged, record));
      if (linkInto(staged, file)) return held(file, record);
      const found = look(file);
      const isDead = (life: Life) => life === 'dead' || (elsewhereIsDead && life === 'elsewhere');
      if (found === undefined) {
        // Released in between; or a link that leads nowhere, which nobody releases.
        if (Date.now() >= deadline + TAKING_DEAD_MS * 2) throw new HandoffError('HELD', `${file} can be neither taken nor read: remove it`);
        sleep(pause);
        continue;
      }
      if (isDead(found.life)) {
        const taken = takeOver(file, staged, record, isDead);
        if (taken !== undefined) return held(file, taken);
        // Somebody else is at it: what holds the lock next is told by another look.
      }
      if (Date.now() >= deadline && !isDead(found.life)) throw heldError(found);
      if (Date.now() >= deadline + TAKING_DEAD_MS * 2) throw heldError(found);
    } finally {
      removeQuietly(staged);
    }
    sleep(pause);
  }
}

/** A lock is the first that is written: where it is refused, the folder that nothing can be written in says more than the lock's own name. */
function refusals(folder: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(errnoOf(error) ?? '') && error instanceof Error) error.message = `${error.message.split(',', 1)[0]}: nothing can be written in ${path.dirname(folder)}`;
    throw error;
  }
}

function held(file: string, record: LockRecord): Lock {
  let current = record;
  const mine = () => parse(readOr(file))?.token === current.token;
  return {
    token: record.token,
    file,
    left: record.left ?? [],
    note(facts) {
      if (!mine()) throw lost(file);
      const { left: _settled, ...own } = current;
      const next: LockRecord = { ...own, ...facts };
      const staged = temporaryName(file, record.token);
      try {
        writeStaged(staged, next, true);
        rename(staged, file);
      } catch (error) {
        removeQuietly(staged);
        throw error;
      }
      current = next;
      syncFolder(path.dirname(file));
    },
    stillMine() {
      if (!mine()) throw lost(file);
    },
    release() {
      if (mine()) fs.unlinkSync(file);
    },
  };
}

function lost(file: string): HandoffError {
  return new HandoffError('HELD', `the lock ${path.basename(file)} was taken away while it was held; nothing was committed`);
}

function heldError(found: Held): HandoffError {
  return new HandoffError('HELD', found.who, { data: { holder: found.record ?? null } });
}

function writeStaged(staged: string, record: LockRecord, durable = false): void {
  const fd = fs.openSync(staged, 'w', FILE_MODE);
  try {
    writeAll(fd, Buffer.from(JSON.stringify(record)));
    if (durable) sync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** False where the name is taken. File systems without links get an exclusive copy. */
function linkInto(staged: string, file: string): boolean {
  try {
    fs.linkSync(staged, file);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EMLINK'].includes(errnoOf(error) ?? '')) throw error;
  }
  try {
    fs.copyFileSync(staged, file, fs.constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Gives the record that now holds the lock, or undefined where another process is faster. It carries what the dead left,
 * so that a second crash, before that is settled, loses nothing.
 */
function takeOver(file: string, staged: string, record: LockRecord, isDead: (life: Life) => boolean): LockRecord | undefined {
  const taking = `${file}.taking`;
  const mine = (): boolean => parse(readOr(taking))?.token === record.token;
  if (!linkInto(staged, taking)) {
    if (isAbandoned(taking)) {
      // Moved aside under a name of our own first: of two that see it dead only one moves it.
      const aside = temporaryName(taking, record.token);
      try {
        fs.renameSync(taking, aside);
      } catch {
        return undefined;
      }
      removeQuietly(aside);
    }
    return undefined;
  }
  try {
    const found = look(file);
    if (found === undefined || !isDead(found.life)) return undefined;
    const { left: earlier = [], ...dead } = found.record ?? { left: undefined };
    const taken: LockRecord = { ...record, left: [...earlier, ...(found.record === undefined ? [] : [dead as LockRecord])] };
    // What the dead left must not be lost with the bytes of the record that carries it on.
    writeStaged(staged, taken, true);
    // Whoever took this for an old one that a crash left has moved it away: then the other goes on, and not both.
    if (!mine()) return undefined;
    rename(staged, file);
    return taken;
  } finally {
    if (mine()) removeQuietly(taking);
  }
}

/** A file that serialises a take-over: whoever made it has died, or has had more time than it takes. */
function isAbandoned(taking: string): boolean {
  return ageMs(taking) > TAKING_DEAD_MS || look(taking)?.life === 'dead';
}

/** Removes what a process left that died: a lock before it was linked, or a folder at work; the name tells whose it was. */
function sweep(folder: string): void {
  for (const name of namesIn(folder)) {
    const file = path.join(folder, name);
    if (isLeftBehind(file)) removeTree(file);
    if (name.endsWith('.taking') && isAbandoned(file)) removeQuietly(file);
  }
}
