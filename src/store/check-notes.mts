/** What is worth telling and no damage: a brief that somebody edited, a source that moved on, a promotion that is old. */
import path from 'node:path';
import { readFile } from '../lib/fs/files.mts';
import { statOf } from '../lib/look.mts';
import { promotedRevision, promotedWhen } from '../lib/promotion.mts';
import { blockSha256, splitHandoffBytes } from './evidence.mts';
import { note, type Finding } from './findings.mts';
import type { SessionPaths } from './layout.mts';
import { isSealed, type Manifest } from './manifest.mts';

/** A brief that is missing, or was edited above or below its marker since it was rendered. */
export function checkBrief(paths: SessionPaths, manifest: Manifest): Finding[] {
  const brief = readFile(paths.brief);
  if (brief === undefined) return [note('brief-missing', 'HANDOFF.md is missing; `handoff render` makes it anew')];
  const { marker, block } = splitHandoffBytes(brief);
  // What 2.0.x rendered has no marker; in a file of ours somebody took it out.
  if (marker === 'none' && !isSealed(manifest)) return [];
  const findings: Finding[] = [];
  if (marker !== 'ok') findings.push(note('brief-edited', 'HANDOFF.md was edited above its marker'));
  const expected = manifest.evidence_contract_sha256;
  const found = blockSha256(block);
  // Line ends that a checkout converted are no edit.
  const asLf = blockSha256(Buffer.from(block.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'));
  if (marker !== 'none' && found !== expected && asLf !== expected) {
    findings.push(note('evidence-edited', `the evidence block was edited since revision ${manifest.revisions}`, expected, found));
  }
  return findings;
}

/** Sources that are gone, or not as long as they were. Never throws: a source may lie anywhere. */
export function checkSources(manifest: Manifest): Finding[] {
  return (manifest.sources ?? []).flatMap((row) => {
    if (row.path === '-') return [];
    const name = path.basename(row.path);
    // It may lie in somebody else's home, or on another system.
    const size = statOf(row.path)?.size;
    // A session in a database is named behind its file, whose size says nothing of it.
    if (size === undefined && row.path.includes('#') && statOf(row.path.slice(0, row.path.lastIndexOf('#'))) !== undefined) return [];
    if (size === undefined) return [note('source-gone', `the source ${name} is not there any more`)];
    // One that is read whole has no lines; it may have lain in more files than the one that names it.
    if (size === row.bytes || (size < row.bytes && row.lines === 0)) return [];
    return [note('source-grown', `the source ${name} ${size > row.bytes ? 'has grown' : 'is shorter'} since it was captured`, row.bytes, size)];
  });
}

/** A promotion of an earlier revision. */
export function checkPromotion(manifest: Manifest): Finding[] {
  const at = promotedRevision(manifest);
  if (manifest.promoted_gate === undefined || (at !== undefined && at >= manifest.revisions)) return [];
  const text = `promoted ${promotedWhen(at, manifest.revisions)}`;
  return [at === undefined ? note('promotion-old', text) : note('promotion-old', text, manifest.revisions, at)];
}
