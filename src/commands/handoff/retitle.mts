import { retitleSession } from '../../capture/reseal.mts';
import type { Command } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { resealed, sessionOf } from './session-verbs.mts';

const flags = {} as const;

export const command: Command<typeof flags> = {
  name: 'retitle',
  summary: 'give a handoff another name',
  args: '<prefix> <name>',
  positionals: { min: 2, max: 2 },
  flags,
  exits: { 0: 'renamed', 1: 'the session is damaged, or the file system refused', 2: 'wrong words', 3: 'the prefix is ambiguous, or the session is held', 4: 'nothing matches, or the name is taken' },
  example: 'handoff retitle 5f0c coupon-rounding',
  async run(_options, [prefix, name], io) {
    if ((name ?? '').trim() === '') throw new HandoffError('USAGE', 'retitle needs a name that is not blank');
    const { place, row, clean } = sessionOf(io, prefix ?? '');
    return resealed('retitled', await retitleSession(place, row, clean(name ?? '')), io);
  },
};
