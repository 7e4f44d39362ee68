/** Looks at a name in the file system. What the system does not let be seen is not there; nothing here throws. */
import { lstatSync, statSync, type Stats } from 'node:fs';

/** Anything, a link that leads nowhere too. */
export function isThere(name: string): boolean {
  try {
    return lstatSync(name, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** A folder, or a link to one. */
export function isFolder(name: string): boolean {
  return statOf(name)?.isDirectory() === true;
}

/** What is known of a file, or of what a link leads to; also for a name that no file can have. */
export function statOf(name: string): Stats | undefined {
  try {
    return statSync(name, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
