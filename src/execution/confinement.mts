/** What confines a child: Node's own permission model, by whatever name this Node has it, and what it leaves open. */
import { isBuiltin } from 'node:module';
import type { Ground } from './classify.mts';
import { mayBeWithin } from './platform.mts';
import type { Policy } from './policy-shape.mts';
import { mayBeInRoots } from './roots.mts';

export interface Confinement {
  /** The flag of the permission model; null where this Node has none, and then nothing but the environment is confined. */
  readonly by: '--permission' | '--experimental-permission' | null;
  readonly node: string;
  /** Folders that may be read and written, with all below them. */
  readonly folders: readonly string[];
  /** Modules of Node that the child does not get, because the permission model does not reach them. */
  readonly switched_off: readonly string[];
  readonly forbids: readonly string[];
  readonly not_covered: readonly string[];
}

const OPEN = ['links made in a workspace while it runs', 'files that Node writes about itself, as reports and traces are', 'signals to other processes of the same user', 'processor time and memory within the time limit'];

const HARD_LINKS: Readonly<Record<Policy['hard_links'], readonly string[]>> = {
  refuse: [],
  tools: ['hard links below node_modules and .git/objects'],
  accept: ['hard links in the workspaces'],
};

/** A database is opened, attached and copied by SQLite itself, which asks no permission model. */
const SQLITE = 'node:sqlite';
const NO_SQLITE = '--no-experimental-sqlite';

/** `flags`: those that the Node which runs the child knows. */
export function confinementOf(flags: ReadonlySet<string>, node: string, folders: readonly string[], hardLinks: Policy['hard_links']): Confinement {
  const open = [...OPEN, ...HARD_LINKS[hardLinks]];
  const by = flags.has('--permission') ? '--permission' : flags.has('--experimental-permission') ? '--experimental-permission' : null;
  const network = flags.has('--allow-net') ? [] : ['the network'];
  if (by === null) return { by, node, folders, switched_off: [], forbids: [], not_covered: ['files outside the workspaces', 'child processes', 'native addons', 'worker threads', 'the network', ...open] };
  const forbids = ['files outside these folders', 'child processes', 'native addons', 'worker threads', ...(network.length === 0 ? ['the network'] : [])];
  const switched_off = flags.has(NO_SQLITE) ? [SQLITE] : [];
  const databases = switched_off.length === 0 && isBuiltin(SQLITE) ? [`files that ${SQLITE} opens`] : [];
  return { by, node, folders, switched_off, forbids, not_covered: [...network, ...databases, ...open] };
}

/** The words for Node that confine it. Everything that is not allowed by one of them is refused by Node. */
export function wordsOf({ by, folders, switched_off }: Confinement): string[] {
  return by === null ? [] : [by, ...(switched_off.includes(SQLITE) ? [NO_SQLITE] : []), ...folders.flatMap((folder) => [`--allow-fs-read=${folder}`, `--allow-fs-write=${folder}`])];
}

/** A folder whose name Node would read as a pattern or as two names would open more than itself. */
export function unspeakable(folders: readonly string[]): string | undefined {
  return folders.find((folder) => /[*,]/.test(folder));
}

/** A workspace is open to a child as a whole, with what a policy denies in it: the denied root that it would get, as a sentence. */
export function deniedToAll({ roots, platform, disk }: Ground, folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    if (mayBeInRoots(roots.denied_roots, folder, platform, disk)) return `the workspace ${folder} lies in a denied root`;
    const inside = roots.denied_roots.find(({ real }) => mayBeWithin(folder, real, platform));
    if (inside !== undefined) return `the denied root ${inside.real} lies in the workspace ${folder}, all of which it would get`;
  }
  return undefined;
}
