/** How two copies of a session stand to each other, by the bytes of their timelines; and which of two wins. */
import fs from 'node:fs';
import { HandoffError } from '../lib/errors.mts';
import { hasher, sha256 } from '../lib/hash-chain.mts';
import { beginAlike } from '../lib/fs/alike.mts';
import { readBytes } from '../lib/fs/lines.mts';
import { isSealed, type Manifest } from '../store/manifest.mts';
import { openRegular } from './remote.mts';

/** A copy of a session: what its manifest says, and where its timeline lies. */
export interface Copy {
  manifest: Manifest;
  timeline: string;
}

/** `ahead`: it goes on from all of the other's bytes; `behind`: the other does. */
export type Relation = 'equal' | 'ahead' | 'behind' | 'apart';

/** How `one` stands to `other`. Throws DAMAGED where a timeline is missing. */
export function relate(one: Copy, other: Copy): Relation {
  return withTimeline(one, (a, aBytes) => withTimeline(other, (b, bBytes) => {
    const shared = Math.min(aBytes, bBytes);
    if (!beginAlike(a, b, shared)) return 'apart';
    if (aBytes === bBytes) return 'equal';
    // What ends in the middle of a line of the other is not its beginning.
    const [longer, size] = aBytes > bBytes ? [a, aBytes] : [b, bBytes];
    if (shared > 0 && byteAt(longer, shared - 1) !== 10 && !endsLineAt(longer, shared, size)) return 'apart';
    return aBytes > bBytes ? 'ahead' : 'behind';
  }));
}

/** SHA-256 of the committed bytes of a timeline. */
export function timelineHash(copy: Copy): string {
  return withTimeline(copy, (fd, bytes) => {
    const hash = hasher();
    readBytes(fd, 0, bytes, (chunk) => hash.update(chunk));
    return hash.digest('hex');
  });
}

/** How much of a timeline the manifest commits; without a seal that is the whole file. */
export function committedBytes({ manifest, timeline }: Copy): number {
  return withTimeline({ manifest, timeline }, (_fd, bytes) => bytes);
}

function withTimeline<T>({ manifest, timeline }: Copy, use: (fd: number, bytes: number) => T): T {
  const opened = openRegular(timeline);
  if (opened === undefined) throw new HandoffError('DAMAGED', 'timeline.jsonl missing');
  try {
    return use(opened.fd, isSealed(manifest) ? Math.min(manifest.seal.timeline_bytes, opened.size) : opened.size);
  } finally {
    fs.closeSync(opened.fd);
  }
}

function endsLineAt(fd: number, at: number, size: number): boolean {
  const next = at < size ? byteAt(fd, at) : undefined;
  return next === 10 || (next === 13 && byteAt(fd, at + 1) === 10);
}

function byteAt(fd: number, at: number): number | undefined {
  const byte = Buffer.alloc(1);
  return fs.readSync(fd, byte, 0, 1, at) === 1 ? byte[0] : undefined;
}

/**
 * What a manifest says, but for its own hash and the marks of federation: the same in two stores that took it from each other.
 * `isSound`: its own hash is known to fit, and says the same where there are no such marks.
 */
export function printOf(manifest: Manifest, isSound = false): string {
  if (isSound && !('federated_from' in manifest) && !('federated_at' in manifest)) return manifest.manifest_sha256;
  const { manifest_sha256: _own, federated_from: _from, federated_at: _at, ...rest } = manifest;
  return sha256(JSON.stringify(rest));
}

/** Whether `one` wins over `other`: more revisions, then a promotion, then a later date, then the larger hash. The same in both stores. */
export function wins(one: Manifest, other: Manifest): boolean {
  const order = one.revisions - other.revisions
    || Number(one.promoted_gate !== undefined) - Number(other.promoted_gate !== undefined)
    || Date.parse(one.updated_at) - Date.parse(other.updated_at)
    || 0;
  return order !== 0 ? order > 0 : printOf(one) > printOf(other);
}
