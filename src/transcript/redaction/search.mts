/** All secrets of one text: the first look's hits, each given to the rules of its groups. */
import { createScan, type Scan } from './scan.mts';
import { GROUP } from './windows.mts';
import { gradeOf, nameAround } from './names.mts';
import { bareName, findPair, type RunState } from './pairs.mts';
import { findPrivateKey, type KeyState } from './private-keys.mts';
import { MARKER, type Span } from './spans.mts';
import { findDiscordToken, findTelegramToken, findToken } from './tokens.mts';
import { findDsn, findIdentified, findInCommand, findScheme, isRegistryLogin, findUrlPassword, type CommandState } from './urls.mts';

const NAMED = GROUP.words | GROUP.phrases | GROUP.names | GROUP.rare | GROUP.dash;
/** An escape of a character that may be part of a secret or of its name: letters, digits, punctuation. */
const ESCAPE = /\\u00[2-7][0-9a-fA-F]/y;
const ESCAPES = /\\{1,40}u00([2-7][0-9a-fA-F])/g;
/** How many times a text is read without its escapes: those of a backslash make new ones, in a hostile text without end. */
const ESCAPED_MOST = 8;

export interface Findings {
  spans: Span[];
  /** A block of a private key begins in the text and does not end in it. */
  keyOpen: boolean;
}

/** What the rules remember while they read one text, so that none reads a stretch twice. */
interface Progress extends KeyState, CommandState, RunState {
  escaped: boolean;
}

export interface Search {
  /** Whether a record's own JSON text may hold a secret; false is certain. */
  mayHold(line: string, bytes?: Uint8Array): boolean;
  find(text: string): Findings;
}

const NOTHING: Findings = { spans: [], keyOpen: false };

export function createSearch(scan: Scan = createScan()): Search {
  function mayHold(line: string, bytes?: Uint8Array): boolean {
    // Places in bytes are places in the string only where each character is one byte.
    scan.open(line, bytes !== undefined && bytes.length === line.length ? bytes : undefined);
    if (!scan.next(0)) return false;
    const spans: Span[] = [];
    const progress = newProgress();
    let from = 0;
    do {
      const { at, groups } = scan;
      if (groups & NAMED && namesSecret(line, at, groups, progress)) return true;
      from = examine(line, at, groups, progress, spans, false);
      if (spans.length > 0 || progress.escaped) return true;
    } while (scan.next(from));
    return false;
  }

  function find(text: string): Findings {
    return findIn(text, ESCAPED_MOST);
  }

  function findIn(text: string, escaped: number): Findings {
    scan.open(text);
    if (!scan.next(0)) return NOTHING;
    const spans: Span[] = [];
    const progress = newProgress();
    const markers = text.includes('[redacted:') ? [...text.matchAll(MARKER)] : [];
    let next = 0;
    let from = 0;
    do {
      // What an earlier pass has put there is no name and no value.
      while (next < markers.length && endOf(markers[next]) <= scan.at) next++;
      const marker = markers[next];
      from = marker !== undefined && marker.index <= scan.at ? endOf(marker) : examine(text, scan.at, scan.groups, progress, spans);
    } while (scan.next(from));
    return { spans: progress.escaped && escaped > 0 ? spans.concat(findUnescaped(text, escaped - 1)) : spans, keyOpen: progress.open };
  }

  /** JSON in a string may hold `\u003d` for `=`: it is read as if it did not, and the places are those of the text. */
  function findUnescaped(text: string, escaped: number): Span[] {
    let plain = '';
    let done = 0;
    /** For each escape: where its character stands in `plain`, and by how much the text is then ahead. */
    const shifts: { at: number; ahead: number }[] = [];
    for (const match of text.matchAll(ESCAPES)) {
      plain += text.slice(done, match.index) + String.fromCharCode(parseInt(match[1] ?? '', 16));
      done = match.index + match[0].length;
      shifts.push({ at: plain.length, ahead: done - plain.length });
    }
    plain += text.slice(done);
    const original = (at: number): number => at + aheadOf(shifts, at);
    return findIn(plain, escaped).spans.map((span) => ({ ...span, start: original(span.start), end: original(span.end) }));
  }

  return { mayHold, find };
}

