/** What a failed result says of the call itself: that it was not let run, or that a person stopped it while it ran. */
import { safeToRepeat } from './pending.mts';
import { head, tail } from './text.mts';
import type { CallSays } from './calls.mts';
import type { Effect, Turn } from '../transcript/turn.mts';

const REFUSED = /^(?:The user (?:doesn['’]t want to|rejected permission|dismissed|has specified a rule)|User (?:rejected|declined|refused)|Permission to use|Tool use (?:was )?rejected|(?:exec command|patch) rejected by user|rejected by user|Claude requested permissions? to |This (?:Bash )?command (?:requires approval|contains multiple operations\. The following parts? requires? approval))/i;
/** A call that the person stopped while it ran: the client closed it, and nothing tells what it had done by then. */
const STOPPED = /^(?:Wall time:? [^\n]{0,80}\n)?aborted by user/;
const STOPPED_AT_ITS_END = /\n+Command aborted\s*$/;
/** Of Claude Code: it says this of a call that was not let run, and, where its record tells no more, of one that was stopped while it ran. */
const UNWANTED = /^The user doesn['’]t want to proceed with this tool use\./;

/** A person (or a rule) did not let the call run. */
export function isRefusal(turn: Turn): boolean {
  return turn.meta === 'refused' || turn.meta === 'cancelled' || REFUSED.test(head(turn.text, 120));
}

/** Whether the person stopped the call while it ran; `perhaps` where the record would say the same of one that never ran. */
export function howStopped(turn: Turn, says: CallSays, effect: Effect | undefined): 'surely' | 'perhaps' | undefined {
  const start = head(turn.text, 1_000);
  if (STOPPED.test(start) || STOPPED_AT_ITS_END.test(tail(turn.text, 40))) return 'surely';
  if (turn.meta === 'refused' || (turn.meta !== 'cancelled' && !UNWANTED.test(start))) return undefined;
  if (start.includes('this call was stopped while running')) return 'surely';
  // A refusal with words, or of an edit, is told for what it is; a read does no harm.
  const isPlain = /the user said|did not allow|declined|\bdenied\b/i.test(start) || says.changes.length > 0 || says.kind === 'ask' || safeToRepeat(effect);
  return isPlain ? undefined : 'perhaps';
}
