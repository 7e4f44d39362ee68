import type { Command } from '../../lib/cli/command.mts';
import { counted } from '../../lib/plural.mts';
import { findInstallations, type Installation } from '../../install/found.mts';
import { installationsMeant, NOTHING_INSTALLED } from './acting.mts';
import { TARGET_FLAGS, TELL_FLAGS, groundOf, namesTarget, wantedOf } from './flags.mts';
import { documentOf, tell } from './report.mts';

const flags = { ...TARGET_FLAGS, ...TELL_FLAGS } as const;

export const command: Command<typeof flags> = {
  name: 'list',
  summary: 'every installation that can be found: version, files, state',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'listed, also where there is none', 1: 'nothing is installed at the place that was named', 2: 'wrong words' },
  example: 'npx agents-handoff --list',
  details: 'It looks in the skills folders of the user, and of the repository at hand from the current folder up to its root.',
  run(options, _words, io) {
    const wanted = wantedOf(options);
    const found = namesTarget(wanted) ? installationsMeant(wanted, io) : findInstallations(groundOf(io));
    return {
      json: found.map((installation) => ({ ...rowOf(installation), record: documentOf(installation.real) })),
      text: found.length === 0 ? `install: ${NOTHING_INSTALLED}` : found.flatMap((installation) => [textOf(installation), ...tell(installation.real, options)]).map((line) => `${line}\n`),
    };
  },
};

function rowOf({ real, copy, checked, places }: Installation) {
  const { state, changed, missing, problems, files } = checked;
  return { target: real, version: copy.record?.version ?? null, harness: copy.record?.harness ?? null, state, files, changed, missing, problems, places };
}

function textOf({ real, copy, checked, places }: Installation): string {
  const { changed, missing, problems } = checked;
  const differs = changed.length + missing.length > 0 ? `${changed.length} changed, ${missing.length} missing` : `differs (${problems.join('; ')})`;
  const state = checked.state === 'differs' ? differs : checked.state;
  const also = places.filter((place) => place !== real);
  return `install: ${copy.record?.version ?? 'unknown'}  ${counted(checked.files, 'file')}  ${state}  ${real}${also.length === 0 ? '' : `  (also ${also.join(', ')})`}`;
}
