/** Reading the very file that was judged: its bytes are looked at only after every answer has been the one that was judged. */
import fs from 'node:fs';
import { errnoOf } from '../lib/errors.mts';
import { hasher } from '../lib/hash-chain.mts';
import type { Classified } from './classify.mts';
import { identityOf } from './disk.mts';
import { usualWay, withOpened, type Way } from './open-judged.mts';
import { resolveReal } from './resolve.mts';
import type { Setting } from './setting.mts';

export type ReadResult =
  | { readonly outcome: 'done'; readonly bytes: number; readonly content_sha256: string }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly error: string };

const CHUNK = 1 << 16;
const refused = (reason: string): ReadResult => ({ outcome: 'refused', reason });

/** Reads the file that `classified` was about; the decision must be on disk. Never throws for what the file system does. */
export function readJudged({ real, identity, classification }: Classified, setting: Setting, way: Way = usualWay(setting.platform.name === 'win32')): ReadResult {
  if (real === undefined) return refused('the name was refused');
  const notAFile = (stat: fs.Stats | fs.BigIntStats): ReadResult => ({ outcome: 'failed', error: `${real} is a ${kindOf(stat)}, not a file` });
  try {
    // Opening is an act of its own for a pipe or a device: somebody may wait for it. A link is left to the open to refuse.
    const before = fs.lstatSync(real);
    if (!before.isFile() && !before.isSymbolicLink()) return notAFile(before);
    return withOpened(real, way, (found) => {
      if ('moved' in found) return refused(found.moved);
      const { fd, stat } = found;
      if (!stat.isFile()) return notAFile(stat);
      if (identity === undefined) return refused('nothing was there when it was judged');
      if (identity !== identityOf(stat)) return refused('another file has taken its place since it was judged');
      if (classification === 'APPROVED_WORKSPACE' && stat.nlink > 1n) return refused(`the file has ${String(stat.nlink)} names, and the others may be anywhere`);
      if (leadsTo(real, setting) !== real) return refused('the path leads elsewhere since it was judged');
      return readAll(fd, Number(stat.size));
    });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ELOOP' || errno === 'EMLINK') return refused('a link has taken its place since it was judged');
    if (errno === undefined) throw error;
    return { outcome: 'failed', error: (error as Error).message };
  }
}

function leadsTo(real: string, { repo, disk, platform }: Setting): string | undefined {
  try {
    return resolveReal(real, repo, disk, platform).real;
  } catch {
    // A circle of links, or a folder that was closed.
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
  if (stat.isDirectory()) return 'folder';
  if (stat.isFIFO()) return 'pipe';
  return stat.isSocket() ? 'socket' : 'device';
}
