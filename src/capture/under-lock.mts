/**
 * A build under the lock of its session: what the source is, which session it belongs to, whether there is anything new.
 * revise.mts writes the revision.
 */
import fs from 'node:fs';
import { HandoffError } from '../lib/errors.mts';
import { counted } from '../lib/plural.mts';
import { createRedactor } from '../transcript/redaction/create.mts';
import { noRedaction, type Redactor } from '../transcript/redaction/redactor.mts';
import { placeParts, sessionPaths, storePaths } from '../store/layout.mts';
import { updateIndex, type IndexRow } from '../store/index-file.mts';
import { dirOf, findExact, isListed, sessionAt } from '../store/lookup.mts';
import { isSealed, manifestForWriting, readManifest, type Manifest } from '../store/manifest.mts';
import { folderName, projectSlug, tagOf } from '../store/names.mts';
import { sourceSession } from './beside.mts';
import { placeDir } from './commit/commit.mts';
import { migrateLegacy } from './commit/migrate.mts';
import { extentOf, originOf } from './source/origin.mts';
import { freePlace } from './commit/place.mts';
import { refuseSameName } from './source/same-name.mts';
import { underSession } from './commit/session.mts';
import { openSource, spoolStdin, type Source } from './source/source.mts';
import { recognise, type Transcript } from './source/transcript.mts';
import { sessionNamed } from './source/session-id.mts';
import { harnessOf, type BuildPlace, type BuildRequest, type BuildResult, type Work } from './work.mts';

/** Which session a source belongs to, told without a lock and without writing. `row` is absent for a new one. */
export async function whichSession(request: BuildRequest, place: BuildPlace): Promise<{ session: string; row: IndexRow | undefined; path: string; size: number; mtimeMs: number }> {
  const source = openSource(request.file, place.cwd);
  try {
    const transcript = await recognise(source, request.redact ? createRedactor({ patterns: place.redactionPatterns }) : noRedaction, { session: request.session, allowBadLines: true, scratch: storePaths(place.root).locks });
    const session = sessionId(transcript, request);
    const row = sourceSession(place.root, findExact(place.root, session, request.session === undefined ? transcript.facts.uuid : undefined), transcript);
    const read = row === undefined ? undefined : readManifest(sessionPaths(dirOf(place.root, row)).manifest);
    if (read?.state === 'read') refuseSameName(transcript, request, read.manifest);
    return { session: row?.uuid ?? session, row, path: transcript.path, size: source.size, mtimeMs: source.mtimeMs };
  } finally {
    source.close();
  }
}

/** Throws HandoffError; whatever it throws, the store is as it was or settled by the next build. */
export async function buildUnderLock(request: BuildRequest, place: BuildPlace): Promise<BuildResult> {
  const sources: Source[] = [];
  const read = async (): Promise<Reading> => {
    const source = request.file === '-' ? await spoolStdin(place.stdin, storePaths(place.root).locks) : openSource(request.file, place.cwd);
    sources.push(source);
    const redactor = request.redact ? createRedactor({ patterns: place.redactionPatterns }) : noRedaction;
    const transcript = await recognise(source, redactor, { session: request.session, allowBadLines: request.allowBadLines === true, scratch: storePaths(place.root).locks });
    return { transcript, redactor };
  };
  try {
    return await buildFrom(await read(), read, request, place);
  } finally {
    for (const source of sources) source.close();
  }
}

interface Reading {
  transcript: Transcript;
  redactor: Redactor;
}

/**
 * True where the source must be read again: another build may have captured more of it after it was opened here and
 * before the lock was taken, and then what was read would look like an older state of it.
 */
function isOutrun({ source, whole }: Transcript, manifest: Manifest | undefined): boolean {
  if (source.path === '-' || manifest === undefined) return false;
  return whole === undefined ? !source.catchUp() : !(Date.parse(manifest.updated_at) < source.openedAt);
}

