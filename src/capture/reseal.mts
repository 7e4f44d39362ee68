/**
 * The verbs that change what a session's record says and no turn of it: rename, retitle, render. Each is a revision of the
 * manifest under the same commit protocol as a build; `forget` is the removal, in one rename.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError } from '../lib/errors.mts';
import { namesIn, rename, syncFolder } from '../lib/fs/files.mts';
import type { Lock } from '../lib/fs/lock.mts';
import { createRollback } from '../lib/fs/rollback.mts';
import { sha256 } from '../lib/hash-chain.mts';
import { promotedRevision, revisionTime } from '../lib/promotion.mts';
import { blockSha256 } from '../store/evidence.mts';
import { placeParts, sessionPaths } from '../store/layout.mts';
import { allSessions, findExact, isUnreadable, relativePlace, sessionAt, stillUnreadable } from '../store/lookup.mts';
import type { IndexRow } from '../store/index-file.mts';
import { isSealed, manifestForWriting, sealed, type Manifest } from '../store/manifest.mts';
import { folderName, projectSlug, withSuffix } from '../store/names.mts';
import { checkTimeline } from '../store/check-timeline.mts';
import { baseLine } from './commit/base-line.mts';
import { commitManifest, placeDir, settle, stageManifest, type Intent } from './commit/commit.mts';
import { sealRevision } from './commit/next-manifest.mts';
import { openRenders, type RenderHashes, type RenderRules } from './renders/renders.mts';
import { indexSession, settleForget, trashOf, underSession } from './commit/session.mts';
import { afterCommit, Unsettled } from './work.mts';

export interface ResealPlace {
  root: string;
  rules: Omit<RenderRules, 'objective' | 'fork'>;
  onSignal(undo: () => void): () => void;
  progress?(message: string): void;
}

export interface Resealed {
  session: string;
  project: string;
  folder: string;
  dir: string;
  revision: number;
  kept?: string;
}

/** Moves a session to another project. Throws USAGE for a name that says nothing, EXISTS where that has a session of its folder's name. */
export function renameSession(place: ResealPlace, row: IndexRow, project: string): Promise<Resealed> {
  if (!/[\p{L}\p{N}]/u.test(project)) throw new HandoffError('USAGE', `a project's name needs a letter or a digit, and ${JSON.stringify(project)} has none`);
  const slug = projectSlug(project);
  return withSession(place, row, 'rename', (lock, now) => {
    const to = `${slug}/${now.id}`;
    if (slug === now.project) throw new HandoffError('EXISTS', `${now.id} is in project ${slug} already`);
    return reseal(place, lock, now, (manifest) => ({ ...manifest, prev_project: manifest.project, project: slug, ...next(manifest) }), to);
  });
}

/** Gives a session's folder another name, and its brief that title. Throws EXISTS where the name is taken. */
export function retitleSession(place: ResealPlace, row: IndexRow, name: string): Promise<Resealed> {
  const flat = folderName(name).replace(/_{2,}/g, '_');
  // A name in letters that no folder gets here is told apart by its hash.
  const folder = flat === '_' ? withSuffix(flat, name) : flat;
  return withSession(place, row, 'retitle', (lock, now) => {
    if (folder === now.id) throw new HandoffError('EXISTS', `${now.id} has that name already`);
    const titled = (manifest: Manifest): Manifest => ({ ...manifest, titled_from: [...(manifest.titled_from ?? []), now.id], title: name, ...next(manifest) });
    return reseal(place, lock, now, titled, `${now.project}/${folder}`);
  });
}

/** Makes the renders anew; the manifest changes only where their bytes are not the sealed ones. */
export function renderSession(place: ResealPlace, row: IndexRow): Promise<Resealed> {
  return withSession(place, row, 'render', (lock, now) => reseal(place, lock, now, (manifest) => manifest, undefined));
}

/** Removes a session with its row, its line and its notes. The rename out of the projects is the commit. */
export function forgetSession(place: ResealPlace, row: IndexRow): Promise<void> {
  return withSession(place, row, 'forget', (lock, now) => {
    const at = `${now.project}/${now.id}`;
    const dir = placeDir(place.root, at);
    lock.note({ place: at, base: null, timeline_bytes: 0, chain_bytes: 0 });
    // Its row may be all that is left of it.
    if (fs.existsSync(dir)) rename(dir, trashOf(place.root, lock.token));
    afterCommit(() => {
      if (fs.existsSync(path.dirname(dir))) syncFolder(path.dirname(dir));
      settleForget(place.root, at, lock.token, now.uuid);
    });
  }, lostRow(place.root, row));
}

/** The row where it still says of a place without a manifest that the session is there: nothing but `forget` takes it away. */
function lostRow(root: string, row: IndexRow): () => IndexRow | undefined {
  return () => allSessions(root).find((one) => one.uuid === row.uuid && relativePlace(one) === relativePlace(row));
}

function next(manifest: Manifest): Partial<Manifest> {
  const promoted = promotedRevision(manifest);
  return { revisions: manifest.revisions + 1, updated_at: revisionTime(manifest), ...(promoted === undefined ? {} : { promoted_revision: promoted }) };
}

/**
 * Runs `work` under the session's lock, with the place that it has then: the one that was named, where it is there still, since
 * a copy by hand has the same id; what `otherwise` gives, where it is nowhere. Throws HELD where a living process has it.
 */
