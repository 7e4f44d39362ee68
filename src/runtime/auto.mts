/**
 * Capture that may be asked for at any time: it builds where there is something to take and leaves a fresh handoff alone.
 */
import { cleanRequest } from '../capture/clean-request.mts';
import { build, type BuildPlace, type BuildRequest, type BuildResult } from '../capture/build.mts';
import { whichSession } from '../capture/under-lock.mts';
import { sessionPaths } from '../store/layout.mts';
import { dirOf } from '../store/lookup.mts';
import { readManifest, type Manifest } from '../store/manifest.mts';
import { takeOlder } from './older-locks.mts';

export type AutoResult =
  | { action: 'skip-fresh'; session: string; source_mtime_ms: number; manifest_at: string }
  | { action: 'captured'; session: string; result: BuildResult };

/**
 * `minFreshMs`: a source that changed less than this after the last revision is not built again, unless it has been quiet
 * for longer and still holds bytes that were not captured: its last lines must not be lost.
 * Throws what a build throws; HELD where a capture of the same project and session is in flight.
 */
export async function auto(request: BuildRequest, place: BuildPlace, minFreshMs: number, now: number): Promise<AutoResult> {
  // A session is known by the name that a build gives it.
  const { session, row, path, size, mtimeMs } = await whichSession(await cleanRequest(request, place), place);
  const read = row === undefined ? undefined : readManifest(sessionPaths(dirOf(place.root, row)).manifest);
  if (read?.state === 'read') {
    const { manifest } = read;
    const fresh = mtimeMs - Date.parse(manifest.updated_at) < minFreshMs;
    const quiet = now - mtimeMs > minFreshMs;
    if (fresh && !(quiet && hasMore(manifest, path, size))) {
      return { action: 'skip-fresh', session, source_mtime_ms: Math.round(mtimeMs), manifest_at: manifest.updated_at };
    }
  }
  // The key of 2.0.x, which knows a session by its project as typed.
  const lock = takeOlder(place.root, 'auto', `${request.project ?? row?.project ?? ''}/${session}`);
  try {
    return { action: 'captured', session, result: await build(request, place) };
  } finally {
    lock.release();
  }
}

/** Bytes of the source that no revision took; a session of 2.0.x cannot tell, and is built to see. */
function hasMore(manifest: Manifest, path: string, size: number): boolean {
  const row = manifest.sources?.find((source) => source.path === path);
  return row === undefined || row.bytes !== size;
}
