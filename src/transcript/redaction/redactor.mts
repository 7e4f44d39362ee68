/**
 * The seam every text passes through before anything is written (docs/SECURITY.md).
 * Redaction works on decoded string values of a whole record, so that a secret is judged whole and
 * an adapter never sees one. The config's own patterns work on what the adapter gives: one may match a word by which a client
 * says what a record is, or an id by which it is known, and the turn would be lost.
 */
import type { RecordSink } from '../adapter.mts';
import type { Json } from '../turn.mts';

export interface Redactor {
  /**
   * The record without its secrets: `value` itself where it has none, else a copy.
   * `line` is the record's own JSON text, for a cheap first look; `bytes` the same as UTF-8, where it is at hand.
   */
  record<T extends Json>(value: T, line: string, bytes?: Uint8Array): T;
  /** Whether one of these texts may hold a secret; false is certain. */
  mayHold(texts: readonly string[]): boolean;
  /** The record without its secrets, where a look has been taken already. */
  redact<T extends Json>(value: T): T;
  /** Both for data that no adapter reads: an answer of another program. */
  data<T extends Json>(value: T): T;
  /** Takes what an adapter says of a record that was redacted, and gives it on without what the config's own patterns match; `to` itself where there are none. */
  words(to: RecordSink): RecordSink;
  /** Both for a text that is no JSON: role-marked transcripts, names, messages. */
  text(text: string): string;
  /** The same for an id: two that differ still do. */
  id(id: string): string;
  /** How many were replaced, by kind. */
  readonly counts: Readonly<Record<string, number>>;
}

/** For `--no-redact`: passes everything through. */
export const noRedaction: Redactor = { record: (value) => value, mayHold: () => false, redact: (value) => value, data: (value) => value, words: (to) => to, text: (text) => text, id: (id) => id, counts: {} };
