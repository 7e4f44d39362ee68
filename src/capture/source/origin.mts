/**
 * How a source relates to a session (docs/FORMAT.md, "Which turns are new"): a source is known by its bytes.
 * One pass over the bytes that were captured before answers "nothing new" before anything is parsed.
 */
import { constants } from 'node:buffer';
import fs from 'node:fs';
import type { Hash } from 'node:crypto';
import { beginAlike } from '../../lib/fs/alike.mts';
import { readBytes, readLines, type Line } from '../../lib/fs/lines.mts';
import { hasher } from '../../lib/hash-chain.mts';
import { isSealed, type Manifest, type SourceRow } from '../../store/manifest.mts';
import { isUnfinishedJson } from './json-text.mts';
import { firstLineHash, type Source } from './source.mts';

export type Origin =
  /** The same bytes, or an older copy of them. */
  | { kind: 'known' }
  /** All before `from` was captured; `hash` has seen it; line `lines` comes next. `row` undefined: captured by 2.0.x. */
  | { kind: 'grown'; row: SourceRow | undefined; from: number; lines: number; hash: Hash }
  /** The same source with other bytes: to be compared from the start. `moved` where it lies at another path. */
  | { kind: 'rewritten'; row: SourceRow; moved: boolean }
  /** 2.0.x captured of this file what stands at or below its watermark. */
  | { kind: 'by-watermark' }
  | { kind: 'other' };

/** How far a source can be read now: to its end, or to the start of a last line that is still being written. */
export interface Extent {
  to: number;
  unfinished: boolean;
}

/** Reads what was captured of the source before, at most; throws nothing but what the file system refuses. */
export function originOf(source: Source, manifest: Manifest): Origin {
  const rows = manifest.sources ?? [];
  if (!isSealed(manifest)) {
    const found = capturedElsewhere(source, manifest);
    if (found !== undefined) return found;
  }
  const grown = longestPrefix(source, rows);
  if (grown !== undefined) return grown;
  const first = firstLineHash(source);
  const row = rows.find((known) => known.path === source.path) ?? rows.find((known) => known.first_line_sha256 === first);
  if (row !== undefined && row.path !== source.path && isBeginningOf(source, row)) return { kind: 'known' };
  if (row !== undefined) return { kind: 'rewritten', row, moved: row.path !== source.path };
  if (rows.length === 0 && manifest.source_paths?.some((path) => path === source.path || source.path.replaceAll('\\', '/').endsWith(`/${path.replaceAll('\\', '/').replace(/^\.\//, '')}`))) return { kind: 'by-watermark' };
  return { kind: 'other' };
}

/** The longest of the known sources that this file begins with. */
function longestPrefix(source: Source, rows: readonly SourceRow[]): Origin | undefined {
  const lengths = [...new Set(rows.map((row) => row.bytes))].filter((bytes) => bytes <= source.size).sort((a, b) => a - b);
  const hash = hasher();
  let at = 0;
  let best: { row: SourceRow; hash: Hash } | undefined;
  for (const bytes of lengths) {
    if (readBytes(source.fd, at, bytes, (chunk) => hash.update(chunk)) < bytes - at) break;
    at = bytes;
    const sum = hash.copy().digest('hex');
    const row = rows.find((known) => known.bytes === bytes && known.raw_sha256 === sum);
    if (row !== undefined) best = { row, hash: hash.copy() };
  }
  if (best === undefined) return undefined;
  return best.row.bytes === source.size ? { kind: 'known' } : { kind: 'grown', row: best.row, from: best.row.bytes, lines: best.row.lines, hash: best.hash };
}

/** Whether the source is where the file of `row` begins, which must still be what was captured of it. */
function isBeginningOf(source: Source, row: SourceRow): boolean {
  if (source.size > row.bytes) return false;
  let fd: number;
  try {
    fd = fs.openSync(row.path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch {
    return false;
  }
  try {
    const hash = hasher();
    return fs.fstatSync(fd).isFile() && readBytes(fd, 0, row.bytes, (chunk) => hash.update(chunk)) === row.bytes
      && hash.digest('hex') === row.raw_sha256 && beginAlike(source.fd, fd, source.size);
  } finally {
    fs.closeSync(fd);
  }
}

/** A session that 2.0.x wrote last: the beginning that hashes to the manifest's `raw_sha256` counts as captured. */
function capturedElsewhere(source: Source, manifest: Manifest): Origin | undefined {
  const hash = hasher();
  // Only where they end is asked for.
  const lines = readLines(source.fd, { from: 0, to: source.size, maxLineBytes: 0 });
  let at = 0;
  let count = 0;
  const endsAt = (end: number): boolean => {
    readBytes(source.fd, at, end, (chunk) => hash.update(chunk));
    at = end;
    return hash.copy().digest('hex') === manifest.raw_sha256;
  };
  for (let line: Line | undefined = lines.next(); line !== undefined; line = lines.next()) {
    count += 1;
    // Its last line may have had no end yet when it was captured.
    if (!(line.ended && endsAt(line.end - 1)) && !endsAt(line.end)) continue;
    return at === source.size ? { kind: 'known' } : { kind: 'grown', row: rowAt(manifest, source), from: at, lines: count, hash };
  }
  return undefined;
}

function rowAt(manifest: Manifest, source: Source): SourceRow | undefined {
  return manifest.sources?.find((row) => row.path === source.path);
}

/** Looks at the end only: is the last line whole, or does its JSON, or in a text its last letter, only end too early? */
export function extentOf(source: Source, from: number, isJson: boolean): Extent {
  const whole = { to: source.size, unfinished: false };
  if (source.size === from) return whole;
  if (!isJson) {
    const cut = cutLetter(source, from);
    return { to: source.size - cut, unfinished: cut > 0 };
  }
  const start = lastLineStart(source, from);
  // What no string can hold is longer than every limit, and is told as such when it is read.
  if (start === source.size || source.size - start > constants.MAX_STRING_LENGTH) return whole;
  const bytes = Buffer.allocUnsafe(source.size - start);
  let got = 0;
  while (got < bytes.length) {
    const read = fs.readSync(source.fd, bytes, got, bytes.length - got, start + got);
    if (read === 0) break;
    got += read;
  }
  const text = bytes.toString('utf8', 0, got);
  try {
    JSON.parse(start === 0 ? text.replace(/^\ufeff/, '') : text);
    return whole;
  } catch {
    return isUnfinishedJson(text.replace(/^\ufeff/, '')) ? { to: start, unfinished: true } : whole;
  }
}

/** How many bytes at the end begin a letter of UTF-8 that is not whole yet: taken now, they would be two that nobody wrote. */
function cutLetter(source: Source, from: number): number {
  const end = Buffer.alloc(Math.min(3, source.size - from));
  const got = fs.readSync(source.fd, end, 0, end.length, source.size - end.length);
  for (let behind = 1; behind <= got; behind += 1) {
    const byte = end[got - behind] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return byte < 0xf8 && needs > behind ? behind : 0;
  }
  return 0;
}

const STEP = 64 * 1024;

function lastLineStart(source: Source, from: number): number {
  const buffer = Buffer.allocUnsafe(STEP);
  for (let end = source.size; end > from;) {
    const start = Math.max(from, end - STEP);
    const got = fs.readSync(source.fd, buffer, 0, end - start, start);
    const lf = buffer.subarray(0, got).lastIndexOf(10);
    if (lf >= 0) return start + lf + 1;
    end = start;
  }
  return from;
}
