/**
 * The checker: what a session holds against what its manifest says. It reads only, gathers typed findings to the end, and
 * tells one damage once. The gate, `verify`, federation and `doctor` print the same findings.
 */
import fs from 'node:fs';
import { errnoOf, HandoffError } from '../lib/errors.mts';
import { readText, sleep } from '../lib/fs/files.mts';
import { holderOf, recordsOf, type Held } from '../lib/fs/lock-file.mts';
import { sha256 } from '../lib/hash-chain.mts';
import { fail, note, type Finding } from './findings.mts';
import type { IndexRow } from './index-file.mts';
import { SEAL_FORMAT, sessionKey, sessionPaths, stagedName, storePaths, type SessionPaths } from './layout.mts';
import { dirOf, relativePlace, whereNow } from './lookup.mts';
import { isSealed, readManifest, type Manifest } from './manifest.mts';
import { checkPayload, hashWithZeros } from './check-payload.mts';
import { checkTimeline } from './check-timeline.mts';
import { checkBrief, checkPromotion, checkSources } from './check-notes.mts';

export interface Checked {
  session: string;
  folder: string;
  project: string;
  turns: number;
  /** Whether a hash chain covers the last revision. */
  sealed: boolean;
  findings: Finding[];
}

/** What the lock of a session says about bytes that are not committed yet. */
export interface AtWork {
  token: string;
  /** The lock's base is the manifest as it stands: its lengths are the committed ones. */
  before: boolean;
  timelineBytes: number;
  alive: boolean;
}

/** Readings of one session, with the pause in ms before each: a build's commit takes a moment. */
const PAUSES_MS = [0, 5, 20, 60, 150];

/** How often a session that moves is followed. */
const FOLLOWED = 5;

/**
 * Checks the session of a row where it lies now: `rename` may take it away before or while it is read. Throws as
 * checkSession does, and NO_MATCH where it was forgotten.
 */
export function checkWhereItLies(root: string, row: IndexRow, onBytes?: (bytes: number) => void): { row: IndexRow; checked: Checked } {
  for (let at = row, tries = 1; ; tries++) {
    const checked = checkSession(root, at, onBytes);
    const now = whereNow(root, at);
    if (now === undefined) throw new HandoffError('NO_MATCH', `${row.id} is not there any more`);
    if (tries === FOLLOWED || relativePlace(now) === relativePlace(at)) return { row: at, checked };
    at = now;
  }
}

/**
 * Checks one session. What the file system refuses is a finding: the others of the store are checked all the same.
 * `onBytes` is told of each piece that was read. Throws CHANGING where the manifest changed under each of five readings.
 */
export function checkSession(root: string, row: IndexRow, onBytes?: (bytes: number) => void): Checked {
  try {
    return checkSteady(root, row, onBytes);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return { session: row.uuid, folder: row.id, project: row.project, turns: 0, sealed: false, findings: [fail('unreadable', `cannot be read (${(error as Error).message})`)] };
  }
}

function checkSteady(root: string, row: IndexRow, onBytes?: (bytes: number) => void): Checked {
  const paths = sessionPaths(dirOf(root, row));
  let still: Checked | undefined;
  for (const pause of PAUSES_MS) {
    if (pause > 0) sleep(pause);
    const before = readText(paths.manifest);
    const heldBefore = isHeld(root, row);
    const checked = checkOnce(root, row, paths, onBytes);
    still = readText(paths.manifest) === before ? checked : undefined;
    // Files move while a build is at work: what only then seems damaged is looked at again.
    const failed = checked.findings.some(({ level }) => level === 'fail');
    if (still !== undefined && !(failed && (heldBefore || isHeld(root, row)))) return still;
  }
  if (still !== undefined) return still;
  throw new HandoffError('CHANGING', `${row.id} changed each time it was read; try again when no build is at work`);
}

function isHeld(root: string, row: IndexRow): boolean {
  return holderOf(storePaths(root).locks, sessionKey(row.uuid)) !== undefined;
}

