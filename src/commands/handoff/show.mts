import fs from 'node:fs';
import type { Command } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { HandoffError } from '../../lib/errors.mts';
import { readText } from '../../lib/fs/files.mts';
import { checkPromotion } from '../../store/check-notes.mts';
import { checkSession } from '../../store/checker.mts';
import { sessionPaths } from '../../store/layout.mts';
import { dirOf, findByPrefix } from '../../store/lookup.mts';
import { isSealed, readManifest } from '../../store/manifest.mts';
import { idInLine } from '../../store/names.mts';
import { readTurns } from '../../store/timeline.mts';
import { TURN_CLASSES, type Turn } from '../../transcript/turn.mts';

const flags = {
  turns: { type: 'value', value: '<A..B>', summary: 'print the turns with a seq from A to B instead; one side may be left out, and A alone is one turn' },
  class: { type: 'value', value: '<class>', summary: 'only turns of this class: USER, AGENT, THOUGHT, TOOL or OTHER' },
} as const;

export const command: Command<typeof flags> = {
  name: 'show',
  summary: 'print a handoff\'s brief, or turns of its timeline',
  args: '<prefix>',
  positionals: { min: 1, max: 1 },
  flags,
  exits: { 0: 'printed', 1: 'the session is damaged (where the configuration verifies on read)', 2: 'wrong words', 3: 'the prefix is ambiguous', 4: 'nothing matches' },
  example: 'handoff show 5f0c --turns 120..140',
  run(options, [prefix], io) {
    const { root, config } = storeHere(io);
    const row = findByPrefix(root, prefix ?? '');
    if (config.integrity.verify_on_read) {
      const bad = checkSession(root, row).findings.filter(({ level }) => level === 'fail');
      if (bad.length > 0) throw new HandoffError('DAMAGED', `${row.id} does not verify: ${bad.map(({ text }) => text).join('; ')}`);
    }
    const paths = sessionPaths(dirOf(root, row));
    if (options.turns === undefined && options.class === undefined) {
      const brief = readText(paths.brief);
      if (brief === undefined) throw new HandoffError('NO_MATCH', `${row.id} has no brief yet; \`handoff render ${row.id}\` makes it`);
      const read = readManifest(paths.manifest);
      const manifest = read.state === 'read' ? read.manifest : undefined;
      for (const { text } of manifest === undefined ? [] : checkPromotion(manifest)) io.note(text);
      return { json: { session: row.uuid, project: row.project, brief, manifest }, text: brief };
    }
    const wanted = filterOf(options.turns, options.class);
    const committed = lengthOf(paths.manifest, paths.timeline);
    const turns = function* () {
      let [first, last, any] = [Infinity, -Infinity, false];
      for (const turn of readTurns(paths.timeline, committed)) {
        [first, last] = [Math.min(first, turn.seq), Math.max(last, turn.seq)];
        if (!wanted(turn)) continue;
        any = true;
        yield turn;
      }
      if (!any) io.note(`no ${options.class === undefined ? '' : `${options.class.toUpperCase()} `}turn${options.turns === undefined ? '' : ` in ${options.turns}`} (${first}..${last})`);
    };
    return io.json ? { json: [...turns()] } : { json: null, text: pieces(turns()) };
  },
};

function filterOf(range: string | undefined, kind: string | undefined): (turn: Turn) => boolean {
  const name = kind?.toUpperCase();
  if (name !== undefined && !(TURN_CLASSES as readonly string[]).includes(name)) throw new HandoffError('USAGE', `--class takes one of ${TURN_CLASSES.join(', ')}, not ${kind}`);
  const [, one, dots, other] = /^(-?\d+)?(?:(\.\.)(-?\d+)?)?$/.exec(range ?? '..') ?? [];
  if (one === undefined && dots === undefined) throw new HandoffError('USAGE', `--turns takes one seq or A..B, not ${range}`);
  const from = one === undefined ? -Infinity : Number(one);
  const to = other === undefined ? (dots === undefined ? from : Infinity) : Number(other);
  return (turn) => turn.seq >= from && turn.seq <= to && (name === undefined || turn.class === name);
}

/** What a build appends before it commits is not a turn yet. */
function lengthOf(manifestFile: string, timeline: string): number {
  const read = readManifest(manifestFile);
  return read.state === 'read' && isSealed(read.manifest) ? read.manifest.seal.timeline_bytes : fs.statSync(timeline).size;
}

function* pieces(turns: Iterable<Turn>): Generator<string> {
  for (const turn of turns) {
    // A tool's name or a time with a line end in it would begin a turn that nobody said.
    const facts = [turn.class, turn.kind, turn.tool, turn.ok === false ? 'failed' : '', turn.exit === undefined ? '' : `exit ${turn.exit}`, turn.side === undefined ? '' : `in ${turn.side}`, turn.meta].filter(Boolean);
    yield `[${turn.seq}${turn.part === undefined ? '' : `.${turn.part}`}] ${idInLine(`${turn.ts} ${facts.join(' ')}`)}\n${turn.text.replace(/^/gm, '  ')}\n\n`;
  }
}
