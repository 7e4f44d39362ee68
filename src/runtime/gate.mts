/**
 * The evidence gate: may a handoff be called verified? It judges the session as `verify` does, and the author's evidence
 * block as it stands. It reads only; docs/RUNTIME.md says what each check means.
 */
import { existsSync } from 'node:fs';
import { HandoffError } from '../lib/errors.mts';
import { readText } from '../lib/fs/files.mts';
import { checkSession } from '../store/checker.mts';
import { judgeContract } from '../store/evidence.mts';
import type { Finding, FindingId } from '../store/findings.mts';
import type { IndexRow } from '../store/index-file.mts';
import { sessionPaths } from '../store/layout.mts';
import { dirOf } from '../store/lookup.mts';

export const CHECKS = ['sha', 'counts', 'payload', 'contract', 'evidence'] as const;
export type Check = (typeof CHECKS)[number];

export interface Gate {
  ok: boolean;
  verdict: 'VERIFIED' | 'REJECTED';
  session: string;
  checks: Record<Check, 'PASS' | 'FAIL'>;
  details: Record<Check, string>;
  /** Present where a promotion is older than the last revision. */
  promoted?: string;
}

/** Which check a failure of `verify` belongs to. A broken chain is a timeline that is not what was sealed. */
const CHECK_OF: Partial<Record<FindingId, Check>> = {
  'manifest-unreadable': 'sha',
  'manifest-tampered': 'sha',
  'timeline-missing': 'counts',
  'timeline-length': 'counts',
  'turn-drift': 'counts',
  'line-ends': 'counts',
  'chain-broken': 'counts',
  'chain-segment': 'counts',
  'payload-missing': 'payload',
  'payload-differs': 'payload',
  'payload-unreadable': 'payload',
  'no-brief': 'payload',
};

/** Failures of these would be sealed by a promotion, so no word of a person overrides them. */
export const NEVER_FORCED: readonly Check[] = ['sha', 'counts'];

/** Throws CHANGING where the session changed under every reading, DAMAGED where it has no manifest. */
export function judge(root: string, row: IndexRow): Gate {
  mustHaveManifest(root, row);
  const { session, findings } = checkSession(root, row);
  const contract = judgeContract(readText(sessionPaths(dirOf(root, row)).brief) ?? '');
  const details: Record<Check, string> = {
    sha: 'the manifest agrees with its own hash',
    counts: 'the timeline is what the manifest says',
    payload: 'the payload is the one that was made',
    contract: contract.contract.ok ? 'all seven fields are there' : `missing: ${contract.contract.missing.join(', ')}`,
    evidence: contract.evidence.detail,
  };
  const checks: Gate['checks'] = {
    sha: 'PASS', counts: 'PASS', payload: 'PASS',
    contract: contract.contract.ok ? 'PASS' : 'FAIL',
    evidence: contract.evidence.ok ? 'PASS' : 'FAIL',
  };
  for (const check of ['sha', 'counts', 'payload'] as const) {
    const bad = findings.filter((finding) => finding.level === 'fail' && checkOf(finding) === check);
    if (bad.length === 0) continue;
    checks[check] = 'FAIL';
    details[check] = bad.map(({ text }) => text).join('; ');
  }
  const ok = CHECKS.every((check) => checks[check] === 'PASS');
  const old = findings.find(({ id }) => id === 'promotion-old')?.text;
  return { ok, verdict: ok ? 'VERIFIED' : 'REJECTED', session, checks, details, ...(old === undefined ? {} : { promoted: old }) };
}

/** A row may name what git, or a hand, has taken away: then there is nothing that could be judged. */
export function mustHaveManifest(root: string, row: IndexRow): void {
  const { manifest } = sessionPaths(dirOf(root, row));
  if (!existsSync(manifest)) throw new HandoffError('DAMAGED', `${row.project}/${row.id} is in INDEX.json and has no manifest.json; \`agents-handoff index\` takes the row out`);
}

/** A failure that no check names counts as damage: the gate fails closed. */
function checkOf({ id }: Finding): Check {
  return CHECK_OF[id] ?? 'counts';
}

export function failedChecks(gate: Gate): Check[] {
  return CHECKS.filter((check) => gate.checks[check] === 'FAIL');
}
