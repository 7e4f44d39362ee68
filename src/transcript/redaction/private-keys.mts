/**
 * Blocks of private keys: PEM, OpenSSH, PGP, SSH2. A block may lie in one string, with real or escaped line ends and
 * with what tools print before each line, or over several strings of a record.
 */
import type { Span } from './spans.mts';

const BEGIN = /-{4,5} ?BEGIN [A-Za-z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;
const END = /-{4,5} ?END [A-Za-z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;
const BLOCK_MAX = 32_768;
/** The longest stretch that an expression is given: one cannot go back over many millions of characters. */
const REACH = 1_000_000;
/**
 * A line of a key after what a tool put before it: numbers, diff signs, quotes; or a header of the block. A long line is
 * read from the first of its digits only: read from each of them, it would cost its square.
 */
const LINE = /(?:[\s"'`,+|>:\d→-]|\\{1,40}[nrt"'])*(?:(?:Proc-Type|DEK-Info|Comment|Version|Subject|Hash|Charset):[^\n\\"]{0,200}(?=[\n\\"]|$)|(?:(?<![\d+])[A-Za-z0-9+/]{12,}={0,2}|=?[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{1,11}={1,2})(?![\w+/=-]))/y;
const HAS_KEY = /[A-Za-z0-9+/]{24}/;
const REST = /^(?:[\s"'`,]|\\{1,40}[nr"'])*$/;

export interface KeyState {
  /** Positions of the marks already searched for, so that many beginnings without an end cost no more than one. */
  end: number;
  endFrom: number;
  /** Where the last block ended: what stands before it belongs to no other. */
  done: number;
  /** The text ends within a block. */
  open: boolean;
}

/** `hit` is at `VATE KEY` of a BEGIN or an END. */
export function findPrivateKey(text: string, hit: number, state: KeyState, spans: Span[]): number {
  const near = text.slice(Math.max(0, hit - 80), hit).lastIndexOf('----');
  if (near < 0) return hit + 1;
  const from = near + Math.max(0, hit - 80);
  const start = text.charCodeAt(from - 1) === 45 ? from - 1 : from;
  BEGIN.lastIndex = start;
  if (!BEGIN.test(text)) {
    END.lastIndex = start;
    if (END.test(text)) return tailOfBlock(text, start, END.lastIndex, state, spans);
    return hit + 1;
  }
  const body = BEGIN.lastIndex;
  const end = endOfBlock(text, body, state);
  if (end > 0) {
    if (!HAS_KEY.test(text.slice(body, end))) return body;
    spans.push({ start, end, kind: 'private-key', hashed: true });
    state.done = end;
    return end;
  }
  return cutBlock(text, start, body, state, spans);
}

/** The end of the block whose body begins at `body`, or -1 where there is none in reach. */
function endOfBlock(text: string, body: number, state: KeyState): number {
  if (state.endFrom < 0 || (state.end >= 0 && state.end < body)) {
    state.endFrom = body;
    state.end = findEnd(text, body);
  }
  const mark = state.end;
  if (mark < 0 || mark - body > BLOCK_MAX) return -1;
  // Another beginning before the end: that block has it.
  if (text.slice(body, mark).includes('BEGIN ')) return -1;
  END.lastIndex = mark;
  return END.test(text) ? END.lastIndex : -1;
}

function findEnd(text: string, from: number): number {
  for (let at = text.indexOf('END ', from); at >= 0; at = text.indexOf('END ', at + 4)) {
    for (const back of [6, 5, 4]) {
      END.lastIndex = Math.max(0, at - back);
      if (END.test(text)) return Math.max(0, at - back);
    }
  }
  return -1;
}

/** Where the lines of a key that begin at `from` end. */
function endOfLines(text: string, from: number): number {
  const near = text.length - from > REACH ? text.slice(from, from + REACH) : text;
  const first = near === text ? from : 0;
  let end = first;
  while (end - first < BLOCK_MAX) {
    LINE.lastIndex = end;
    if (!LINE.test(near)) break;
    end = LINE.lastIndex;
  }
  return from + end - first;
}

/** A block without an end: its lines as far as they go. */
function cutBlock(text: string, start: number, body: number, state: KeyState, spans: Span[]): number {
  const end = endOfLines(text, body);
  state.open = text.length - end < 100 && REST.test(text.slice(end));
  if (end > body || state.open) spans.push({ start, end, kind: 'private-key', hashed: end > body });
  state.done = end;
  return end;
}

/** An end without a beginning: the lines before it. */
function tailOfBlock(text: string, mark: number, end: number, state: KeyState, spans: Span[]): number {
  let from = mark;
  const first = Math.max(state.done, mark - BLOCK_MAX);
  while (from > first && /[\w+/=\s"'`,|>:→\\-]/.test(text.charAt(from - 1))) from--;
  const key = text.slice(from, mark).search(HAS_KEY);
  if (key >= 0) spans.push({ start: from + key, end, kind: 'private-key', hashed: true });
  state.done = end;
  return end;
}

/** Whether a string that follows the beginning of a block in its record is a line of it. */
export function isKeyLine(text: string): boolean {
  if (text.length > BLOCK_MAX) return false;
  const end = endOfLines(text, 0);
  return end > 0 && REST.test(text.slice(end));
}

/** Where a block that began in an earlier string ends in this one, or -1. */
export function endMark(text: string): number {
  if (!text.includes('PRIVATE KEY')) return -1;
  const at = findEnd(text, 0);
  if (at < 0) return -1;
  END.lastIndex = at;
  return END.test(text) ? END.lastIndex : -1;
}
