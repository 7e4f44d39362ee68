/**
 * A copy of a database that a client may be writing. SQLite writes beside what it opens, so the original is never
 * opened; and a database without its log (`-wal`) is stale, so both are copied as they stood at one moment.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, HandoffError } from '../../../lib/errors.mts';
import { FILE_MODE, makeFolder, openFile, removeQuietly } from '../../../lib/fs/files.mts';
import { temporaryName } from '../../../lib/fs/temporary.mts';

const TRIES = 5;
/** The head of a log: it holds two numbers that change whenever the log is begun anew. */
const LOG_HEAD = 32;
/** What may lie beside the copy once it is open. */
const BESIDE = ['-wal', '-shm'];

export interface DatabaseCopy {
  path: string;
  /** Takes its names away. Where the system allows it, what is open stays readable. */
  remove(): void;
}

/** Copies into the folder `scratch`. Throws CHANGING where the client began its log anew each time. */
export function copyDatabase(file: string, scratch: string): DatabaseCopy {
  makeFolder(scratch);
  const name = (what: string): string => path.join(scratch, temporaryName(what));
  const target = name('database');
  // Under a name that is swept if we die, until the moment in which SQLite wants its own.
  const log = name('log');
  const remove = (): void => [target, log, ...BESIDE.map((ending) => target + ending)].forEach(removeQuietly);
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = stamp(file);
      copyFile(file, target);
      const hasLog = copyFile(`${file}-wal`, log);
      // Pages that reached the database meanwhile stand in the log too, as long as that is the same log.
      if (stamp(file) !== before) continue;
      if (hasLog) fs.renameSync(log, `${target}-wal`);
      return { path: target, remove };
    }
  } catch (error) {
    remove();
    throw error;
  }
  remove();
  throw new HandoffError('CHANGING', `${file} changed each time it was copied; try again when the client is quiet`);
}

/** A copy that only we can read: sessions are private, and the database may hold keys. False where there is no log. */
function copyFile(from: string, to: string): boolean {
  removeQuietly(to);
  // A pipe of that name would never end.
  if (from.endsWith('-wal') && fs.statSync(from, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    fs.closeSync(fs.openSync(to, 'wx', FILE_MODE));
    fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
    fs.chmodSync(to, FILE_MODE);
    return true;
  } catch (error) {
    removeQuietly(to);
    if (errnoOf(error) === 'ENOENT' && from.endsWith('-wal')) return false;
    throw error;
  }
}

function stamp(file: string): string {
  const { mtimeNs, size, ino } = fs.statSync(file, { bigint: true });
  return `${ino} ${size} ${mtimeNs} ${logHead(`${file}-wal`)}`;
}

function logHead(file: string): string {
  const fd = openFile(file);
  if (fd === undefined) return 'none';
  try {
    const head = Buffer.alloc(LOG_HEAD);
    return head.toString('hex', 0, fs.readSync(fd, head, 0, LOG_HEAD, 0));
  } finally {
    fs.closeSync(fd);
  }
}
