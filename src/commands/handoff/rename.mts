import { renameSession } from '../../capture/reseal.mts';
import type { Command } from '../../lib/cli/command.mts';
import { resealed, sessionOf } from './session-verbs.mts';

const flags = {} as const;

export const command: Command<typeof flags> = {
  name: 'rename',
  summary: 'move a handoff to another project',
  args: '<prefix> <project>',
  positionals: { min: 2, max: 2 },
  flags,
  exits: { 0: 'moved', 1: 'the session is damaged, or the file system refused', 2: 'wrong words', 3: 'the prefix is ambiguous, or the session is held', 4: 'nothing matches, or the target is there already' },
  example: 'handoff rename 5f0c shop',
  async run(_options, [prefix, project], io) {
    const { place, row, clean } = sessionOf(io, prefix ?? '');
    return resealed('renamed', await renameSession(place, row, clean(project ?? '')), io);
  },
};
