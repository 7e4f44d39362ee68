/** What a JSON document is, from its first bytes: the value as far as it is whole there. */
import type { Json } from '../../turn.mts';

/** A document says what it is in its first items; a whole file may stand on one line. */
const LOOK = 256 * 1024;

/** Whether all the words stand in the beginning: a cheap look before the text is parsed. */
export function holds(text: string, ...words: string[]): boolean {
  const head = text.length > LOOK ? text.slice(0, LOOK) : text;
  return words.every((word) => head.includes(word));
}

/**
 * The document that begins with `text`, cut behind its last whole value and closed. Undefined where it is none: no
 * object or list, JSON lines, or no JSON at all. Never throws; its time grows with the text's length only.
 */
export function documentHead(text: string): Json | undefined {
  const head = text.slice(0, LOOK).trimStart();
  if (!/^(?:\{\s*"|\[\s*\{)/.test(head) || isLines(head)) return undefined;
  if (text.length <= LOOK) {
    const value = parsed(head);
    if (value !== undefined) return value;
  }
  return parsed(closed(head));
}

/** A first line that is a whole record, with another one behind it. */
function isLines(head: string): boolean {
  const end = head.indexOf('\n');
  return head[0] === '{' && end >= 0 && /\}[ \t\r]*$/.test(head.slice(Math.max(0, end - 80), end)) && /^\s*\{/.test(head.slice(end, end + 200));
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The text up to its last whole value, with what is still open there closed. */
function closed(head: string): string {
  const sign = /["{}[\],]/g;
  const open: string[] = [];
  let end = 0;
  for (let match = sign.exec(head); match !== null; match = sign.exec(head)) {
    const at = match.index;
    switch (match[0]) {
      case '"':
        sign.lastIndex = stringEnd(head, at);
        continue;
      case '{':
      case '[':
        open.push(match[0] === '{' ? '}' : ']');
        end = at + 1;
        continue;
      case ',':
        end = at;
        continue;
      default:
        open.pop();
        end = at + 1;
        if (open.length === 0) return head.slice(0, end);
    }
  }
  return head.slice(0, end) + open.reverse().join('');
}

/** Behind the quote that ends the string which begins at `start`; the end of the text where it is cut. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}
