/** Redaction of a whole record: its strings, its keys, and what only several of them tell together. */
import type { Json } from '../turn.mts';
import { gradeOf, secretField, type Grade } from './names.mts';
import { credentials, kindOf } from './pairs.mts';
import { endMark, isKeyLine } from './private-keys.mts';
import type { Search } from './search.mts';
import { markerOf, replaceSpans, TOO_DEEP, WHOLE_MARKER, type Span } from './spans.mts';
import { looksLikeAwsSecret } from './tokens.mts';
import { isUserAndPassword } from './urls.mts';
import { isSecretValue } from './values.mts';

/** Deeper than any client writes; below it nothing is looked at, so nothing is let through. */
const DEPTH_MAX = 500;
/** A list of keys is searched for the end of a block this far. */
const LINES_MAX = 2000;

export interface Walk {
  search: Search;
  counts: Record<string, number>;
  /** A block of a private key has begun in an earlier string. */
  keyOpen: boolean;
  /** An AWS key id was found: its secret may stand in another string. */
  awsId: boolean;
  /** Keys in which nothing was found. */
  cleanKeys: Set<string>;
}

export function redactRecord<T extends Json>(value: T, walk: Walk): T {
  walk.keyOpen = false;
  walk.awsId = false;
  const once = visit(value, undefined, walk, 0);
  return (walk.awsId ? visitAws(once, walk) : once) as T;
}

/** `name` is the name the value goes by: its key, or that of the list it is in, or a flag before it. */
function visit(value: Json | undefined, name: string | undefined, walk: Walk, depth: number): Json | undefined {
  if (typeof value === 'string') return redactString(value, name, walk);
  if (typeof value === 'number' && name !== undefined && Number.isInteger(value) && Math.abs(value) >= 1000 && gradeOf(name) === 'password') return counted('password', walk);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEPTH_MAX) return TOO_DEEP;
  return Array.isArray(value) ? visitList(value, name, walk, depth) : visitObject(value, walk, depth);
}

function visitObject(value: { [key: string]: Json | undefined }, walk: Walk, depth: number): Json {
  const said = nameOfValue(value);
  const typed = nameOfField(value);
  let changed = false;
  const entries = Object.entries(value).map(([key, inner]): [string, Json | undefined] => {
    const newKey = redactKey(key, walk);
    const newInner = key === 'args' && Array.isArray(inner) && typeof value['command'] === 'string'
      // The name of the program stands beside its words.
      ? withProgram(value['command'], inner, walk, depth)
      : visit(inner, (said !== undefined && VALUE_KEY.test(key) ? said : typed !== undefined && TYPED_KEY.test(key) ? typed : undefined) ?? key, walk, depth + 1);
    changed ||= newKey !== key || newInner !== inner;
    return [newKey, newInner];
  });
  // Not by assignment: a key `__proto__` is data here.
  return changed ? (Object.fromEntries(distinct(entries)) as Json) : value;
}

/** Two keys that became one would be one value less: each after the first has a number behind it. */
function distinct(entries: [string, Json | undefined][]): [string, Json | undefined][] {
  const times = new Map<string, number>();
  return entries.map(([key, value]) => {
    const nth = (times.get(key) ?? 0) + 1;
    times.set(key, nth);
    return [nth === 1 ? key : `${key} ${nth}`, value];
  });
}

function withProgram(program: string, args: Json[], walk: Walk, depth: number): Json {
  const whole = visitList([program, ...args], 'args', walk, depth + 1) as Json[];
  const rest = whole.slice(1);
  return rest.every((word, at) => word === args[at]) ? args : rest;
}

const NAME_KEYS = ['name', 'key', 'Name', 'Key', 'id', 'header', 'variable', 'Variable', 'var', 'k', 'field', 'property', 'setting', 'parameter', 'param', 'option', 'env'];
const VALUE_KEY = /^(?:value|val|v)$/i;

/** `{"name": "X_TOKEN", "value": "..."}`: the name of a value that stands beside it, where it says secret. */
function nameOfValue(value: { [key: string]: Json | undefined }): string | undefined {
  for (const key of NAME_KEYS) {
    const said = value[key];
    if (typeof said === 'string' && said.length < 100 && gradeOf(said) !== undefined) return said;
  }
  return undefined;
}

/** How a tool that types into a page or a form is told where. */
const FIELD_KEYS = ['element', 'label', 'field', 'selector', 'locator', 'placeholder'];
const TYPED_KEY = /^(?:text|value|keys)$/;

