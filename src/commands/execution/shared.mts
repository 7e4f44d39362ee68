/** What the verbs of bounded execution have in common on the line and in what they print. */
import type { Outcome } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';

export const policyFlag = { policy: { type: 'value', value: '<file>', summary: 'the policy to judge by; else the permission-policy.json that is shipped' } } as const;

/** The answer is JSON in either form: on one line for scripts that read lines, indented with --json. */
export function answer(json: object, exit = 0): Outcome {
  return { json, text: JSON.stringify(json), exit };
}

/** A flag without which the verb has no meaning. */
export function needed<T>(value: T | undefined, verb: string, flag: string): T {
  if (value === undefined || value === '') throw new HandoffError('USAGE', `${verb} needs ${flag}`);
  return value;
}
