/**
 * Promotion: the gate's verdict, written into one manifest. It is local and contacts nothing. The manifest before it stays
 * as manifest.json.bak, also where it was refused.
 */
import { HandoffError } from '../lib/errors.mts';
import { readText, replaceFile } from '../lib/fs/files.mts';
import { refuseLinks } from '../capture/commit/base-line.mts';
import { reseal, withSession, type ResealPlace } from '../capture/reseal.mts';
import { blockSha256, CONTRACT_FIELDS, splitHandoff, legacyBlock } from '../store/evidence.mts';
import { NEW, type IndexRow } from '../store/index-file.mts';
import { sessionPaths } from '../store/layout.mts';
import { dirOf } from '../store/lookup.mts';
import { manifestForWriting, readManifest, type Manifest } from '../store/manifest.mts';
import { failedChecks, judge, mustHaveManifest, NEVER_FORCED, type Check, type Gate } from './gate.mts';
import { takeOlder } from './older-locks.mts';

export interface Promoted {
  ok: true;
  action: 'promoted';
  session: string;
  gate: 'VERIFIED' | 'FORCED';
  promoted_at: string;
  revision: number;
}

/** The word of 2.0.x, which scripts may look for. */
const DEFAULT_BY = 'agents-handoff L4 promote';

/** Throws REJECTED where the gate refuses and `force` does not help; HELD where the session, or 2.0.x, is at work. */
export async function promoteSession(place: ResealPlace, row: IndexRow, options: { force: boolean; by: string | undefined }): Promise<Promoted> {
  mustHaveManifest(place.root, row);
  return withSession(place, row, 'promote', async (lock, now) => {
    const paths = sessionPaths(dirOf(place.root, now));
    refuseLinks(paths);
    // 2.0.x excludes itself by this key; the file is ours for the time of the work.
    const older = takeOlder(place.root, 'promote', now.id);
    try {
      const read = readManifest(paths.manifest);
      // A later format's manifest is not written beside either; what does not agree with itself is for the gate to say.
      if (read.state === 'read' && read.sound) manifestForWriting(paths.manifest);
      const before = readText(paths.manifest);
      if (before !== undefined) replaceFile(`${paths.manifest}.bak`, before, NEW);
      const gate = judge(place.root, now);
      const failed = failedChecks(gate);
      const overridden = failed.length > 0;
      if (overridden && (!options.force || failed.some((check) => NEVER_FORCED.includes(check)))) {
        throw new HandoffError('REJECTED', `promote refused: ${refusal(gate, failed, now.id)}`, { data: { checks: gate.checks, details: gate.details } });
      }
      const promoted_at = new Date().toISOString();
      const word = overridden ? 'FORCED' as const : 'VERIFIED' as const;
      const block = blockSha256(blockOf(readText(paths.brief) ?? ''));
      const { revision } = await reseal(place, lock, now, (manifest) => stamped(manifest, {
        promoted_at, promoted_by: options.by ?? DEFAULT_BY, promoted_gate: word, promoted_revision: manifest.revisions,
        ...(block === undefined ? {} : { evidence_contract_sha256: block }),
      }), undefined);
      return { ok: true, action: 'promoted', session: now.uuid, gate: word, promoted_at, revision };
    } finally {
      older.release();
    }
  });
}

/** What failed, in the gate's own words, and what helps against just that. */
function refusal({ details }: Gate, failed: readonly Check[], id: string): string {
  // What stands there in a form that does not count is told with how it counts.
  const noContract = details.contract === `missing: ${CONTRACT_FIELDS.join(', ')}`;
  const told = failed.map((check) => (check === 'contract' && noContract ? check : `${check}: ${details[check]}`));
  return `evidence gate REJECTED (failed: ${told.join('; ')}) — ${way(failed, noContract, details.evidence, id)}`;
}

function way(failed: readonly Check[], noContract: boolean, evidence: string, id: string): string {
  if (failed.some((check) => NEVER_FORCED.includes(check))) return 'damage cannot be overridden; `handoff verify` has the details';
  const help: Partial<Record<Check, string>> = {
    payload: `make the payload with \`handoff render ${id}\``,
    contract: noContract ? 'add the evidence contract to HANDOFF.md' : 'add the missing fields to HANDOFF.md',
    evidence: `fill in ${evidence.startsWith('RESULT is empty') ? 'RESULT' : 'EVIDENCE'} in HANDOFF.md`,
  };
  return `${failed.map((check) => help[check]).join(', ')}, or pass --force to override deliberately`;
}

function blockOf(text: string): string {
  const { marker, block } = splitHandoff(text);
  return marker === 'none' ? legacyBlock(text) : block;
}

function stamped(manifest: Manifest, facts: Partial<Manifest>): Manifest {
  return Object.assign({ ...manifest }, facts);
}
