/**
 * Running totals of tokens, as a client reports them while it works. A client that is started again may begin at
 * zero: a total below the one before it opens a new run, and the runs add up. Plain data, so that a build can go on
 * from where the one before it stopped.
 */
import type { Tokens } from './turn.mts';

export interface RunningTotal {
  /** The ends of the runs before this one, added up. */
  before: Tokens;
  last: Tokens;
}

const KINDS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const;

/** The state after the client reported `tokens`; `state` is absent before the first report. */
export function addTotal(state: RunningTotal | undefined, tokens: Tokens): RunningTotal {
  if (state === undefined) return { before: {}, last: tokens };
  const anew = (tokens.output ?? 0) < (state.last.output ?? 0);
  return { before: anew ? totalOf(state) : state.before, last: tokens };
}

/** All runs together; a kind that no report named is absent. */
export function totalOf(state: RunningTotal): Tokens {
  return plus(state.before, state.last);
}

function plus(a: Tokens, b: Tokens): Tokens {
  const sum: Tokens = {};
  for (const kind of KINDS) {
    const one = a[kind];
    const other = b[kind];
    if (one !== undefined || other !== undefined) sum[kind] = (one ?? 0) + (other ?? 0);
  }
  return sum;
}
