/** Where a copy's files come from on this line: the tree that runs, or the published archive of the version that was asked for. */
import { VERSION } from '../../lib/version.mts';
import type { Io } from '../../lib/cli/command.mts';
import { SKILL } from '../../install/places.mts';
import { archiveSource, treeSource, type Source } from '../../install/source.mts';

export interface OriginOptions { readonly version?: string; readonly registry?: string }

/** The caller disposes of it. Throws HandoffError. */
export async function sourceOf({ version: asked, registry }: OriginOptions, io: Io): Promise<Source> {
  const version = plainVersion(asked);
  if (version === undefined || version === VERSION) return treeSource(io.home);
  // Nothing else of the installer needs the network, and so nothing of it is loaded before.
  const [{ fetchPackage }, { npmRegistry }, { unpackPackage }] = await Promise.all([import('../../install/registry.mts'), import('../../install/npm.mts'), import('../../install/archive.mts')]);
  const from = npmRegistry(registry);
  io.progress(`fetching ${SKILL}@${version}`);
  return archiveSource(version, { fetch: (ref) => fetchPackage({ registry: from, name: SKILL, version: ref }), unpack: unpackPackage });
}

/** A version without the letter that git tags have before it; npm takes it away too. */
export function plainVersion(version: string | undefined): string | undefined {
  return version?.replace(/^v(?=\d)/, '');
}
