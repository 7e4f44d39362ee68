import { answer } from '../../lib/cli/answer.mts';
import type { Command } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { indexStore } from '../../runtime/index-store.mts';

const flags = {} as const;

export const command: Command<typeof flags> = {
  name: 'index',
  summary: 'make INDEX.json and the PROJECT.md files anew from the sessions',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'made', 1: 'a manifest cannot be read (the others are indexed), or the file system refused', 2: 'wrong words or configuration', 3: 'another command holds the index' },
  example: 'agents-handoff index',
  run(_options, _words, io) {
    const result = indexStore(storeHere(io).root);
    for (const one of result.unreadable ?? []) io.note(`a manifest cannot be read, so its session has no row: ${one}`);
    return answer(result, result.ok ? 0 : 1);
  },
};
