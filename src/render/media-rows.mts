/**
 * Pictures and other blocks whose bytes stayed in the transcript. An adapter leaves a line in a turn's text in their place
 * (transcript/media.mts), with their hash: one that is shown again and again is one row.
 */
import type { MediaRow } from './digest.mts';
import { own } from './text.mts';
import type { Turn } from '../transcript/turn.mts';

export interface MediaRows {
  look(turn: Turn): void;
  rows(): MediaRow[];
  /** Lines whose blocks are in no row. */
  readonly left: number;
}

const SIGN = ' bytes sha256:';
const BLOCK = /\[([\w.+/-]{1,100}) ([\w.+/-]{1,100}) (\d{1,15}) bytes sha256:([0-9a-f]{64})\]/g;
const MOST = 100;
/** What a tool printed is looked at whole up to this length; longer texts have the line as their first or last word, or not at all. */
const SHORT = 4_096;

export function createMediaRows(): MediaRows {
  const found = new Map<string, MediaRow>();
  let left = 0;
  return {
    look({ class: name, text, seq }) {
      const may = name === 'USER' || text.length < SHORT || text.charCodeAt(0) === OPEN || text.charCodeAt(text.length - 1) === CLOSE;
      if (!may || !text.includes(SIGN)) return;
      for (const [, kind = '', type = '', bytes = '', sha256 = ''] of text.matchAll(BLOCK)) {
        const row = found.get(sha256);
        if (row !== undefined) row.times += 1;
        else if (found.size >= MOST) left += 1;
        else found.set(own(sha256), { seq, kind: own(kind), type: own(type), bytes: Number(bytes), sha256: own(sha256), times: 1 });
      }
    },
    rows: () => [...found.values()],
    get left() {
      return left;
    },
  };
}

const OPEN = 91;
const CLOSE = 93;
