/**
 * Puts a whole new content into a session's place, by the commit protocol of a build: every file is staged beside its
 * target, the timeline and the chain too, and the manifest's rename commits them all.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../lib/errors.mts';
import { removeQuietly, rename, replaceFile, sync } from '../../lib/fs/files.mts';
import type { Lock } from '../../lib/fs/lock.mts';
import { createRollback, type Rollback } from '../../lib/fs/rollback.mts';
import { sha256 } from '../../lib/hash-chain.mts';
import { sessionPaths, stagedName, type SessionPaths } from '../../store/layout.mts';
import type { Manifest } from '../../store/manifest.mts';
import { backUp } from './backup.mts';
import { refuseLinks } from './base-line.mts';
import { commitManifest, makeSessionFolder, placeDir, settle, stageManifest, type Intent } from './commit.mts';
import { afterCommit, Unsettled } from '../work.mts';

export interface Replacement {
  /** `project/folder`. */
  at: string;
  /** The manifest as it stands there; undefined for a new session. */
  base: { manifest: Manifest; text: string } | undefined;
  /** The new files, durable, under their own names; they are moved. What is not among them stays. */
  from: SessionPaths;
  /** What manifest.json will hold. */
  text: string;
  /** The new HANDOFF.md stands with the block in it; else the author's part there is carried. */
  withBlock: boolean;
  /** Copy the folder first. */
  backUp: boolean;
  /** The name beside manifest.json under which the old one is kept. */
  keepManifest?: string;
}

/**
 * Under the session's lock. The index is the caller's. Gives the name under which an edited HANDOFF.md was kept.
 * Throws Unsettled where the lock has to stay for the next holder; else the session is as it was.
 */
export function replaceSession(root: string, lock: Lock, { at, base, from, text, withBlock, backUp: copies, keepManifest }: Replacement): { kept?: string } {
  const paths = sessionPaths(placeDir(root, at));
  refuseLinks(paths);
  const intent: Intent = {
    place: at,
    base: base === undefined ? null : sha256(base.text),
    timeline_bytes: sizeOf(paths.timeline),
    chain_bytes: sizeOf(paths.chain),
    replaces: true,
    ...(withBlock ? { over: hashOf(paths.brief) } : {}),
  };
  lock.note({ ...intent });
  const rollback = createRollback();
  try {
    makeSessionFolder(paths.dir, rollback);
    if (base !== undefined && copies) backUp(root, at, base.manifest, path.dirname(from.dir), rollback);
    if (base !== undefined && keepManifest !== undefined) keep(`${paths.manifest}.${keepManifest}`, base.text, lock.token, rollback);
    for (const key of ['timeline', 'chain', 'tools', 'summary', 'payload', 'brief'] as const) {
      const staged = stagedName(paths[key], lock.token);
      if (move(from[key], staged)) rollback.push(() => removeQuietly(staged));
    }
    stageManifest(paths, lock.token, text, rollback);
    commitManifest(paths, lock, rollback);
  } catch (error) {
    if (!rollback.run()) throw new Unsettled('not undone', { cause: error });
    throw error;
  }
  return afterCommit(() => {
    const { kept } = settle(root, intent, lock.token);
    return kept === undefined ? {} : { kept };
  });
}

/** False where there is nothing to move. Staging and target may lie on two file systems, where a part of the store is mounted. */
function move(from: string, to: string): boolean {
  try {
    rename(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    if (errnoOf(error) !== 'EXDEV') throw error;
  }
  fs.copyFileSync(from, to);
  const fd = fs.openSync(to, 'r+');
  try {
    sync(fd);
  } finally {
    fs.closeSync(fd);
  }
  return true;
}

function keep(file: string, text: string, token: string, rollback: Rollback): void {
  const before = fs.existsSync(file) ? fs.readFileSync(file) : undefined;
  rollback.push(() => (before === undefined ? fs.rmSync(file, { force: true }) : replaceFile(file, before, token)));
  replaceFile(file, text, token);
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function hashOf(file: string): string | null {
  return fs.existsSync(file) ? sha256(fs.readFileSync(file)) : null;
}
