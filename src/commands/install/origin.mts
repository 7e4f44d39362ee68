/** Where a copy's files come from on this line: the tree that runs, or the published archive of the version that was asked for. */
import { HandoffError } from '../../lib/errors.mts';
import { VERSION } from '../../lib/version.mts';
import type { Io } from '../../lib/cli/command.mts';
import { some } from '../../install/bring.mts';
import { SKILL } from '../../install/places.mts';
import { readRecord } from '../../install/record.mts';
import { archiveSource, treeSource, type Source } from '../../install/source.mts';

export interface OriginOptions { readonly version?: string; readonly registry?: string }

/** The caller disposes of it. Throws HandoffError. */
export async function sourceOf({ version: asked, registry }: OriginOptions, io: Io): Promise<Source> {
  const version = plainVersion(asked);
  if (version === undefined || version === VERSION) return asInstalled(treeSource(io.home));
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

/** An installed copy may be what runs. Somebody's edits in it would be recorded elsewhere as what was published. Throws DAMAGED. */
function asInstalled(source: Source): Source {
  const record = readRecord(source.root);
  const recorded = typeof record === 'object' ? record.files : new Map<string, undefined>();
  const edited = [...source.files].filter(([name, hash]) => recorded.get(name) !== undefined && recorded.get(name) !== hash).map(([name]) => name);
  if (edited.length > 0) throw new HandoffError('DAMAGED', `${source.root} is an installed copy in which was changed since: ${some(edited)}; it is not copied from, run \`npx agents-handoff@latest\` instead`, { data: { changed: edited } });
  return source;
}
