/**
 * A build: one transcript in, one handoff out (docs/ARCHITECTURE.md, "One pipeline for every build"). "Nothing new" is
 * answered here, from the hash of the whole and without a lock; all else is loaded and done under the session's lock.
 */
import fs from 'node:fs';
import { namesIn } from '../lib/fs/files.mts';
import { SEAL_FORMAT, sessionPaths, storePaths } from '../store/layout.mts';
import { dirOf, findExact, isListed } from '../store/lookup.mts';
import { isSealed, readManifest } from '../store/manifest.mts';
import { projectSlug } from '../store/names.mts';
import { shapeOf } from '../transcript/shape.mts';
import { cleanRequest } from './clean-request.mts';
import { legacyFolders } from './commit/migrate.mts';
import { originOf } from './source/origin.mts';
import { sessionNamed } from './source/session-id.mts';
import { openSource } from './source/source.mts';
import type { BuildPlace, BuildRequest, BuildResult } from './work.mts';

export type { BuildPlace, BuildRequest, BuildResult };

/** Throws HandoffError; whatever it throws, the store is as it was or settled by the next build. */
export async function build(asked: BuildRequest, place: BuildPlace): Promise<BuildResult> {
  const given = withoutBlanks(asked);
  // Names that a redaction would change are not found as they were given, and then cleaned.
  const known = given.file === '-' ? undefined : await alreadyKnown(given, place);
  const result = known ?? await (await import('./under-lock.mts')).buildUnderLock(await cleanRequest(given, place), place);
  if (result.action === 'up-to-date') await tellUntaken(given, place, result.dir);
  return result;
}

/** A name that a script left empty is none, as an empty --session is none. */
function withoutBlanks(asked: BuildRequest): BuildRequest {
  const given = { ...asked };
  for (const key of ['project', 'objective', 'harness', 'model'] as const) if (given[key]?.trim() === '') given[key] = undefined;
  return given;
}

/** What a person says of a session is written with a revision; where there is none it must not look as if it was. */
async function tellUntaken(request: BuildRequest, place: BuildPlace, dir: string): Promise<void> {
  const { objective, harness, model, forceHarness, forceModel } = request;
  if (objective === undefined && forceHarness !== true && forceModel !== true) return;
  const read = readManifest(sessionPaths(dir).manifest);
  if (read.state !== 'read') return;
  const clean = await cleanRequest(request, place);
  const untaken = [
    ...(objective !== undefined && clean.objective !== read.manifest.objective ? ['--objective'] : []),
    ...(forceHarness === true && harness !== undefined && clean.harness !== read.manifest.harness ? ['--harness'] : []),
    ...(forceModel === true && model !== undefined && clean.model !== read.manifest.model ? ['--model'] : []),
  ];
  if (untaken.length > 0) place.note(`${untaken.join(' and ')} changed nothing: there is nothing new to write a revision for; give it again when the transcript has grown`);
}

/** Given only where nothing else could come out: no lock to settle, nothing to say or to move, the very same bytes. */
async function alreadyKnown(request: BuildRequest, { root, cwd }: BuildPlace): Promise<BuildResult | undefined> {
  const source = openSource(request.file, cwd);
  try {
    const shape = await shapeOf(source.head, source.path);
    if (shape.kind !== 'lines') return undefined;
    const facts = shape.adapter.identify({ path: source.path, records: shape.records });
    const id = sessionNamed(source.path, facts, shape.records, request.session);
    const row = findExact(root, id, request.session === undefined ? facts.uuid : undefined);
    if (row === undefined || (request.project !== undefined && projectSlug(request.project) !== row.project)) return undefined;
    // A lock, what a crash left of one, and a row that was lost are for whoever takes a lock next.
    if (namesIn(storePaths(root).locks).length > 0 || legacyFolders(root).length > 0 || !isListed(root, row.uuid)) return undefined;
    const dir = dirOf(root, row);
    const read = readManifest(sessionPaths(dir).manifest);
    if (read.state !== 'read' || !read.sound || !isSealed(read.manifest) || read.manifest.seal.format > SEAL_FORMAT) return undefined;
    const { manifest } = read;
    if (manifest.redaction?.on !== request.redact || manifest.redaction.older_lines === true) return undefined;
    if (manifest.sources?.some(({ bytes }) => bytes === source.size) !== true || originOf(source, manifest).kind !== 'known') return undefined;
    if (fs.statSync(sessionPaths(dir).timeline, { throwIfNoEntry: false })?.size !== manifest.seal.timeline_bytes) return undefined;
    return { action: 'up-to-date', session: row.uuid, project: row.project, dir, watermark: manifest.watermark, revision: manifest.revisions };
  } finally {
    source.close();
  }
}
