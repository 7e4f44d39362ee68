/** What a revision knows of the timeline as it passes: the turns go to the renders and are counted. */
import type { Turn } from '../transcript/turn.mts';

export interface Ledger {
  add(turn: Turn): void;
  readonly turns: number;
  readonly counts: Readonly<Record<string, number>>;
  /** The highest `seq`; -Infinity before the first turn. */
  readonly watermark: number;
  /** True once somebody said or did something: a record of nothing but a client's notes is no conversation. */
  readonly isConversation: boolean;
}

export function createLedger(render: (turn: Turn) => void): Ledger {
  const counts: Record<string, number> = { USER: 0, AGENT: 0, THOUGHT: 0, TOOL: 0, OTHER: 0 };
  const ledger = {
    turns: 0,
    counts,
    watermark: -Infinity,
    add(turn: Turn) {
      ledger.turns += 1;
      counts[turn.class] = (counts[turn.class] ?? 0) + 1;
      if (turn.seq > ledger.watermark) ledger.watermark = turn.seq;
      render(turn);
    },
    get isConversation() {
      return ledger.turns > (counts['OTHER'] ?? 0);
    },
  };
  return ledger;
}
