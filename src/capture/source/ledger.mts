/** What a revision knows of the whole timeline without reading it again: how many turns, of which classes, and the watermark. */
import { isSealed, type Manifest } from '../../store/manifest.mts';
import { readTurns } from '../../store/timeline.mts';
import type { Turn } from '../../transcript/turn.mts';

export interface Ledger {
  add(turn: Turn): void;
  readonly turns: number;
  readonly counts: Readonly<Record<string, number>>;
  /** The highest `seq`; -Infinity before the first turn. */
  readonly watermark: number;
  /** True once somebody said or did something: a record of nothing but a client's notes is no conversation. */
  readonly isConversation: boolean;
}

/** Where our seal covers the manifest its counts hold; what 2.0.x counted is counted again (its watermark may fall). */
export function openLedger(manifest: Manifest | undefined, timeline: { file: string; bytes: number }): Ledger {
  const counts: Record<string, number> = { USER: 0, AGENT: 0, THOUGHT: 0, TOOL: 0, OTHER: 0 };
  const ledger = {
    turns: 0,
    counts,
    watermark: -Infinity,
    add(turn: Turn) {
      ledger.turns += 1;
      counts[turn.class] = (counts[turn.class] ?? 0) + 1;
      if (turn.seq > ledger.watermark) ledger.watermark = turn.seq;
    },
    get isConversation() {
      return ledger.turns > (counts['OTHER'] ?? 0);
    },
  };
  if (manifest !== undefined && isSealed(manifest)) {
    ledger.turns = manifest.turn_count;
    ledger.watermark = manifest.watermark;
    Object.assign(counts, manifest.counts);
  } else if (timeline.bytes > 0) for (const turn of readTurns(timeline.file, timeline.bytes)) ledger.add(turn);
  return ledger;
}
