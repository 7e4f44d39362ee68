import type { Command } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { oneLine, titleOf } from '../../capture/recorded/peek.mts';
import { createStanding, type Standing } from '../../capture/recorded/standing.mts';
import { sessionsHere, type Recorded } from '../../capture/recorded/sessions-here.mts';
import { shown } from '../../render/text.mts';
import { allSessions } from '../../store/lookup.mts';
import { createRedactor } from '../../transcript/redaction/create.mts';
import type { Redactor } from '../../transcript/redaction/redactor.mts';

const flags = {
  harness: { type: 'value', value: '<name>', summary: 'only what this harness has recorded' },
  all: { type: 'boolean', summary: 'of every working directory, not of this one' },
} as const;

const WIDEST = 60;
/** How many are shown; only of these more than the folder's entry is read. */
const SHOWN = 50;

interface Row {
  harness: string;
  path: string;
  title: string;
  cwd: string;
  modified: string;
  size: number;
  standing: Standing;
}

export const command: Command<typeof flags> = {
  name: 'sources',
  summary: 'the transcripts that harnesses have recorded here, newest first',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'listed, also where there are none', 2: 'wrong words or configuration, or no home directory to look in' },
  example: 'handoff sources --harness codex',
  details: `At most ${SHOWN} are shown. Whether the store has one is told by lengths; a build looks at the bytes.`,
  async run(options, _words, io) {
    const found = storeHere(io);
    const redactor = createRedactor({ patterns: found.config.redaction.patterns });
    const all = options.all === true;
    const sessions = sessionsHere({ env: io.env, cwd: io.cwd, all, harness: options.harness, note: (text) => io.note(redactor.text(text)) });
    const standing = createStanding(found.root, allSessions(found.root));
    const rows: Row[] = [];
    for (let one = await sessions.next(); one !== undefined; one = rows.length < SHOWN ? await sessions.next() : undefined) rows.push(rowOf(one, standing(one), redactor));
    const more = sessions.left();
    return { json: { sources: rows, more }, text: [...table(rows), ...rest(rows.length, more, all, options.harness)].join('\n') };
  },
};

function rowOf(one: Recorded, standing: Standing, redactor: Redactor): Row {
  const { cwd } = one.peek.facts;
  const title = one.isDatabase ? '(a database of sessions: `handoff build <file>#<session>`)' : titleOf(one.peek);
  return {
    harness: one.place.harness, path: one.path, title: oneLine(redactor.text(title), WIDEST), cwd: cwd === undefined ? '' : redactor.text(cwd),
    modified: new Date(one.mtimeMs).toISOString(), size: one.size, standing,
  };
}

function table(rows: readonly Row[]): string[] {
  const now = Date.now();
  const cells = rows.map((row) => [ago(now - Date.parse(row.modified)), row.harness, sizeOf(row.size), told(row.standing), row.title, row.path]);
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(0, ...cells.map((row) => row[at]?.length ?? 0)));
  return cells.map((row) => row.map((cell, at) => (at === 5 ? shown(cell) : cell.padEnd(widths[at] ?? 0))).join('  '));
}

function rest(count: number, more: number, all: boolean, harness: string | undefined): string[] {
  const who = harness ?? 'No harness';
  if (count === 0 && more === 0) return [`${who} has recorded ${harness === undefined ? 'a' : 'no'} session ${all ? 'here.' : 'of this folder; --all shows those of other folders.'}`];
  if (more === 0) return [];
  return [all ? `… and ${more} older ones.` : `… and ${more} older ones were not looked into; --harness narrows it.`];
}

function told(standing: Standing): string {
  switch (standing.state) {
    case 'captured':
      return 'captured';
    case 'behind':
      return `behind by ${standing.bytes} bytes`;
    case 'changed':
      return 'changed since captured';
    case 'unknown':
      return 'captured by 2.0.x';
    case 'not-captured':
      return 'not captured';
  }
}

const SPANS = [['d', 86_400_000], ['h', 3_600_000], ['min', 60_000]] as const;

function ago(ms: number): string {
  for (const [name, length] of SPANS) if (ms >= length) return `${Math.floor(ms / length)} ${name} ago`;
  return 'just now';
}

function sizeOf(bytes: number): string {
  if (bytes < 10_000) return `${bytes} B`;
  return bytes < 10_000_000 ? `${Math.round(bytes / 1000)} kB` : `${Math.round(bytes / 1e6)} MB`;
}
