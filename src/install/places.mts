/** The harness table as real paths: on this machine, for this user, in this repository. */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError } from '../lib/errors.mts';
import { isFolder, isThere } from '../lib/look.mts';
import { repositoryOf } from '../lib/repo.mts';
import { HARNESSES, SHARED, type Harness } from './harnesses.mts';

/** What a copy's folder is called; the skill's name is the same. */
export const SKILL = 'agents-handoff';

export interface Ground {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The user's home, which must be there: what was not named is never guessed. Throws HandoffError IO. */
export function userHome({ cwd, env }: Ground): string {
  const named = env['HOME'] || env['USERPROFILE'];
  const way = 'name the folder with --skills-dir or --path, or set HOME';
  if (!named) throw new HandoffError('IO', `there is no home directory: HOME is not set; ${way}`);
  const home = path.resolve(cwd, named);
  if (!isFolder(home)) throw new HandoffError('IO', `the home directory ${home} is not there; ${way}`, { data: { home } });
  return home;
}

/** The same for questions that have an answer without one. */
export function homeIfAny(ground: Ground): string | undefined {
  try {
    return userHome(ground);
  } catch {
    return undefined;
  }
}

/** A folder of the table below the home, or where the harness's own variable has moved it. */
export function inHome(folder: string, harness: Harness, home: string, { cwd, env }: Ground): string {
  const { moved } = harness;
  const named = moved === undefined ? undefined : env[moved.variable];
  if (moved !== undefined && named && (folder === moved.folder || folder.startsWith(`${moved.folder}/`))) {
    return path.join(path.resolve(cwd, named), folder.slice(moved.folder.length));
  }
  return path.join(home, folder);
}

/** Every skills folder that a harness reads: the user's, and those of the repository at hand. */
export function foldersOf(harness: Harness, home: string | undefined, ground: Ground): string[] {
  const user = home === undefined ? [] : harness.user.map((folder) => inHome(folder, harness, home, ground));
  return [...new Set([...user, ...(harness.cwdOnly === true ? [path.resolve(ground.cwd)] : levels(ground.cwd)).flatMap((level) => harness.project.map((folder) => path.join(level, folder)))])];
}

/** From the current folder up to the repository's root. The home is no project: its folders are the user's. */
function levels(cwd: string): string[] {
  const top = repositoryOf(cwd);
  const found: string[] = [];
  for (let at = path.resolve(cwd); ; at = path.dirname(at)) {
    found.push(at);
    if (at === top) return found;
  }
}

/** Whether the harness was ever used by this person: a folder of its own is there. */
export function isHere(harness: Harness, home: string, ground: Ground): boolean {
  return harness.presence.some((folder) => isFolder(inHome(folder, harness, home, ground)));
}

export interface GlobalRoot {
  /** The skills folder. */
  readonly folder: string;
  readonly rule: 'env' | 'installed' | 'exists' | 'created';
  readonly why: string;
}

/** Where a copy goes when nobody says where. Reads only. */
export function globalRoot(ground: Ground): GlobalRoot {
  const named = ground.env['AGENT_HANDOFF_GLOBAL_DIR'];
  if (named) return { folder: path.resolve(ground.cwd, named), rule: 'env', why: 'AGENT_HANDOFF_GLOBAL_DIR names it' };
  const home = userHome(ground);
  const shared = path.join(home, SHARED);
  for (const folder of userFolders(home, ground)) {
    if (isThere(path.join(folder, SKILL, 'SKILL.md'))) return { folder, rule: 'installed', why: 'it holds an installation' };
  }
  if (isFolder(shared)) return { folder: shared, rule: 'exists', why: 'it is there, and several clients read it' };
  return { folder: shared, rule: 'created', why: 'no skills folder holds an installation yet; several clients read this one' };
}

/** Every skills folder of the user, the shared one first, each once. */
export function userFolders(home: string, ground: Ground): string[] {
  return [...new Set([path.join(home, SHARED), ...HARNESSES.flatMap((harness) => harness.user.map((folder) => inHome(folder, harness, home, ground)))])];
}

/** Whether this real copy lies in a folder of the user's own, and not in one that came with a repository. */
export function isUsers(real: string, ground: Ground): boolean {
  const home = homeIfAny(ground);
  const named = ground.env['AGENT_HANDOFF_GLOBAL_DIR'];
  const folders = [...(named ? [path.resolve(ground.cwd, named)] : []), ...(home === undefined ? [] : userFolders(home, ground))];
  return folders.some((folder) => realNearest(folder) === path.dirname(real));
}

/** The path with the links in it followed as far as it exists; the last part is taken as it is, link or not. */
export function realPlace(target: string): string {
  return path.join(realNearest(path.dirname(path.resolve(target))), path.basename(path.resolve(target)));
}

/** The real path of what exists of a path, with the rest behind it. */
function realNearest(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    const parent = path.dirname(folder);
    // A link that leads nowhere is not passed over: what is made must not land where nobody looked.
    if (isThere(folder) && fs.lstatSync(folder).isSymbolicLink()) throw new HandoffError('IO', `${folder} is a link that leads nowhere`);
    return parent === folder ? folder : path.join(realNearest(parent), path.basename(folder));
  }
}
