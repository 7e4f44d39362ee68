/** Takes one session of another store: copied into a private place, verified, weighed again under its lock, put into its own place. */
import fs from 'node:fs';
import { HandoffError } from '../lib/errors.mts';
import { sleep, sync } from '../lib/fs/files.mts';
import type { Lock } from '../lib/fs/lock.mts';
import { sha256 } from '../lib/hash-chain.mts';
import { authorPart } from '../capture/commit/brief-file.mts';
import { placeDir } from '../capture/commit/commit.mts';
import { createIncoming, mustPass, renderIncoming, type Incoming } from '../capture/incoming.mts';
import { sealRevision } from '../capture/commit/next-manifest.mts';
import { freePlace } from '../capture/commit/place.mts';
import { replaceSession } from '../capture/commit/replace.mts';
import type { ResealPlace } from '../capture/reseal.mts';
import { takeSession } from '../capture/commit/session.mts';
import { Unsettled } from '../capture/work.mts';
import { checkTimeline } from '../store/check-timeline.mts';
import { findExact } from '../store/lookup.mts';
import { placeParts, sessionPaths } from '../store/layout.mts';
import { isSealed, manifestForWriting, sealed, type Manifest } from '../store/manifest.mts';
import { folderName, projectSlug } from '../store/names.mts';
import type { Locals } from './locals.mts';
import { committedBytes } from './relation.mts';
import { copyRemote, readRemote, type RemoteSession } from './remote.mts';
import { giveBlock, marked, stampSession, type Origin } from './stamp.mts';
import { weigh, type Beside, type Local, type Reason } from './verdict.mts';

export interface Taken {
  session: string;
  action: 'import' | 'update';
  manifest_sha256?: string;
  verify?: string;
}

/** A lock that stays until the session stands in the index. */
export interface Placed extends Taken {
  at: string;
  lock: Lock;
}

const OPERATION = 'federated-merge';
/** In ms, before each try to read a session that somebody there is at. */
const PAUSES_MS = [0, 50, 250];

export interface Outcome {
  /** What was put into its place; also where a later step failed. */
  taken: Placed[];
  /** Why nothing was. */
  reason?: Reason;
  error?: unknown;
}

/** `isHeld`: whether somebody there is at work. Where it fails, nothing beside `taken` is changed, or a lock says what is left to do. */
export async function takeRemote(place: ResealPlace, locals: Locals, first: RemoteSession, origin: Origin, isHeld: () => boolean): Promise<Outcome> {
  const incoming = createIncoming(place.root);
  const work = new Taking(place, locals, origin, incoming);
  const disarm = place.onSignal(() => {
    incoming.remove();
    work.release();
  });
  try {
    const remote = copyIn(first, incoming, isHeld);
    const { session } = remote.manifest;
    const lock = work.take(session);
    const local = work.local(session);
    const verdict = weigh(local, { manifest: remote.manifest, timeline: incoming.paths.timeline }, locals.beside(session));
    switch (verdict.act) {
      case 'skip':
        return { taken: [], reason: verdict.reason };
      case 'import':
        await work.import(remote, lock);
        break;
      case 'update':
        await work.update(remote, lock, local as Local, verdict.same);
        break;
      case 'put-beside':
        await work.beside({ manifest: marked(remote.manifest, origin), from: incoming }, verdict.beside, local as Local);
        break;
      case 'give-way':
        if (verdict.beside !== undefined) await work.beside({ manifest: (local as Local).manifest, from: work.copyOf(local as Local) }, verdict.beside, local as Local);
        await work.update(remote, lock, local as Local, false);
    }
    return { taken: work.placed };
  } catch (error) {
    return { taken: work.placed, error: error instanceof Unsettled ? error.cause : error };
  } finally {
    disarm();
    work.release();
    incoming.remove();
  }
}

