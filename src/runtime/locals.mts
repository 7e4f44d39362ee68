/**
 * The sessions here, as federation looks them up: by what each manifest says, since an index that was merged by git, or is
 * older than the folders, must not make a session seem absent.
 */
import path from 'node:path';
import { HandoffError } from '../lib/errors.mts';
import { placeDir } from '../capture/commit/commit.mts';
import { folders } from '../store/index-file.mts';
import { sessionPaths, storePaths } from '../store/layout.mts';
import { readManifest } from '../store/manifest.mts';
import { isBeside } from '../store/names.mts';
import { printOf } from './relation.mts';
import type { Local } from './verdict.mts';

interface Known {
  at: string;
  print: string;
}

export interface Locals {
  /** The prints of the manifests that have this id. */
  prints(session: string): string[];
  /** As it is on the disk now. Throws AMBIGUOUS where two folders hold it. */
  find(session: string): Local | undefined;
  /** The sessions beside it. */
  beside(session: string): Local[];
  /** Takes note of what stands at `project/folder` now. */
  put(session: string, at: string): void;
}

export function createLocals(root: string): Locals {
  const known = new Map<string, Known[]>();
  const remember = (at: string): void => {
    const read = readManifest(sessionPaths(placeDir(root, at)).manifest);
    if (read.state !== 'read') return;
    const { session } = read.manifest;
    known.set(session, [...(known.get(session) ?? []).filter((one) => one.at !== at), { at, print: printOf(read.manifest, read.sound) }]);
  };
  const { projects } = storePaths(root);
  for (const project of folders(projects)) for (const folder of folders(path.join(projects, project))) remember(`${project}/${folder}`);

  const localAt = (session: string, at: string): Local[] => {
    const { manifest: file, timeline } = sessionPaths(placeDir(root, at));
    const read = readManifest(file);
    return read.state === 'read' && read.manifest.session === session ? [{ session, at, manifest: read.manifest, timeline }] : [];
  };
  const find = (session: string): Local | undefined => {
    const [one, another] = (known.get(session) ?? []).flatMap(({ at }) => localAt(session, at));
    if (one !== undefined && another !== undefined) throw new HandoffError('AMBIGUOUS', `${session} is here twice, in ${one.at} and ${another.at}; \`handoff forget <project/folder>\` takes away the one that is not wanted`);
    return one;
  };
  return {
    prints: (session) => (known.get(session) ?? []).map(({ print }) => print),
    find,
    beside: (session) => [...known.keys()].filter((id) => isBeside(id, session)).sort().flatMap((id) => find(id) ?? []),
    put: (_session, at) => remember(at),
  };
}
