import { answer } from '../../lib/cli/answer.mts';
import type { Command } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { unlock } from '../../runtime/unlock.mts';

const flags = { force: { type: 'boolean', summary: 'settle what a dead holder left, then remove its lock' } } as const;

export const command: Command<typeof flags> = {
  name: 'unlock',
  summary: 'show who holds a session\'s lock; remove a dead one',
  args: '<prefix>',
  positionals: { min: 1, max: 1 },
  flags,
  exits: { 0: 'shown, or removed', 1: 'the file system refused', 2: 'wrong words or configuration', 3: 'no lock or several match, or the holder lives' },
  example: 'agents-handoff unlock 5f0c --force',
  details: 'The lock of another host is taken only here, with --force: say it only where that host is gone.',
  run(options, [prefix], io) {
    const result = unlock(storeHere(io).root, prefix ?? '', options.force === true);
    return answer(result);
  },
};