/** Copies it and verifies the copy, again where somebody there is at it. */
function copyIn(first: RemoteSession, incoming: Incoming, isHeld: () => boolean): RemoteSession {
  let remote = first;
  for (const [at, pause] of PAUSES_MS.entries()) {
    if (pause > 0) sleep(pause);
    try {
      for (const name of fs.readdirSync(incoming.paths.dir)) fs.rmSync(`${incoming.paths.dir}/${name}`);
      copyRemote(remote, incoming.paths);
      fs.writeFileSync(incoming.paths.manifest, remote.text);
      mustPass(incoming.check(remote.manifest), 'the session there');
      return remote;
    } catch (error) {
      const now = readRemote(first);
      const moved = now !== undefined && now.text !== remote.text;
      if (at === PAUSES_MS.length - 1 || !(moved || isHeld()) || now?.manifest.session !== first.manifest.session) throw error;
      remote = now;
    }
  }
  throw new HandoffError('CHANGING', 'the session there changed each time it was read');
}

interface Content {
  manifest: Manifest;
  from: Incoming;
}

class Taking {
  readonly placed: Placed[] = [];
  readonly #place: ResealPlace;
  readonly #locals: Locals;
  readonly #origin: Origin;
  readonly #incoming: Incoming;
  readonly #held = new Set<Lock>();

  constructor(place: ResealPlace, locals: Locals, origin: Origin, incoming: Incoming) {
    this.#place = place;
    this.#locals = locals;
    this.#origin = origin;
    this.#incoming = incoming;
  }

