/**
 * A reader of tar archives that come from elsewhere: plain files and folders and nothing else. It reads ustar, pax and the long
 * names of GNU tar, holds every number and every border against the bytes that are there, and trusts no name:
 * those are judged in archive.mts. Nothing is written here.
 */
import { HandoffError } from '../lib/errors.mts';

const BLOCK = 512;
/** The most that a record of names may hold; a path is far shorter. */
const MOST_EXTENDED = 64 * 1024;

export interface TarEntry {
  kind: 'file' | 'folder';
  /** As the archive has it, with `/`. */
  name: string;
  /** A view into the archive; empty for a folder. */
  bytes: Buffer;
}

/** What a record for the next entry says of it. */
interface Extended {
  path?: string;
  size?: number;
}

/** The entries in the archive's order, one by one, so that a caller can stop at its limits. Throws HandoffError SHAPE. */
export function* readTar(archive: Buffer): Generator<TarEntry> {
  let at = 0;
  let next: Extended | undefined;
  for (;;) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.length < BLOCK) throw refused('is cut off: its end is missing');
    if (header.every((byte) => byte === 0)) break;
    const type = typeOf(header);
    const name = nameOf(header);
    const size = type === 'file' && next?.size !== undefined ? next.size : numberOf(header, 124, 12, 'size');
    const from = at + BLOCK;
    if (from + size > archive.length) throw refused(`is cut off inside "${name}"`);
    const bytes = archive.subarray(from, from + size);
    at = from + Math.ceil(size / BLOCK) * BLOCK;
    if (type === 'file' || type === 'folder') {
      if (type === 'folder' && size > 0) throw refused(`has a folder with content, "${name}"`);
      yield { kind: type, name: next?.path ?? name, bytes };
      next = undefined;
      continue;
    }
    if (size > MOST_EXTENDED) throw refused(`has a record of ${size} bytes for a name`);
    if (type === 'global') refuseGlobal(pairsOf(bytes));
    else next = extend(next, type === 'pax' ? fromPax(pairsOf(bytes)) : { path: text(cut(bytes)) });
  }
  if (next !== undefined) throw refused('ends behind a record that announces one more file');
  // Two blocks of zeros are the end. Bytes behind it would be read by another tar than this one.
  if (archive.length < at + 2 * BLOCK) throw refused('is cut off: its end is missing');
  if (!archive.subarray(at).every((byte) => byte === 0)) throw refused('has bytes behind its end');
}

function typeOf(header: Buffer): 'file' | 'folder' | 'pax' | 'global' | 'long' {
  checkSum(header);
  const letter = String.fromCharCode(header[156] ?? 0);
  switch (letter) {
    case '0': case '\0': return 'file';
    case '5': return 'folder';
    case 'x': return 'pax';
    case 'g': return 'global';
    case 'L': return 'long';
    default: throw refused(`has ${KINDS[letter] ?? `an entry of kind ${JSON.stringify(letter)}`}, "${nameOf(header)}"`);
  }
}

const KINDS: Readonly<Record<string, string>> = {
  1: 'a hard link', 2: 'a symbolic link', 3: 'a device', 4: 'a device', 6: 'a pipe', 7: 'a contiguous file', K: 'a link with a long name', S: 'a sparse file',
};

/** The sum of all bytes of the header, with its own field as blanks. */
function checkSum(header: Buffer): void {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += header[at] ?? 0;
  if (numberOf(header, 148, 8, 'checksum') !== sum) throw refused('has a header whose checksum is wrong');
}

/** Octal digits, blanks before them, a blank or NUL behind. GNU's binary form is for sizes over any limit here. */
function numberOf(header: Buffer, from: number, length: number, what: string): number {
  const digits = /^ *([0-7]+)[ \0]*$/.exec(header.toString('latin1', from, from + length))?.[1];
  if (digits === undefined) throw refused(`has a header whose ${what} is no number`);
  return Number.parseInt(digits, 8);
}

function nameOf(header: Buffer): string {
  const name = text(cut(header.subarray(0, 100)));
  // GNU tar writes a blank behind `ustar` and keeps times where the prefix would be.
  if (header.toString('latin1', 257, 263) !== 'ustar\0') return name;
  const prefix = text(cut(header.subarray(345, 500)));
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Up to the first NUL. */
function cut(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function text(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw refused('has a name that is not UTF-8', cause);
  }
}

/** `<length> <key>=<value>\n`, again and again; the length counts all of it. */
function pairsOf(bytes: Buffer): Map<string, string> {
  const pairs = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const head = /^([1-9]\d{0,5}) ([^=\0]+)=/.exec(bytes.toString('latin1', at, at + 256));
    const end = at + Number(head?.[1]);
    if (head === null || end > bytes.length || bytes[end - 1] !== 0x0a || at + head[0].length >= end) throw refused('has a pax record that is damaged');
    pairs.set(head[2] ?? '', text(bytes.subarray(at + head[0].length, end - 1)));
    at = end;
  }
  return pairs;
}

function fromPax(pairs: ReadonlyMap<string, string>): Extended {
  for (const key of pairs.keys()) if (key.startsWith('GNU.sparse.')) throw refused('has a sparse file');
  const path = pairs.get('path');
  const size = pairs.get('size');
  if (size !== undefined && !/^\d{1,12}$/.test(size)) throw refused('has a pax record whose size is no number');
  return { ...(path === undefined ? {} : { path }), ...(size === undefined ? {} : { size: Number(size) }) };
}

/** A record for the whole archive: comments are common there, a name or a size for every file is a trap. */
function refuseGlobal(pairs: ReadonlyMap<string, string>): void {
  for (const key of ['path', 'linkpath', 'size']) if (pairs.has(key)) throw refused(`has a ${key} for all of its files`);
}

/** Two records that name the same thing would be read differently by different programs. */
function extend(before: Extended | undefined, more: Extended): Extended {
  if (before?.path !== undefined && more.path !== undefined) throw refused('has two names for one file');
  return { ...before, ...more };
}

/** The error for an archive that is not unpacked; `what` goes on after "the archive". */
export function refused(what: string, cause?: unknown): HandoffError {
  return new HandoffError('SHAPE', `the archive ${what}; nothing of it was unpacked`, { cause });
}
