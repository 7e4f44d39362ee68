/**
 * The transcript that a build reads: opened once, so that what is hashed and what is parsed are the same bytes, and only
 * up to the length that it had then. It is never written.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError, errnoOf } from '../../lib/errors.mts';
import { FILE_MODE, makeFolder, removeQuietly, writeAll } from '../../lib/fs/files.mts';
import { readBytes, readLines } from '../../lib/fs/lines.mts';
import { temporaryName } from '../../lib/fs/temporary.mts';
import { hasher } from '../../lib/hash-chain.mts';

export interface Source {
  /** Absolute, links resolved; `-` for standard input. */
  path: string;
  fd: number;
  /** When it was opened, in ms since 1970. */
  openedAt: number;
  /** Bytes at the moment of opening, or of the last `catchUp`. */
  size: number;
  mtimeMs: number;
  /** The first bytes, for telling the shape. */
  head: Buffer;
  /** What stood behind a `#` in the name: the session in a database. */
  fragment: string | undefined;
  /** All of it, for a source that is read whole. */
  bytes(): Buffer;
  /** Takes in what was appended since; false where the name stands for another file now, or for a shorter one. */
  catchUp(): boolean;
  close(): void;
}

/** How much of a file detection sees. */
const HEAD_BYTES = 256 * 1024;
const LONGEST_HEAD = 256 * 1024 * 1024;

/** Opens a file. Throws SOURCE for one that is missing, unreadable, or no file. */
export function openSource(file: string, cwd: string): Source {
  let full = path.resolve(cwd, file);
  let fragment: string | undefined;
  const mark = file.lastIndexOf('#');
  if (mark > 0 && !fs.existsSync(full)) {
    full = path.resolve(cwd, file.slice(0, mark));
    fragment = file.slice(mark + 1);
  }
  let fd: number | undefined;
  try {
    const stat = fs.statSync(full);
    if (stat.isDirectory()) throw new HandoffError('SOURCE', `${file} is a folder; no adapter reads it: name the transcript file in it`);
    if (!stat.isFile()) throw new HandoffError('SOURCE', `${file} is not a file (a pipe or device); to read a stream use \`build -\``);
    fd = fs.openSync(full, 'r');
    return sourceOf(fs.realpathSync(full), fd, fragment, () => {});
  } catch (error) {
    if (fd !== undefined) fs.closeSync(fd);
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') throw new HandoffError('SOURCE', `source not found: ${file}; it takes the path of a transcript, and \`handoff sources\` lists those recorded for this folder`, { cause: error });
    if (errno !== undefined) throw new HandoffError('SOURCE', `${file} cannot be read (${errno})`, { cause: error });
    throw error;
  }
}

/**
 * Standard input as a source. It is put into a file of the store that has no name any more once it is open, since a
 * rebuild must look at the beginning twice.
 */
export async function spoolStdin(stdin: AsyncIterable<string | Uint8Array>, folder: string): Promise<Source> {
  makeFolder(folder);
  const name = path.join(folder, temporaryName('stdin'));
  const fd = fs.openSync(name, 'wx+', FILE_MODE);
  let named = true;
  const unname = () => {
    if (named) removeQuietly(name);
    named = false;
  };
  try {
    if (path.sep === '/') unname(); // Windows cannot remove an open file: there it goes at the end
    for await (const chunk of stdin) writeAll(fd, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    return sourceOf('-', fd, undefined, unname);
  } catch (error) {
    fs.closeSync(fd);
    unname();
    throw error;
  }
}

function sourceOf(name: string, fd: number, fragment: string | undefined, after: () => void): Source {
  const openedAt = Date.now();
  const { size, mtimeMs, dev, ino } = fs.fstatSync(fd);
  let open = true;
  const source: Source = {
    path: name,
    fd,
    openedAt,
    size,
    mtimeMs,
    head: readHead(fd, size),
    fragment,
    bytes: () => readStart(fd, size),
    catchUp() {
      if (name === '-') return true;
      const now = fs.statSync(name, { throwIfNoEntry: false });
      if (now === undefined || now.dev !== dev || now.ino !== ino || now.size < source.size) return false;
      source.size = now.size;
      source.mtimeMs = now.mtimeMs;
      return true;
    },
    close() {
      if (open) fs.closeSync(fd);
      open = false;
      after();
    },
  };
  return source;
}

/** The first 256 KiB, or as much more as the first line needs: half a record tells no shape. */
function readHead(fd: number, size: number): Buffer {
  for (let want = Math.min(size, HEAD_BYTES); ; want = Math.min(size, want * 4)) {
    const head = readStart(fd, want);
    if (head.length < want || want === size || want >= LONGEST_HEAD || head.includes(10)) return head;
  }
}

/** The first `want` bytes, or what there is of them. */
function readStart(fd: number, want: number): Buffer {
  const bytes = Buffer.allocUnsafe(want);
  let got = 0;
  while (got < want) {
    const read = fs.readSync(fd, bytes, got, want - got, got);
    if (read === 0) break;
    got += read;
  }
  return bytes.subarray(0, got);
}

const CR = 13;
/** A first line of more bytes is not held: a whole file may be one. */
const HELD_LINE = 1 << 20;

/** SHA-256 of the first line without its end: what a source is known by when it was rewritten or moved. */
export function firstLineHash({ fd, size }: Pick<Source, 'fd' | 'size'>): string {
  const sum = hasher();
  const line = readLines(fd, { from: 0, to: size, maxLineBytes: HELD_LINE }).next();
  if (line?.tooLong !== true) return sum.update(line?.bytes ?? '').digest('hex');
  // One that is not held is read again, without its end.
  const end = line.end - (line.ended ? 1 : 0);
  let last = 0;
  readBytes(fd, end - 1, end, (chunk) => void (last = chunk[0] ?? 0));
  readBytes(fd, 0, last === CR ? end - 1 : end, (chunk) => void sum.update(chunk));
  return sum.digest('hex');
}
