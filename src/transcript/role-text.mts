/**
 * Text with role markers: `user:`, `## Assistant:`, `tool>`. A line that opens with a marker opens a turn; what follows
 * belongs to it. An answer may hold lines that look like markers (`user: postgres`), so a line is text where
 * - a code fence is open;
 * - it is indented further than the file's first marker;
 * - the file's first marker has `#`s and this line has none;
 * - `::` or `://` follows the word;
 * - it is a bare lower-case `word: value` directly under a `key: value` line of a configuration, or, with a value of
 *   one word, directly under a line that ends with `:`.
 * Each of these looks only at lines above, so the turns of a prefix never change when the file grows.
 */
import type { TurnClass } from './turn.mts';

export interface RoleTurn {
  /** The number of its first line, as it was given. */
  line: number;
  class: TurnClass;
  text: string;
  /** False for what stands before the first marker, and for what goes on after `end()` was called. */
  openedByMarker: boolean;
}

export interface RoleReader {
  /** Takes the next line, without its line end; gives the turn that it closed. */
  line(text: string, lineNumber: number): RoleTurn | undefined;
  /**
   * Closes the open turn. Reading may go on: further lines without a marker are then a turn of the same class. So a
   * grown file is read by giving the captured lines again, calling `end()`, and taking turns from there.
   */
  end(): RoleTurn | undefined;
  /** Takes what was written behind a line that had no end yet when it was given: text, whatever it looks like. */
  rest(text: string, lineNumber: number): void;
}

const MARKER = /^([ \t]*)(#*)[ \t]*(user|human|assistant|ai|system|tool)[ \t]*([:>])(?!:|\/\/)[ \t]?/i;
const CLASSES: Record<string, TurnClass> = { user: 'USER', human: 'USER', assistant: 'AGENT', ai: 'AGENT', system: 'OTHER', tool: 'TOOL' };
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const SETTING = /^[a-z_][\w.-]{0,60}:(?: |$)/;
const ONE_WORD = /^(?:\S+|"[^"]*"|'[^']*')(?:[ \t]+#.*)?$/;
/** No marker and no fence is longer, so a line of many megabytes costs no more than its head. */
const HEAD = 400;

interface OpenTurn {
  line: number;
  class: TurnClass;
  openedByMarker: boolean;
  lines: string[];
}

export function createRoleReader(): RoleReader {
  let first: { indent: number; headed: boolean } | undefined;
  let fence = '';
  /** What the line above was, where that makes `word: value` a text. */
  let above: 'setting' | 'colon' | '' = '';
  let open: OpenTurn | undefined;
  let lastClass: TurnClass = 'OTHER';

  function markerOf(line: string): { class: TurnClass; rest: string } | undefined {
    const match = MARKER.exec(line.slice(0, HEAD));
    if (match === null) return undefined;
    const [whole, indent = '', hashes = '', name = '', sign] = match;
    const rest = line.slice(whole.length);
    if (first !== undefined && (indent.length > first.indent || (first.headed && hashes === ''))) return undefined;
    // Before the first marker an indented line is a piece of something else; a heading may have up to three blanks.
    if (first === undefined && indent.length > 3) return undefined;
    const bare = hashes === '' && sign === ':' && name === name.toLowerCase() && rest.trim() !== '';
    if (bare && (above === 'setting' || (above === 'colon' && ONE_WORD.test(rest.trim().slice(0, HEAD))))) return undefined;
    first ??= { indent: indent.length, headed: hashes !== '' };
    return { class: CLASSES[name.toLowerCase()] ?? 'OTHER', rest };
  }

  function close(): RoleTurn | undefined {
    const turn = open;
    open = undefined;
    // A file without any marker is no transcript: nothing of it is a turn.
    if (turn === undefined || first === undefined) return undefined;
    lastClass = turn.class;
    const text = withoutBlankEnds(turn.lines);
    return text === '' ? undefined : { line: turn.line, class: turn.class, text, openedByMarker: turn.openedByMarker };
  }

  return {
    line(given, lineNumber) {
      const line = clean(given, lineNumber);
      if (fence !== '' || FENCE.test(line.slice(0, HEAD))) {
        fence = fenceAfter(fence, line);
        above = '';
        add(line, lineNumber);
        return undefined;
      }
      const marker = markerOf(line);
      if (marker === undefined) {
        above = SETTING.test(line) ? 'setting' : line.trimEnd().endsWith(':') ? 'colon' : '';
        add(line, lineNumber);
        return undefined;
      }
      const closed = close();
      const opening = FENCE.exec(marker.rest.slice(0, HEAD));
      fence = opening === null ? '' : fenceAfter('', marker.rest);
      above = marker.rest.trimEnd().endsWith(':') ? 'colon' : '';
      open = { line: lineNumber, class: marker.class, openedByMarker: true, lines: [marker.rest] };
      return closed;
    },
    end: close,
    rest: add,
  };

  function add(line: string, lineNumber: number): void {
    if (open === undefined) {
      if (line.trim() === '') return;
      open = { line: lineNumber, class: lastClass, openedByMarker: false, lines: [] };
    }
    open.lines.push(line);
  }
}

/** The fence that is open after `line`; '' for none. A fence closes by its own sign, at least as long, alone on its line. */
function fenceAfter(fence: string, line: string): string {
  const match = FENCE.exec(line.slice(0, HEAD));
  if (match === null) return fence;
  const [, sign = '', rest = ''] = match;
  if (fence !== '') return sign.startsWith(fence) && rest.trim() === '' ? '' : fence;
  // `x` in three backticks on one line is a piece of text, not an opening.
  return sign.startsWith('`') && rest.includes('`') ? '' : sign;
}

function clean(line: string, lineNumber: number): string {
  const body = lineNumber <= 1 && line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
  return body.endsWith('\r') ? body.slice(0, -1) : body;
}

function withoutBlankEnds(lines: readonly string[]): string {
  let start = 0;
  let end = lines.length;
  while (start < end && lines[start]?.trim() === '') start++;
  while (end > start && lines[end - 1]?.trim() === '') end--;
  return lines.slice(start, end).join('\n');
}