/** `{"element": "Password field", "text": "..."}`: the field that is typed into, where its description says secret. */
function nameOfField(value: { [key: string]: Json | undefined }): string | undefined {
  for (const key of FIELD_KEYS) {
    const said = value[key];
    const name = typeof said === 'string' && said.length < 200 ? secretField(said) : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

function redactKey(key: string, walk: Walk): string {
  if (key.length < 8 || walk.cleanKeys.has(key)) return key;
  const { spans } = walk.search.find(key);
  if (spans.length > 0) return replaceSpans(key, spans, walk.counts);
  if (walk.cleanKeys.size > 5000) walk.cleanKeys.clear();
  if (key.length < 100) walk.cleanKeys.add(key);
  return key;
}

function visitList(list: Json[], name: string | undefined, walk: Walk, depth: number): Json {
  let changed = false;
  let blockTo = -1;
  /** Up to here no string ends a block. */
  let looked = 0;
  const isCurl = list.some((item) => typeof item === 'string' && /\bcurl$/.test(item));
  const out = list.map((item, i) => {
    const before = list[i - 1];
    let inner: Json | undefined;
    if (typeof item === 'string' && i < blockTo) inner = counted('private-key', walk);
    else if (typeof item === 'string' && isCurl && (before === '-u' || before === '--user')) inner = redactUser(item, walk);
    else {
      inner = visit(item, typeof before === 'string' && /^--?[A-Za-z][\w-]*$/.test(before) ? before.replace(/^-+/, '') : name, walk, depth + 1);
      if (walk.keyOpen && i >= blockTo) {
        const most = Math.min(list.length, i + 1 + LINES_MAX);
        blockTo = endInList(list, Math.max(i + 1, looked), most);
        looked = most;
      }
    }
    changed ||= inner !== item;
    return inner as Json;
  });
  return asCommand(changed ? out : list, walk);
}

/** Words and characters of a list that is read as the command it may be; longer ones are no command. */
const WORDS_MAX = 200;
const COMMAND_MAX = 20_000;

/** `["mysql", "-uroot", "-p..."]`: what only the words together tell. A secret lies within one of them. */
function asCommand(list: Json[], walk: Walk): Json[] {
  if (list.length < 2 || list.length > WORDS_MAX || !list.every((item) => typeof item === 'string')) return list;
  const words = list as string[];
  const line = words.join(' ');
  if (line.length > COMMAND_MAX) return list;
  const { spans } = walk.search.find(line);
  if (spans.length === 0) return list;
  let start = 0;
  return words.map((word) => {
    const from = start;
    start += word.length + 1;
    const inside = spans.filter((span) => span.start >= from && span.end <= from + word.length && !word.slice(span.start - from, span.end - from).includes('[redacted:'));
    return inside.length === 0 ? word : replaceSpans(word, inside.map((span) => ({ ...span, start: span.start - from, end: span.end - from })), walk.counts);
  });
}

/** The place in the list, between these two, of the string with the end of a block, or -1. */
function endInList(list: readonly Json[], from: number, to: number): number {
  for (let i = from; i < to; i++) {
    const item = list[i];
    if (typeof item === 'string' && endMark(item) >= 0) return i;
  }
  return -1;
}

function redactUser(value: string, walk: Walk): string {
  const colon = value.indexOf(':');
  const secret = value.slice(colon + 1);
  if (colon < 1 || secret === '' || /^\$|^\[redacted:/.test(secret)) return redactString(value, undefined, walk);
  return value.slice(0, colon + 1) + counted('password', walk);
}

function redactString(value: string, name: string | undefined, walk: Walk): string {
  if (walk.keyOpen) {
    const end = endMark(value);
    if (end >= 0) {
      walk.keyOpen = false;
      return counted('private-key', walk) + redactString(value.slice(end), undefined, walk);
    }
    if (isKeyLine(value)) return counted('private-key', walk);
  }
  if (value.length < 3) return value;
  const grade = name === undefined ? undefined : gradeOf(name);
  let found: Span[] = grade === undefined ? [] : named(value, name ?? '', grade);
  if (value.length >= 8) {
    const { spans, keyOpen } = walk.search.find(value);
    if (keyOpen) walk.keyOpen = true;
    if (spans.some((span) => span.kind === 'aws-access-key-id')) walk.awsId = true;
    found = found.concat(spans);
  }
  return asDocument(found.length === 0 ? value : replaceSpans(value, found, walk.counts), walk);
}

const DOCUMENT_MAX = 1 << 20;

/** JSON in a string, where it has a list of words: what only these together tell is found in the list, not in the text. */
function asDocument(text: string, walk: Walk): string {
  if ((text[0] !== '{' && text[0] !== '[') || text.length > DOCUMENT_MAX || !/",\s*"/.test(text)) return text;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return text;
  }
  const { keyOpen } = walk;
  const clean = visit(value, undefined, walk, 0);
  walk.keyOpen = keyOpen;
  return clean === value ? text : JSON.stringify(clean);
}

/** A value whose own name in the record says secret. */
function named(value: string, name: string, grade: Grade): Span[] {
  if (WHOLE_MARKER.test(value)) return [];
  if (grade === 'header') {
    const span = credentials(value, 0, value.length);
    return span === null ? [] : [span];
  }
  // Docker's `auth` is a name and a password in base64; other things of that name are not.
  if (/^_?auth$/i.test(name)) return isUserAndPassword(value) ? [{ start: 0, end: value.length, kind: 'docker-auth', hashed: false }] : [];
  return isSecretValue(value, grade, 'quoted') ? [{ start: 0, end: value.length, ...kindOf(value, grade) }] : [];
}

/** The second walk over a record with an AWS key id: strings that are nothing but what its secret looks like. */
function visitAws(value: Json | undefined, walk: Walk): Json | undefined {
  if (typeof value === 'string') return looksLikeAwsSecret(value) ? counted('aws-secret-key', walk, value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => visitAws(item, walk) as Json);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visitAws(inner, walk)])) as Json;
}

function counted(kind: string, walk: Walk, value?: string): string {
  walk.counts[kind] = (walk.counts[kind] ?? 0) + 1;
  return markerOf(kind, value);
}
