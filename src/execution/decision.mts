/** The verdict on an operation: a pure function of its risk, of where its target lies, and of the policy. */
import type { Classification, Classified } from './classify.mts';
import type { Policy } from './policy-shape.mts';

export type Verdict = 'ALLOWED' | 'DENIED' | 'NEEDS_AUTH';

export interface Decision {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly risk: string;
  /** The level that the policy gives this risk; null where it gives none. */
  readonly level: string | null;
  readonly classification: Classification;
}

export const EXIT_OF: Readonly<Record<Verdict, number>> = { ALLOWED: 0, DENIED: 3, NEEDS_AUTH: 4 };

/** Levels that read only: a system path is open to them too. */
const READING = ['DISCOVERY_ONLY', 'READ_ONLY'];

/** `op` is what is to be done; `evaluate` where nothing is. */
export function decide(op: string, risk: string, { classification, trouble }: Pick<Classified, 'classification' | 'trouble'>, policy: Policy): Decision {
  // hasOwn: `constructor` is a risk that somebody may ask for.
  const level = Object.hasOwn(policy.risk_to_level, risk) ? policy.risk_to_level[risk] ?? null : null;
  const grant = level !== null && Object.hasOwn(policy.grants, level) ? policy.grants[level] : undefined;
  const say = (verdict: Verdict, reason: string): Decision => ({ verdict, reason, risk, level, classification });

  if (trouble !== undefined) return say('DENIED', `the target ${trouble}`);
  if (classification === 'DENIED_ROOT') return say('DENIED', 'the target is in a denied root');
  if (classification === 'PERSONAL_DATA_PATH') return say('DENIED', 'the target is personal data');
  if (level === null) return say('DENIED', `the policy has no risk ${risk}`);
  if (grant === undefined) return say('DENIED', `the policy grants ${level} nothing`);
  const reading = READING.includes(level);
  if (op === 'spawn' && (reading || risk === 'R0')) return say('DENIED', `a process can write, and ${risk} is for reading`);
  const where = reading ? 'workspaces and system paths' : 'workspaces';
  if (classification !== 'APPROVED_WORKSPACE' && !(reading && classification === 'SYSTEM_PATH')) return say('DENIED', `${level} is for ${where} only`);
  if (grant === 'allow') return say('ALLOWED', `${level} is allowed in ${where}`);
  if (grant === 'needs_auth') return say('NEEDS_AUTH', `${level} needs a person's authorization`);
  return say('DENIED', `the policy's grant for ${level} is ${JSON.stringify(grant)}`);
}
