/**
 * `merge`: two sessions read as one, in the order of time, under a name of its own. The two stay as they are. Merging the
 * same again changes nothing; what has changed since makes a new revision in its place.
 */
import fs from 'node:fs';
import { HandoffError } from '../lib/errors.mts';
import { revisionTime } from '../lib/promotion.mts';
import type { Lock } from '../lib/fs/lock.mts';
import { sync, writeAll } from '../lib/fs/files.mts';
import { createTextBuffer } from '../lib/fs/text-buffer.mts';
import { hasher, ZEROS } from '../lib/hash-chain.mts';
import { authorPart } from '../capture/commit/brief-file.mts';
import { createIncoming, mustPass, renderIncoming, type Incoming } from '../capture/incoming.mts';
import { sealRevision } from '../capture/commit/next-manifest.mts';
import { linkMerged } from '../capture/commit/link.mts';
import { freePlace } from '../capture/commit/place.mts';
import { replaceSession } from '../capture/commit/replace.mts';
import type { ResealPlace } from '../capture/reseal.mts';
import { indexSession, takeSession, underSession } from '../capture/commit/session.mts';
import { placeDir } from '../capture/commit/commit.mts';
import { afterCommit } from '../capture/work.mts';
import { chainRow } from '../store/chain.mts';
import { checkTimeline } from '../store/check-timeline.mts';
import { blockSha256 } from '../store/evidence.mts';
import type { IndexRow } from '../store/index-file.mts';
import { placeParts, sessionPaths } from '../store/layout.mts';
import { dirOf, findExact, isUnreadable, relativePlace, sessionAt } from '../store/lookup.mts';
import { isSealed, manifestForWriting, sealed, type Manifest } from '../store/manifest.mts';
import { folderName } from '../store/names.mts';
import { takeOlder } from './older-locks.mts';
import { joinTimelines, type Joined, type TimelineFile } from './joined.mts';

export interface Merged {
  ok: true;
  action: 'merged';
  into: string;
  turns: number;
  project: string;
  revision: number;
  /** False where the same was merged before. */
  changed: boolean;
  rendered: boolean;
  /** What to type where there is no brief yet. */
  next?: string;
  kept?: string;
}

/** Throws USAGE for one session given twice, HELD where one of the three is at work, DAMAGED where one cannot be trusted. */
export async function mergeSessions(place: ResealPlace, a: IndexRow, b: IndexRow, options: { render: boolean }): Promise<Merged> {
  if (a.uuid === b.uuid) throw new HandoffError('USAGE', `${a.uuid} cannot be merged with itself`);
  const id = `${a.uuid}+merge+${b.uuid}`;
  const held: Lock[] = [];
  let own: Lock | undefined;
  let incoming: Incoming | undefined;
  const disarm = place.onSignal(() => {
    incoming?.remove();
    for (const lock of held) lock.release();
    own?.release();
  });
  try {
    // By this key 2.0.x excludes itself.
    held.push(takeOlder(place.root, 'merge', `${a.id}+${b.id}`));
    for (const { uuid } of [a, b]) held.push(takeSession(place.root, uuid, 'merge'));
    return await underSession(place.root, id, 'merge', (lock) => {
      own = lock;
      incoming = createIncoming(place.root);
      return mergeUnder(place, lock, incoming, id, [now(place.root, a), now(place.root, b)], options);
    });
  } finally {
    disarm();
    incoming?.remove();
    for (const lock of held.reverse()) lock.release();
  }
}

function now(root: string, row: IndexRow): IndexRow {
  if (isUnreadable(row)) throw new HandoffError('DAMAGED', `the manifest of ${row.id} cannot be read: ${row.reason}; nothing was written`);
  const found = sessionAt(root, relativePlace(row), row.uuid) ?? findExact(root, row.uuid);
  if (found === undefined) throw new HandoffError('NO_MATCH', `${row.id} is not there any more`);
  return found;
}

interface Input {
  row: IndexRow;
  manifest: Manifest;
  timeline: TimelineFile;
}

