import path from 'node:path';
import type { Command } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { isThere } from '../../lib/look.mts';
import { bring } from '../../install/bring.mts';
import { twice, type Installation } from '../../install/found.mts';
import { isUsers } from '../../install/places.mts';
import { repositoryOf } from '../../lib/repo.mts';
import { forEach, installationsMeant, NOTHING_INSTALLED } from './acting.mts';
import { DRY_RUN_FLAG, FORCE_FLAG, REGISTRY_FLAG, TARGET_FLAGS, TELL_FLAGS, VERSION_FLAG, groundOf, wantedOf } from './flags.mts';
import { sourceOf } from './origin.mts';
import { broughtJson, broughtText, warnOlder } from './report.mts';

const flags = {
  ...TARGET_FLAGS,
  version: { ...VERSION_FLAG, summary: 'to this published version or tag, where it is not the one that runs' },
  registry: REGISTRY_FLAG,
  force: { ...FORCE_FLAG, summary: 'replace edited files too; each is kept as .orig' },
  'dry-run': DRY_RUN_FLAG,
  ...TELL_FLAGS,
} as const;

export const command: Command<typeof flags> = {
  name: 'update',
  summary: 'bring installed copies to this version; a store in one stays',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'updated, or up to date', 1: 'nothing is installed, a store in a copy is at work, or not everything was updated', 2: 'wrong words' },
  example: 'npx agents-handoff@latest update',
  details: 'Without a target: every installation that `list` finds. It replaces only what the record of a copy names; edited files stay.',
  async run(options, _words, io) {
    const meant = installationsMeant(wantedOf(options), io);
    if (meant.length === 0) throw new HandoffError('NO_MATCH', NOTHING_INSTALLED);
    const source = await sourceOf(options, io);
    const dryRun = options['dry-run'] === true;
    try {
      const own = meant.filter(({ real }) => meant.length > 1 && real === source.root);
      if (own.length > 0) io.note(`${source.root} is the copy that runs, and what the others are brought to; it stays as it is`);
      const ground = groundOf(io);
      const repository = (real: string): string | undefined => {
        const root = repositoryOf(real);
        // A user may keep a skills folder, or the whole home, in git.
        return isThere(path.join(root, '.git')) && !isUsers(real, ground) ? root : undefined;
      };
      const one = ({ real }: Installation) => bring({
        operation: 'update', target: real, harness: '', source, links: [], relativeLinks: isThere(path.join(repositoryOf(real), '.git')), repository: repository(real),
        force: options.force === true, dryRun, onSignal: (undo) => io.onSignal(undo),
      });
      const { done, failed } = await forEach(meant.filter((installation) => !own.includes(installation)), ({ real }) => real, io, one);
      if (!dryRun) warnOlder(done, options.version, io);
      for (const warning of twice(groundOf(io))) io.note(warning);
      return {
        json: { ok: failed.length === 0, action: 'update', dry_run: dryRun, version: source.version, source: source.note, results: done.map((brought) => broughtJson(brought, dryRun)), failed },
        text: done.flatMap((brought) => broughtText(brought, dryRun, options)).map((line) => `${line}\n`),
        exit: failed.length === 0 ? 0 : 1,
      };
    } finally {
      source.dispose();
    }
  },
};
