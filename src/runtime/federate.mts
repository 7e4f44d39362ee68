/**
 * `federated-merge`: sessions of other stores that are not here, or that say more than ours. A remote store is not trusted
 * (remote.mts); what of it is taken has been copied into a private place, verified there, and is put into its own by the
 * commit protocol. Where two stores went on apart both copies stay, under the same names in both.
 */
import { acquire, type Lock } from '../lib/fs/lock.mts';
import { HandoffError } from '../lib/errors.mts';
import { indexSessions } from '../capture/commit/index-many.mts';
import { refuseConflicts } from '../capture/commit/place.mts';
import type { ResealPlace } from '../capture/reseal.mts';
import { checkSession } from '../store/checker.mts';
import { indexRow } from '../store/index-file.mts';
import { placeParts, storePaths } from '../store/layout.mts';
import { folderName, isBeside } from '../store/names.mts';
import { createLocals, type Locals } from './locals.mts';
import { isHeldThere, mustBePlain, openRemote, readRemote, remotePlaces, type RemotePlace, type RemoteSession } from './remote.mts';
import { printOf } from './relation.mts';
import { mustPass } from '../capture/incoming.mts';
import { takeRemote, type Taken } from './take.mts';
import { weigh, type Reason, type Verdict } from './verdict.mts';

export interface Imported extends Taken {
  project: string;
}

export interface Failed {
  root: string;
  project?: string;
  session?: string;
  code: string;
  error: string;
}

export interface Federated {
  ok: boolean;
  action: 'federated-merge';
  dry_run: boolean;
  roots: string[];
  imported: Imported[];
  skipped: number;
  /** Those of them that differ from ours, and why ours stays. */
  skipped_sessions: { project: string; session: string; reason: Reason }[];
  failed: Failed[];
}

export interface FederatePlace extends ResealPlace {
  cwd: string;
  note(message: string): void;
  progress(message: string): void;
}

/** So many sessions are imported between two writings of the index; until then their locks name them. */
const BATCH = 64;

/** Throws HELD where another federation is at work. What fails for one session, or one root, is told in `failed`. */
export async function federate(place: FederatePlace, roots: readonly string[], dryRun: boolean): Promise<Federated> {
  if (dryRun) return new Run(place, roots, undefined).all();
  const own = acquire(storePaths(place.root).locks, 'federated-merge', 'federated-merge');
  try {
    return await new Run(place, roots, own).all();
  } finally {
    own.release();
  }
}

class Run {
  readonly #place: FederatePlace;
  readonly #locals: Locals;
  readonly #result: Federated;
  readonly #dry: boolean;
  readonly #at = new Date().toISOString();
  /** Sessions that were imported and are not in the index yet. */
  #open: { session: string; at: string; lock: Lock }[] = [];
  #seen = 0;

  constructor(place: FederatePlace, roots: readonly string[], own: Lock | undefined) {
    this.#place = place;
    this.#dry = own === undefined;
    this.#locals = createLocals(place.root);
    this.#result = { ok: true, action: 'federated-merge', dry_run: this.#dry, roots: [...roots], imported: [], skipped: 0, skipped_sessions: [], failed: [] };
  }

  async all(): Promise<Federated> {
    for (const given of this.#result.roots) await this.#root(given);
    if (this.#open.length > 0) this.#index(true);
    this.#result.ok = this.#result.failed.length === 0;
    return this.#result;
  }

  async #root(given: string): Promise<void> {
    let places: RemotePlace[];
    try {
      places = remotePlaces(openRemote(given, this.#place.cwd), (project, error) => this.#fail({ root: given, project }, error), (name) => this.#place.note(`${given}: projects/${name} is a link, which is not followed`));
    } catch (error) {
      this.#fail({ root: given }, error);
      return;
    }
    for (const place of places) {
      this.#seen += 1;
      if (this.#seen % 100 === 0) this.#place.progress(`${this.#seen} of ${places.length} sessions of ${given} looked at`);
      let remote: RemoteSession | undefined;
      try {
        remote = readRemote(place);
        if (remote !== undefined) await this.#session(given, remote);
      } catch (error) {
        this.#fail({ root: given, project: place.project, session: remote?.manifest.session ?? place.folder }, error);
      }
    }
  }

  async #session(given: string, remote: RemoteSession): Promise<void> {
    const { session } = remote.manifest;
    if (this.#locals.prints(session).includes(printOf(remote.manifest, true))) {
      this.#result.skipped += 1;
      return;
    }
    // Told from the remote bytes as they lie there: what is not taken is not copied.
    const local = this.#locals.find(session);
    const verdict = weigh(local, { manifest: remote.manifest, timeline: remote.paths.timeline }, this.#locals.beside(session));
    if (verdict.act === 'skip') {
      this.#skip(remote, verdict.reason);
      return;
    }
    if (this.#dry) {
      mustBePlain(remote);
      mustPass(checkSession(remote.root, { ...indexRow(remote.folder, remote.manifest), project: remote.project }), 'the session there');
      if (verdict.act === 'import') refuseConflicts(this.#place.root, folderName(remote.folder, true), session);
      for (const taken of foreseen(session, verdict)) this.#result.imported.push({ project: local === undefined ? remote.project : placeParts(local.at).project, ...taken });
      return;
    }
    // What an earlier root gave is under a lock of our own until it is in the index.
    if (this.#open.some((one) => one.session === session || isBeside(one.session, session))) this.#index();
    const { taken, reason, error } = await takeRemote(this.#place, this.#locals, remote, { from: given, at: this.#at }, () => isHeldThere(remote));
    for (const { at, lock, ...one } of taken) {
      this.#open.push({ session: one.session, at, lock });
      this.#result.imported.push({ project: placeParts(at).project, ...one });
    }
    if (this.#open.length >= BATCH) this.#index();
    if (reason !== undefined) this.#skip(remote, reason);
    if (error !== undefined) throw error;
  }

  #skip({ project, manifest: { session } }: RemoteSession, reason: Reason): void {
    this.#result.skipped += 1;
    this.#result.skipped_sessions.push({ project, session, reason });
  }

  /** Where this fails the locks stay and name the sessions, until whoever takes them next writes their rows. */
  #index(last = false): void {
    indexSessions(this.#place.root, this.#open.map(({ at }) => at), last);
    for (const { lock } of this.#open) lock.release();
    this.#open = [];
  }

  #fail(where: Omit<Failed, 'code' | 'error'>, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#result.failed.push({ ...where, code: error instanceof HandoffError ? error.code : 'IO', error: message });
    const at = [where.root, where.project, where.session].filter((part) => part !== undefined).join(' ');
    this.#place.note(message.startsWith(`${at} `) ? message : `${at}: ${message}`);
  }
}

/** What a run would report of it. */
function foreseen(session: string, verdict: Exclude<Verdict, { act: 'skip' }>): Omit<Taken, 'manifest_sha256' | 'verify'>[] {
  if (verdict.act === 'import' || verdict.act === 'update') return [{ session, action: verdict.act }];
  const beside = verdict.beside === undefined ? [] : [{ session: verdict.beside.id, action: verdict.beside.into === undefined ? 'import' as const : 'update' as const }];
  return verdict.act === 'put-beside' ? beside : [...beside, { session, action: 'update' as const }];
}
