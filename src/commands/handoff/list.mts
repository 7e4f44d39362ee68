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
/** Characters that are handed on at once: what is written need not be kept. */
const PIECE = 1 << 16;

/**
 * One line a row, its words in columns; titles are left out where no row has one. Straight code that keeps little: a
 * store may have ten thousand rows, and a list of columns with a function each makes the whole command a twentieth slower.
 */
function* table(rows: readonly IndexRow[]): Generator<string> {
  const titles: string[] = [];
  const width = { project: 0, id: 0, title: 0, harness: 0, turns: 0, revisions: 0 };
  for (const row of rows) {
    const title = cut(row.title ?? row.objective ?? '');
    titles.push(title);
    width.project = wider(width.project, row.project);
    width.id = wider(width.id, cutMiddle(row.id));
    width.title = wider(width.title, title);
    width.harness = wider(width.harness, cut(row.harness ?? ''));
    width.turns = wider(width.turns, `${row.turns}`);
    width.revisions = wider(width.revisions, `${row.revisions}`);
  }
  const blanks = ' '.repeat(Math.max(...Object.values(width)) + 2);
  const gap = (to: number, word: string): string => blanks.slice(0, to - word.length + 2);
  let lines = '';
  let at = 0;
  for (const row of rows) {
    const title = titles[at++] ?? '';
    const id = cutMiddle(row.id);
    const harness = cut(row.harness ?? '');
    const turns = `${row.turns}`;
    const revisions = `${row.revisions}`;
    lines += `[${row.project}]${gap(width.project, row.project)}${id}${gap(width.id, id)}${width.title === 0 ? '' : title + gap(width.title, title)}harness=${harness}${gap(width.harness, harness)}turns=${turns}${gap(width.turns, turns)}rev=${revisions}${gap(width.revisions, revisions)}updated=${row.updated}${row.promoted === undefined ? '' : `  ${promoted(row.promoted, row.revisions)}`}\n`;
    if (lines.length < PIECE) continue;
    yield lines;
    lines = '';
  }
  yield lines;
}

function wider(width: number, word: string): number {
  return word.length > width ? word.length : width;
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

function promoted(by: NonNullable<IndexRow['promoted']>, revisions: number): string {
  return by.revision === undefined || by.revision < revisions ? `${by.gate} ${promotedWhen(by.revision, revisions)}` : by.gate;
}
