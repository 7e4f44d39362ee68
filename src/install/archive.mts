/**
 * A published package as files: unzipped within limits, every name judged before the first byte is written, and
 * written only below a folder that was empty. What any of it says is data of a stranger, also where its hash is right.
 */
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { HandoffError, errnoOf } from '../lib/errors.mts';
import { FILE_MODE, makeFolder, namesIn, removeTree, writeAll } from '../lib/fs/files.mts';
import { RESERVED } from '../store/names.mts';
import { readTar, refused, type TarEntry } from './tar.mts';

/** What a package of ours stays far below, and a bomb does not. Sizes are bytes after unzipping. */
export interface ArchiveLimits {
  entries: number;
  fileBytes: number;
  totalBytes: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = { entries: 10_000, fileBytes: 32 << 20, totalBytes: 128 << 20 };
const MOST_NAME_BYTES = 255;
const MOST_PATH_BYTES = 1024;

/**
 * The files of a `.tar.gz` package, by their paths below its one top folder, with `/`, in the archive's order.
 * Throws HandoffError SHAPE with what was refused.
 */
export async function readPackage(bytes: Buffer, limits: ArchiveLimits = ARCHIVE_LIMITS): Promise<Map<string, Buffer>> {
  const archive = await unzip(bytes, limits);
  const files = new Map<string, Buffer>();
  const names = new Names();
  let entries = 0;
  let total = 0;
  for (const entry of readTar(archive)) {
    entries += 1;
    total += entry.bytes.length;
    if (entries > limits.entries) throw refused(`has more than ${limits.entries} entries`);
    if (entry.bytes.length > limits.fileBytes) throw refused(`has a file of ${entry.bytes.length} bytes, "${entry.name}"`);
    if (total > limits.totalBytes) throw refused(`holds more than ${limits.totalBytes} bytes`);
    const name = names.take(entry);
    if (name !== undefined) files.set(name, entry.bytes);
  }
  if (files.size === 0) throw refused('holds no file');
  return files;
}

/**
 * Unpacks a package into `into`, which is made, or is empty, and gives the paths of its files below it, with `/`, sorted.
 * Throws HandoffError; then `into` is as empty as it was.
 */
export async function unpackPackage(bytes: Buffer, into: string): Promise<string[]> {
  const files = await readPackage(bytes);
  const made = makeFolder(into);
  if (namesIn(into).length > 0) throw new HandoffError('EXISTS', `${into} is not empty; nothing was unpacked`);
  try {
    for (const [name, content] of files) {
      const file = path.join(into, ...name.split('/'));
      makeFolder(path.dirname(file));
      // Exclusive: a name that is there already, whoever made it, is not written through.
      const fd = fs.openSync(file, 'wx', FILE_MODE);
      try {
        writeAll(fd, content);
      } finally {
        fs.closeSync(fd);
      }
    }
  } catch (error) {
    if (made !== undefined) removeTree(made);
    else for (const name of namesIn(into)) removeTree(path.join(into, name));
    throw error;
  }
  return [...files.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

async function unzip(bytes: Buffer, limits: ArchiveLimits): Promise<Buffer> {
  // Headers and the filling of blocks come on top of what the files hold.
  const maxOutputLength = limits.totalBytes + limits.entries * 2048;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw refused(`unzips to more than ${maxOutputLength} bytes`, cause);
    if (errnoOf(cause) !== undefined || cause instanceof TypeError) throw cause;
    throw refused(`is no whole gzip file (${(cause as Error).message})`, cause);
  }
}

/** The names of one archive, held against each other as a system that ignores case and composes letters would. */
class Names {
  readonly #taken = new Map<string, { name: string; kind: 'file' | 'folder' }>();
  #top: string | undefined;

  /** The path of a file below the top folder; undefined for a folder. */
  take({ kind, name }: TarEntry): string | undefined {
    const parts = (kind === 'folder' ? name.replace(/\/$/, '') : name).split('/');
    if (Buffer.byteLength(name) > MOST_PATH_BYTES) throw refused('has a path that is too long');
    for (const part of parts) judge(part, name);
    this.#top ??= parts[0];
    if (parts[0] !== this.#top) throw refused(`has more than one top folder, "${this.#top}" and "${parts[0]}"`);
    const below = parts.slice(1);
    if (below.length === 0) {
      if (kind === 'folder') return undefined;
      throw refused(`has a file beside its top folder, "${name}"`);
    }
    below.forEach((_, at) => this.#claim(below.slice(0, at + 1).join('/'), at < below.length - 1 ? 'folder' : kind));
    return kind === 'file' ? below.join('/') : undefined;
  }

  #claim(name: string, kind: 'file' | 'folder'): void {
    const folded = name.normalize('NFKC').toUpperCase().toLowerCase();
    const taken = this.#taken.get(folded);
    if (taken === undefined) {
      this.#taken.set(folded, { name, kind });
    } else if (taken.name !== name) {
      throw refused(`has two names that are one on some systems, "${taken.name}" and "${name}"`);
    } else if (taken.kind === 'file' || kind === 'file') {
      throw refused(`has "${name}" twice`);
    }
  }
}

/** Throws where a name would mean another place, or another file, on some system. */
function judge(part: string, name: string): void {
  const why = part === '' ? 'an absolute path or an empty name'
    : part === '.' || part === '..' ? 'a path with dots'
    : /[\\:]/.test(part) ? 'a path with a drive or a backslash'
    : /[\u0000-\u001f\u007f]/.test(part) ? 'a name with control characters'
    : /[<>"|?*]|[. ]$/.test(part) || RESERVED.test(part) ? 'a name that Windows does not take'
    : Buffer.byteLength(part) > MOST_NAME_BYTES ? 'a name that is too long'
    : undefined;
  if (why !== undefined) throw refused(`has ${why}, ${JSON.stringify(name)}`);
}
