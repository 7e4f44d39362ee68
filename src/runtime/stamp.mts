/**
 * What is changed in a session that comes from elsewhere: the marks of federation go into its manifest, and the manifest's
 * hash goes into the copies that payload, summary and brief have of it. All else stays byte for byte, so its seal still fits.
 */
import fs from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { FILE_MODE, sync, writeAll } from '../lib/fs/files.mts';
import { placeOfHash } from '../store/check-payload.mts';
import { joinHandoff, refreshHashes, splitHandoff, splitHandoffBytes } from '../store/evidence.mts';
import type { SessionPaths } from '../store/layout.mts';
import { sealed, type Manifest } from '../store/manifest.mts';

export interface Origin {
  /** The root as it was given. */
  from: string;
  at: string;
}

/** The manifest with where and when it was imported; its own hash is not made anew. */
export function marked(manifest: Manifest, { from, at }: Origin): Manifest {
  return { ...manifest, federated_from: from, federated_at: at };
}

/** Stamps the session in `paths` (without its manifest.json). `block` replaces the author's part. Gives the manifest and its text. */
export function stampSession(paths: SessionPaths, manifest: Manifest, origin: Origin, block: Buffer | undefined): { manifest: Manifest; text: string } {
  const whole = sealed(marked(manifest, origin));
  const hash = whole.manifest.manifest_sha256;
  for (const file of [paths.payload, paths.summary]) patchHash(file, manifest.manifest_sha256, hash);
  if (fs.existsSync(paths.brief)) rewrite(paths.brief, withHash(fs.readFileSync(paths.brief), hash, block));
  return whole;
}

/** Puts a block under a brief that was rendered without one. */
export function giveBlock(brief: string, block: Buffer): void {
  if (block.length > 0) rewrite(brief, Buffer.concat([fs.readFileSync(brief), block]));
}

function patchHash(file: string, old: string, hash: string): void {
  if (!fs.existsSync(file)) return;
  const fd = fs.openSync(file, 'r+');
  try {
    const at = placeOfHash(fd, fs.fstatSync(fd).size, old);
    if (at === undefined) return;
    writeAll(fd, Buffer.from(hash), at);
    sync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** An author may have saved the file in another encoding: then only what stands above the block is text. */
function withHash(bytes: Buffer, manifest_sha256: string, block: Buffer | undefined): Buffer {
  const own = splitHandoffBytes(bytes);
  const parts = own.marker === 'none' ? { above: bytes, block: Buffer.alloc(0) } : { above: bytes.subarray(0, bytes.length - own.block.length), block: own.block };
  const above = isUtf8(parts.above) ? Buffer.from(refreshHashes(parts.above.toString('utf8'), { manifest_sha256 })) : parts.above;
  if (block === undefined) return Buffer.concat([above, parts.block]);
  return Buffer.concat([Buffer.from(joinHandoff(splitHandoff(above.toString('utf8')).body, '')), block]);
}

function rewrite(file: string, bytes: Buffer): void {
  const fd = fs.openSync(file, 'w', FILE_MODE);
  try {
    writeAll(fd, bytes);
    sync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
