/**
 * The few file operations that a store needs, each safe against a full disk, a killed process and a slow scanner:
 * private modes, writes that loop until all bytes are out, renames that are tried again where a system holds a file open.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, HandoffError } from '../errors.mts';

const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** Writes all of `bytes` at `position` (or at the file's own), however often the system takes only a part. */
export function writeAll(fd: number, bytes: Uint8Array, position: number | null = null): void {
  let done = 0;
  while (done < bytes.length) {
    done += fs.writeSync(fd, bytes, done, bytes.length - done, position === null ? null : position + done);
  }
}

/** Makes a folder and the parents that are missing; gives the topmost one that was made, or undefined. */
export function makeFolder(folder: string): string | undefined {
  return makeFolders(path.resolve(folder), 3);
}

/** Node's own recursive form never returns where a folder that is there takes no new one and says ENOENT, as /proc does. */
function makeFolders(folder: string, tries: number): string | undefined {
  try {
    fs.mkdirSync(folder, { mode: FOLDER_MODE });
    return folder;
  } catch (error) {
    if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
    // Whoever tidies up may take the folder above away again meanwhile.
    if (errnoOf(error) !== 'ENOENT' || tries === 0 || path.dirname(folder) === folder) throw error;
    const above = makeFolders(path.dirname(folder), 3);
    const own = makeFolders(folder, tries - 1);
    return above ?? own;
  }
}

/** The same, and the names of all that was made are durable. */
export function makeDurableFolder(folder: string): void {
  const top = makeFolder(folder);
  if (top === undefined) return;
  for (let at = folder; at.length >= top.length && path.dirname(at) !== at; at = path.dirname(at)) syncFolder(path.dirname(at));
}

const PAUSES_MS = [10, 30, 90, 270, 800];

/** A rename that is tried again, with growing pauses, where Windows or a virus scanner holds the file for a moment. */
export function rename(from: string, to: string): void {
  for (let tries = 0; ; tries += 1) {
    try {
      fs.renameSync(from, to);
      return;
    } catch (error) {
      const pause = PAUSES_MS[tries];
      if (pause === undefined || !['EPERM', 'EBUSY', 'EACCES'].includes(errnoOf(error) ?? '') || fs.existsSync(from) === false) throw error;
      sleep(pause);
    }
  }
}

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Waits without giving way: nothing else of this process runs meanwhile. */
export function sleep(ms: number): void {
  Atomics.wait(cell, 0, 0, ms);
}

/** Waits until the file's bytes are on the disk. */
export function sync(fd: number): void {
  try {
    fs.fdatasyncSync(fd);
  } catch (error) {
    // Some network and FUSE file systems know no sync; they are as safe as they are.
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
  }
}

export type Pending = Promise<void>;

/** The same without waiting: the system writes while there is other work. The descriptor must stay open until then. */
export function syncSoon(fd: number): Pending {
  const done = new Promise<void>((resolve, reject) => {
    fs.fdatasync(fd, (error) => (error === null || ['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(errnoOf(error) ?? '') ? resolve() : reject(error)));
  });
  // Whoever waits for it is told; until then a failure must not end the process.
  done.catch(() => {});
  return done;
}

/** Makes the names in a folder durable; Windows has no such call and needs none. */
export function syncFolder(folder: string): void {
  let fd: number;
  try {
    fd = fs.openSync(folder, 'r');
  } catch (error) {
    if (['EISDIR', 'EPERM', 'EACCES'].includes(errnoOf(error) ?? '')) return;
    throw error;
  }
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS', 'EPERM', 'EBADF'].includes(errnoOf(error) ?? '')) throw error;
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Puts `data` in the place of `target` in one step: a reader sees the old file or the new one.
 * `mark` tells whose the temporary name is; one that a crash left under the same mark is written over. On failure the temporary file is removed.
 * `durable`: 'bytes' makes the file's bytes safe and not its name, so that a power cut leaves the old file or the new one, and neither in part.
 * `like` is the file that is replaced, where its mode and owner are to stay.
 */
export function replaceFile(target: string, data: string | Uint8Array, mark: string, durable: boolean | 'bytes' = true, like?: fs.Stats): void {
  const temporary = `${target}.${mark}.tmp`;
  let fd: number | undefined;
  try {
    fd = openNew(temporary);
    if (like !== undefined) keepAccess(fd, like);
    writeAll(fd, typeof data === 'string' ? Buffer.from(data) : data);
    if (durable !== false) sync(fd);
    fs.closeSync(fd);
    fd = undefined;
    rename(temporary, target);
    if (durable === true) syncFolder(path.dirname(target));
  } catch (error) {
    if (fd !== undefined) fs.closeSync(fd);
    removeQuietly(temporary);
    throw error;
  }
}

/** A file that was not there, also where a crash left one of that name; a link in its place is not written through. */
function openNew(file: string): number {
  try {
    return fs.openSync(file, 'wx', FILE_MODE);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    fs.unlinkSync(file);
    return fs.openSync(file, 'wx', FILE_MODE);
  }
}

/** The owner first: giving a file away takes bits of its mode away. Only root may, and only root has to. */
function keepAccess(fd: number, like: fs.Stats): void {
  const { uid, gid } = fs.fstatSync(fd);
  if (uid !== like.uid || gid !== like.gid) {
    try {
      fs.fchownSync(fd, like.uid, like.gid);
    } catch (error) {
      if (!['EPERM', 'EINVAL', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
    }
  }
  fs.fchmodSync(fd, like.mode & 0o777);
}

/** Removes a file if that can be done. Never throws. */
export function removeQuietly(file: string): void {
  try {
    fs.unlinkSync(file);
  } catch {
    // It is not there, or cannot go: either way the first error is the one to tell.
  }
}

/** A file, or a folder with all below it; links in it are removed, not followed. */
export function removeTree(folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true, force: true });
  } catch {
    // The same: what is left in a folder for work is removed by the next command.
  }
}

/** Opening a pipe must not wait for somebody to write into it; Windows has no such flag and no such pipes. */
const READ_NOW = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

/** A descriptor to read a file with, or undefined where there is none: a folder or a pipe of that name is none either. */
export function openFile(file: string): number | undefined {
  let fd: number;
  try {
    fd = fs.openSync(file, READ_NOW);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENXIO'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
  if (fs.fstatSync(fd).isFile()) return fd;
  fs.closeSync(fd);
  return undefined;
}

/** The same for a file that must be there. Throws as fs does, IO for a folder or a pipe. */
export function openPlain(file: string): number {
  const fd = fs.openSync(file, READ_NOW);
  if (fs.fstatSync(fd).isFile()) return fd;
  fs.closeSync(fd);
  throw new HandoffError('IO', `${file} is no file`);
}

/** The file's bytes, or undefined where there is no file. */
export function readFile(file: string): Buffer | undefined {
  return reading(file, (fd) => fs.readFileSync(fd));
}

/** The file's text, or undefined where there is no file. */
export function readText(file: string): string | undefined {
  return reading(file, (fd) => fs.readFileSync(fd, 'utf8'));
}

/** The same for a text of which a letter that was read as another would change what is allowed: throws a TypeError where it is not UTF-8. */
export function readStrictText(file: string): string | undefined {
  const bytes = readFile(file);
  return bytes === undefined ? undefined : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

function reading<T>(file: string, read: (fd: number) => T): T | undefined {
  const fd = openFile(file);
  if (fd === undefined) return undefined;
  try {
    return read(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** The names in a folder; none where there is no folder. */
export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
