/**
 * Reading the very file that was judged. Between the decision and the open anybody may put another file, a link or a
 * linked folder in its place, so what was opened is asked again what it is: the descriptor's own answers, which no
 * later change of a path alters. Bytes are looked at only after every answer has been the one that was judged.
 */
import fs from 'node:fs';
import { errnoOf } from '../lib/errors.mts';
import { hasher } from '../lib/hash-chain.mts';
import type { Classified } from './classify.mts';
import { identityOf } from './disk.mts';
import { allNamesInside } from './links-in-workspace.mts';
import { resolveReal } from './resolve.mts';
import type { Setting } from './setting.mts';

export type ReadResult =
  | { readonly outcome: 'done'; readonly bytes: number; readonly content_sha256: string }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly error: string };

// Windows has neither flag, and neither links by open nor pipes in folders.
const FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
const CHUNK = 1 << 16;

/** Reads the file that `classified` was about; the decision must be on disk. Never throws for what the file system does. */
export function readJudged({ real, identity, classification }: Classified, setting: Setting): ReadResult {
  if (real === undefined) return { outcome: 'refused', reason: 'the name was refused' };
  let fd: number | undefined;
  try {
    const kind = kindOf(fs.lstatSync(real));
    // Opening is an act of its own for a pipe or a device: somebody may wait for it.
    if (kind !== 'file' && kind !== 'link') return { outcome: 'failed', error: `${real} is a ${kind}, not a file` };
    fd = fs.openSync(real, FLAGS);
    const stat = fs.fstatSync(fd, { bigint: true });
    if (!stat.isFile()) return { outcome: 'failed', error: `${real} is a ${kindOf(stat)}, not a file` };
    const changed = changedSince(fd, real, identity, identityOf(stat), setting);
    if (changed !== undefined) return { outcome: 'refused', reason: changed };
    if (classification === 'APPROVED_WORKSPACE' && stat.nlink > 1n && !allNamesInside(setting, identityOf(stat), stat.nlink)) {
      return { outcome: 'refused', reason: `the file has ${String(stat.nlink)} names, and not all of them are in the workspaces` };
    }
    return readAll(fd, Number(stat.size));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ELOOP' || errno === 'EMLINK') return { outcome: 'refused', reason: 'a link has taken its place since it was judged' };
    if (errno === undefined) throw error;
    return { outcome: 'failed', error: (error as Error).message };
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

function changedSince(fd: number, real: string, judged: string | undefined, opened: string, { repo, disk, platform }: Setting): string | undefined {
  if (judged === undefined) return 'nothing was there when it was judged';
  if (judged !== opened) return 'another file has taken its place since it was judged';
  // On Linux the kernel says where the open file is, whatever paths lead to now.
  const place = placeOf(fd);
  if (place !== undefined && place !== real) return `what was opened is at ${place}`;
  return leadsTo(real, { repo, disk, platform }) === real && disk.identity(real) === opened ? undefined : 'the path leads elsewhere since it was judged';
}

function leadsTo(real: string, { repo, disk, platform }: Pick<Setting, 'repo' | 'disk' | 'platform'>): string | undefined {
  try {
    return resolveReal(real, repo, disk, platform).real;
  } catch {
    // A circle of links, or a folder that was closed.
    return undefined;
  }
}

function placeOf(fd: number): string | undefined {
  try {
    return fs.readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

/** No more than it held when it was opened: a file that grows as fast as it is read has no end. */
function readAll(fd: number, size: number): ReadResult {
  const hash = hasher();
  const chunk = Buffer.allocUnsafe(CHUNK);
  let bytes = 0;
  while (bytes < size) {
    const got = fs.readSync(fd, chunk, 0, Math.min(CHUNK, size - bytes), null);
    if (got === 0) break;
    hash.update(chunk.subarray(0, got));
    bytes += got;
  }
  return { outcome: 'done', bytes, content_sha256: hash.digest('hex') };
}

function kindOf(stat: fs.Stats | fs.BigIntStats): string {
  if (stat.isFile()) return 'file';
  if (stat.isSymbolicLink()) return 'link';
  if (stat.isDirectory()) return 'folder';
  if (stat.isFIFO()) return 'pipe';
  return stat.isSocket() ? 'socket' : 'device';
}
