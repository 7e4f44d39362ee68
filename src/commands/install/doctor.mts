import type { Command } from '../../lib/cli/command.mts';
import { findInstallations, seenBy, twice } from '../../install/found.mts';
import { HARNESSES } from '../../install/harnesses.mts';
import { NOTHING_INSTALLED } from './acting.mts';
import { TARGET_FLAGS, groundOf, wantedOf } from './flags.mts';
import { judge, judgedText } from './verify.mts';

const flags = { harness: TARGET_FLAGS.harness, claude: TARGET_FLAGS.claude, codex: TARGET_FLAGS.codex, all: { type: 'boolean', summary: 'harnesses that are not here too' } } as const;

export const command: Command<typeof flags> = {
  name: 'doctor',
  summary: 'what each harness here finds, and whether it is as it was installed; changes nothing',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'nothing differs, also where nothing is installed', 1: 'a copy differs from its record, is interrupted, or a link leads nowhere', 2: 'wrong words' },
  example: 'npx agents-handoff doctor',
  run(options, _words, io) {
    const ground = groundOf(io);
    const { all, ...rest } = options;
    const { harnesses } = wantedOf(rest);
    const asked = harnesses.length > 0 ? harnesses : HARNESSES;
    const seen = asked.map((harness) => seenBy(harness, ground)).filter(({ here, broken }) => here || broken.length > 0 || all === true || harnesses.length > 0);
    const judged = findInstallations(ground).filter(({ real }) => harnesses.length === 0 || seen.some(({ copies }) => copies.some((copy) => copy.real === real))).map((installation) => judge(installation, io));
    const broken = seen.flatMap(({ broken: links }) => links);
    const warnings = twice(ground);
    const ok = judged.every(({ verdict }) => verdict !== 'fail') && broken.length === 0;
    return {
      json: { ok, action: 'doctor', harnesses: seen.map(({ harness, here, copies, broken: links }) => ({ harness: harness.id, name: harness.name, here, copies, broken: links })), copies: judged, warnings },
      text: [
        ...(harnesses.length === 0 && judged.length === 0 ? [`install: ${seen.length === 0 ? 'no harness is here and ' : ''}${NOTHING_INSTALLED}`] : []),
        ...judged.flatMap(judgedText),
        ...seen.map(({ harness, here, copies, broken: links }) => `  ${harness.name}${here ? '' : ' (not here)'}: ${copies.length === 0 ? 'finds no copy' : `finds ${copies.map(({ place }) => place).join(' and ')}`}${links.length === 0 ? '' : `; a link that leads nowhere: ${links.join(', ')}`}`),
        ...warnings.map((warning) => `  ${warning}`),
      ].map((line) => `${line}\n`),
      exit: ok ? 0 : 1,
    };
  },
};
