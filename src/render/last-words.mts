/** What the agent said last: on the branch that the session stands on, not on one that was taken back. */
import { own, tail } from './text.mts';
import type { Turn } from '../transcript/turn.mts';

/** How much of its end a reader is shown. */
export const STATE_LENGTH = 1_200;
/** Prompts behind which the last words are kept. */
const KEPT = 200;

export interface Words {
  seq: number;
  /** The end of a long text, else all of it. */
  text: string;
  length: number;
  id: string | undefined;
  part: number | undefined;
}

export interface LastWords {
  /** `user`: the number of the prompt that they stand behind. */
  said(turn: Turn, user: number): void;
  /** The source gave a turn again with another text. */
  again(turn: Turn): void;
  /** The last ones on a branch that stands. */
  last(abandoned: (user: number) => boolean): Words | undefined;
}

export function createLastWords(): LastWords {
  const kept = new Map<number, Words>();
  let latest: Words | undefined;
  return {
    said(turn, user) {
      latest = wordsOf(turn);
      // Taken out and put back, so that the order is that of the last word.
      kept.delete(user);
      kept.set(user, latest);
      if (kept.size <= KEPT) return;
      for (const oldest of kept.keys()) {
        kept.delete(oldest);
        break;
      }
    },
    again(turn) {
      if (latest !== undefined && latest.id === turn.id && latest.part === turn.part) Object.assign(latest, wordsOf(turn));
    },
    last(abandoned) {
      return [...kept].findLast(([user]) => !abandoned(user))?.[1];
    },
  };
}

function wordsOf(turn: Turn): Words {
  const text = turn.text.length > 4 * STATE_LENGTH ? own(tail(turn.text, STATE_LENGTH)) : turn.text;
  return { seq: turn.seq, text, length: turn.text.length, id: turn.id, part: turn.part };
}