function checkOnce(root: string, row: IndexRow, paths: SessionPaths, onBytes?: (bytes: number) => void): Checked {
  const checked: Checked = { session: row.uuid, folder: row.id, project: row.project, turns: 0, sealed: false, findings: [] };
  const read = readManifest(paths.manifest);
  if (read.state !== 'read') {
    checked.findings.push(fail('manifest-unreadable', `manifest.json cannot be read (${read.state === 'missing' ? 'it is missing' : read.reason})`));
    return checked;
  }
  const { manifest } = read;
  checked.session = manifest.session;
  checked.project = manifest.project;
  checked.turns = manifest.turn_count;
  if (!read.sound) {
    checked.findings.push(fail('manifest-tampered', 'manifest tampered (sha mismatch)', manifest.manifest_sha256, read.hash ?? 'another'));
    return checked;
  }
  const format = manifest.seal?.format;
  if (format !== undefined && !(format <= SEAL_FORMAT)) {
    checked.findings.push(fail('seal-newer', `sealed by a newer version (format ${String(format)}), which alone knows what it sealed`));
    return checked;
  }
  const atWork = atWorkOf(holderOf(storePaths(root).locks, sessionKey(manifest.session)), read.text);
  if (atWork !== undefined) {
    checked.findings.push(atWork.alive ? note('build-at-work', 'a build is at work') : note('interrupted', 'a build was interrupted; the next one settles it', undefined, undefined, false));
  }
  if (isUnrendered(manifest, paths, atWork)) {
    checked.findings.push(fail('no-brief', `no brief yet; \`handoff render ${row.id}\` makes it`));
  }
  checked.sealed = isSealed(manifest);
  checked.findings.push(...checkTimeline({ ...paths, timeline: stagedOf(paths.timeline, atWork), chain: stagedOf(paths.chain, atWork) }, manifest, atWork, onBytes));
  if (checked.findings.some(({ id }) => id === 'no-brief')) return checked;
  const asLf = checked.findings.some(({ id }) => id === 'line-ends');
  checked.findings.push(...checkPayload(stagedOf(paths.payload, atWork), manifest, asLf, onBytes));
  if (isSealed(manifest)) {
    const { seal } = manifest;
    if (hashWithZeros(stagedOf(paths.summary, atWork), manifest.manifest_sha256, asLf) !== seal.summary_sha256) checked.findings.push(note('summary-differs', 'HANDOFF.summary.json differs from what was rendered'));
    if (hashWithZeros(stagedOf(paths.tools, atWork), undefined, asLf) !== seal.tools_sha256) checked.findings.push(note('tools-differ', 'TOOLS.md differs from what was rendered'));
  }
  if (atWork === undefined) checked.findings.push(...checkBrief(paths, manifest));
  checked.findings.push(...checkSources(manifest), ...checkPromotion(manifest));
  return checked;
}

/** A merged session has a timeline and a manifest until it is rendered. */
function isUnrendered(manifest: Manifest, paths: SessionPaths, atWork: AtWork | undefined): boolean {
  return manifest.merged_from !== undefined && !fs.existsSync(stagedOf(paths.payload, atWork)) && !fs.existsSync(paths.brief);
}

function atWorkOf(held: Held | undefined, manifestText: string): AtWork | undefined {
  // A holder that has not noted its own work yet still settles that of a dead one.
  const record = held === undefined ? undefined : recordsOf(held).findLast((known) => typeof known['place'] === 'string' && typeof known['timeline_bytes'] === 'number');
  if (record === undefined) return undefined;
  const base = record['base'];
  return { token: record.token, before: base === sha256(manifestText), timelineBytes: record['timeline_bytes'] as number, alive: held?.life !== 'dead' };
}

/** A staged file stands for its target once its manifest is committed. */
function stagedOf(target: string, atWork: AtWork | undefined): string {
  if (atWork === undefined || atWork.before) return target;
  const staged = stagedName(target, atWork.token);
  return fs.existsSync(staged) ? staged : target;
}
