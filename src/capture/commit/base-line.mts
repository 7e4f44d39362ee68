/** What a session holds before a revision, as far as an append has to know it. */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError, errnoOf } from '../../lib/errors.mts';
import { readBytes } from '../../lib/fs/lines.mts';
import { hasher, ZEROS } from '../../lib/hash-chain.mts';
import { counted } from '../../lib/plural.mts';
import { readChain, type ChainRow } from '../../store/chain.mts';
import type { SessionPaths } from '../../store/layout.mts';
import { isSealed, type Manifest } from '../../store/manifest.mts';
import { authorPart } from './brief-file.mts';

export interface BaseLine {
  /** Committed lengths in bytes. */
  timelineBytes: number;
  chainBytes: number;
  chainHead: string;
  /** The row for bytes that a program without a chain appended. */
  foreign: Omit<ChainRow, 'head'> | undefined;
  /** False where the timeline's last line has no end yet, or the chain's: an editor or a tool took it. */
  ended: boolean;
  chainEnded: boolean;
  /** The author's part of HANDOFF.md as it stands. */
  block: Buffer;
}

/**
 * Throws DAMAGED where the files are not what the manifest says: an append would hide it, and a later `verify` could not
 * tell any more.
 */
export function baseLine(paths: SessionPaths, base: { manifest: Manifest } | undefined): BaseLine {
  refuseLinks(paths);
  const block = authorPart(paths.brief).block;
  if (base === undefined) {
    refuseHeadless(paths);
    return { timelineBytes: 0, chainBytes: 0, chainHead: ZEROS, foreign: undefined, ended: true, chainEnded: true, block };
  }
  const { manifest } = base;
  const size = sizeOf(paths.timeline);
  if (size === undefined) throw damaged(manifest, 'timeline.jsonl is missing');
  const ended = endsInLf(paths.timeline, size);
  const seal = manifest.seal;
  const chain = readChain(paths.chain, seal?.chain_head);
  // The rows count their line ends, the last one's too.
  const chainEnded = chain.beyond >= 0;
  const chainBytes = chainEnded ? chain.bytes : chain.bytes + chain.beyond;
  if (seal !== undefined && !chain.whole) throw damaged(manifest, 'chain.jsonl does not lead to the head that was sealed');
  if (isSealed(manifest)) {
    if (size !== manifest.seal.timeline_bytes) {
      throw damaged(manifest, `timeline.jsonl has ${size} bytes where revision ${manifest.revisions} committed ${manifest.seal.timeline_bytes}`);
    }
    return { timelineBytes: size, chainBytes, chainHead: manifest.seal.chain_head, foreign: undefined, ended, chainEnded, block };
  }
  const covered = chain.rows.at(-1)?.bytes ?? 0;
  if (covered > size) throw damaged(manifest, `timeline.jsonl has ${size} bytes where its chain covers ${covered}`);
  const foreign = size === covered ? undefined : foreignRow(paths, manifest, covered, size, chain.rows.at(-1)?.head ?? ZEROS);
  return { timelineBytes: size, chainBytes, chainHead: chain.rows.at(-1)?.head ?? ZEROS, foreign, ended, chainEnded, block };
}

/** A link in the store would lead what is written out of it. The root itself may be one. Throws DAMAGED. */
export function refuseLinks(paths: SessionPaths): void {
  const link = [path.dirname(paths.dir), paths.dir, paths.timeline, paths.chain].find((place) => fs.lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true);
  if (link !== undefined) throw new HandoffError('DAMAGED', `${link} is a link; nothing is written through it`);
}

/**
 * A chain that leads to the timeline's end, beside renders that a commit put there: a session whose manifest was lost. A new one
 * in its place would cut away turns that its source may not have any more. What a dead first build leaves has no renders.
 */
function refuseHeadless({ dir, timeline, chain, payload }: SessionPaths): void {
  const last = readChain(chain, undefined).rows.at(-1);
  if (last === undefined || last.bytes !== sizeOf(timeline) || sizeOf(payload) === undefined) return;
  throw new HandoffError('DAMAGED', `${dir} holds ${counted(last.turns, 'turn')} and its manifest.json is missing; nothing was written: put manifest.json back from a copy or from git, or take the folder away`);
}

function foreignRow(paths: SessionPaths, manifest: Manifest, from: number, to: number, prev: string): Omit<ChainRow, 'head'> {
  const hash = hasher();
  const fd = fs.openSync(paths.timeline, 'r');
  try {
    readBytes(fd, from, to, (chunk) => hash.update(chunk));
  } finally {
    fs.closeSync(fd);
  }
  return {
    revision: manifest.revisions, at: manifest.updated_at, turns: manifest.turn_count, bytes: to,
    raw_sha256: manifest.raw_sha256, segment_sha256: hash.digest('hex'), foreign: true, prev,
  };
}

function damaged(manifest: Manifest, what: string): HandoffError {
  return new HandoffError('DAMAGED', `${manifest.session}: ${what}; nothing was written (\`handoff verify\` has the details)`);
}

function sizeOf(file: string): number | undefined {
  try {
    return fs.statSync(file).size;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function endsInLf(file: string, size: number): boolean {
  if (size === 0) return true;
  const fd = fs.openSync(file, 'r');
  try {
    const byte = Buffer.alloc(1);
    return fs.readSync(fd, byte, 0, 1, size - 1) === 1 && byte[0] === 10;
  } finally {
    fs.closeSync(fd);
  }
}
