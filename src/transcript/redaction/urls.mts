/** Passwords in URLs, and names and passwords that are handed to commands and in HTTP headers without a name beside them. */
import type { Span } from './spans.mts';
import { endOfEscaped, endOfQuoted } from './words.mts';

/** The part of a URL that may hold a name and a password; slashes may be escaped as some writers of JSON do. */
const START = /:(?:\\{0,40}\/){2}/y;
const AUTHORITY = /[^\s"'`<>\\/?#]{1,600}/y;
const WIDE = /[^\s"'`<>\\]{1,256}/y;
const REFERENCE = /^(?:\$\{?\w+\}?|\{\{?[^}]*\}\}?|<[^>]*>|\*+|x{3,}|\.{3}|%[A-Z_]+%|\[redacted:[^\]]*\]|\[[A-Z_ -]+\])$/i;

/** `colon` is that of `://`; gives where the name and the password begin. */
export function findUrlPassword(text: string, colon: number, spans: Span[]): number {
  START.lastIndex = colon;
  if (!START.test(text)) return 0;
  const from = START.lastIndex;
  const span = userInfo(text, from);
  if (span !== undefined) spans.push(span);
  return from;
}

function userInfo(text: string, from: number): Span | undefined {
  AUTHORITY.lastIndex = from;
  let authority = AUTHORITY.exec(text)?.[0] ?? '';
  let at = authority.lastIndexOf('@');
  if (at < 0) {
    // A password with a slash in it, but no port: `host:8080/@scope` is none.
    const colon = authority.indexOf(':');
    if (colon < 0 || /[${}]/.test(authority) || /^\d{0,5}$/.test(authority.slice(colon + 1)) || authority.includes('[redacted')) return undefined;
    WIDE.lastIndex = from;
    authority = WIDE.exec(text)?.[0] ?? '';
    at = authority.lastIndexOf('@');
    if (at < 0) return undefined;
  }
  const user = authority.slice(0, at);
  const colon = user.indexOf(':');
  if (colon >= 0) {
    const password = user.slice(colon + 1);
    // `https://<token>:@host`: what stands for no password makes the name one.
    if (/^(?:|x|x-oauth-basic)$/.test(password) && isToken(user.slice(0, colon))) return { start: from, end: from + colon, kind: 'url-password', hashed: false };
    // An expression that searches for passwords is no password.
    if (password === '' || /[[\](){}^|*]/.test(user.slice(0, colon).replace(/^\$?\{[^}]*\}$/, '')) || REFERENCE.test(password)) return undefined;
    return { start: from + colon + 1, end: from + at, kind: 'url-password', hashed: false };
  }
  // A token in the place of the name, as in `https://<token>@host`.
  return isToken(user) ? { start: from, end: from + at, kind: 'url-password', hashed: false } : undefined;
}

function isToken(user: string): boolean {
  return user.length >= 20 && /\d/.test(user) && /[A-Za-z]/.test(user) && !user.includes('[redacted:');
}

const BEARER = /bearer[ ]+([A-Za-z0-9._~+/-]{8,}=*)/iy;
const BASIC = /basic[ ]+([A-Za-z0-9+/]{6,}={0,2})(?![A-Za-z0-9+/=])/iy;

/** `Bearer` and `Basic` where no Authorization stands before them: the value must say by itself that it is one. */
export function findScheme(text: string, hit: number, spans: Span[]): void {
  BEARER.lastIndex = hit;
  const bearer = BEARER.exec(text)?.[1];
  if (bearer !== undefined) {
    if (/\d/.test(bearer) && !/^(?:realm|error)=/i.test(bearer)) spans.push({ start: BEARER.lastIndex - bearer.length, end: BEARER.lastIndex, kind: 'authorization', hashed: false });
    return;
  }
  // The window is in the middle of the word.
  BASIC.lastIndex = Math.max(0, hit - 2);
  const basic = BASIC.exec(text)?.[1];
  if (basic !== undefined && isUserAndPassword(basic)) spans.push({ start: BASIC.lastIndex - basic.length, end: BASIC.lastIndex, kind: 'authorization', hashed: false });
}

/** Base64 of `name:password`: what Basic authorization and docker's `auth` hold. */
export function isUserAndPassword(value: string): boolean {
  return value.length >= 6 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) && /^[\x20-\x39\x3b-\x7e]*:[\x20-\x7e]+$/.test(Buffer.from(value, 'base64').toString('latin1'));
}