export function withSession<T>(place: ResealPlace, row: IndexRow, operation: string, work: (lock: Lock, now: IndexRow) => T | Promise<T>, otherwise: () => IndexRow | undefined = () => undefined): Promise<T> {
  return underSession(place.root, row.uuid, operation, (lock) => {
    const now = (isUnreadable(row) ? stillUnreadable(place.root, row) : sessionAt(place.root, relativePlace(row), row.uuid) ?? findExact(place.root, row.uuid)) ?? otherwise();
    if (now === undefined) throw new HandoffError('NO_MATCH', `${row.id} is not there any more`);
    return work(lock, now);
  });
}

/** Never the hash of a manifest: says that all is staged and has to be put into its place. */
const STAGED = 'staged';

/**
 * Commits what `change` makes of the manifest, with all renders made anew over the timeline as it stands; with `to` the
 * session goes there after the commit. Throws DAMAGED for a timeline that is not the sealed one.
 */
export async function reseal(place: ResealPlace, lock: Lock, row: IndexRow, change: (manifest: Manifest) => Manifest, to: string | undefined): Promise<Resealed> {
  const at = `${row.project}/${row.id}`;
  const paths = sessionPaths(placeDir(place.root, at));
  const base = manifestForWriting(paths.manifest);
  if (base === undefined) throw new HandoffError('NO_MATCH', `${row.id} has no manifest`);
  if (to !== undefined && isOccupied(place.root, at, to)) throw new HandoffError('EXISTS', `${to} is there already`);
  // A place that cannot be left or reached is told before the commit: after it nobody could finish the move.
  if (to !== undefined) for (const one of [at, to]) mayChange(path.dirname(placeDir(place.root, one)));
  const damage = checkTimeline(paths, base.manifest, undefined).find(({ level }) => level === 'fail');
  if (damage !== undefined) throw new HandoffError('DAMAGED', `${row.id}: ${damage.text}; nothing was written`);
  const line = baseLine(paths, base);
  let intent: Intent = { place: at, base: sha256(base.text), timeline_bytes: line.timelineBytes, chain_bytes: line.chainBytes, ...(to === undefined ? {} : { to }) };
  lock.note({ ...intent });

  const rollback = createRollback();
  const disarm = place.onSignal(() => {
    if (rollback.run()) lock.release();
  });
  let manifest: Manifest;
  try {
    const after = carryBlock(base.manifest, change(base.manifest), line.block);
    const renders = openRenders({ paths, session: after.session, token: lock.token, rules: { ...place.rules, objective: after.objective, fork: after.fork }, progress: (message) => place.progress?.(message) }, rollback);
    const { turns: _turns, objective: _objective, ...hashes } = await renders.finish(line.timelineBytes, after);
    const result = sealAgain(base, after, hashes);
    manifest = result.manifest;
    await renders.seal(manifest);
    if (result.text === base.text) {
      // Nothing but renders: the note in the lock is the commit.
      intent = { ...intent, base: STAGED };
      lock.note({ ...intent });
      rollback.commit();
    } else {
      stageManifest(paths, lock.token, result.text, rollback);
      commitManifest(paths, lock, rollback);
    }
  } catch (error) {
    if (!rollback.run()) throw new Unsettled('not undone', { cause: error });
    throw error;
  } finally {
    disarm();
  }
  return afterCommit(() => {
    const settled = settle(place.root, intent, lock.token);
    const now = settled.place ?? at;
    indexSession(place.root, now, now === at ? undefined : at);
    return { session: manifest.session, ...placeParts(now), dir: placeDir(place.root, now), revision: manifest.revisions, ...(settled.kept === undefined ? {} : { kept: settled.kept }) };
  });
}

/** Whether something lies at `to`, or would on a file system that takes names for one which differ only in case. */
function isOccupied(root: string, at: string, to: string): boolean {
  const { project, folder } = placeParts(to);
  const dir = placeDir(root, to);
  return fs.existsSync(dir) || namesIn(path.dirname(dir)).some((name) => name.toLowerCase() === folder.toLowerCase() && `${project}/${name}` !== at);
}

/** Throws as the file system does where nothing may be put into the folder or taken out of it; one that is not there yet is made. */
function mayChange(folder: string): void {
  if (fs.existsSync(folder)) fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
}

/** The brief is made anew with the author's block in it: a revision says which one that was. */
function carryBlock(manifest: Manifest, after: Manifest, block: Buffer): Manifest {
  if (after === manifest) return after;
  const { evidence_contract_sha256: _old, ...rest } = after;
  const hash = blockSha256(block);
  if (hash === undefined) return rest as Manifest;
  // A key that is there keeps its place.
  return { ...after, evidence_contract_sha256: hash };
}

/** A seal is carried forward only where it covered the revision; renders that are the sealed ones leave the manifest alone. */
function sealAgain(base: { manifest: Manifest; text: string }, after: Manifest, hashes: RenderHashes): { manifest: Manifest; text: string } {
  const { manifest } = base;
  const same = after === manifest;
  if (!isSealed(manifest)) return same ? base : sealed(after);
  if (same && (Object.keys(hashes) as (keyof RenderHashes)[]).every((key) => manifest.seal[key] === hashes[key])) return base;
  const { timeline_bytes, chain_head } = manifest.seal;
  return sealRevision(after, { ...hashes, timeline_bytes, chain_head });
}
