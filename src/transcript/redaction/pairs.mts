/**
 * A name that says secret and the value beside it, in a text: NAME=value, JSON and YAML at any depth of escaping,
 * headers, flags, .netrc, markup, and sentences.
 */
import { gradeOf, isEnvironmentName, nameAround, type Grade, type Name, type NameState } from './names.mts';
import type { Span } from './spans.mts';
import { isUserAndPassword } from './urls.mts';
import { isHighEntropy, isSecretValue, type Place } from './values.mts';
import { endOfEscaped, endOfQuoted } from './words.mts';

/** Quotes may carry the backslashes of the strings they lie in: `\\\"` is a quote two levels down. */
const ASSIGN = /(\\{0,40}["'`])?\]?\*{0,2}([ \t]{0,40})(:=|=>|={1,3}|->|%3[dD]|:(?!:))\*{0,2}([ \t]{0,40})/y;
/** `password: str = "..."`: the value of a declaration stands behind its type. */
const TYPE = /[A-Za-z_][\w.<>[\], |?]{0,40}?[ ]?=[ ]?(?=\\{0,40}["'`])/y;
/** `"name": "X_TOKEN", "value": "..."` and what YAML and XML make of it. */
const SIBLING = /\\{0,40}["']?(?:,|\s|\\{1,40}n){1,40}\\{0,40}(?:["']?[vV]alue\\{0,40}["']?|["'](?:[vV]al|[vV])\\{0,40}["'])\s{0,4}[:=]\s{0,4}/y;
/** `"element": "password field", "text": "..."` */
const TYPED = /(?: (?:input|field|text ?box|box|entry)){0,3}\\{0,40}["'],(?:\s|\\{1,40}n){0,20}(?:\\{0,40}"ref\\{0,40}":\s?\\{0,40}"[\w-]{1,40}\\{0,40}",\s?)?\\{0,40}["']text\\{0,40}["']\s{0,4}:\s{0,4}/y;
const MARKUP = />(?=[^<\s])/y;
/** `set("X_TOKEN", "...")` */
const ARGUMENT = /\\{0,40}["'`][ ]?,[ ]?(?=\\{0,40}["'`])/y;
const BLANK = /[ \t]+(?=[^\s=:-])/y;
const NETRC = /(?:\s|\\{1,40}[nt])+(?=\S)/y;
const NETRC_BEFORE = /(?:\b|\\[nrt])(?:login|account|machine|user)\s+\S+(?:\s|\\{1,40}[nt])+$/;
const SET_BEFORE = /(?:\b|\\[nrt])(?:ENV|setx|set -[a-zA-Z]{1,4})[ \t]+$/;
const SENTENCE = /(?:\*{0,2}["'`]?)[ ](?:is|was|to|are|BY)(?: now)?:?[ ]{1,3}/y;
/** `the password 'x'`; `CREATE USER a WITH PASSWORD 'x'` */
const QUOTED = /[ \t]{1,4}(?=\\{0,40}["'])/y;
const SQL_BEFORE = /(?<![a-z])(?:create|alter)[ ]+(?:user|role|login)[ ](?:[^;]*[ ])?$/i;
const BLOCK = /[|>][-+]?(?:\r?\n|\\{1,40}n)[ \t]{1,20}/y;
const OPEN = /[bBrRuUfF]{0,2}(\\{0,40}["'`])/y;
const PLAIN = /[^\s"'`,;&|<>(){}[\]\\\x1b]+/y;
const TO_BLANK = /[^\s"'`\\\x1b]+/y;
const SCHEME = /(?:bearer|basic|token|bot|digest|negotiate|api-?key|key|aws4-hmac-sha256)[ ]+/iy;
const NEAR = /[^\n]{0,24}?(?<![A-Za-z0-9+/_=-])([A-Za-z0-9+/_=-]{20,200})(?![A-Za-z0-9+/_=-])/y;
const VALUE_MAX = 8192;

/**
 * Where the last run of each sort began and ended. Whoever begins inside of it ends where it ends, so that a text that is
 * one long run is read once and not once a name.
 */
export interface RunState extends NameState {
  runs: Map<RegExp, { from: number; to: number }> | undefined;
}

function endOfRun(pattern: RegExp, text: string, at: number, state: RunState): number {
  const runs = (state.runs ??= new Map());
  const known = runs.get(pattern);
  if (known !== undefined && at >= known.from && at < known.to) return known.to;
  const to = after(pattern, text, at);
  if (to >= 0) runs.set(pattern, { from: at, to });
  return to;
}

/** Where `pattern` matches at `at`, the end of the match, else -1. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Judges the name at the hit and what stands beside it; gives where to look on from. */
export function findPair(text: string, hit: number, state: RunState, spans: Span[]): number {
  const name = nameAround(text, hit, state);
  const grade = gradeOf(bareName(name.text));
  if (grade === undefined) return hit + 1;
  const found = grade === 'header' ? header(text, name) : (assigned(text, name, grade, state) ?? beside(text, name, grade, state));
  if (found === undefined) return Math.max(hit + 1, name.end);
  if (found !== null) spans.push(found);
  return Math.max(hit + 1, name.end);
}

/** `--db-password`, `-password` and a sentence's last dot are written around names. */
export function bareName(text: string): string {
  return /^[-.]|[-.]$/.test(text) ? text.replace(/^[-.]+|[-.]+$/g, '') : text;
}

/** A span; null where there is a value that is no secret; undefined where nothing is assigned. */
type Found = Span | null | undefined;

function assigned(text: string, name: Name, grade: Grade, state: RunState): Found {
  let at = after(SIBLING, text, name.end);
  if (at < 0) at = after(TYPED, text, name.end);
  if (at >= 0) return valueAt(text, at, grade, 'line', state);
  ASSIGN.lastIndex = name.end;
  const match = ASSIGN.exec(text);
  if (match === null) return undefined;
  at = ASSIGN.lastIndex;
  const [, quote = '', before = '', operator = '', behind = ''] = match;
  const typed = operator === ':' ? after(TYPE, text, at) : -1;
  if (typed >= 0) at = typed;
  if (operator === ':') at = Math.max(at, after(BLOCK, text, at));
  // A comparison with a number or a variable tells nothing.
  if (operator.startsWith('==') && after(OPEN, text, at) < 0) return null;
  if (quote !== '' && /\d/.test(text.charAt(at))) return inQuotes(valueAt(text, at, grade, 'plain', state), quote);
  if (quote !== '' || text.charAt(at - 1) === '\n') return valueAt(text, at, grade, 'plain', state);
  const tight = before === '' && behind === '' && operator === '=';
  if (tight && isEnvironmentName(name.text)) return valueAt(text, at, grade, 'environment', state);
  // A colon after a name in capitals is YAML; a line of its own with a word that is no code is YAML or .properties.
  if (operator === ':' && isEnvironmentName(name.text) && before === '') return valueAt(text, at, grade, 'environment', state);
  if (before === '' && (tight || (operator === ':' && behind !== '')) && isOwnLine(text, name, at, tight, state)) return valueAt(text, at, grade, 'line', state);
  return valueAt(text, at, grade, tight && name.text.startsWith('-') ? 'line' : 'plain', state);
}

const LINE_START = /(?:^|[\n\r]|\x1b\[[\d;]{0,12}m|\\{1,40}n|["'`])(?:[ \t]*(?:-[ ]|export[ ]|set[ ])?)$/;
const LINE_WORD = /[^\s"'`,;(){}[\]\\\x1b]+/y;
const LINE_REST = /[ \t]*(?:$|[\r\n\x1b]|\\{1,40}[nr]|["'`](?:$|[\s,)}\]]))/y;

function isOwnLine(text: string, name: Name, value: number, tight: boolean, state: RunState): boolean {
  const start = LINE_START.exec(text.slice(Math.max(0, name.start - 40), name.start));
  if (start === null || (tight && /[ \t]{2,}$/.test(start[0]))) return false;
  const end = endOfRun(LINE_WORD, text, value, state);
  return end >= 0 && after(LINE_REST, text, end) >= 0;
}

/** Values without an operator: flags, ENV lines, .netrc, markup, sentences, and random values close by. */
function beside(text: string, name: Name, grade: Grade, state: RunState): Found {
  let at = after(MARKUP, text, name.end);
  if (at >= 0 && text.charAt(name.start - 1) === '<') return until(text, at, text.indexOf('<', at), grade);
  const isBlank = /\s/.test(text.charAt(name.end));
  const isFlag = name.text.startsWith('--');
  if (isBlank && (isFlag || SET_BEFORE.test(text.slice(Math.max(0, name.start - 12), name.start)))) {
    at = after(BLANK, text, name.end);
    if (at >= 0) return valueAt(text, at, grade, isFlag ? 'line' : 'environment', state);
  }
  at = after(ARGUMENT, text, name.end);
  if (at >= 0) return valueAt(text, at, grade, 'prose', state);
  if (name.text === 'password' && NETRC_BEFORE.test(text.slice(Math.max(0, name.start - 120), name.start))) {
    at = after(NETRC, text, name.end);
    if (at >= 0) return valueAt(text, at, grade, 'environment', state);
  }
  if (grade === 'password' && /^(?:password|passwd|passphrase|pwd)$/i.test(name.text)) {
    at = after(QUOTED, text, name.end);
    const found = at < 0 ? null : valueAt(text, at, grade, SQL_BEFORE.test(text.slice(Math.max(0, name.start - 180), name.start)) ? 'quoted' : 'prose', state);
    if (found) return found;
  }
  // Tests pass, too.
  if (/^pass$/i.test(name.text)) return undefined;
  at = after(SENTENCE, text, name.end);
  if (at >= 0) {
    const found = valueAt(text, at, grade, 'prose', state);
    if (found) return found;
  }
  NEAR.lastIndex = name.end;
  const near = NEAR.exec(text)?.[1];
  if (near === undefined || !isHighEntropy(near)) return undefined;
  return { start: NEAR.lastIndex - near.length, end: NEAR.lastIndex, kind: 'high-entropy', hashed: true };
}

function until(text: string, start: number, end: number, grade: Grade): Found {
  return end < 0 || end - start > VALUE_MAX ? null : spanOf(text, start, end, grade, 'quoted');
}

/** The value that begins at `at`, quoted or not. */
function valueAt(text: string, at: number, grade: Grade, place: Place, state: RunState): Found {
  OPEN.lastIndex = at;
  const delimiter = OPEN.exec(text)?.[1];
  if (delimiter !== undefined) {
    // Three of them are one, in Python.
    const quote = text.startsWith(delimiter + delimiter, OPEN.lastIndex) ? delimiter.repeat(3) : delimiter;
    const start = OPEN.lastIndex + quote.length - delimiter.length;
    const end = closing(text, start, quote);
    if (end < 0) return null;
    const kept = place === 'prose' || place === 'environment' ? place : 'quoted';
    const whole = end === start ? end : endOfQuoted(text, end, quote);
    const found = spanOf(text, start, end, grade, kept) ?? (whole > end ? spanOf(text, start, whole, grade, kept) : null);
    return found && { ...found, end: whole };
  }
  const pattern = place === 'environment' || place === 'line' ? TO_BLANK : PLAIN;
  let end = endOfRun(pattern, text, at, state);
  if (end < 0 || end - at > VALUE_MAX) return null;
  // What opens here is a call or an index, not a literal.
  if (place !== 'prose' && /[([{]/.test(text.charAt(end)) && !text.startsWith('[redacted:', end)) return null;
  if (pattern === TO_BLANK && /^[A-Za-z_][\w.]*\(/.test(text.slice(at, end))) return null;
  const trailing = text.slice(at, end).includes('{') ? /[.,;)]/ : /[.,;)}]/;
  const whole = endOfEscaped(text, end);
  if (whole > end) {
    const found = spanOf(text, at, end, grade, place);
    return found && { ...found, end: whole };
  }
  while (end > at && trailing.test(text.charAt(end - 1))) end--;
  return spanOf(text, at, end, grade, place);
}

function inQuotes(found: Found, quote: string): Found {
  return found ? { ...found, quote } : found;
}

function spanOf(text: string, start: number, end: number, grade: Grade, place: Place): Span | null {
  const value = text.slice(start, end);
  // Docker's and npm's `auth` may be letters throughout.
  const good = isSecretValue(value, grade, place) || (grade === 'token' && place !== 'prose' && value.length >= 8 && isUserAndPassword(value));
  return good ? { start, end, ...kindOf(value, grade) } : null;
}

/** Azure's keys have 88 characters of base64: they are hashed like the other keys, and words that people chose are not. */
export function kindOf(value: string, grade: Grade): { kind: string; hashed: boolean } {
  if (/^[A-Za-z0-9+/]{86}==$/.test(value)) return { kind: 'azure-key', hashed: true };
  return { kind: grade === 'password' ? 'password' : grade === 'header' ? 'authorization' : 'secret', hashed: false };
}

/** The quote that closes: the same, and not one that a further backslash has put a level deeper. */
function closing(text: string, start: number, delimiter: string): number {
  for (let at = start; at - start <= VALUE_MAX; at++) {
    at = text.indexOf(delimiter, at);
    if (at < 0 || at - start > VALUE_MAX) return -1;
    if (text.charAt(at - 1) !== '\\' || at === start) return at;
  }
  return -1;
}

/** `Authorization: Bearer x`, with any scheme or none; also as a key in JSON and as an assignment. */
function header(text: string, name: Name): Found {
  ASSIGN.lastIndex = name.end;
  if (!ASSIGN.test(text)) return undefined;
  let at = ASSIGN.lastIndex;
  const quoted = after(OPEN, text, at);
  if (quoted >= 0) at = quoted;
  return credentials(text, at, text.length);
}

/** What follows a scheme at `at`; a bare value only where it looks made. */
export function credentials(text: string, at: number, limit: number): Span | null {
  const scheme = after(SCHEME, text, at);
  const start = scheme < 0 ? at : scheme;
  const end = Math.min(limit, after(TO_BLANK, text, start));
  const value = text.slice(start, end).replace(/(?<![,;)\]}])[,;)\]}]+$/, '');
  // `Bearer ${token}`
  if (end <= start || /^[$%]?[{(<]/.test(value) || text.startsWith('[redacted:', start)) return null;
  const good = isSecretValue(value, scheme < 0 ? 'token' : 'password', 'line') && (scheme >= 0 || value.length >= 8);
  return good ? { start, end: start + value.length, kind: 'authorization', hashed: false } : null;
}
