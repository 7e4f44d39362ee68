/** What a probe is given and what it answers. */
import path from 'node:path';
import type { Capability } from './declared.mts';

export type Verdict = 'healthy' | 'unhealthy' | 'unknown';

export interface Finding {
  readonly verdict: Verdict;
  /** One sentence: what was seen that gave the verdict. */
  readonly evidence: string;
}

/** Where probes look. */
export interface Ground {
  /** The registry's folder: relative targets and commands begin there. */
  readonly folder: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The running node. */
  readonly node: string;
  /** Runs when a signal ends this program; gives the function that takes it back. */
  onSignal(undo: () => void): () => void;
}

/** Looks once. `limitMs` is its own time; whoever calls it gives up a little later. */
export type Probe = (capability: Capability & { readonly target: string }, ground: Ground, limitMs: number) => Promise<Finding>;

/** The path that a target means: from the registry's folder, or from the current one where it begins with `<cwd>`. */
export function pathOf(target: string, { folder, cwd }: Pick<Ground, 'folder' | 'cwd'>): string {
  const below = /^<cwd>(?:[\\/](.*))?$/s.exec(target);
  return below === null ? path.resolve(folder, target) : path.resolve(cwd, below[1] ?? '');
}

export const healthy = (evidence: string): Finding => ({ verdict: 'healthy', evidence });
export const unhealthy = (evidence: string): Finding => ({ verdict: 'unhealthy', evidence });
export const unknown = (evidence: string): Finding => ({ verdict: 'unknown', evidence });
