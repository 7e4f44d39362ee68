/** From a root as a policy writes it to a path on this system: `~`, variables, and forms that belong to another system. */
import type { Platform } from './platform.mts';

export interface Around {
  readonly platform: Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home by every name that it has here: HOME can be set to anything, the account's own stands. */
  readonly homes: readonly string[];
  /** What a relative root is relative to. */
  readonly repo: string;
}

/** `wrong`: it stands for nothing on any system, so whoever wrote it meant something else. */
export type Expanded = { readonly paths: readonly string[] } | { readonly skipped: string } | { readonly wrong: string };

/** The absolute paths that a root stands for, or why it stands for nothing here. Never throws. */
export function expandRoot(written: string, around: Around): Expanded {
  const windows = around.platform.name === 'win32';
  if (!written.isWellFormed()) return { wrong: 'half a letter stands in no name of a file' };
  if (windows ? /^\/(?!\/)|^\$/.test(written) : /^%[^%/]+%|^[A-Za-z]:[\\/]|^\\\\/.test(written)) {
    return { skipped: `a form of ${windows ? 'POSIX systems' : 'Windows'}` };
  }
  if (/^~[^\\/]/.test(written)) return { wrong: 'only ~ alone stands for a home' };
  let unset: string | undefined;
  const valueOf = (name: string): string => {
    const value = around.env[name];
    if (value === undefined || !around.platform.path.isAbsolute(value)) unset ??= name;
    return value ?? '';
  };
  const text = windows
    ? written.replace(/%([^%\\/]+)%/g, (_, name: string) => valueOf(name))
    : written.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced: string | undefined, bare: string | undefined) => valueOf(braced ?? bare ?? ''));
  if (unset !== undefined) return { skipped: `${unset} is not set to an absolute path` };
  const { resolve } = around.platform.path;
  if (!/^~/.test(text)) return { paths: [resolve(around.repo, text)] };
  return { paths: [...new Set(around.homes.map((home) => resolve(home, `.${text.slice(1)}`)))] };
}
