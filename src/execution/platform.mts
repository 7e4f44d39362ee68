/**
 * What differs between systems in the names of files: pure text, no disk, so that every system's rules are tested on
 * every system.
 */
import path from 'node:path';

export interface Platform {
  readonly name: 'linux' | 'darwin' | 'win32';
  readonly path: path.PlatformPath;
  /** Two names that this system may take for one have one folded form. */
  fold(name: string): string;
}

const LINUX: Platform = { name: 'linux', path: path.posix, fold: (name) => name };
const DARWIN: Platform = { name: 'darwin', path: path.posix, fold: (name) => name.normalize('NFC').toLowerCase() };
const WIN32: Platform = { name: 'win32', path: path.win32, fold: (name) => bareComponents(name.replaceAll('/', '\\')).toLowerCase() };

/** `name` as os.platform() gives it; other systems with POSIX paths have Linux's rules. */
export function platformOf(name: string): Platform {
  return name === 'win32' ? WIN32 : name === 'darwin' ? DARWIN : LINUX;
}

/** Windows drops dots and blanks at the end of every component: `id_rsa. .` opens `id_rsa`. */
export function bareComponents(name: string): string {
  return name.split('\\').map((part) => (/^\.{1,2}$/.test(part) ? part : part.replace(/(?<![. ])[. ]+$/, ''))).join('\\');
}

const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:[ .:]|$)/i;

/** Why this name may stand for something else than a file at its place, as a sentence's end; undefined where it may not. */
export function trouble(target: string, platform: Platform): string | undefined {
  if (target === '') return 'is empty';
  if (target.includes('\0')) return 'holds a NUL byte';
  if (platform.name !== 'win32') return undefined;
  const name = target.replaceAll('/', '\\');
  if (/^\\\\[?.]\\/.test(name) || /^\\\?\?\\/.test(name)) return 'is a device path';
  // A share is asked for over the network, with the user's credentials, before anything can be judged.
  if (name.startsWith('\\\\')) return 'is a network path';
  if (/^[A-Za-z]:(?!\\)/.test(name)) return 'is relative to the current folder of a drive';
  const rest = name.replace(/^[A-Za-z]:/, '');
  if (rest.includes(':')) return 'names a stream of a file';
  if (rest.split('\\').some((part) => RESERVED.test(part))) return 'names a device';
  return undefined;
}

/** Whether `target` is `root` or below it, letter by letter. Both absolute, without `..`. */
export function isWithin(root: string, target: string, platform: Platform): boolean {
  const { sep } = platform.path;
  const base = root.endsWith(sep) ? root.slice(0, -sep.length) : root;
  return target === base || target === root || target.startsWith(base + sep);
}

/** The same, where the file system may take other letters for the same name. */
export function mayBeWithin(root: string, target: string, platform: Platform): boolean {
  return isWithin(platform.fold(root), platform.fold(target), platform);
}
