/**
 * The redactor of a build: provider tokens and keys, private keys, passwords in URLs, headers and commands, values
 * beside names that say secret, and the config's own patterns.
 *
 * What is not caught, on purpose or for want of a sign: a password without a name beside it; a secret that was cut,
 * spelled over several lines, encrypted or encoded (base64 of JSON, gzip); cookies; what a picture shows. An unquoted
 * word in code beside a name is taken for a variable unless it has a digit or a sign that no variable has.
 * Hashes, ids, uuids, signatures and pictures stay as they are unless such a name stands directly before them.
 */
import type { Json } from '../turn.mts';
import { behindPatterns } from './behind-patterns.mts';
import { createCustomPatterns } from './custom.mts';
import { redactRecord, type Walk } from './record.mts';
import type { Redactor } from './redactor.mts';
import { createSearch, type Search } from './search.mts';
import { looksLikeAwsSecret } from './tokens.mts';
import { replaceSpans } from './spans.mts';

export interface RedactionOptions {
  /** The config's `redaction.patterns`: regular expressions without slashes. */
  patterns?: readonly string[];
  /** What all patterns together may take for one record, in milliseconds. */
  budgetMs?: number;
}

const BUDGET_MS = 500;

let shared: Search | undefined;

/** Compiled when it is first needed: commands that redact nothing do not pay for it. */
function sharedSearch(): Search {
  shared ??= createSearch();
  return shared;
}

/**
 * A redactor that counts what it replaced. Redacting again changes nothing.
 * Throws HandoffError CONFIG for a pattern that does not compile, and later for one that takes too long.
 */
export function createRedactor(options: RedactionOptions = {}): Redactor {
  const counts: Record<string, number> = {};
  const custom = options.patterns?.length ? createCustomPatterns(options.patterns, options.budgetMs ?? BUDGET_MS) : undefined;
  const search = sharedSearch();
  const walk: Walk = { search, counts, keyOpen: false, awsId: false, cleanKeys: new Set() };
  return {
    counts,
    record: (value, line, bytes) => (search.mayHold(line, bytes) ? redactRecord(value, walk) : value),
    // An AWS secret alone is known by its id, which may stand in a part of the record that is not given on.
    mayHold: (texts) => texts.some((text) => search.mayHold(text) || (text.length < 64 && looksLikeAwsSecret(text.trim()))),
    redact: (value) => redactRecord(value, walk),
    data<T extends Json>(value: T): T {
      const known = redactRecord(value, walk);
      return custom === undefined ? known : (JSON.parse(custom.json(JSON.stringify(known), counts, false)) as T);
    },
    words: (to) => (custom === undefined ? to : behindPatterns(to, custom, counts)),
    text(text: string): string {
      const known = redactWith(search, text, counts);
      return custom === undefined ? known : custom.text(known, counts);
    },
    id(id: string): string {
      const known = redactWith(search, id, counts);
      return custom === undefined ? known : custom.id(known, counts);
    },
  };
}

function redactWith(search: Search, text: string, counts: Record<string, number>): string {
  const { spans } = search.find(text);
  return spans.length === 0 ? text : replaceSpans(text, spans, counts);
}

/** For messages and error texts: without the config's patterns, counted nowhere. */
export function redactText(text: string): string {
  return redactWith(sharedSearch(), text, {});
}
