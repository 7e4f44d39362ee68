/**
 * The only place that defines a hash (docs/PROVENANCE.md says what each proves).
 * All are SHA-256, written as 64 lower-case hex digits.
 */
import { createHash, type Hash } from 'node:crypto';

export const ZEROS = '0'.repeat(64);

/** SHA-256 of bytes, or of the UTF-8 of a text. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** SHA-256 of what is given piece by piece. */
export function hasher(): Hash {
  return createHash('sha256');
}

/**
 * A manifest's hash of itself: over the compact JSON of the object in its stored key order,
 * with the key `manifest_sha256` left out wherever it stands.
 */
export function manifestHash(manifest: object): string {
  return selfHash(manifest, 'manifest_sha256');
}

/** The same for a job's checkpoint, whose key is `checkpoint_sha256`. */
export function checkpointHash(checkpoint: object): string {
  return selfHash(checkpoint, 'checkpoint_sha256');
}

function selfHash(value: object, key: string): string {
  const { [key]: _own, ...rest } = value as Record<string, unknown>;
  return sha256(JSON.stringify(rest));
}

/** One line of chain.jsonl: what a revision appended to the timeline. */
export interface ChainRow {
  revision: number;
  at: string;
  /** Turns and bytes in the whole timeline after this revision. */
  turns: number;
  bytes: number;
  raw_sha256: string;
  /** Over exactly the bytes that the revision appended. */
  segment_sha256: string;
  /** Present where the bytes were appended by a program that keeps no chain. */
  foreign?: true;
  prev: string;
  head: string;
}

/** The row with its `head`: the hash of the compact JSON of everything before it. */
export function chainRow(row: Omit<ChainRow, 'head'>): ChainRow {
  return { ...row, head: sha256(JSON.stringify(row)) };
}

/** Whether the row's `head` is the one that chainRow would give it. */
export function chainHeadFits(row: ChainRow): boolean {
  const { head, ...rest } = row;
  return head === sha256(JSON.stringify(rest));
}

/** The hash of a set of files, whatever order they come in: over the lines `path NUL hash`, paths with `/`, sorted by their bytes. */
export function fileSetHash(files: Iterable<readonly [path: string, sha256: string]>): string {
  const lines = [...files].map(([name, hash]) => Buffer.from(`${name}\0${hash}`));
  return sha256(lines.sort(Buffer.compare).map(String).join('\n'));
}
