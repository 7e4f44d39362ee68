/** What the verbs of bounded execution have in common on the line and in what they print. */
import { answer } from '../../lib/cli/answer.mts';
import type { Outcome } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { counted } from '../../lib/plural.mts';
import { shellWord } from '../../lib/shell-word.mts';
import type { JobEnd } from '../../execution/job.mts';

export const policyFlag = { policy: { type: 'value', value: '<file>', summary: 'the policy to judge by; else the permission-policy.json that is shipped' } } as const;

/** A flag without which the verb has no meaning. */
export function needed<T>(value: T | undefined, verb: string, flag: string): T {
  if (value === undefined || value === '') throw new HandoffError('USAGE', `${verb} needs ${flag}`);
  return value;
}

/** The value where it is a whole number in these bounds, both included. Throws USAGE. */
export function wholeNumber(value: number, flag: string, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new HandoffError('USAGE', `${flag} needs a whole number ${least > most ? 'that this job has no room for' : `from ${least} to ${most}`}, not ${value}`);
}

/** A kill by a signal is 128 and its number. */
const EXIT_KILLED = 137;

/** What a slice of a job came to, for `job` and `resume`. */
export function tellJob(end: JobEnd): Outcome {
  const { seq, steps_total, session, ledger } = end.checkpoint;
  if (end.end === 'completed' && end.before) return answer({ session, already_completed: true, seq, steps_total });
  if (end.end === 'completed') return answer({ session, completed: true, steps: steps_total, seq, work_log: end.log, ledger: { steps: ledger.steps, ms: ledger.ms, slices: ledger.slices.length } });
  if (end.end === 'killed') return answer({ session, killed_at_step: end.step, checkpoint_seq: seq, note: `${counted(seq, 'step is', 'steps are')} durable; resume goes on with step ${end.step}` }, EXIT_KILLED);
  const { step, waiting: { cause, reason, mayHaveActed }, asks } = end;
  const resume = `resume --session ${shellWord(session)}`;
  const next = asks || mayHaveActed === true ? `${resume} --approve ${step}` : resume;
  return answer({ session, paused: true, step, cause, reason, seq, steps_total, next }, asks ? 4 : cause === 'denied' ? 3 : 1);
}
