import type { Command } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { HandoffError } from '../../lib/errors.mts';
import { promotedWhen } from '../../lib/promotion.mts';
import type { IndexRow } from '../../store/index-file.mts';
import { allSessions } from '../../store/lookup.mts';

const flags = {} as const;

export const command: Command<typeof flags> = {
  name: 'list',
  summary: 'the handoffs of the store, newest first',
  args: '[project or prefix]',
  positionals: { min: 0, max: 1 },
  flags,
  exits: { 0: 'listed', 2: 'wrong words or configuration', 4: 'the store is empty, or nothing matches' },
  example: 'handoff list shop',
  async run(_options, [word], io) {
    const { root } = storeHere(io);
    const all = allSessions(root, (error) => io.note(`left out: ${error.message}`));
    if (all.length === 0) throw await emptyStore(root);
    const rows = word === undefined ? all : all.filter((row) => row.project === word || [row.id, row.uuid, row.source_id, `${row.project}/${row.id}`].some((name) => name?.startsWith(word)));
    if (rows.length === 0) throw new HandoffError('NO_MATCH', `no handoffs matching ${word}`);
    rows.sort((a, b) => (a.updated < b.updated ? 1 : a.updated > b.updated ? -1 : 0));
    return { json: rows, text: table(rows) };
  },
};

async function emptyStore(root: string): Promise<HandoffError> {
  const older = (await import('../../capture/commit/migrate.mts')).legacySessions(root).length;
  const first = older === 0 ? 'makes the first' : `moves ${older} of an older layout into it`;
  return new HandoffError('NO_MATCH', `no handoffs yet in ${root}; \`handoff build <transcript>\` ${first}`);
}

const WIDEST = 44;

interface Column {
  before: string;
  value(row: IndexRow): string | number;
  after?: string;
}

/** What a row shows, in order; a column in which no row has anything is left out. */
const COLUMNS: readonly Column[] = [
  { before: '[', value: (row) => row.project, after: ']' },
  { before: '', value: (row) => cutMiddle(row.id) },
  { before: '', value: (row) => cut(row.title ?? row.objective ?? '') },
  { before: 'harness=', value: (row) => cut(row.harness ?? '') },
  { before: 'turns=', value: (row) => row.turns },
  { before: 'rev=', value: (row) => row.revisions },
  { before: 'updated=', value: (row) => row.updated },
  { before: '', value: promoted },
];

/** Values are asked for twice, to be measured and to be shown: with ten thousand rows, keeping cells would cost more. */
function table(rows: readonly IndexRow[]): string {
  const widths = COLUMNS.map(({ before, value, after = '' }) => before.length + after.length + rows.reduce((width, row) => Math.max(width, String(value(row)).length), 0));
  const shown = COLUMNS.flatMap((column, at) => (widths[at] === 0 ? [] : [{ ...column, after: column.after ?? '', width: (widths[at] ?? 0) + 2 }]));
  return rows.map((row) => {
    let line = '';
    for (const { before, value, after, width } of shown) line += `${before}${value(row)}${after}`.padEnd(width);
    return line.trimEnd();
  }).join('\n');
}

/** What a line may not hold: any other gap than one blank. */
const GAP = /[^\S ]| {2}|[\u0000-\u001f]/;
const SURROGATE = /[\ud800-\udfff]/;

function cut(name: string): string {
  const flat = GAP.test(name) ? name.replace(/[\s\u0000-\u001f]+/g, ' ') : name;
  if (flat.length <= WIDEST) return flat;
  const head = flat.slice(0, WIDEST - 1);
  return SURROGATE.test(head) ? `${[...flat].slice(0, WIDEST - 1).join('')}…` : `${head}…`;
}

/** Sub-agents' ids begin alike and end apart. */
function cutMiddle(name: string): string {
  if (name.length <= WIDEST) return name;
  const signs = [...name];
  const half = (WIDEST - 1) >> 1;
  return signs.length <= WIDEST ? name : `${signs.slice(0, WIDEST - 1 - half).join('')}…${signs.slice(-half).join('')}`;
}

function promoted({ promoted: by, revisions }: IndexRow): string {
  if (by === undefined) return '';
  return by.revision === undefined || by.revision < revisions ? `${by.gate} ${promotedWhen(by.revision, revisions)}` : by.gate;
}
