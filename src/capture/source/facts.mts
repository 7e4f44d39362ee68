/** What a source's records say of their session, brought together. */
import type { SessionFacts } from '../../transcript/turn.mts';

/** What of a sink takes nothing, where only facts are asked for. */
export const DEAF = { turn: () => {}, usage: () => {}, usageTotal: () => {}, unknown: () => {} };

const LAST_WINS: ReadonlySet<keyof SessionFacts> = new Set(['model', 'branch', 'commit', 'title']);

/** Model, branch, commit and title follow the session; of everything else the first word stands. */
export function mergeFacts(into: SessionFacts, facts: SessionFacts): void {
  for (const name in facts) {
    const key = name as keyof SessionFacts;
    const value = facts[key] as never;
    if (value === undefined || value === '') continue;
    if (into[key] === undefined || LAST_WINS.has(key)) into[key] = value;
  }
}
