/** What confines a child: Node's own permission model, by whatever name this Node has it, and what it leaves open. */

import type { Policy } from './policy-shape.mts';

export interface Confinement {
  /** The flag of the permission model; null where this Node has none, and then nothing but the environment is confined. */
  readonly by: '--permission' | '--experimental-permission' | null;
  readonly node: string;
  /** Folders that may be read and written, with all below them. */
  readonly folders: readonly string[];
  readonly forbids: readonly string[];
  readonly not_covered: readonly string[];
}

const OPEN = ['links made in a workspace while it runs', 'signals to other processes of the same user', 'processor time and memory within the time limit'];

const HARD_LINKS: Readonly<Record<Policy['hard_links'], readonly string[]>> = {
  refuse: [],
  tools: ['hard links below node_modules and .git/objects'],
  accept: ['hard links in the workspaces'],
};

/** `flags`: those that the Node which runs the child knows. */
export function confinementOf(flags: ReadonlySet<string>, node: string, folders: readonly string[], hardLinks: Policy['hard_links']): Confinement {
  const open = [...OPEN, ...HARD_LINKS[hardLinks]];
  const by = flags.has('--permission') ? '--permission' : flags.has('--experimental-permission') ? '--experimental-permission' : null;
  const network = flags.has('--allow-net') ? [] : ['the network'];
  if (by === null) return { by, node, folders, forbids: [], not_covered: ['files outside the workspaces', 'child processes', 'native addons', 'worker threads', 'the network', ...open] };
  const forbids = ['files outside these folders', 'child processes', 'native addons', 'worker threads', ...(network.length === 0 ? ['the network'] : [])];
  return { by, node, folders, forbids, not_covered: [...network, ...open] };
}

/** The words for Node that confine it. Everything that is not allowed by one of them is refused by Node. */
export function wordsOf({ by, folders }: Confinement): string[] {
  return by === null ? [] : [by, ...folders.flatMap((folder) => [`--allow-fs-read=${folder}`, `--allow-fs-write=${folder}`])];
}

/** A folder whose name Node would read as a pattern or as two names would open more than itself. */
export function unspeakable(folders: readonly string[]): string | undefined {
  return folders.find((folder) => /[*,]/.test(folder));
}
