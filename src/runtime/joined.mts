/**
 * Two timelines as one, by the time of their turns. Only places in the files are held in memory, never the turns.
 */
import fs from 'node:fs';
import { HandoffError } from '../lib/errors.mts';
import { openPlain } from '../lib/fs/files.mts';
import { readLines, type Line } from '../lib/fs/lines.mts';
import { parseTurn } from '../store/timeline.mts';
import type { Turn } from '../transcript/turn.mts';

export interface TimelineFile {
  /** The session that it is of. */
  session: string;
  file: string;
  /** How much of it is committed. */
  bytes: number;
}

interface Piece {
  time: number;
  of: number;
  start: number;
  end: number;
}

export interface Joined {
  turns: number;
  /** The turns in their order, with their new numbers; may be asked for more than once. */
  read(): Generator<{ turn: Turn; line: string }, void, undefined>;
}

/**
 * Sorted by `ts`, and stable: turns of one moment keep their order, the first timeline's before the second's. A turn without
 * a time has that of the one before it; at the head of a timeline, that of the first that has one; a timeline without any
 * comes behind the other's end. Throws DAMAGED for a line that is no turn.
 */
export function joinTimelines(files: readonly TimelineFile[]): Joined {
  let pieces: Piece[] = [];
  for (const [of, file] of files.entries()) pieces = pieces.concat(timed(piecesOf(file, of), pieces.at(-1)?.time ?? -Infinity));
  // -Infinity less itself is no number.
  pieces.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  return {
    turns: pieces.length,
    *read() {
      const fds = files.map(({ file }) => openPlain(file));
      try {
        let seq = 0;
        for (const { of, start, end } of pieces) {
          const bytes = Buffer.allocUnsafe(end - start);
          if (fs.readSync(fds[of] as number, bytes, 0, bytes.length, start) < bytes.length) throw damaged(files[of] as TimelineFile, start);
          const turn = parseTurn(bytes.toString('utf8'));
          if (turn === undefined) throw damaged(files[of] as TimelineFile, start);
          seq += 1;
          yield { turn, line: numbered(turn, seq, (files[of] as TimelineFile).session) };
        }
      } finally {
        for (const fd of fds) fs.closeSync(fd);
      }
    },
  };
}

function piecesOf(timeline: TimelineFile, of: number): Piece[] {
  const pieces: Piece[] = [];
  const fd = openPlain(timeline.file);
  try {
    const lines = readLines(fd, { from: 0, to: timeline.bytes, maxLineBytes: Number.MAX_SAFE_INTEGER });
    for (let line: Line | undefined = lines.next(); line !== undefined; line = lines.next()) {
      if (line.bytes.length === 0) continue;
      const turn = parseTurn(line.bytes.toString('utf8'));
      if (turn === undefined) throw damaged(timeline, line.start);
      pieces.push({ time: timeOf(turn.ts), of, start: line.start, end: line.end });
    }
  } finally {
    fs.closeSync(fd);
  }
  return pieces;
}

function timed(pieces: Piece[], before: number): Piece[] {
  let last = pieces.find(({ time }) => !Number.isNaN(time))?.time ?? before;
  for (const piece of pieces) {
    if (Number.isNaN(piece.time)) piece.time = last;
    last = piece.time;
  }
  return pieces;
}

/** ms since 1970; NaN where it says none. Some clients write bare seconds or milliseconds. */
function timeOf(ts: string): number {
  if (/^\d{10}(?:\.\d+)?$/.test(ts)) return Number(ts) * 1000;
  if (/^\d{13}$/.test(ts)) return Number(ts);
  return Date.parse(ts);
}

/**
 * Every key that the line has stays, but for the order among the turns of one record, which the number tells now. `from`
 * tells whose the ids and calls are: two sessions may have the same, and hang on nothing of each other's.
 */
function numbered(turn: Turn, seq: number, session: string): string {
  const { seq: _old, ts, class: of, text, part: _part, ...rest } = turn;
  return JSON.stringify({ seq, ts, class: of, text, ...rest, from: turn.from ?? session });
}

function damaged({ file }: TimelineFile, at: number): HandoffError {
  return new HandoffError('DAMAGED', `the line at byte ${at} of ${file} is not a turn; nothing was written`);
}
