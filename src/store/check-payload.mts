/** HANDOFF.llm.json: a sealed one is hashed, a foreign one must parse. */
import fs from 'node:fs';
import { openFile, readText } from '../lib/fs/files.mts';
import { readBytes } from '../lib/fs/lines.mts';
import { hasher, ZEROS } from '../lib/hash-chain.mts';
import { fail, type Finding } from './findings.mts';
import { isSealed, type Manifest } from './manifest.mts';

/** `asLf`: a checkout converted the store's line ends, which is told already. */
export function checkPayload(file: string, manifest: Manifest, asLf: boolean, onBytes?: (bytes: number) => void): Finding[] {
  if (isSealed(manifest)) {
    const found = hashWithZeros(file, manifest.manifest_sha256, asLf, onBytes);
    if (found === undefined) return [fail('payload-missing', 'HANDOFF.llm.json is missing')];
    return found === manifest.seal.payload_sha256 ? [] : [fail('payload-differs', 'HANDOFF.llm.json is not the payload that was sealed', manifest.seal.payload_sha256, found)];
  }
  const text = readText(file);
  if (text === undefined) return [fail('payload-missing', 'HANDOFF.llm.json is missing')];
  try {
    JSON.parse(text);
    return [];
  } catch {
    return [fail('payload-unreadable', 'HANDOFF.llm.json does not parse')];
  }
}

/**
 * SHA-256 of a file with the manifest's hash in it (`hash`; the first that stands behind its key) taken as zeros.
 * Undefined where there is no file. `asLf` takes CRLF as LF; `onBytes` is told of each piece.
 */
export function hashWithZeros(file: string, hash: string | undefined, asLf = false, onBytes?: (bytes: number) => void): string | undefined {
  const fd = openFile(file);
  if (fd === undefined) return undefined;
  try {
    const sum = hasher();
    const { size } = fs.fstatSync(fd);
    const at = hash === undefined ? undefined : placeOfHash(fd, size, hash);
    const update = (chunk: Buffer): void => {
      sum.update(chunk);
      onBytes?.(chunk.length);
    };
    const take = asLf ? lineEndsAsLf(update) : update;
    readBytes(fd, 0, at ?? size, take);
    if (at !== undefined) {
      take(Buffer.from(ZEROS));
      readBytes(fd, at + ZEROS.length, size, take);
    }
    return sum.digest('hex');
  } finally {
    fs.closeSync(fd);
  }
}

/** Gives on what it is fed with CRLF as LF; a CR at the very end is held back for ever, and no text of ours ends in one. */
export function lineEndsAsLf(use: (chunk: Buffer) => void): (chunk: Buffer) => void {
  let cr = '';
  return (chunk) => {
    const text = cr + chunk.toString('latin1');
    cr = text.endsWith('\r') ? '\r' : '';
    use(Buffer.from(text.slice(0, text.length - cr.length).replaceAll('\r\n', '\n'), 'latin1'));
  };
}

/**
 * Where the digits of the manifest's hash begin in a payload or a summary, in bytes; undefined where they are not there.
 * A quote inside a string is escaped, so the key with its quotes stands only where it is a key.
 */
export function placeOfHash(fd: number, size: number, hash: string): number | undefined {
  const key = '"manifest_sha256": "';
  const wanted = Buffer.from(key + hash);
  // One byte more than there is: a read that ends early ends the search.
  const buffer = Buffer.allocUnsafe(Math.min(1 << 16, size + 1));
  // Steps overlap by what is looked for, so that it is found across their border.
  for (let at = 0; at < size; at += buffer.length - wanted.length) {
    const got = fs.readSync(fd, buffer, 0, buffer.length, at);
    const found = buffer.subarray(0, got).indexOf(wanted);
    if (found >= 0) return at + found + key.length;
    if (got < buffer.length) return undefined;
  }
  return undefined;
}
