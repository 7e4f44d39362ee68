/**
 * The numbers of new turns. `seq` follows the line of the source, so that every turn can be traced; (`seq`, `part`) is
 * unique in a session whatever a source says of itself.
 */
import type { TurnDraft } from '../../transcript/turn.mts';

export interface NumberingOptions {
  /** The source's pairs [line, seq] so far; grows. */
  runs: [number, number][];
  /** The highest `seq` in the timeline; -Infinity where it is empty. */
  watermark: number;
  /** A source beside another: its own numbers at or below the watermark are not taken. */
  beside: boolean;
  /** How many turns the timeline has with each `seq`; asked only where a source's own numbers run back. */
  usedParts: () => Map<number, number>;
}

export interface Numbering {
  /** Gives undefined for a turn that comes too late. `line` is the record's line in the source. */
  number(draft: TurnDraft, line: number): { seq: number; part: number } | undefined;
  /** A turn was written with this number by other means. */
  raise(seq: number): void;
  readonly late: number;
}

export function createNumbering({ runs, watermark: start, beside, usedParts }: NumberingOptions): Numbering {
  let watermark = start;
  let used: Map<number, number> | undefined;
  let late = 0;
  let last: { line: number; own: number | undefined; seq: number; part: number } | undefined;

  const byLine = (line: number): number => {
    let run = runs.findLast(([from]) => from <= line) ?? [0, 0];
    if (run[1] + line - run[0] <= watermark) {
      run = [line, watermark + 1];
      runs.push(run);
    }
    return run[1] + line - run[0];
  };
  const firstPart = (seq: number): number => {
    if (seq > watermark) return 0;
    used ??= new Map(usedParts());
    return used.get(seq) ?? 0;
  };

  return {
    number(draft, line) {
      const own = draft.seq;
      if (last !== undefined && last.own === own && (own !== undefined || last.line === line)) {
        last = { ...last, line, part: last.part + 1 };
      } else {
        if (own !== undefined && beside && own <= start) {
          late += 1;
          return undefined;
        }
        const seq = own ?? byLine(line);
        last = { line, own, seq, part: firstPart(seq) };
      }
      used?.set(last.seq, last.part + 1);
      watermark = Math.max(watermark, last.seq);
      return { seq: last.seq, part: last.part };
    },
    raise(seq) {
      watermark = Math.max(watermark, seq);
      last = undefined;
    },
    get late() {
      return late;
    },
  };
}
