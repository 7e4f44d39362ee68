/**
 * The real path behind a name, component by component as a kernel walks it: `link/..` is the parent of where the link
 * leads, and a link to nothing is followed to where it would make a file. `path.resolve` gets both wrong.
 */
import type { Disk } from './disk.mts';
import { bareComponents, type Platform } from './platform.mts';

export interface Resolved {
  /** Absolute, without links and `..`; in the letters that the file system keeps as far as it exists. */
  readonly real: string;
  readonly exists: boolean;
}

const MOST_LINKS = 40;

/** Throws an Error that says why where links go in a circle or a folder may not be looked into. */
export function resolveReal(target: string, base: string, disk: Disk, { path, name }: Platform): Resolved {
  const split = (text: string): string[] => text.split(name === 'win32' ? /[\\/]+/ : /\/+/).filter((part) => part !== '' && part !== '.');
  const whole = path.isAbsolute(target) ? target : `${base}${path.sep}${target}`;
  let real = path.parse(name === 'win32' ? path.resolve(base, path.parse(whole).root) : whole).root;
  const parts = split(whole.slice(path.parse(whole).root.length));
  let missing = false;
  let links = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === '..') {
      real = path.dirname(real);
      // Above what is missing there may be folders again, and links in them.
      missing = false;
      continue;
    }
    const next = path.join(real, name === 'win32' ? bareComponents(part) : part);
    if (missing) {
      real = next;
      continue;
    }
    const found = disk.look(next);
    if (found.is !== 'link') {
      real = next;
      missing = found.is === 'missing' || (found.is === 'other' && parts.length > 0);
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) throw new Error(`${target} goes through more than ${MOST_LINKS} links`);
    const { root } = path.parse(found.to);
    if (path.isAbsolute(found.to)) real = path.resolve(real, root);
    parts.unshift(...split(found.to.slice(root.length)));
  }
  return { real: canonical(real, disk, path), exists: !missing && disk.look(real).is !== 'missing' };
}

/** Case and short names as far as the path exists. */
function canonical(real: string, disk: Disk, path: Platform['path']): string {
  const rest: string[] = [];
  for (let at = real; ; at = path.dirname(at)) {
    if (disk.look(at).is !== 'missing' || path.dirname(at) === at) return path.join(disk.canonical(at), ...rest);
    rest.unshift(path.basename(at));
  }
}
