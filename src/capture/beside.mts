/**
 * Two stores may have gone on apart with one session; then federation keeps one at the id and the other beside it. A later
 * build goes to the one whose source it is.
 */
import { besideSessions, dirOf } from '../store/lookup.mts';
import type { IndexRow } from '../store/index-file.mts';
import { sessionPaths } from '../store/layout.mts';
import { readManifest, type Manifest } from '../store/manifest.mts';
import { originOf } from './source/origin.mts';
import type { Transcript } from './source/transcript.mts';

/** The session that `transcript` belongs to, of the one that its id names and those beside it. */
export function sourceSession(root: string, row: IndexRow | undefined, transcript: Transcript): IndexRow | undefined {
  if (row === undefined) return undefined;
  const beside = besideSessions(root, row.uuid);
  if (beside.length === 0) return row;
  const candidates = [row, ...beside].flatMap((one) => {
    const read = readManifest(sessionPaths(dirOf(root, one)).manifest);
    return read.state === 'read' ? [{ one, manifest: read.manifest }] : [];
  });
  return candidates.find(({ manifest }) => goesOn(transcript, manifest))?.one
    ?? candidates.find(({ manifest }) => manifest.sources?.some(({ path }) => path === transcript.path) === true)?.one
    ?? row;
}

/** A document or a database has no beginning to be known by: only that it is the same, whole, can be told. */
function goesOn({ source, whole }: Transcript, manifest: Manifest): boolean {
  if (whole !== undefined) return manifest.sources?.some(({ raw_sha256, bytes }) => raw_sha256 === whole.raw_sha256 && bytes === whole.bytes) === true;
  return ['known', 'grown'].includes(originOf(source, manifest).kind);
}