/** How far from its name a command is read; half of it is enough where an earlier name has had the line read already. */
const REACH = 1000;
const USER = /(?<=[\s"'\\n])(?:-[A-Za-z]{0,8}[uU]|--user|--proxy-user)[ \t=]*(\\{0,40}["'])?([^\s:"'\\]{1,128}):([^\s"'\\]{1,256})/g;
const FLAG = /(?<=\s)-p[ \t]*(\\{0,40}["'])?([^\s"'\\-][^\s"'\\]{0,256})/g;
const COMMANDS = /(?:(curl)|(mysql(?:dump|admin)?|mariadb)|(sshpass)|(login[ ]))/iy;
/** Programs whose `login` takes `-p <password>`, as words of a line or of a list. */
const REGISTRY = /(?:docker|podman|nerdctl|buildah|skopeo|registry|acr|oras|crane|regctl)(?:\\{0,40}["'])?[\s,]{1,40}(?:\\{0,40}["']args\\{0,40}["']:\s{0,4}\[\s{0,40})?(?:\\{0,40}["'])?$/i;
const LOGIN = /login(?:[ ]|\\{0,40}["'],)/iy;
/** Where a command's own words end. */
const COMMAND_END = /\s(?:&&|\|\|?|;|&)(?:\s|$)|;\s/;

/** A command's line is read once, however often its name stands in it. */
export interface CommandState {
  usersTo: number;
  flagsTo: number;
}

/** `docker login registry.example -u x -p ...`: `hit` is at what stands before `login`. */
export function isRegistryLogin(text: string, hit: number): boolean {
  LOGIN.lastIndex = hit + 1;
  return LOGIN.test(text) && REGISTRY.test(text.slice(Math.max(0, hit - 60), hit + 1));
}

/** `curl -u name:password`, `mysql -ppassword`, `sshpass -p password`, `docker login -p password`. */
export function findInCommand(text: string, hit: number, state: CommandState, spans: Span[]): void {
  COMMANDS.lastIndex = Math.max(0, text.startsWith('gin -', hit) ? hit - 2 : isRegistryLogin(text, hit) ? hit + 1 : hit);
  const match = COMMANDS.exec(text);
  if (match === null) return;
  const reader = match[1] === undefined ? 'flagsTo' : 'usersTo';
  if (hit + REACH / 2 <= state[reader]) return;
  const from = Math.max(hit, state[reader] - 64);
  const whole = /^(?:[^\n\\]|\\[^])*/.exec(text.slice(from, hit + REACH))?.[0] ?? '';
  // What follows another command's `-p` is a port, say.
  const line = match[4] === undefined ? whole : whole.slice(0, whole.search(COMMAND_END) + 1 || whole.length);
  state[reader] = Math.max(state[reader], from + line.length);
  const pattern = reader === 'usersTo' ? USER : FLAG;
  for (const found of line.matchAll(pattern)) {
    const [quote, user, secret = ''] = reader === 'usersTo' ? found.slice(1) : [found[1], '', found[2]];
    // `mysql -p 3306` takes no value: the password stands directly behind the flag.
    if (match[2] !== undefined && /^-p\s/.test(found[0])) continue;
    // `-u 1000:1000` names a user and a group.
    if (/^\d+:\d+$/.test(`${user}:${secret}`) || REFERENCE.test(secret) || /^\$/.test(secret) || secret.includes('[redacted:')) continue;
    const end = from + found.index + found[0].length;
    spans.push({ start: end - secret.length, end: wholeWord(text, end, quote), kind: 'password', hashed: false });
  }
}

/** The end of a word that was read up to a blank, a quote or a backslash; `quote` opened it. */
function wholeWord(text: string, end: number, quote: string | undefined): number {
  if (quote === undefined || quote === '') return endOfEscaped(text, end);
  const line = /^(?:[^\n\\]|\\[^n]){0,256}/.exec(text.slice(end, end + 256))?.[0] ?? '';
  const close = line.indexOf(quote);
  return close < 0 ? end : endOfQuoted(text, end + close, quote);
}

/** `name:password@tcp(host)`, as Go names a database; `at` is the sign before the protocol. */
export function findDsn(text: string, at: number, spans: Span[]): void {
  if (text.charAt(at + 4) !== '(' && text.charAt(at + 5) !== '(') return;
  let start = at;
  while (start > 0 && at - start < 200 && !/[\s"'`(]/.test(text.charAt(start - 1))) start--;
  const said = text.slice(start, at);
  const colon = said.indexOf(':');
  const secret = said.slice(colon + 1);
  // That of a URL is found as one.
  if (colon < 1 || secret === '' || /^(?:\/\/|%)|\[redacted:/.test(secret) || REFERENCE.test(secret)) return;
  spans.push({ start: at - secret.length, end: at, kind: 'url-password', hashed: false });
}

const IDENTIFIED = /ied[ ]by[ ]{1,4}(?:password[ ]{1,4})?(\\{0,40}["'])((?:[^"'\\\n]|''){3,256})\1/iy;

/** In prose, too, something is identified by a name in quotes. */
const OF_USER = /(?<![a-z])(?:user|role|grant)(?![a-z])/i;

/** SQL's `IDENTIFIED BY 'password'`. */
export function findIdentified(text: string, hit: number, spans: Span[]): void {
  IDENTIFIED.lastIndex = hit;
  const match = IDENTIFIED.exec(text);
  const [, quote = '', secret = ''] = match ?? [];
  const before = text.slice(Math.max(0, hit - 180), hit);
  if (match === null || !(before.endsWith('IDENTIF') || (/identif$/i.test(before) && OF_USER.test(before))) || REFERENCE.test(secret)) return;
  const end = IDENTIFIED.lastIndex - quote.length;
  spans.push({ start: end - secret.length, end, kind: 'password', hashed: false });
}
