/**
 * A private store for one session that is being made, inside the folder of the locks: what comes from elsewhere, or is
 * made from several sessions, is whole and checked here before anything of it stands in its place. What a dead process
 * leaves is removed with the other things of its kind when the next lock is taken.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError } from '../lib/errors.mts';
import { makeFolder, removeTree, rename } from '../lib/fs/files.mts';
import { createRollback } from '../lib/fs/rollback.mts';
import { temporaryName } from '../lib/fs/temporary.mts';
import { checkSession, type Checked } from '../store/checker.mts';
import { indexRow } from '../store/index-file.mts';
import { sessionDir, sessionPaths, stagedName, storePaths, type SessionPaths } from '../store/layout.mts';
import type { Manifest } from '../store/manifest.mts';
import { openRenders, type RenderHashes, type RenderRules } from './renders/renders.mts';

export interface Incoming {
  /** Where the session's files stand under their own names. */
  readonly paths: SessionPaths;
  /** What `verify` would say of it, with this manifest in its manifest.json. */
  check(manifest: Manifest): Checked;
  /** Another one beside it. */
  beside(name: string): Incoming;
  /** Removes it with all in it. */
  remove(): void;
}

/** Makes an empty one, which its maker removes. Throws as the file system does, and leaves nothing then. */
export function createIncoming(root: string): Incoming {
  const { locks } = storePaths(root);
  makeFolder(locks);
  const own = path.join(locks, temporaryName('in'));
  try {
    return within(own, 'session');
  } catch (error) {
    removeTree(own);
    throw error;
  }
}

function within(own: string, name: string): Incoming {
  const dir = sessionDir(own, 'in', name);
  makeFolder(dir);
  return {
    paths: sessionPaths(dir),
    check: (manifest) => checkSession(own, { ...indexRow(name, manifest), project: 'in' }),
    beside: (other) => within(own, other),
    remove: () => removeTree(own),
  };
}

/** Throws DAMAGED for the first finding that makes `verify` fail; that a merged session has no brief yet is none. */
export function mustPass({ findings }: Checked, whose: string): void {
  const bad = findings.filter(({ level, id }) => level === 'fail' && id !== 'no-brief');
  if (bad.length > 0) throw new HandoffError('DAMAGED', `${whose} does not verify: ${bad.map(({ text }) => text).join('; ')}`);
}

/**
 * Renders the session in `paths` over its whole timeline. `seal` gives the manifest of the hashes. Files that are there
 * already are replaced only where `only` names them.
 */
export async function renderIncoming(paths: SessionPaths, bytes: number, manifest: Manifest, rules: Omit<RenderRules, 'objective' | 'fork'>, seal: (hashes: RenderHashes) => Manifest, only: (file: string) => boolean = () => true): Promise<Manifest> {
  const token = 'render';
  const rollback = createRollback();
  try {
    const renders = openRenders({ paths, session: manifest.session, token, rules: { ...rules, objective: manifest.objective, fork: manifest.fork } }, rollback);
    const { turns, objective: _objective, ...hashes } = await renders.finish(bytes, manifest);
    if (turns !== manifest.turn_count) throw new HandoffError('DAMAGED', `timeline.jsonl of ${manifest.session} has ${turns} turns where its manifest has ${manifest.turn_count}`);
    const whole = seal(hashes);
    await renders.seal(whole);
    for (const target of [paths.tools, paths.summary, paths.payload, paths.brief]) {
      if (only(target)) rename(stagedName(target, token), target);
      else fs.unlinkSync(stagedName(target, token));
    }
    return whole;
  } catch (error) {
    rollback.run();
    throw error;
  }
}
