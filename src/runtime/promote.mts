/**
 * Promotion: the gate's verdict, written into one manifest. It is local and contacts nothing. The manifest before it stays
 * as manifest.json.bak, also where it was refused.
 */
import { acquire } from '../lib/fs/lock.mts';
import { HandoffError } from '../lib/errors.mts';
import { readText, replaceFile } from '../lib/fs/files.mts';
import { reseal, withSession, type ResealPlace } from '../capture/reseal.mts';
import { blockSha256, splitHandoff, legacyBlock } from '../store/evidence.mts';
import type { IndexRow } from '../store/index-file.mts';
import { sessionPaths, storePaths } from '../store/layout.mts';
import { dirOf } from '../store/lookup.mts';
import type { Manifest } from '../store/manifest.mts';
import { failedChecks, judge, NEVER_FORCED } from './gate.mts';

export interface Promoted {
  ok: true;
  action: 'promoted';
  session: string;
  gate: 'VERIFIED' | 'FORCED';
  promoted_at: string;
  revision: number;
}

const DEFAULT_BY = 'agents-handoff promote';

/** Throws REJECTED where the gate refuses and `force` does not help; HELD where the session, or 2.0.x, is at work. */
export function promoteSession(place: ResealPlace, row: IndexRow, options: { force: boolean; by: string | undefined }): Promise<Promoted> {
  return withSession(place, row, 'promote', async (lock, now) => {
    const paths = sessionPaths(dirOf(place.root, now));
    // 2.0.x excludes itself by this key; the file is ours for the time of the work.
    const older = acquire(storePaths(place.root).locks, `promote:${now.id}`, 'promote');
    try {
      const before = readText(paths.manifest);
      if (before !== undefined) replaceFile(`${paths.manifest}.bak`, before, lock.token);
      const gate = judge(place.root, now);
      const failed = failedChecks(gate);
      const overridden = failed.length > 0;
      if (overridden && (!options.force || failed.some((check) => NEVER_FORCED.includes(check)))) {
        const way = failed.some((check) => NEVER_FORCED.includes(check))
          ? 'damage cannot be overridden; `handoff verify` has the details'
          : 'add the evidence contract to HANDOFF.md, or pass --force to override deliberately';
        throw new HandoffError('REJECTED', `promote refused: evidence gate REJECTED (failed: ${failed.join(', ')}) — ${way}`, { data: { checks: gate.checks, details: gate.details } });
      }
      const promoted_at = new Date().toISOString();
      const word = overridden ? 'FORCED' as const : 'VERIFIED' as const;
      const block = blockSha256(blockOf(readText(paths.brief) ?? ''));
      await reseal(place, lock, now, (manifest) => stamped(manifest, {
        promoted_at, promoted_by: options.by ?? DEFAULT_BY, promoted_gate: word, promoted_revision: manifest.revisions,
        ...(block === undefined ? {} : { evidence_contract_sha256: block }),
      }), undefined);
      return { ok: true, action: 'promoted', session: now.uuid, gate: word, promoted_at, revision: now.revisions };
    } finally {
      older.release();
    }
  });
}

function blockOf(text: string): string {
  const { marker, block } = splitHandoff(text);
  return marker === 'none' ? legacyBlock(text) : block;
}

function stamped(manifest: Manifest, facts: Partial<Manifest>): Manifest {
  return Object.assign({ ...manifest }, facts);
}