async function buildFrom(first: Reading, again: () => Promise<Reading>, request: BuildRequest, place: BuildPlace): Promise<BuildResult> {
  let { transcript, redactor } = first;
  const { root } = place;
  for (const { from, to, isTaken } of migrateLegacy(root)) place.note(isTaken === true ? `legacy ${from} stays where it is: ${to} has a folder of its name` : `migrated legacy ${from} -> ${to}`);
  const id = sessionId(transcript, request);
  const uuid = request.session === undefined ? transcript.facts.uuid : undefined;
  const known = sourceSession(root, findExact(root, id, uuid), transcript);
  return underSession(root, known?.uuid ?? id, 'build', async (lock) => {
    // A dead holder's work was settled just now, or another build ended: only what stands under the lock counts.
    const row = findExact(root, known?.uuid ?? id, uuid) ?? sessionAt(root, `${projectOf(transcript, request, place)}/${folderName(id)}`, id);
    if (row !== undefined && row.uuid !== (known?.uuid ?? id)) throw new HandoffError('CHANGING', `${row.id} became the session of ${transcript.path} while the build waited for it; try again`);
    if (row !== undefined && request.project !== undefined && projectSlug(request.project) !== row.project) {
      throw new HandoffError('USAGE', `${row.uuid} is in project ${row.project}; \`handoff rename ${row.id} ${projectSlug(request.project)}\` moves it`);
    }
    const at = row === undefined ? freePlace(root, id, projectOf(transcript, request, place), folderName(id)) : `${row.project}/${row.id}`;
    const paths = sessionPaths(placeDir(root, at));
    const base = withoutStale(manifestForWriting(paths.manifest));
    checkMode(base?.manifest, request, place);
    if (isOutrun(transcript, base?.manifest)) {
      ({ transcript, redactor } = await again());
      if (sessionId(transcript, request) !== id) throw new HandoffError('CHANGING', `${transcript.path} became another session's while the build waited for it; try again`);
    }
    if (base !== undefined) refuseSameName(transcript, request, base.manifest);
    const result = await decide({ transcript, redactor: transcript.whole === undefined ? undefined : redactor, request, place, at, base, lock, session: row?.uuid ?? id });
    // A build writes its row. Where there was nothing to build, the row may be all that is missing.
    if (result.action === 'up-to-date' && row !== undefined && !isListed(root, row.uuid)) updateIndex(root, { put: row });
    return result;
  });
}

async function decide(work: Work): Promise<BuildResult> {
  const { base, transcript: { source, adapter, whole }, place } = work;
  const { revise } = await import('./revise.mts');
  if (whole !== undefined) {
    if (base?.manifest.sources?.some((row) => row.raw_sha256 === whole.raw_sha256 && row.bytes === whole.bytes) === true) return upToDate(work, base.manifest);
    return { action: 'built', ...await revise(work, { kind: 'first' }, { to: whole.bytes, unfinished: false }) };
  }
  const isJson = adapter !== undefined;
  if (base === undefined) {
    const extent = extentOf(source, 0, isJson);
    if (extent.unfinished) place.note('the last line is not finished; the next build takes it');
    return { action: 'built', ...await revise(work, { kind: 'first' }, extent) };
  }
  const origin = originOf(source, base.manifest);
  if (origin.kind === 'known') return upToDate(work, base.manifest);
  const from = origin.kind === 'grown' ? origin.from : 0;
  const extent = extentOf(source, from, isJson);
  if (extent.unfinished) place.note('the last line is not finished; the next build takes it');
  if (extent.to <= from) return upToDate(work, base.manifest);
  const revised = await revise(work, origin, extent);
  return revised === undefined ? upToDate(work, base.manifest) : { action: 'built', ...revised };
}

/** No row tells what 2.0.x appended: where it wrote last, none says any more which turns are its source's. */
function withoutStale(base: Work['base']): Work['base'] {
  if (base !== undefined && !isSealed(base.manifest)) for (const row of base.manifest.sources ?? []) delete row.turns;
  return base;
}

/** Throws DAMAGED where the timeline has not the length that was sealed: that nothing is new must not hide it. */
function upToDate({ place, at, session }: Work, manifest: Manifest): BuildResult {
  const found = fs.statSync(sessionPaths(placeDir(place.root, at)).timeline, { throwIfNoEntry: false })?.size;
  if (isSealed(manifest) && found !== manifest.seal.timeline_bytes) {
    const how = found === undefined ? 'is missing' : `has ${counted(found, 'byte')}, ${manifest.seal.timeline_bytes} were committed`;
    throw new HandoffError('DAMAGED', `timeline.jsonl of ${session} ${how}; nothing was written (\`handoff verify\` has the details)`);
  }
  return { action: 'up-to-date', session, project: placeParts(at).project, dir: placeDir(place.root, at), watermark: manifest.watermark, revision: manifest.revisions };
}

function sessionId({ source, facts, head }: Transcript, request: BuildRequest): string {
  return sessionNamed(source.path, facts, head, request.session);
}

function projectOf({ facts, adapter, whole }: Transcript, request: BuildRequest, place: BuildPlace): string {
  const name = request.project ?? (place.projectName || undefined) ?? tagOf(facts.thread)
    ?? (facts.cwd === undefined ? undefined : facts.cwd.split(/[/\\]/).filter((part) => part !== '').at(-1))
    ?? (harnessOf(request.harness, facts, adapter ?? whole?.adapter) || 'unsorted');
  return projectSlug(name);
}

/** A session keeps its mode: one text must not stand redacted in one half of it and open in the other. */
function checkMode(manifest: Manifest | undefined, request: BuildRequest, place: BuildPlace): void {
  const mode = manifest?.redaction;
  if (manifest === undefined) return;
  if (mode !== undefined && mode.on !== request.redact) {
    const [was, is] = mode.on ? ['with redaction', 'without'] : ['without redaction', 'with'];
    throw new HandoffError('MODE', `${manifest.session} was captured ${was} and cannot be built ${is} it; give the other one a --session of its own`);
  }
  const foreign = manifest.seal === undefined || !isSealed(manifest) || mode?.older_lines === true;
  if (request.redact && foreign) place.note(`${manifest.session} has lines that 2.0.x captured; they stay as they are, without redaction`);
}
