/**
 * The evidence gate: may a handoff be called verified? It judges the session as `verify` does, and the author's evidence
 * block as it stands. It reads only; docs/RUNTIME.md says what each check means.
 */
import { HandoffError } from '../lib/errors.mts';
import { readText } from '../lib/fs/files.mts';
import { checkWhereItLies } from '../store/checker.mts';
import { judgeContract } from '../store/evidence.mts';
import type { Finding, FindingId } from '../store/findings.mts';
import type { IndexRow } from '../store/index-file.mts';
import { sessionPaths } from '../store/layout.mts';
import { dirOf, hasManifest, whereNow } from '../store/lookup.mts';

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
  'seal-newer': 'sha',
  'timeline-missing': 'counts',
  'timeline-length': 'counts',
  'turn-drift': 'counts',
  'line-ends': 'counts',
  'chain-broken': 'counts',
  'chain-segment': 'counts',
  'chain-length': 'counts',
  'payload-missing': 'payload',
  'payload-differs': 'payload',
  'payload-unreadable': 'payload',
  'no-brief': 'payload',
};

/** Failures of these would be sealed by a promotion, so no word of a person overrides them. */
export const NEVER_FORCED: readonly Check[] = ['sha', 'counts'];

/** Throws CHANGING where the session changed under every reading, and what mustHaveManifest throws. */
export function judge(root: string, row: IndexRow): Gate {
  const { row: now, checked: { session, findings } } = checkWhereItLies(root, mustHaveManifest(root, row));
  const brief = readText(sessionPaths(dirOf(root, now)).brief);
  const contract = judgeContract(brief ?? '');
  // Of a session that was never rendered the payload's own finding says it.
  const lost = brief === undefined && !findings.some(({ id }) => id === 'no-brief');
  const details: Record<Check, string> = {
    sha: 'the manifest agrees with its own hash',
    counts: 'the timeline is what the manifest says',
    payload: 'the payload is the one that was made',
    contract: contract.contract.ok ? 'all seven fields are there' : lost ? `there is no HANDOFF.md; \`handoff render ${now.id}\` makes it` : missingText(contract.contract),
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
  // What was not looked at did not pass.
  const unread = findings.some(({ id }) => id === 'manifest-unreadable') ? 'the manifest cannot be read' : findings.some(({ id }) => id === 'seal-newer') ? 'the seal cannot be read' : undefined;
  if (unread !== undefined) {
    for (const check of ['counts', 'payload'] as const) {
      checks[check] = 'FAIL';
      details[check] = `not known while ${unread}`;
    }
  }
  const ok = CHECKS.every((check) => checks[check] === 'PASS');
  const old = findings.find(({ id }) => id === 'promotion-old')?.text;
  return { ok, verdict: ok ? 'VERIFIED' : 'REJECTED', session, checks, details, ...(old === undefined ? {} : { promoted: old }) };
}

function missingText({ missing, misplaced }: ReturnType<typeof judgeContract>['contract']): string {
  const how = misplaced ? ' (a field counts at the start of a line, in capitals, outside fences and quotations)' : '';
  return `missing: ${missing.join(', ')}${how}`;
}

/**
 * The session's row where it lies now: it may have moved. A row may also name what git, or a hand, has taken away: then
 * there is nothing that could be judged. Throws DAMAGED then, NO_MATCH where the row is gone too.
 */
export function mustHaveManifest(root: string, row: IndexRow): IndexRow {
  const now = whereNow(root, row);
  if (now === undefined) throw new HandoffError('NO_MATCH', `${row.id} is not there any more`);
  if (!hasManifest(root, now)) throw new HandoffError('DAMAGED', `${now.project}/${now.id} is in INDEX.json and has no manifest.json; \`agents-handoff index\` takes the row out`);
  return now;
}

/** A failure that no check names counts as damage: the gate fails closed. */
function checkOf({ id }: Finding): Check {
  return CHECK_OF[id] ?? 'counts';
}

/** The checks that failed, in the order in which they are told. */
export function failedChecks(gate: Gate): Check[] {
  return CHECKS.filter((check) => gate.checks[check] === 'FAIL');
}
