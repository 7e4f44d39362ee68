import { copiesOf } from '../../capture/commit/backup.mts';
import { forgetSession } from '../../capture/reseal.mts';
import type { Command } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { isUnreadable } from '../../store/lookup.mts';
import { idInLine } from '../../store/names.mts';
import { sessionOf } from './session-verbs.mts';

const flags = { force: { type: 'boolean', summary: 'do not ask' } } as const;

export const command: Command<typeof flags> = {
  name: 'forget',
  summary: 'remove a handoff from the store; its transcript stays',
  args: '<prefix>',
  positionals: { min: 1, max: 1 },
  flags,
  exits: { 0: 'removed', 1: 'not confirmed, or the file system refused', 2: 'wrong words', 3: 'the prefix is ambiguous, or the session is held', 4: 'nothing matches' },
  example: 'handoff forget 5f0c --force',
  async run(options, [prefix], io) {
    const { place, row } = sessionOf(io, prefix ?? '');
    if (options.force !== true && !(await io.confirm(`Remove ${row.project}/${row.id} (${isUnreadable(row) ? 'its manifest cannot be read' : `${row.turns} turns, revision ${row.revisions}`})?`))) {
      throw new HandoffError('DECLINED', `${row.id} was not removed: nobody confirmed it (--force removes without asking)`);
    }
    await forgetSession(place, row);
    const copies = copiesOf(place.root, row.uuid);
    if (copies.length > 0) io.note(`copies from before it was replaced hold its words still: ${copies.join(', ')}`);
    return { json: { action: 'forgot', session: row.uuid, project: row.project, copies }, text: `handoff: forgot ${idInLine(row.uuid)} project=${row.project}` };
  },
};
