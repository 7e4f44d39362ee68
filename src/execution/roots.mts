/** The roots of a policy as they are on this machine: real paths, and what may not be one. */
import { HandoffError } from '../lib/errors.mts';
import type { Disk } from './disk.mts';
import { isWithin, mayBeWithin, type Platform } from './platform.mts';
import { ROOT_LISTS, type Policy, type RootList } from './policy-shape.mts';
import { resolveReal } from './resolve.mts';
import { expandRoot, type Around } from './roots-text.mts';

export interface Root {
  /** As the policy writes it. */
  readonly written: string;
  /** Where that is, links not followed. */
  readonly place: string;
  readonly real: string;
  readonly identity: string | undefined;
}

export type Roots = { readonly [list in RootList]: readonly Root[] } & {
  readonly state: Root;
  /** Roots that stand for nothing on this system, with the reason. */
  readonly skipped: readonly { readonly list: RootList; readonly written: string; readonly why: string }[];
};

/**
 * Works out every root. Throws CONFIG where a workspace or the state folder is or holds a home, a personal or a system
 * root, because all of that would count as a workspace, and where a root makes no sense or cannot be looked at.
 */
export function resolveRoots(policy: Policy, state: string, around: Around, disk: Disk): Roots {
  const skipped: { list: RootList; written: string; why: string }[] = [];
  const rootAt = (written: string, place: string): Root => {
    try {
      const { real } = resolveReal(place, around.repo, disk, around.platform);
      return { written, place, real, identity: disk.identity(real) };
    } catch (cause) {
      throw new HandoffError('CONFIG', `the root ${written} cannot be looked at: ${(cause as Error).message}`, { cause });
    }
  };
  const lists = Object.fromEntries(ROOT_LISTS.map((list) => [list, policy[list].flatMap((written) => {
    const expanded = expandRoot(written, around);
    if ('paths' in expanded) return expanded.paths.map((place) => rootAt(written, place));
    // To skip it would be to forbid less than was meant.
    if ('wrong' in expanded) throw new HandoffError('CONFIG', `the root ${JSON.stringify(written)} in "${list}" cannot be used: ${expanded.wrong}`, { data: { key: list } });
    skipped.push({ list, written, why: expanded.skipped });
    return [];
  })])) as { [list in RootList]: Root[] };
  const roots: Roots = { ...lists, state: rootAt(state, state), skipped };

  const homes = around.homes.map((home) => rootAt('the home directory', home));
  const guarded = [...homes, ...roots.personal_data_roots, ...roots.system_read_only_roots];
  const owned: [Root, string][] = [[roots.state, 'the state directory'], ...roots.approved_workspaces.map((root): [Root, string] => [root, 'the approved workspace'])];
  for (const [root, what] of owned) {
    // Whoever may write in the repository could make any folder a workspace with one link.
    if (isWithin(around.repo, root.place, around.platform) && !isWithin(around.repo, root.real, around.platform)) {
      throw new HandoffError('CONFIG', `${what} ${root.place} leads out of the repository, to ${root.real}`, { data: { root: root.place, leads_to: root.real } });
    }
    const held = guarded.find(({ real, identity }) => mayBeWithin(root.real, real, around.platform) || (identity !== undefined && identity === root.identity));
    if (held !== undefined) {
      throw new HandoffError('CONFIG', `${what} ${root.real} is or holds ${held.real} (${held.written}), which may not become a workspace`, { data: { root: root.real, holds: held.real } });
    }
  }
  return roots;
}

/** Whether the real path `target` lies in one of these roots, letter by letter: for what a root permits. */
export function inRoots(roots: readonly Root[], target: string, platform: Platform): boolean {
  return roots.some(({ real }) => isWithin(real, target, platform));
}

/**
 * The same for what a root forbids: by folded letters too, and by the identity of every folder above the target, which
 * no other spelling and no second mount of the same folder changes.
 */
export function mayBeInRoots(roots: readonly Root[], target: string, platform: Platform, disk: Disk): boolean {
  if (roots.some(({ real }) => mayBeWithin(real, target, platform))) return true;
  const identities = new Set(roots.flatMap(({ identity }) => identity ?? []));
  for (let at = target; ; at = platform.path.dirname(at)) {
    const identity = disk.identity(at);
    if (identity !== undefined && identities.has(identity)) return true;
    if (platform.path.dirname(at) === at) return false;
  }
}
