import { answer } from '../../lib/cli/answer.mts';
import type { Command } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { selfImprove } from '../../runtime/self-improve.mts';

const flags = {} as const;

export const command: Command<typeof flags> = {
  name: 'self-improve',
  summary: 'list long sessions whose brief is thin: counts, no content',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'written', 1: 'the file system refused', 2: 'wrong words or configuration', 3: 'another one is writing the list' },
  example: 'agents-handoff self-improve',
  run(_options, _words, io) {
    const result = selfImprove(storeHere(io).root, io.home, new Date().toISOString());
    return answer(result);
  },
};