async function mergeUnder(place: ResealPlace, lock: Lock, incoming: Incoming, id: string, rows: [IndexRow, IndexRow], { render }: { render: boolean }): Promise<Merged> {
  const { root } = place;
  const inputs = rows.map((row) => inputOf(root, row)) as [Input, Input];
  const joined = joinTimelines(inputs.map(({ timeline }) => timeline));
  const known = findExact(root, id);
  const at = known === undefined ? freePlace(root, id, rows[0].project, folderName(id, true)) : `${known.project}/${known.id}`;
  const there = sessionPaths(placeDir(root, at));
  const base = manifestForWriting(there.manifest);
  const hasRenders = fs.existsSync(there.payload) && fs.existsSync(there.brief);
  const wanted = render || hasRenders;
  const same = base !== undefined && base.manifest.raw_sha256 === hashOf(joined);
  const { project, folder } = placeParts(at);
  const note = (): void => linkMerged(root, { project, folder, of: [rows[0].id, rows[1].id], other: rows[1].project, at: new Date().toISOString() });
  const result = { ok: true, action: 'merged', into: id, turns: joined.turns, project } as const;
  // By its folder's name, which is always one word of a shell.
  const next = (rendered: boolean) => ({ rendered, ...(rendered ? {} : { next: `handoff render ${folder}` }) });
  if (same && (hasRenders || !render)) {
    note();
    return { ...result, revision: base.manifest.revisions, changed: false, ...next(hasRenders) };
  }

  const written = write(joined, incoming.paths.timeline);
  const unsealed = mergedManifest(id, project, inputs, base?.manifest, same, written);
  const block = authorPart(there.brief).block;
  setBlock(unsealed, wanted ? blockSha256(block) : undefined);
  const head = writeChain(incoming, unsealed, written);
  let manifest = sealed(unsealed).manifest;
  if (wanted) manifest = await renderIncoming(incoming.paths, written.bytes, unsealed, place.rules, (hashes) => sealRevision(unsealed, { ...hashes, timeline_bytes: written.bytes, chain_head: head }).manifest);
  const text = JSON.stringify(manifest, null, 2);
  fs.writeFileSync(incoming.paths.manifest, text);
  mustPass(incoming.check(manifest), id);
  const { kept } = replaceSession(root, lock, { at, base, from: incoming.paths, text, withBlock: false, backUp: base !== undefined && !same });
  afterCommit(() => {
    indexSession(root, at);
    note();
  });
  return { ...result, revision: manifest.revisions, changed: true, ...next(wanted), ...(kept === undefined ? {} : { kept }) };
}

/** Throws DAMAGED where the timeline is not what its manifest says: the merged one would hide it. */
function inputOf(root: string, row: IndexRow): Input {
  const paths = sessionPaths(dirOf(root, row));
  const base = manifestForWriting(paths.manifest);
  if (base === undefined) throw new HandoffError('NO_MATCH', `${row.id} has no manifest`);
  const { manifest } = base;
  const damage = checkTimeline(paths, manifest, undefined).find(({ level }) => level === 'fail');
  if (damage !== undefined) throw new HandoffError('DAMAGED', `${row.id}: ${damage.text}; nothing was written`);
  return { row, manifest, timeline: { session: row.uuid, file: paths.timeline, bytes: isSealed(manifest) ? manifest.seal.timeline_bytes : fs.statSync(paths.timeline).size } };
}

function hashOf(joined: Joined): string {
  const hash = hasher();
  const out = createTextBuffer((chunk) => hash.update(chunk));
  for (const { line } of joined.read()) out.line(line);
  out.flush();
  return hash.digest('hex');
}

interface Written {
  bytes: number;
  raw_sha256: string;
  turns: number;
  counts: Record<string, number>;
}

function write(joined: Joined, file: string): Written {
  const hash = hasher();
  const counts: Record<string, number> = { USER: 0, AGENT: 0, THOUGHT: 0, TOOL: 0, OTHER: 0 };
  let bytes = 0;
  const fd = fs.openSync(file, 'wx', 0o600);
  try {
    const out = createTextBuffer((chunk) => {
      hash.update(chunk);
      writeAll(fd, chunk);
      bytes += chunk.length;
    });
    for (const { turn, line } of joined.read()) {
      counts[turn.class] = (counts[turn.class] ?? 0) + 1;
      out.line(line);
    }
    out.flush();
    sync(fd);
  } finally {
    fs.closeSync(fd);
  }
  return { bytes, raw_sha256: hash.digest('hex'), turns: joined.turns, counts };
}

/** `same`: only the renders are missing, which makes no new revision. */
function mergedManifest(id: string, project: string, [a, b]: [Input, Input], old: Manifest | undefined, same: boolean, { raw_sha256, turns, counts }: Written): Manifest {
  const at = revisionTime(old);
  const cwd = a.manifest.cwd === b.manifest.cwd ? a.manifest.cwd : undefined;
  const { seal: _seal, ...kept } = (old ?? {}) as Partial<Manifest>;
  return {
    ...kept,
    session: id,
    project: old?.project ?? project,
    harness: 'merged',
    model: a.manifest.model === b.manifest.model ? a.manifest.model : '',
    created_at: old?.created_at ?? at,
    source_paths: [...new Set([...a.manifest.source_paths, ...b.manifest.source_paths])],
    watermark: turns,
    raw_sha256,
    revisions: old === undefined ? 1 : same ? old.revisions : old.revisions + 1,
    updated_at: old !== undefined && same ? old.updated_at : at,
    turn_count: turns,
    counts,
    manifest_sha256: '',
    merged_from: [a.row.uuid, b.row.uuid],
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function setBlock(manifest: Manifest, hash: string | undefined): void {
  if (hash === undefined) delete manifest.evidence_contract_sha256;
  else manifest.evidence_contract_sha256 = hash;
}

/** One row over the whole: a timeline that was made anew goes on from nothing. */
function writeChain({ paths }: Incoming, { revisions, updated_at }: Manifest, { turns, bytes, raw_sha256 }: Written): string {
  const row = chainRow({ revision: revisions, at: updated_at, turns, bytes, raw_sha256, segment_sha256: raw_sha256, prev: ZEROS });
  const fd = fs.openSync(paths.chain, 'wx', 0o600);
  try {
    writeAll(fd, Buffer.from(`${JSON.stringify(row)}\n`));
    sync(fd);
  } finally {
    fs.closeSync(fd);
  }
  return row.head;
}
