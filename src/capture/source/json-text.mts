/**
 * Two questions about a line that JSON.parse refuses: does it only end too early (the client is still writing it),
 * and which whole records does it hold (a cut line before it, two records glued, a run of NUL bytes)?
 */
import type { JsonObject } from '../../transcript/turn.mts';

const BLANK = new Set([' ', '\t', '\n', '\r']);

/**
 * True where `text` is the beginning of some JSON document: nothing in it is wrong, it only stops.
 * One pass, no recursion; the text may be hundreds of megabytes.
 */
export function isUnfinishedJson(text: string): boolean {
  const open: string[] = [];
  let wants: 'value' | 'key' | 'colon' | 'next' | 'first' = 'value'; // `first`: a key or value, or the closing bracket
  let at = 0;
  for (; at < text.length;) {
    const sign = text[at] as string;
    if (BLANK.has(sign)) {
      at += 1;
      continue;
    }
    if (wants === 'colon') {
      if (sign !== ':') return false;
      wants = 'value';
      at += 1;
      continue;
    }
    if (wants === 'next' || wants === 'first') {
      const container = open.at(-1);
      if (sign === (container === '{' ? '}' : ']') && container !== undefined) {
        open.pop();
        if (open.length === 0) return false; // a whole document; what follows is another matter
        wants = 'next';
        at += 1;
        continue;
      }
      if (wants === 'next') {
        if (sign !== ',') return false;
        wants = container === '{' ? 'key' : 'value';
        at += 1;
        continue;
      }
      wants = container === '{' ? 'key' : 'value';
      continue;
    }
    if (sign === '"') {
      const end = stringEnd(text, at);
      if (end === 'cut') return true;
      if (end === 'wrong') return false;
      at = end;
      wants = wants === 'key' ? 'colon' : 'next';
      continue;
    }
    if (wants === 'key') return false;
    if (sign === '{' || sign === '[') {
      open.push(sign);
      wants = 'first';
      at += 1;
      continue;
    }
    const word = /[-+.\w]*/y;
    word.lastIndex = at;
    const found = word.exec(text)?.[0] ?? '';
    if (found === '') return false;
    at += found.length;
    if (at === text.length) return ['true', 'false', 'null'].some((name) => name.startsWith(found)) || /^-?\d*(\.\d*)?([eE][-+]?\d*)?$/.test(found);
    if (!['true', 'false', 'null'].includes(found) && !/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(found)) return false;
    if (open.length === 0) return false;
    wants = 'next';
  }
  return open.length > 0;
}

/** Where a string ends; `cut` where the text stops inside it, `wrong` where a raw control character stands in it. */
function stringEnd(text: string, start: number): number | 'cut' | 'wrong' {
  const stop = /["\\\u0000-\u001f]/g;
  stop.lastIndex = start + 1;
  for (let hit = stop.exec(text); hit !== null; hit = stop.exec(text)) {
    if (hit[0] === '"') return hit.index + 1;
    if (hit[0] !== '\\') return 'wrong';
    stop.lastIndex = hit.index + 2;
    if (hit.index + 1 >= text.length) return 'cut';
  }
  return 'cut';
}

/** Attempts at one line; a line of a hostile file must not be tried at each of its brackets. */
const MOST_TRIES = 200;

/** The whole records in a damaged line, in order: objects that parse and that `accept` takes for a record. */
export function salvage(text: string, accept: (record: JsonObject) => boolean): JsonObject[] {
  const found: JsonObject[] = [];
  let tries = 0;
  for (let at = text.indexOf('{"'); at >= 0 && tries < MOST_TRIES; tries += 1) {
    const end = objectEnd(text, at);
    const record = end === undefined ? undefined : parseObject(text.slice(at, end));
    if (record !== undefined && accept(record)) {
      found.push(record);
      at = text.indexOf('{"', end);
    } else at = text.indexOf('{"', at + 2);
  }
  return found;
}

/** The end of the object that opens at `start`, by its brackets outside strings; undefined where it has none. */
function objectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  const mark = /["{}]/g;
  mark.lastIndex = start;
  for (let hit = mark.exec(text); hit !== null; hit = mark.exec(text)) {
    if (hit[0] === '"') {
      const end = stringEnd(text, hit.index);
      if (typeof end !== 'number') return undefined;
      mark.lastIndex = end;
    } else if (hit[0] === '{') depth += 1;
    else if ((depth -= 1) === 0) return hit.index + 1;
  }
  return undefined;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
