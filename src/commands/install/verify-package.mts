import type { Command } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { SKILL } from '../../install/places.mts';
import type { Installation } from '../../install/found.mts';
import { npmRegistry } from '../../install/npm.mts';
import { treeSource } from '../../install/source.mts';
import { verifyPackage } from '../../install/verify-package.mts';
import { forEach, installationsMeant } from './acting.mts';
import { REGISTRY_FLAG, TARGET_FLAGS, VERSION_FLAG, wantedOf } from './flags.mts';
import { plainVersion } from './origin.mts';

const flags = {
  ...TARGET_FLAGS,
  version: { ...VERSION_FLAG, summary: 'compare with this version; else with the one that the record names' },
  registry: REGISTRY_FLAG,
} as const;

interface Compared { target: string; version: string; ok: boolean; lines: string[] }

export const command: Command<typeof flags> = {
  name: 'verify-package',
  summary: 'hold installed copies against the package that was published',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'every file is as published', 1: 'something differs, nothing is installed, or the registry could not be asked', 2: 'wrong words' },
  example: 'npx agents-handoff verify-package --harness claude',
  details: 'First the registry\'s own hashes over the archive, then file by file, then the archive\'s hash in the copy\'s record. Without a target: every installation, or, where there is none, the tree that runs.',
  async run(options, _words, io) {
    const meant = installationsMeant(wantedOf(options), io);
    const registry = npmRegistry(options.registry);
    const wanted = plainVersion(options.version);
    const one = async ({ real, copy }: Installation): Promise<Compared> => {
      const version = wanted ?? copy.record?.version;
      if (version === undefined || version === 'unknown') throw new HandoffError('NO_MATCH', `${real} has no record that says its version; name it with --version`);
      const recorded = (copy.record?.document['source'] as Record<string, unknown> | undefined)?.['archive_sha256'];
      const files = [...(copy.record?.files.keys() ?? [])];
      return { target: real, version, ...(await verifyPackage({ registry, name: SKILL, version, root: real, files, ...(typeof recorded === 'string' ? { recordedSha256: recorded } : {}) })) };
    };
    const tree = async (): Promise<Compared> => {
      const { root, version, files } = treeSource(io.home);
      return { target: root, version: wanted ?? version, ...(await verifyPackage({ registry, name: SKILL, version: wanted ?? version, root, files: [...files.keys()] })) };
    };
    const { done, failed } = meant.length === 0 ? { done: [await tree()], failed: [] } : await forEach(meant, ({ real }) => real, io, one);
    const ok = failed.length === 0 && done.every((compared) => compared.ok);
    return {
      json: { ok, action: 'verify-package', registry, results: done, failed },
      text: done.flatMap(({ target, version, ok: same, lines }) => [`install: ${same ? 'PASS' : 'FAIL'} ${target}: ${SKILL}@${version}`, ...lines.map((line) => `  ${line}`)]).map((line) => `${line}\n`),
      exit: ok ? 0 : 1,
    };
  },
};
