/** Looks at a name in the file system. What the system does not let be seen is not there; nothing here throws. */
import { lstatSync, statSync } from 'node:fs';

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
  try {
    return statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
