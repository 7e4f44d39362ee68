/** A source that was rewritten: its turns as the timeline has them, for comparing with what it says now. */
import type { SourceRow } from '../../store/manifest.mts';
import { readTurns } from '../../store/timeline.mts';
import type { Turn, TurnDraft } from '../../transcript/turn.mts';

export interface OldTurns {
  /** `at`: the turn's line in the timeline, from 0. */
  next(): { turn: Turn; at: number } | undefined;
}

/** The lines of the timeline that a source's newest form is made of, as pairs [from, to). */
export interface Form {
  readonly spans: [number, number][];
  add(at: number): void;
}

export function createForm(given: readonly [number, number][]): Form {
  const spans = given.map(([from, to]): [number, number] => [from, to]);
  return {
    spans,
    add(at) {
      const last = spans.at(-1);
      if (last?.[1] === at) last[1] += 1;
      else spans.push([at, at + 1]);
    },
  };
}

/** The turns of the source `row` in its newest form, in order. */
export function turnsOfSource(timeline: string, bytes: number, row: SourceRow, all: readonly SourceRow[]): OldTurns {
  const isOf = row.turns === undefined ? byNumbers(row, all) : byLines(row.turns);
  const turns = readTurns(timeline, bytes);
  let at = -1;
  return {
    next() {
      for (let step = turns.next(); step.done !== true; step = turns.next()) {
        at += 1;
        if (isOf(step.value, at)) return { turn: step.value, at };
      }
      return undefined;
    },
  };
}

type IsOf = (turn: Turn, at: number) => boolean;

/** Asked in the order of the timeline. */
function byLines(spans: readonly [number, number][]): IsOf {
  let span = 0;
  return (_turn, at) => {
    while (at >= (spans[span]?.[1] ?? Infinity)) span += 1;
    return at >= (spans[span]?.[0] ?? Infinity);
  };
}

/**
 * Where no lines are noted: a run covers the numbers from its own up to the line at which the next run of the source begins,
 * and never those of a run that another source opened.
 */
function byNumbers(row: SourceRow, all: readonly SourceRow[]): IsOf {
  const starts = all.flatMap((source) => (source.path === row.path && source.first_line_sha256 === row.first_line_sha256 ? [] : source.runs.map(([, seq]) => seq))).sort((a, b) => a - b);
  const spans = row.runs.map(([line, seq], at) => {
    const next = row.runs[at + 1]?.[0];
    const byLine = next === undefined ? Infinity : seq + next - line;
    return { from: at === 0 && seq === 0 ? -Infinity : seq, to: Math.min(byLine, starts.find((start) => start > seq) ?? Infinity) };
  });
  return (turn) => turn.meta !== 'source-rewritten' && spans.some(({ from, to }) => turn.seq >= from && turn.seq < to);
}

const COMPARED = ['class', 'ts', 'text', 'id', 'record', 'parent', 'kind', 'tool', 'call', 'ok', 'exit', 'side', 'meta'] as const;

export interface Comparison {
  /** The lines of the timeline that say what `draft` says; undefined where the source differs. `isEnd`: the source ends with it. */
  take(draft: TurnDraft, isEnd: boolean): readonly number[] | undefined;
  /** Whether the source said more than was compared. */
  hasMore(): boolean;
}

/**
 * Compares a source with its turns of old. A role-marked text (`isText`) may have been captured in the middle of a turn: then
 * that turn and what continued it are one here.
 */
export function createComparison(old: OldTurns, isText: boolean): Comparison {
  let ahead: { turn: Turn; at: number } | undefined;
  let isCut = false;
  const pieces = (): { turn: Turn; at: number }[] => {
    const first = ahead ?? old.next();
    ahead = undefined;
    if (first === undefined) return [];
    const found = [first];
    if (!isText) return found;
    for (ahead = old.next(); ahead?.turn.meta === 'continued'; ahead = old.next()) found.push(ahead);
    return found;
  };
  return {
    take(draft, isEnd) {
      const stood = pieces();
      const [first] = stood;
      if (first === undefined) return undefined;
      if (stood.length === 1 && sameTurn(first.turn, draft)) return [first.at];
      if (!isText || first.turn.class !== draft.class) return undefined;
      const said = bare(draft.text);
      let before = '';
      for (let count = 1; stood.length > 1 && count <= stood.length; count += 1) {
        before += bare(stood[count - 1]?.turn.text ?? '');
        if (before !== said || (count < stood.length && !isEnd)) continue;
        isCut = count < stood.length;
        return stood.slice(0, count).map(({ at }) => at);
      }
      return undefined;
    },
    hasMore: () => isCut || ahead !== undefined || old.next() !== undefined,
  };
}

/** Blanks at the borders of pieces were not kept. */
function bare(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Whether the source still reads as it did. */
function sameTurn(old: Turn, draft: TurnDraft): boolean {
  // The file of a kept output may be gone by now; the source does not read otherwise for that.
  if (old.meta === 'kept-output' && draft.meta === 'kept-output') return old.call === draft.call;
  return COMPARED.every((key) => old[key] === draft[key]);
}
