/**
 * HANDOFF.md belongs to two: what stands above the marker is ours, what follows it is the author's. Whenever the file
 * is replaced the author's part is read again and carried, and a file that was changed above the marker is kept.
 */
import { readFile, removeQuietly, rename, replaceFile } from '../../lib/fs/files.mts';
import { sha256 } from '../../lib/hash-chain.mts';
import { joinHandoff, splitHandoff, splitHandoffBytes } from '../../store/evidence.mts';
import { stagedName } from '../../store/layout.mts';

export interface AuthorPart {
  block: Buffer;
  /** The file is not what was rendered: it was changed above the marker, or the marker was taken out. */
  edited: boolean;
}

/** The author's part of a HANDOFF.md as it stands; empty where there is no file. */
export function authorPart(file: string): AuthorPart {
  const bytes = readFile(file);
  if (bytes === undefined) return { block: Buffer.alloc(0), edited: false };
  const { marker, block } = splitHandoffBytes(bytes);
  return { block, edited: marker === 'edited' || (marker === 'none' && !isOf2(bytes)) };
}

/** A brief of 2.0.x has no marker: nobody took it out. */
function isOf2(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  return /^# Handoff: /.test(text) && /^## Evidence contract \(hand-authored/m.test(text) && !/^> Quoted text below is a record/m.test(text);
}

/**
 * Puts the staged HANDOFF.md in its place, with the author's part as it is at this moment. Gives the name under which an
 * edited file was kept. Can be run again after a crash at any point.
 * `over`: the staged file stands as it is, since it was made over a file of this hash (null: none), which is kept elsewhere.
 */
export function placeBrief(target: string, token: string, over: string | null | undefined): string | undefined {
  const staged = stagedName(target, token);
  const ours = readFile(staged);
  if (ours === undefined) return undefined;
  const now = readFile(target);
  if (over !== undefined) {
    // Somebody wrote in it in between: that is not lost.
    const late = now !== undefined && sha256(now) !== over ? keep(target, now, token) : undefined;
    rename(staged, target);
    return late;
  }
  const author = authorPart(target);
  let kept: string | undefined;
  if (now !== undefined && author.edited) kept = keep(target, now, token);
  if (author.block.length === 0) {
    rename(staged, target);
    return kept;
  }
  const { body } = splitHandoff(ours.toString('utf8'));
  replaceFile(target, Buffer.concat([Buffer.from(joinHandoff(body, '')), author.block]), `final.${token}`);
  removeQuietly(staged);
  return kept;
}

/** Keeps the file as HANDOFF.md.orig, or .orig.2 …; one that is kept already (a crash came after) is not kept twice. */
function keep(target: string, bytes: Buffer, token: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${target}.orig` : `${target}.orig.${number}`;
    const there = readFile(name);
    if (there !== undefined && sha256(there) === sha256(bytes)) return name;
    if (there !== undefined) continue;
    replaceFile(name, bytes, token);
    return name;
  }
}
