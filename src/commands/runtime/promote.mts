import { answer } from '../../lib/cli/answer.mts';
import type { Command } from '../../lib/cli/command.mts';
import { promoteSession } from '../../runtime/promote.mts';
import { sessionOf } from '../handoff/session-verbs.mts';

const flags = {
  force: { type: 'boolean', summary: 'override a rejection of contract, evidence or payload, and say so in the manifest' },
  by: { type: 'value', value: '<who>', summary: 'who promotes it' },
} as const;

export const command: Command<typeof flags> = {
  name: 'promote',
  summary: 'stamp a handoff that passes the gate',
  args: '<prefix>',
  positionals: { min: 1, max: 1 },
  flags,
  exits: { 0: 'promoted', 1: 'the session is damaged, or the file system refused', 2: 'wrong words or configuration', 3: 'the prefix matches none or several, or the session is held', 6: 'the gate rejected it' },
  example: 'agents-handoff promote 5f0c --by ci',
  async run(options, [prefix], io) {
    const { place, row, clean } = sessionOf(io, prefix ?? '');
    const result = await promoteSession(place, row, { force: options.force === true, by: options.by === undefined ? undefined : clean(options.by) });
    return answer(result);
  },
};
