/** A source that was rewritten: its turns as the timeline has them, for comparing with what it says now. */
import type { SourceRow } from '../../store/manifest.mts';
import { readTurns } from '../../store/timeline.mts';
import type { Turn, TurnDraft } from '../../transcript/turn.mts';

export interface OldTurns {
  next(): Turn | undefined;
}

/**
 * The turns of the source `row` in its newest form, in order. A run covers the numbers from its own up to the line at
 * which the next run of the source begins, and never those of a run that another source opened.
 */
export function turnsOfSource(timeline: string, bytes: number, row: SourceRow, all: readonly SourceRow[]): OldTurns {
  const starts = all.flatMap((source) => (source.path === row.path && source.first_line_sha256 === row.first_line_sha256 ? [] : source.runs.map(([, seq]) => seq))).sort((a, b) => a - b);
  const spans = row.runs.map(([line, seq], at) => {
    const next = row.runs[at + 1]?.[0];
    const byLine = next === undefined ? Infinity : seq + next - line;
    return { from: at === 0 && seq === 0 ? -Infinity : seq, to: Math.min(byLine, starts.find((start) => start > seq) ?? Infinity) };
  });
  const turns = readTurns(timeline, bytes);
  return {
    next() {
      for (let step = turns.next(); step.done !== true; step = turns.next()) {
        const turn = step.value;
        if (turn.meta !== 'source-rewritten' && spans.some(({ from, to }) => turn.seq >= from && turn.seq < to)) return turn;
      }
      return undefined;
    },
  };
}

const COMPARED = ['class', 'ts', 'text', 'id', 'record', 'parent', 'kind', 'tool', 'call', 'ok', 'exit', 'side', 'meta'] as const;

/** Whether the source still reads as it did; undefined: it had no such turn. */
export function sameTurn(old: Turn | undefined, draft: TurnDraft): boolean {
  // The file of a kept output may be gone by now; the source does not read otherwise for that.
  if (old?.meta === 'kept-output' && draft.meta === 'kept-output') return old.call === draft.call;
  return old !== undefined && COMPARED.every((key) => old[key] === draft[key]);
}
