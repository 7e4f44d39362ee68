import type { Command } from '../../lib/cli/command.mts';
import { selfImprove } from '../../runtime/self-improve.mts';
import { storeHere } from '../store.mts';

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
    return { json: result, text: JSON.stringify(result) };
  },
};
