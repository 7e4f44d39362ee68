/**
 * The recorded sessions of this machine, newest first: those of one working directory or all. Folders are listed, heads
 * are read one after the other as they are asked for, and no file is read whole.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError, errnoOf } from '../../lib/errors.mts';
import { projectRoot } from '../../transcript/adapters/gemini/place.mts';
import { adaptersOf } from '../../transcript/of-harness.mts';
import { folderOf, homeOf, PLACES, sha256Folder, type Place } from '../../transcript/places.mts';
import { walkPlace, type Found } from './discover.mts';
import { cwdIn, endsOf, peek, type Peek } from './peek.mts';

export interface Where {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Whatever the working directory. */
  all: boolean;
  harness?: string | undefined;
  note(message: string): void;
}

export interface Recorded extends Found {
  peek: Peek;
}

export interface Sessions {
  /** The next one, or undefined where there is none, or where too many heads were read for nothing. */
  next(): Promise<Recorded | undefined>;
  /** How many of the files that were found were not looked at yet. */
  left(): number;
}

/** Heads that are read at most: where a place's names tell no directory, every head has to. */
const MOST_HEADS = 1_000;

/** Throws USAGE for a harness that is not known, CONFIG where no place can be named at all. */
export function sessionsHere(where: Where): Sessions {
  const places = PLACES.filter(({ harness }) => where.harness === undefined || harness === where.harness);
  if (places.length === 0) throw new HandoffError('USAGE', `no harness is called ${where.harness}; the ones whose folders are known are ${PLACES.map(({ harness }) => harness).join(', ')}`);
  const here = where.all ? undefined : directoriesOf(where.cwd);
  const home = homeOf(where.env);
  const rooted = places.flatMap((place) => {
    const root = folderOf(place, where.env, home);
    return root === undefined ? [] : [{ place, root }];
  });
  if (rooted.length === 0) throw new HandoffError('CONFIG', 'there is no home directory to look for sessions in: set HOME, or the harness\'s own variable (CLAUDE_CONFIG_DIR, CODEX_HOME, XDG_DATA_HOME)');
  if (home === undefined) where.note(`HOME is not set: only the folders of ${rooted.map(({ place }) => place.harness).join(', ')} are looked at`);
  const found = rooted.flatMap(({ place, root }) => sessionsOf(place, root, where, here));
  if (here !== undefined) for (const { path: file } of found.filter(({ isDatabase }) => isDatabase)) where.note(`${file} holds sessions of any folder: \`handoff build <file>#<session>\` takes one`);
  const queue = here === undefined ? found : found.filter(({ isDatabase }) => !isDatabase);
  queue.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1));
  let at = 0;
  let heads = 0;
  return {
    async next() {
      while (at < queue.length && heads < MOST_HEADS) {
        const one = queue[at++] as Found;
        if (one.isDatabase) return { ...one, peek: { facts: {}, prompt: undefined, task: undefined } };
        heads += 1;
        const seen = await look(one, here, where);
        // Sub-agents are captured with the session that started them.
        if (seen !== undefined && seen.facts.parent_session === undefined) return { ...one, peek: seen };
      }
      return undefined;
    },
    left: () => queue.length - at,
  };
}

/** The newest of this working directory. */
export async function newestHere(where: Omit<Where, 'all'>): Promise<Recorded | undefined> {
  return sessionsHere({ ...where, all: false }).next();
}

function sessionsOf(place: Place, root: string, { note }: Where, here: readonly string[] | undefined): Found[] {
  const { folder } = place;
  const walk = walkPlace(place, root, here === undefined || folder === undefined ? undefined : (name) => here.some((cwd) => folder(name, cwd)));
  for (const text of walk.notes) note(text);
  return walk.found;
}

/** The working directory by each of its names: clients write down the one or the other. */
function directoriesOf(cwd: string): string[] {
  const names = new Set([path.resolve(cwd)]);
  try {
    names.add(fs.realpathSync(cwd));
  } catch {
    // It is gone; its sessions are still of its name.
  }
  return [...names];
}

/** What the session is about, or undefined where it is of another directory or cannot be read. */
async function look(one: Found, here: readonly string[] | undefined, { note }: Where): Promise<Peek | undefined> {
  try {
    const adapters = await adaptersOf(one.place.harness);
    const ends = endsOf(one.path);
    const { start } = ends;
    const asPlaced = here !== undefined && one.place.folder !== undefined;
    const mayBeHere = here === undefined || one.place.harness === 'gemini' || one.place.beside !== undefined || here.some((cwd) => start.includes(quoted(cwd)));
    // So short a file may not have come to naming its directory yet: then the place's folder tells.
    if (!mayBeHere && !(asPlaced && cwdIn(start) === undefined)) return undefined;
    const seen = peek(one.path, ends, adapters);
    if (here === undefined) return seen;
    const cwd = seen.facts.cwd ?? besideCwd(one) ?? projectRoot(one.path);
    return (cwd === undefined ? isByFolder(one, here) : here.includes(path.resolve(cwd))) ? seen : undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    note(`${one.path} cannot be read (${errnoOf(error)})`);
    return undefined;
  }
}

/** The directory as it stands inside a JSON string. */
function quoted(cwd: string): string {
  return JSON.stringify(cwd).slice(1, -1);
}

function isByFolder({ place, folder }: Found, here: readonly string[]): boolean {
  if (folder === undefined) return false;
  return here.some((cwd) => place.folder?.(folder, cwd) === true || (place.harness === 'gemini' && folder === sha256Folder(cwd)));
}

function besideCwd({ path: file, place }: Found): string | undefined {
  if (place.beside === undefined) return undefined;
  const [ending, instead] = place.beside;
  try {
    return cwdIn(endsOf(file.slice(0, -ending.length) + instead).start);
  } catch {
    return undefined;
  }
}
