/**
 * What has to be done to a copy, as a difference of what is wanted, what is there and what an installer put there: a pure
 * function. A file is the installer's only with the bytes that it wrote; with others it is the user's.
 */
import type { State } from './copy.mts';

export type Action =
  | 'add' // it is not there
  | 'replace' // it is ours and old
  | 'same' // it is what is wanted
  | 'keep' // it was edited and stays
  | 'set-aside' // what is there goes to `.orig`, the new file comes
  | 'delete' // it is ours, and no longer wanted
  | 'leave' // it was ours, was edited, and is no longer wanted
  | 'blocked'; // the way to it leads out of the copy, or somebody else's file is in its place

export interface Step { readonly path: string; readonly action: Action }

export interface PlanRequest {
  /** Path to hash. */
  readonly wanted: ReadonlyMap<string, string>;
  readonly owned: ReadonlyMap<string, readonly string[]>;
  /** Of every path that is wanted or owned. */
  readonly states: ReadonlyMap<string, State>;
  /** What is in the way goes to `.orig`. */
  readonly force: boolean;
}

export function planCopy({ wanted, owned, states, force }: PlanRequest): Step[] {
  const steps = [...wanted].map(([path, hash]): Step => {
    const state = states.get(path) ?? { is: 'missing' };
    if (state.is === 'outside') return { path, action: 'blocked' };
    if (state.is === 'missing') return { path, action: 'add' };
    if (state.is === 'file' && state.sha256 === hash) return { path, action: 'same' };
    const hashes = owned.get(path);
    if (state.is === 'file' && hashes?.includes(state.sha256) === true) return { path, action: 'replace' };
    if (force) return { path, action: 'set-aside' };
    if (hashes === undefined) return { path, action: 'blocked' };
    // A record of names only cannot tell an edited file: nothing is lost, and the copy is whole.
    return { path, action: hashes.length === 0 ? 'set-aside' : 'keep' };
  });
  for (const [path, hashes] of owned) {
    if (wanted.has(path)) continue;
    const state = states.get(path) ?? { is: 'missing' };
    if (state.is === 'missing') continue;
    steps.push({ path, action: state.is === 'file' && hashes.includes(state.sha256) ? 'delete' : 'leave' });
  }
  return steps;
}

/** The paths that get this action. */
export function pathsOf(steps: readonly Step[], ...actions: Action[]): string[] {
  return steps.filter(({ action }) => actions.includes(action)).map(({ path }) => path);
}

/** Whether bringing the copy to what is wanted changes any file. */
export function changesFiles(steps: readonly Step[]): boolean {
  return pathsOf(steps, 'add', 'replace', 'set-aside', 'delete').length > 0;
}
