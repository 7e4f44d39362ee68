import { renderSession } from '../../capture/reseal.mts';
import type { Command } from '../../lib/cli/command.mts';
import { resealed, sessionOf } from './session-verbs.mts';

const flags = {} as const;

export const command: Command<typeof flags> = {
  name: 'render',
  summary: 'make a handoff\'s renders anew from its timeline',
  args: '<prefix>',
  positionals: { min: 1, max: 1 },
  flags,
  exits: { 0: 'rendered', 1: 'the session is damaged, or the file system refused', 2: 'wrong words', 3: 'the prefix is ambiguous, or the session is held', 4: 'nothing matches' },
  example: 'handoff render 5f0c',
  async run(_options, [prefix], io) {
    const { place, row } = sessionOf(io, prefix ?? '');
    return resealed('rendered', await renderSession(place, row), io);
  },
};
