import { keptNote } from '../../capture/work.mts';
import { answer } from '../../lib/cli/answer.mts';
import type { Command } from '../../lib/cli/command.mts';
import { mergeSessions } from '../../runtime/merge.mts';
import { findByPrefix } from '../../store/lookup.mts';
import { sessionOf } from '../handoff/session-verbs.mts';

const flags = { render: { type: 'boolean', summary: 'make its HANDOFF.md and payloads too' } } as const;

export const command: Command<typeof flags> = {
  name: 'merge',
  summary: 'read two handoffs as one, in the order of time',
  args: '<prefix> <prefix>',
  positionals: { min: 2, max: 2 },
  flags,
  exits: { 0: 'merged, or merged before and unchanged', 1: 'a session is damaged, or the file system refused', 2: 'wrong words or configuration', 3: 'a prefix matches none or several, or a session is held' },
  example: 'agents-handoff merge 5f0c 77ab --render',
  details: 'The two stay as they are. Without --render the merged handoff has no brief until `handoff render` makes it.',
  async run(options, [first, second], io) {
    const { place, row } = sessionOf(io, first ?? '');
    const result = await mergeSessions(place, row, findByPrefix(place.root, second ?? ''), { render: options.render === true });
    if (result.kept !== undefined) io.note(keptNote(result.kept));
    const parts = result.into.split('+merge+');
    const twice = [...new Set(parts.filter((part, at) => parts.indexOf(part) !== at))];
    if (twice.length > 0) io.note(`both hold ${twice.join(', ')}: its turns stand in ${result.into} more than once`);
    return answer(result);
  },
};
