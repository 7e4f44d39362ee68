/**
 * Whether what stands beside a name that says secret is one: not a reference to it, not a placeholder, not a type, not
 * a sentence about it.
 */
import type { Grade } from './names.mts';
import { MARKER } from './spans.mts';

/** Where a value stands, which says how much of a literal it is. */
export type Place =
  | 'quoted' // in quotes, or a string of the record
  | 'environment' // NAME=value, as shells and .env files have it
  | 'line' // a line of its own, as YAML has it, or the word after a flag
  | 'plain' // unquoted: in code it would be an expression
  | 'prose'; // "the password is ..."

const TYPES =
  /^(?:string|str|text|number|int|integer|float|bool|boolean|bytes?|char|varchar|any|unknown|never|object|array|list|dict|map|void|null|nil|none|undefined|nan|true|false|yes|no|on|off|self|this|required|optional|hidden|default|auto|inherit|include|omit|same-origin|basic|bearer|digest|oauth2?|missing|invalid|incorrect|empty|unset|not-?set|set|enabled|disabled|current-password|new-password|one-time-code|password|passwd|passphrase|pass|pwd|secret|secrets|token|tokens|credentials?|auth|authorization|api[-_ ]?key|key|user(?:name)?|value|input|output|env|secretstr|read|write|passed|failed|skipped|options?|flags?|parameters?|arguments?|args|and|or|is|are|for|from|via|with|if|when|to|as|by|in|prompt|stdin|file|path|must|should|can|will|instead|field)$/i;
/** Words that stand for a secret in an example. Only where they begin the value or are a part of it between separators. */
const PLACEHOLDER =
  /(?:^|[-_. ])(?:your|my|the|insert|replace|change[-_ ]?me|changeit|example|placeholder|dummy|fake|sample|todo|tbd|xxx+|redacted|masked|hidden|removed|here)(?:$|[-_. ])/i;
const REFERENCE = /^(?:\$\{[^}]*\}|\$\([^)]*\)|\$[A-Za-z_][\w:.]*|\$\{\{.*\}\}|\{\{.*\}\}|\{[\w.$:\[\]()]*\}|<[^<>]*>|%[A-Za-z_]\w*%|%\(?\w*\)?s|@[\w.]+@|\[[A-Z _-]+\]|#\{.*\}|!\w+|&\w+)$/;
const SAME_CHARACTER = /^(.)\1*$/u;
const STARS = /^[*•.xX_#?…-]+$/u;
const PATH = /^(?:~|\.{1,2})?\/[\w.@-]+(?:\/[\w.@-]+)*\/?$/;
const IDENTIFIERS = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$/;
const CODE_ROOT = /^(?:process|os|config|settings|env|self|this|args|options|opts|ctx|req|request|res|response|props|import|secrets|vault|var|vars|local|data|module|params|user|event|app|cfg|conf|state|input|body|data|context|session|client|auth|credentials|process\.env)[.:?-]/;
const CALL_ID = /^(?:toolu|call|msg|req|resp|rs|fc|item|chatcmpl|run|thread|step|evt|srvtoolu)_/;
/** Words of sentences about a secret, which no passphrase of random words is likely to have. */
const SENTENCE = /(?:^|\s)(?:password|passphrase|token|secret|key|credentials?|your|the|is|are|was|must|be|invalid|required|enter|missing|please|forgot|a|an|to|of|for|not|or|and|with|in)(?:\s|[.,:;!?]|$)|[.!?:…]$|[{}()]/i;

export function isSecretValue(value: string, grade: Grade, place: Place): boolean {
  const bare = value.replace(MARKER, '');
  if (bare.trim() === '' || (bare !== value && bare.length < 3)) return false;
  if (value.length < 3 || REFERENCE.test(value) || SAME_CHARACTER.test(value) || STARS.test(value)) return false;
  if (TYPES.test(value) || isPlaceholder(value) || CALL_ID.test(value)) return false;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || PATH.test(value)) return false;
  if (/\s/.test(value)) return (place === 'quoted' || place === 'environment') && grade === 'password' && value.length <= 200 && !SENTENCE.test(value);
  if (/^0x[0-9a-f]{1,8}$/i.test(value) || isMostlyReference(value)) return false;
  if (/^-?\d+(?:\.\d+)?$/.test(value)) return grade === 'password' ? value.length >= 4 : value.length >= 16;
  if (grade !== 'password' && place !== 'environment' && !looksMade(value)) return false;
  switch (place) {
    case 'quoted':
      return value.length >= 4 || grade === 'password';
    case 'environment':
    case 'line':
      return !CODE_ROOT.test(value);
    case 'plain':
      return !IDENTIFIERS.test(value) && isLiteral(value, grade);
    case 'prose':
      return value.length >= 6 && /\d/.test(value) && /[A-Za-z]/.test(value) && !IDENTIFIERS.test(value) && (grade === 'password' || !/^[a-z]+-?\d{1,2}$/i.test(value));
  }
}

/** `${user}:${password}`: what is left without the references is no secret. */
function isMostlyReference(value: string): boolean {
  if (!value.includes('{')) return false;
  return value.replace(/[$#]?\{{1,2}[^{}]{0,100}\}{1,2}/g, '').length < 4;
}

/** A machine made it: a digit in it, or long, or letters of both cases all through. */
function looksMade(value: string): boolean {
  if (value.length < 6) return false;
  if (/[(){}]/.test(value)) return false;
  if (/\d/.test(value)) return true;
  if (/^[^A-Za-z]*[A-Za-z]+(?:[-_. ]+[A-Za-z]+)*$/.test(value) && /[^A-Za-z]/.test(value)) return false;
  if (!/^[A-Za-z]+$/.test(value)) return value.length >= 20;
  // The case changes every few letters where it is random, and with every word where it is not.
  const changes = value.match(/[a-z][A-Z]/g)?.length ?? 0;
  return value.length >= 12 && (changes / value.length > 0.18 || value.length >= 32);
}

/** An unquoted word in code is most often a variable; a literal has what no variable has, or a digit that is no count. */
function isLiteral(value: string, grade: Grade): boolean {
  if (/[^\w$]/.test(value)) return grade === 'password' || value.length >= 8;
  if (/^[A-Za-z_$]+\d{0,2}$/.test(value) && /(?:pass|pwd|secret|token|key|cred|auth)/i.test(value)) return false;
  return /\d/.test(value) && value.length >= (grade === 'password' ? 5 : 8);
}

function isPlaceholder(value: string): boolean {
  if (!PLACEHOLDER.test(value)) return false;
  // Random values may have such a part by chance; placeholders are words throughout.
  return !/\d{3}|[a-z]\d[a-z]|[A-Z][a-z]?\d/i.test(value.replace(/x{3,}/gi, ''));
}

/** Whether a text has as many different characters as a random one: for values without a name of their own. */
export function isHighEntropy(value: string): boolean {
  if (value.length < 20 || CALL_ID.test(value)) return false;
  const upper = value.match(/[A-Z]/g)?.length ?? 0;
  const lower = value.match(/[a-z]/g)?.length ?? 0;
  const digits = value.match(/\d/g)?.length ?? 0;
  if (upper < 2 || lower < 2 || digits < 2) return false;
  // Paths and names of several words: each part is a word.
  if (value.split(/[-_/.]/).every((part) => /^(?:[A-Z]?[a-z]*|\d+|[A-Z]+)$/.test(part))) return false;
  return entropy(value) >= 3.5;
}

/** Bits a character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