  take(session: string): Lock {
    const lock = takeSession(this.#place.root, session, OPERATION);
    this.#held.add(lock);
    return lock;
  }

  /** Gives up the locks under which nothing happened. */
  release(): void {
    for (const lock of this.#held) if (!this.placed.some((one) => one.lock === lock)) lock.release();
    this.#held.clear();
  }

  /** As it stands under its lock; it may have been built or moved since the locals were listed. */
  local(session: string): Local | undefined {
    const row = findExact(this.#place.root, session);
    if (row?.uuid === session) this.#locals.put(session, `${row.project}/${row.id}`);
    return this.#locals.find(session);
  }

  async import({ manifest, project, folder }: RemoteSession, lock: Lock): Promise<void> {
    const { paths } = this.#incoming;
    const at = freePlace(this.#place.root, manifest.session, projectSlug(project), folderName(folder, true));
    await this.#fill(manifest, false);
    const { manifest: stamped, text } = stampSession(paths, manifest, this.#origin, undefined);
    this.#put({ lock, at, base: undefined, from: this.#incoming, manifest: stamped, text, copies: false });
  }

  /** `same`: the timelines are equal, and a copy is kept only of another block. */
  async update({ manifest }: RemoteSession, lock: Lock, local: Local, same: boolean): Promise<void> {
    const { paths } = this.#incoming;
    const there = sessionPaths(placeDir(this.#place.root, local.at));
    const base = mustBeSound(local.at, there);
    await this.#fill(manifest, fs.existsSync(there.payload));
    const ours = authorPart(there.brief).block;
    const theirs = authorPart(paths.brief).block;
    const stays = isOurs(ours, theirs, base.manifest);
    const { manifest: stamped, text } = stampSession(paths, manifest, this.#origin, stays ? ours : undefined);
    this.#put({ lock, at: local.at, base, from: this.#incoming, manifest: stamped, text, copies: !same || !ours.equals(theirs) });
  }

  /** Puts a copy that lost the id under one of its own: rendered and sealed anew, its revision and date unchanged. */
  async beside({ manifest, from }: Content, { id, into }: Beside, winner: Local): Promise<void> {
    const lock = this.take(id);
    const base = into === undefined ? undefined : mustBeSound(into.at, sessionPaths(placeDir(this.#place.root, into.at)));
    const at = into?.at ?? freePlace(this.#place.root, id, placeParts(winner.at).project, folderName(id, true));
    const { block } = authorPart(from.paths.brief);
    const named = { ...manifest, session: id };
    let whole = sealed(named).manifest;
    if (fs.existsSync(from.paths.payload)) {
      const { seal } = named;
      whole = await renderIncoming(from.paths, committedBytes({ manifest, timeline: from.paths.timeline }), named, this.#place.rules, (hashes) => (
        seal !== undefined && isSealed(named) ? sealRevision(named, { ...hashes, timeline_bytes: seal.timeline_bytes, chain_head: seal.chain_head }).manifest : whole));
      giveBlock(from.paths.brief, block);
    }
    this.#put({ lock, at, base, from, manifest: whole, text: JSON.stringify(whole, null, 2), copies: true });
  }

  /** The local session's files as far as they are committed, in a place where they can be worked on. */
  copyOf(local: Local): Incoming {
    const own = this.#incoming.beside('own');
    const there = sessionPaths(placeDir(this.#place.root, local.at));
    mustBeSound(local.at, there);
    for (const key of ['timeline', 'chain', 'brief', 'payload'] as const) {
      if (!fs.existsSync(there[key])) continue;
      fs.copyFileSync(there[key], own.paths[key], fs.constants.COPYFILE_FICLONE);
      const fd = fs.openSync(own.paths[key], 'r+');
      try {
        if (key === 'timeline') fs.ftruncateSync(fd, committedBytes(local));
        sync(fd);
      } finally {
        fs.closeSync(fd);
      }
    }
    return own;
  }

  /** Renders what a copy lacks and must not: what stands here would stay in its place. `rendered`: the one here has its renders. */
  async #fill(manifest: Manifest, rendered: boolean): Promise<void> {
    const { paths } = this.#incoming;
    if (!fs.existsSync(paths.payload) && !rendered) return;
    const missing = [paths.tools, paths.summary, paths.payload, paths.brief].filter((file) => !fs.existsSync(file));
    if (missing.length === 0) return;
    await renderIncoming(paths, committedBytes({ manifest, timeline: paths.timeline }), manifest, this.#place.rules, () => manifest, (file) => missing.includes(file));
  }

  #put({ lock, at, base, from, manifest, text, copies }: { lock: Lock; at: string; base: { manifest: Manifest; text: string } | undefined; from: Incoming; manifest: Manifest; text: string; copies: boolean }): void {
    const { root } = this.#place;
    // A chain of ours must not stay under a timeline that has none.
    if (!fs.existsSync(from.paths.chain) && fs.existsSync(sessionPaths(placeDir(root, at)).chain)) fs.writeFileSync(from.paths.chain, '', { mode: 0o600 });
    fs.writeFileSync(from.paths.manifest, text);
    const checked = from.check(manifest);
    mustPass(checked, manifest.session);
    const unrendered = checked.findings.some(({ id }) => id === 'no-brief');
    try {
      replaceSession(root, lock, { at, base, from: from.paths, text, withBlock: true, backUp: copies, keepManifest: 'bak-federated' });
    } catch (error) {
      // The lock says what is left to do: it stays.
      if (error instanceof Unsettled) this.#held.delete(lock);
      throw error;
    }
    // Before anything that may fail: from here on the lock goes only when the row is written.
    this.placed.push({ session: manifest.session, action: base === undefined ? 'import' : 'update', manifest_sha256: manifest.manifest_sha256, verify: unrendered ? 'no brief yet' : 'PASS', at, lock });
    this.#locals.put(manifest.session, at);
  }
}

/** Throws DAMAGED where the session here is not what its manifest says: it is not to be replaced unseen. */
function mustBeSound(at: string, paths: ReturnType<typeof sessionPaths>): { manifest: Manifest; text: string } {
  const base = manifestForWriting(paths.manifest);
  if (base === undefined) throw new HandoffError('NO_MATCH', `${at} is not there any more`);
  const damage = checkTimeline(paths, base.manifest, undefined).find(({ level }) => level === 'fail');
  if (damage !== undefined) throw new HandoffError('DAMAGED', `${at}: ${damage.text}; nothing was written`);
  return base;
}

/** Whose evidence block stands: theirs comes with a session that is taken, unless they have none, or have the one that ours was made from. */
function isOurs(ours: Buffer, theirs: Buffer, local: Manifest): boolean {
  if (ours.toString('latin1').trim() === '') return false;
  return theirs.toString('latin1').trim() === '' || (!ours.equals(theirs) && sha256(theirs) === local.evidence_contract_sha256);
}
