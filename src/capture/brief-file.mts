/**
 * HANDOFF.md belongs to two: what stands above the marker is ours, what follows it is the author's. Whenever the file
 * is replaced the author's part is read again and carried, and a file that was changed above the marker is kept.
 */
import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { errnoOf } from '../lib/errors.mts';
import { removeQuietly, rename, replaceFile } from '../lib/fs/files.mts';
import { sha256 } from '../lib/hash-chain.mts';
import { joinHandoff, legacyBlock, splitHandoff } from '../store/evidence.mts';
import { stagedName } from '../store/layout.mts';

export interface AuthorPart {
  block: string;
  /** The whole file was changed above the marker since it was rendered, or an author's text stands where no marker is. */
  edited: boolean;
}

/** The author's part of a HANDOFF.md as it stands; '' where there is no file. */
export function authorPart(file: string): AuthorPart {
  const bytes = read(file);
  if (bytes === undefined) return { block: '', edited: false };
  const parts = splitHandoff(decode(bytes));
  if (parts.marker === 'none') return { block: legacyBlock(decode(bytes)), edited: false };
  return { block: parts.block, edited: parts.marker === 'edited' };
}

/**
 * Puts the staged HANDOFF.md in its place, with the author's part as it is at this moment. Gives the name under which an
 * edited file was kept. Can be run again after a crash at any point.
 */
export function placeBrief(target: string, token: string): string | undefined {
  const staged = stagedName(target, token);
  const ours = read(staged);
  if (ours === undefined) return undefined;
  const now = read(target);
  const author = authorPart(target);
  let kept: string | undefined;
  if (now !== undefined && author.edited) kept = keep(target, now, token);
  if (author.block === '') {
    rename(staged, target);
    return kept;
  }
  const encoding = now !== undefined && !isUtf8(now) ? 'latin1' : 'utf8';
  const { body } = splitHandoff(ours.toString('utf8'));
  replaceFile(target, Buffer.concat([Buffer.from(joinHandoff(body, '')), Buffer.from(author.block, encoding)]), `final.${token}`);
  removeQuietly(staged);
  return kept;
}

/** Text that is not UTF-8 is taken byte by byte, so that it can be written back as it was. */
function decode(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

function read(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Keeps the file as HANDOFF.md.orig, or .orig.2 …; one that is kept already (a crash came after) is not kept twice. */
function keep(target: string, bytes: Buffer, token: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${target}.orig` : `${target}.orig.${number}`;
    const there = read(name);
    if (there !== undefined && sha256(there) === sha256(bytes)) return name;
    if (there !== undefined) continue;
    replaceFile(name, bytes, token);
    return name;
  }
}
