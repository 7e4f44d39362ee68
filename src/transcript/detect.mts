/**
 * What a file is, from its first bytes: the shape is decided by what the lines are, never by a label, and what no
 * adapter reads is named for what it is, with what to do about it.
 */
import type { LineAdapter, WholeAdapter } from './adapter.mts';
import { canonical } from './adapters/canonical.mts';
import { recordIn } from './fields.mts';
import { BINARY, binaryKind } from './detect/binary.mts';
import type { Unreadable } from './detect/binary.mts';
import { lineAdapters, wholeAdapters } from './registry.mts';
import type { JsonObject } from './turn.mts';

export type Shape =
  | { kind: 'lines'; adapter: LineAdapter; records: JsonObject[] }
  | { kind: 'whole'; adapter: WholeAdapter }
  | { kind: 'role-text' }
  | { kind: 'empty' }
  | ({ kind: 'unreadable' } & Unreadable);

/** The beginnings of a document that runs over several lines. */
const LIST = /^\s*\[\s*(?:\{|\]|$)/;
const OBJECT = /^\s*\{\s*(?:"|$)/;
const PEEK = 4096;
/** Backspace, tab, line feed, form feed, carriage return, escape. */
const TEXT_CONTROLS = new Set([8, 9, 10, 12, 13, 27]);
/** Keys in which any harness keeps what was said: with one of them a line can be read as canonical. */
const SAYS = ['text', 'content', 'parts', 'message'];

/**
 * The shape of the file that begins with `head` (256 KiB are enough; more where its first line is longer).
 * `path` decides only whether text may be role-marked; '-' is standard input, known by its content. Never throws.
 */
export function detectShape(head: Buffer, path: string): Shape {
  const text = head.toString('utf8').replace(/^\uFEFF/, '');
  const whole = wholeAdapters.find((adapter) => adapter.looksLike(text, path));
  if (whole !== undefined) return { kind: 'whole', adapter: whole };
  const binary = binaryKind(head);
  if (binary !== undefined) return { kind: 'unreadable', ...binary };
  if (text.trim() === '') return { kind: 'empty' };
  const json = /\.jsonl?$/i.test(path);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const records = lines.map(recordIn).filter((record) => record !== undefined);

  // The items of a list may stand one a line, the last one without a comma; so they may in a document that goes on over lines.
  if (LIST.test(text.slice(0, PEEK)) || lines[0]?.trim() === '{') return unreadableJson(text);
  if (records.length > 0 && (json || isRecordish(lines[0] ?? ''))) return linesShape(records, path);
  const broken = /\.json$/i.test(path) ? undefined : brokenLines(text, lines, path);
  if (broken !== undefined) return broken;
  if (json || OBJECT.test(text.slice(0, PEEK))) return unreadableJson(text);
  return isBinary(head.subarray(0, PEEK)) ? { kind: 'unreadable', ...BINARY } : { kind: 'role-text' };
}

/** A damaged text has a run of NULs in it, and one of a terminal colours and rubbed out letters; a text that is full of such is none. */
function isBinary(bytes: Buffer): boolean {
  const nuls = bytes.filter((byte) => byte === 0).length;
  const controls = bytes.filter((byte) => byte > 0 && byte < 32 && !TEXT_CONTROLS.has(byte)).length;
  return nuls > PEEK / 10 || controls > bytes.length / 20;
}

/** A line that is a record, or the damaged rest of one: other endings than .jsonl hold records only where the first line does. */
function isRecordish(line: string): boolean {
  return /^[\s\0]*\{/.test(line.slice(0, 1024)) || recordIn(line) !== undefined;
}

/**
 * JSON lines of which not one is whole: the build tells which are broken, where a document would be refused as a whole. The shape is
 * told by records that were glued into one line. Undefined where the text is a document that runs over several lines.
 */
function brokenLines(text: string, lines: readonly string[], path: string): Shape | undefined {
  if (!/^\s*\{\s*"/.test(lines[0] ?? '') || recordIn(text) !== undefined) return undefined;
  const glued = lines.flatMap((line) => line.split(/(?<=\})\s*(?=\{)/)).map(recordIn).filter((record) => record !== undefined);
  return glued.length > 0 ? linesShape(glued, path) : { kind: 'lines', adapter: canonical, records: [] };
}

function linesShape(records: JsonObject[], path: string): Shape {
  let best: LineAdapter | undefined;
  let most = 0;
  for (const adapter of lineAdapters) {
    const count = records.reduce((sum, record) => sum + (adapter.recognises(record) ? 1 : 0), 0);
    if (count > most) [best, most] = [adapter, count];
  }
  if (best !== undefined) return { kind: 'lines', adapter: best.variant?.({ path, records }) ?? best, records };
  // Records that say nothing are still lines: the build answers that no turn is in them.
  const silent = records.every((record) => Object.keys(record).length === 0);
  if (silent || records.some((record) => SAYS.some((key) => key in record))) return { kind: 'lines', adapter: canonical, records };
  return unknownLines(records);
}

function unknownLines(records: readonly JsonObject[]): Shape {
  const keys = names(records.flatMap((record) => Object.keys(record)));
  const types = names(records.map((record) => (typeof record.type === 'string' ? record.type : '')));
  const known = lineAdapters.map((adapter) => adapter.id).join(', ');
  return {
    kind: 'unreadable',
    what: `${records.length === 1 ? 'a JSON record' : 'JSON lines'} of a shape that no adapter reads (keys: ${keys}${types === '' ? '' : `; types: ${types}`})`,
    advice: `known shapes are ${known}; give each line a role and a text to have it read as canonical`,
  };
}

/** The first few names, as far as they are plain words: a key made of anything else may be content. */
function names(all: readonly string[]): string {
  const plain = [...new Set(all)].filter((name) => /^[\w.$-]{1,40}$/.test(name));
  return plain.slice(0, 8).join(', ') + (plain.length > 8 ? ', ...' : '');
}

function unreadableJson(text: string): Shape {
  if (LIST.test(text.slice(0, PEEK)) || OBJECT.test(text.slice(0, PEEK))) {
    return { kind: 'unreadable', what: 'a JSON document', advice: 'no adapter reads this document; give the harness\'s own transcript, or one JSON record a line' };
  }
  return { kind: 'unreadable', what: 'a file without a JSON record', advice: 'for text with role markers give it another ending, .md or .txt' };
}
