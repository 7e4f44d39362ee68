/** Where a target lies, by its real path; the first class that fits. */
import type { Disk } from './disk.mts';
import { trouble, type Platform } from './platform.mts';
import { resolveReal } from './resolve.mts';
import { inRoots, mayBeInRoots, type Roots } from './roots.mts';

export type Classification = 'DENIED_ROOT' | 'APPROVED_WORKSPACE' | 'PERSONAL_DATA_PATH' | 'SYSTEM_PATH' | 'EXTERNAL_PATH';

export interface Classified {
  readonly classification: Classification;
  /** The real path that was judged; undefined where the name itself was refused and never looked up. */
  readonly real: string | undefined;
  /** What stood at that path when it was judged; undefined where nothing did. */
  readonly identity: string | undefined;
  /** Why the name is refused whatever the policy says. */
  readonly trouble?: string;
}

export interface Ground {
  /** What a relative target is relative to. */
  readonly repo: string;
  readonly roots: Roots;
  readonly disk: Disk;
  readonly platform: Platform;
}

/** Never throws for a target, however odd. */
export function classify(target: string, { repo, roots, disk, platform }: Ground): Classified {
  const refused = (why: string): Classified => ({ classification: 'EXTERNAL_PATH', real: undefined, identity: undefined, trouble: why });
  const named = trouble(target, platform);
  if (named !== undefined) return refused(named);
  let real: string;
  try {
    real = resolveReal(target, repo, disk, platform).real;
  } catch (error) {
    return refused(`cannot be looked at: ${(error as Error).message}`);
  }
  return { classification: classOf(real, roots, disk, platform), real, identity: disk.identity(real) };
}

function classOf(real: string, roots: Roots, disk: Disk, platform: Platform): Classification {
  if (mayBeInRoots(roots.denied_roots, real, platform, disk)) return 'DENIED_ROOT';
  if (inRoots([roots.state, ...roots.approved_workspaces], real, platform)) return 'APPROVED_WORKSPACE';
  if (mayBeInRoots(roots.personal_data_roots, real, platform, disk)) return 'PERSONAL_DATA_PATH';
  return inRoots(roots.system_read_only_roots, real, platform) ? 'SYSTEM_PATH' : 'EXTERNAL_PATH';
}