function endOf(match: RegExpExecArray | undefined): number {
  return match === undefined ? 0 : match.index + match[0].length;
}

function newProgress(): Progress {
  return { end: -1, endFrom: -1, done: 0, open: false, usersTo: 0, flagsTo: 0, runs: undefined, longTo: 0, escaped: false };
}

/** By how much the text is ahead of `plain` at `at`: an escape belongs to what follows it only once it is over. */
function aheadOf(shifts: readonly { at: number; ahead: number }[], at: number): number {
  let low = 0;
  let high = shifts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shifts[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : (shifts[low - 1]?.ahead ?? 0);
}

/** Gives every rule of the hit's groups its look (that of names where `names` says so); gives where to look on from. */
function examine(text: string, at: number, groups: number, progress: Progress, spans: Span[], names = true): number {
  const before = spans.length;
  let from = at + 1;
  if (groups & GROUP.rare && text.startsWith('VATE KEY', at)) return Math.max(from, findPrivateKey(text, at, progress, spans));
  if (groups & (GROUP.underscore | GROUP.dash | GROUP.rare | GROUP.words)) {
    findToken(text, at, groups, spans);
    const found = spans[before];
    if (found !== undefined) return Math.max(from, found.end);
  }
  if (groups & GROUP.rare && !progress.escaped) {
    ESCAPE.lastIndex = at;
    progress.escaped = ESCAPE.test(text);
  }
  if (groups & GROUP.colon) {
    if (text.charCodeAt(at + 4) === COLON) findTelegramToken(text, at, spans);
    if (text.charCodeAt(at + 2) === COLON) from = Math.max(from, findUrlPassword(text, at + 2, spans));
  }
  // `:\/\/`, as some writers of JSON have it.
  if (groups & GROUP.underscore && text.charCodeAt(at) === COLON) from = Math.max(from, findUrlPassword(text, at, spans));
  if (groups & GROUP.rare && text.charCodeAt(at) === AT) findDsn(text, at, spans);
  if (groups & GROUP.dots) findDiscordToken(text, at, spans);
  if (groups & (GROUP.words | GROUP.phrases)) {
    if (isCommand(text, at)) findInCommand(text, at, progress, spans);
    if (groups & GROUP.phrases) findIdentified(text, at, spans);
    SCHEME.lastIndex = at;
    if (SCHEME.test(text)) findScheme(text, at, spans);
  }
  if (names && groups & NAMED && isInName(text, at) && spans.length === before) from = Math.max(from, findPair(text, at, progress, spans));
  return from;
}

const COLON = 58;
const AT = 64;
const COMMAND = /curl|mysq|sshp|gin -/iy;

function isCommand(text: string, at: number): boolean {
  COMMAND.lastIndex = at;
  return COMMAND.test(text) || isRegistryLogin(text, at);
}

const SCHEME = /beare|sic /iy;
/** The windows of names: hits are only a perhaps, and this costs less than reading the whole name. */
const IN_NAME = /ken|cret|crede|oriza|pass|pwd|auth(?![a-z])|creds|[-_. a-z]key|_pw(?![a-z])|_pat(?![a-z])/iy;

/** `pass` and `auth` are words of prose as well: as names something is assigned to them. */
const FOLLOWED = /\\{0,40}["'`]?\]?\s{0,40}[:=>,]/y;

function isInName(text: string, at: number): boolean {
  IN_NAME.lastIndex = at;
  return IN_NAME.test(text);
}

/** For the first look on a line: a name that says secret, or a command that takes one, whatever stands beside it. */
function namesSecret(line: string, at: number, groups: number, progress: Progress): boolean {
  if (groups & (GROUP.words | GROUP.phrases)) {
    if (isCommand(line, at)) return true;
  }
  if (!isInName(line, at)) return false;
  const name = nameAround(line, at, progress);
  if (gradeOf(bareName(name.text)) === undefined) return false;
  FOLLOWED.lastIndex = name.end;
  return !/^(?:pass|auth)$/i.test(name.text) || FOLLOWED.test(line);
}
