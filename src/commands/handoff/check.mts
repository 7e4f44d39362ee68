import type { Command } from '../../lib/cli/command.mts';
import { gitOf } from '../../lib/git.mts';
import { whatMoved } from '../../runtime/moved.mts';
import { idInLine } from '../../store/names.mts';
import { redactText } from '../../transcript/redaction/create.mts';
import { capturedSession } from './captured.mts';

const flags = {} as const;

export const command: Command<typeof flags> = {
  name: 'check',
  summary: 'what has moved since a handoff: files, branch, commits, working tree, transcript; reads only',
  args: '<prefix>',
  positionals: { min: 1, max: 1 },
  flags,
  exits: { 0: 'fresh: nothing has moved', 1: 'stale, or the session is damaged', 2: 'wrong words', 3: 'the prefix is ambiguous', 4: 'nothing matches' },
  example: 'handoff check 5f0c && handoff show 5f0c',
  run(_options, [prefix], io) {
    const { root, manifest, row, digest } = capturedSession(io, prefix ?? '');
    const { filesChanged: files, lastTs } = digest();
    const { since, moved, notes } = whatMoved({ manifest, files, lastTs, root }, (folder) => gitOf(folder, io.env['PATH']));
    // Names of files and branches are not from the record, and may hold what it never held.
    const said = moved.map((one) => ({ ...one, text: oneLine(one.text) }));
    const fresh = said.length === 0;
    const lines = [
      `handoff: ${fresh ? 'fresh' : 'stale'} ${idInLine(row.uuid)} [${row.project}] since ${since}${fresh ? '' : `: ${said.length} moved`}`,
      ...said.map(({ what, text }) => `  ${what}: ${text}`),
      ...notes.map((note) => `  note: ${oneLine(note)}`),
    ];
    return { json: { fresh, session: row.uuid, project: row.project, since, moved: said, notes: notes.map(oneLine) }, text: lines.join('\n'), exit: fresh ? 0 : 1 };
  },
};

function oneLine(text: string): string {
  return redactText(text.replace(/\s+/g, ' ').toWellFormed());
}
