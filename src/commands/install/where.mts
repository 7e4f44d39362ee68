import path from 'node:path';
import type { Command } from '../../lib/cli/command.mts';
import { realCopy, readCopy } from '../../install/copy.mts';
import { HARNESSES } from '../../install/harnesses.mts';
import { SKILL, foldersOf, globalRoot, homeIfAny, inHome, isHere } from '../../install/places.mts';
import { placesNamed } from '../../install/targets.mts';
import { TARGET_FLAGS, groundOf, namesTarget, wantedOf } from './flags.mts';

const flags = TARGET_FLAGS;

export const command: Command<typeof flags> = {
  name: 'where',
  summary: 'where a copy goes, and by which rule; which harnesses are here',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'shown', 1: 'there is no home directory', 2: 'wrong words' },
  example: 'npx agents-handoff where',
  run(options, _words, io) {
    const ground = groundOf(io);
    const wanted = wantedOf(options);
    if (namesTarget(wanted)) {
      const places = placesNamed(wanted, ground).map((place) => ({ place, real: realCopy(place) ?? null, version: versionAt(place) }));
      return { json: { places }, text: places.map(({ place, real, version }) => `install: ${place}${real === null || real === place ? '' : ` -> ${real}`} (${version ?? 'nothing is installed'})\n`) };
    }
    const { folder, rule, why } = globalRoot(ground);
    const copy = path.join(folder, SKILL);
    const version = versionAt(copy);
    const home = homeIfAny(ground);
    const harnesses = home === undefined ? [] : HARNESSES.map((harness) => ({
      harness: harness.id, name: harness.name, here: isHere(harness, home, ground), folder: inHome(harness.user[0] ?? '', harness, home, ground), reads: foldersOf(harness, home, ground),
    }));
    return {
      json: { root: folder, rule, why, copy, version, harnesses },
      text: [
        `install: root=${folder}\n`, `install: rule=${rule} (${why})\n`, `install: copy=${copy}\n`, `install: version=${version ?? 'none'}\n`,
        ...(version === null ? ['install: nothing is installed there; `npx agents-handoff install` puts a copy there\n'] : []),
        ...harnesses.map(({ harness, here, folder: own }) => `  ${harness.padEnd(12)} ${here ? 'here    ' : 'not here'}  ${own}\n`),
      ],
    };
  },
};

function versionAt(place: string): string | null {
  const real = realCopy(place);
  if (real === undefined) return null;
  const { installed, record } = readCopy(real);
  return installed ? record?.version ?? 'unknown' : null;
}
