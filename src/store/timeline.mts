/** timeline.jsonl: one turn a line, append-only. Keys stand in one order; docs/FORMAT.md has the meaning of each. */
import fs from 'node:fs';
import { HandoffError } from '../lib/errors.mts';
import { openPlain } from '../lib/fs/files.mts';
import { readLines, type Line } from '../lib/fs/lines.mts';
import { TURN_CLASSES, type Turn, type TurnClass } from '../transcript/turn.mts';

/** A timeline's own lines are as long as what a client wrote, so there is no limit but the longest string. */
export const MAX_LINE = 512 * 1024 * 1024;

/** The turn as its line, without the line's end. */
export function timelineLine(turn: Turn): string {
  return JSON.stringify({
    seq: turn.seq,
    ts: turn.ts,
    class: turn.class,
    text: turn.text,
    part: turn.part === 0 ? undefined : turn.part,
    id: turn.id,
    record: turn.record,
    parent: turn.parent,
    kind: turn.kind,
    tool: turn.tool,
    call: turn.call,
    effect: turn.effect,
    ok: turn.ok,
    exit: turn.exit,
    side: turn.side,
    meta: turn.meta,
    from: turn.from,
  });
}

const CLASSES: ReadonlySet<string> = new Set(TURN_CLASSES);

const TEXTS = ['id', 'record', 'parent', 'kind', 'tool', 'call', 'effect', 'side', 'meta', 'from'] as const;

/**
 * The turn that a line holds; undefined where it holds none. Lines of 2.0.x have no more than seq, ts, class and text of ours:
 * another program's key that is called like one of ours says something else, and is passed over.
 */
export function parseTurn(line: string): Turn | undefined {
  let value: Partial<Turn> | null;
  try {
    value = JSON.parse(line) as Partial<Turn> | null;
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || typeof value.seq !== 'number' || typeof value.text !== 'string') return undefined;
  if (typeof value.ts !== 'string') value.ts = '';
  if (!CLASSES.has(value.class ?? '')) value.class = 'OTHER' satisfies TurnClass;
  for (const key of TEXTS) if (value[key] !== undefined && typeof value[key] !== 'string') delete value[key];
  if (value.part !== undefined && typeof value.part !== 'number') delete value.part;
  if (value.ok !== undefined && typeof value.ok !== 'boolean') delete value.ok;
  if (value.exit !== undefined && typeof value.exit !== 'number') delete value.exit;
  return value as Turn;
}

/**
 * The turns of a timeline up to byte `bytes` (from byte `from`, the start of a line), in order. Blank lines are passed over. Throws DAMAGED for a line
 * that is no turn, naming it: a render or an append over it would hide the damage.
 */
export function* readTurns(file: string, bytes: number, from = 0): Generator<Turn, void, undefined> {
  const fd = openPlain(file);
  try {
    const lines = readLines(fd, { from, to: bytes, maxLineBytes: MAX_LINE });
    let number = 0;
    for (let line: Line | undefined = lines.next(); line !== undefined; line = lines.next()) {
      number += 1;
      if (line.bytes.length === 0) continue;
      const turn = parseTurn(line.bytes.toString('utf8'));
      if (turn === undefined) throw new HandoffError('DAMAGED', `line ${number}${from > 0 ? ` past byte ${from}` : ''} of ${file} is not a turn; nothing was written`);
      yield turn;
    }
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Turns of the timeline as 2.0.x counts them: the pieces between LF or CRLF that are not empty. Feed it every byte.
 */
export function turnCounter(): { feed(chunk: Buffer): void; count(): number } {
  let turns = 0;
  let filled = false; // the piece at work holds something
  let cr = false; // the last byte was a CR that may belong to a line's end
  return {
    feed(chunk) {
      let at = 0;
      while (at < chunk.length) {
        const lf = chunk.indexOf(10, at);
        const end = lf < 0 ? chunk.length : lf;
        if (end > at) {
          if (cr) filled = true;
          cr = chunk[end - 1] === 13;
          if (end - at > (cr ? 1 : 0)) filled = true;
        }
        if (lf < 0) return;
        if (filled) turns += 1;
        filled = false;
        cr = false;
        at = lf + 1;
      }
    },
    count: () => turns + (filled || cr ? 1 : 0),
  };
}
