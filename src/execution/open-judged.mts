/**
 * Opening a path so that it is known what was opened: between a decision and the open anybody may put another file, a
 * link or a linked folder in its place, and swap it back before the path is looked up again. What counts is therefore
 * what the system says of the open file itself.
 *
 * A second name is the hardest: a hard link has no other path that would show it, its count and its name cannot be asked
 * for in one moment, and one that is put there and taken away again leaves a count of one. Each way below has an answer.
 */
import fs from 'node:fs';
import path from 'node:path';
import { insideFolder } from '../lib/cli/this-node.mts';
import { sleep } from '../lib/fs/files.mts';
import { identityOf } from './disk.mts';

/** `descriptor`: Linux tells a descriptor's path. `folder`: other POSIX systems tell the current folder's. `path`: Windows tells neither. */
export type Way = 'descriptor' | 'folder' | 'path';

/** The file that is open and that was at its path, under so many names, at one moment after it was opened. */
export interface Opened {
  readonly fd: number;
  readonly stat: fs.BigIntStats;
}

/** Why what was opened is not what is at the path that was judged. */
export interface Moved {
  readonly moved: string;
}

const DESCRIPTORS = '/proc/self/fd';
// Windows has neither flag, and no pipes in folders.
const FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
/** A clock of a file system may tick as slowly as this, in ms; a change since then could be one that its times do not show. */
const SETTLED_MS = 100;
const TRIES = 5;

/** The surest way that this system has. */
export function usualWay(windows: boolean): Way {
  return fs.existsSync(DESCRIPTORS) ? 'descriptor' : windows ? 'path' : 'folder';
}

/** Opens the absolute path `real` and hands it to `body`; it is closed after that. Throws as the file system does. */
export function withOpened<T>(real: string, way: Way, body: (found: Opened | Moved) => T): T {
  if (way === 'descriptor') return withDescriptor(real, (fd) => body(byDescriptor(fd, real)));
  if (way === 'path') return withDescriptor(real, (fd) => body(byTimes(fd, real)));
  return insideFolder(path.dirname(real), (folder) => {
    if (folder !== path.dirname(real)) return body({ moved: `the folder of the target is ${folder} since it was judged` });
    const name = path.basename(real) || '.';
    return withDescriptor(name, (fd) => body(byTimes(fd, name)));
  });
}

/**
 * First the count, then the path: a name that was taken away is `(deleted)` for the descriptor that came through it, for
 * good. So one that still stands stood there when its names were counted.
 */
function byDescriptor(fd: number, real: string): Opened | Moved {
  const stat = fs.fstatSync(fd, { bigint: true });
  const place = fs.readlinkSync(`${DESCRIPTORS}/${fd}`);
  return place === real ? { fd, stat } : { moved: `what was opened is at ${place} since it was judged` };
}

/** Every change of its names sets a file's change time: where that is old before and the same after, there was none between. */
function byTimes(fd: number, name: string): Opened | Moved {
  for (let tries = 1; ; tries += 1) {
    const stat = fs.fstatSync(fd, { bigint: true });
    // A pipe or a device has no content to protect, and may be opened all day.
    if (!stat.isFile()) return { fd, stat };
    if (identityOf(fs.lstatSync(name, { bigint: true })) !== identityOf(stat)) return { moved: 'another file has taken its place since it was judged' };
    const age = Date.now() - Number(stat.ctimeMs);
    if (age > SETTLED_MS && fs.fstatSync(fd, { bigint: true }).ctimeNs === stat.ctimeNs) return { fd, stat };
    if (tries === TRIES) return { moved: 'the file kept changing while it was opened' };
    sleep(SETTLED_MS);
  }
}

function withDescriptor<T>(name: string, body: (fd: number) => T): T {
  const fd = fs.openSync(name, FLAGS);
  try {
    return body(fd);
  } finally {
    fs.closeSync(fd);
  }
}
