import path from 'node:path';
import type { Command, Outcome } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { HandoffError } from '../../lib/errors.mts';
import { checkSession, checkWhereItLies, type Checked } from '../../store/checker.mts';
import { fail, type Finding, type FindingId } from '../../store/findings.mts';
import type { IndexRow } from '../../store/index-file.mts';
import { allSessions, findByPrefix, hasManifest, isUnreadable, relativePlace, stillUnreadable, unreadableSessions } from '../../store/lookup.mts';
import { idInLine } from '../../store/names.mts';

const flags = {
  all: { type: 'boolean', summary: 'every session of the store' },
  strict: { type: 'boolean', summary: 'let notes fail too' },
} as const;

export const command: Command<typeof flags> = {
  name: 'verify',
  summary: 'check a handoff against its own record; reads only',
  args: '[prefix]',
  positionals: { min: 0, max: 1 },
  flags,
  exits: { 0: 'it holds what it says', 1: 'something does not agree', 2: 'wrong words, or no prefix', 3: 'the prefix is ambiguous, or the session kept changing', 4: 'nothing matches, or the store is empty' },
  example: 'handoff verify 5f0c',
  run(options, [prefix], io) {
    const { root } = storeHere(io);
    const strict = options.strict === true;
    let bytes = 0;
    const onBytes = (more: number, where = ''): void => {
      bytes += more;
      io.progress(`${where}${Math.ceil(bytes / 1e6)} MB checked`);
    };
    if (options.all === true) {
      if (prefix !== undefined) throw new HandoffError('USAGE', 'verify takes a prefix or --all, not both');
      return verifyAll(root, strict, (more, done, of) => onBytes(more, `${done} of ${of} sessions, `));
    }
    if (prefix === undefined) throw new HandoffError('USAGE', 'verify needs a prefix, or --all');
    const { row, checked } = checkWhereItLies(root, findByPrefix(root, prefix), onBytes);
    return { json: json(checked, strict), text: report(checked, strict, () => nameOf(row, allSessions(root))), exit: fails(checked, strict) ? 1 : 0 };
  },
};

/** Damage to what cannot be made anew, and to what can. */
const LOST: readonly FindingId[] = ['manifest-unreadable', 'manifest-tampered', 'timeline-missing', 'timeline-length', 'turn-drift', 'chain-broken', 'chain-segment'];
const RENDERED: readonly FindingId[] = ['payload-missing', 'payload-differs', 'payload-unreadable'];

function verifyAll(root: string, strict: boolean, progress: (more: number, done: number, of: number) => void): Outcome {
  const indexed = allSessions(root);
  const shut: Checked[] = [];
  const rows: IndexRow[] = [...indexed, ...unreadableSessions(root, indexed, (error) => shut.push(shutFolder(error)))];
  if (rows.length + shut.length === 0) throw new HandoffError('NO_MATCH', `no handoffs yet in ${root}; \`handoff config\` says why it is this store`);
  const checked: (Checked | undefined)[] = [];
  for (const row of rows) {
    checked.push(checkSession(root, row, (more) => progress(more, checked.length, rows.length)));
  }
  // Sessions move and go while others are read: those that are not where their row says are looked for once more.
  const moved = [...rows.entries()].filter(([, row]) => (isUnreadable(row) ? stillUnreadable(root, row) === undefined : !hasManifest(root, row)));
  const now = new Map(moved.length === 0 ? [] : allSessions(root).map((row) => [row.uuid, row]));
  for (const [at, { uuid }] of moved) {
    const row = now.get(uuid);
    checked[at] = row === undefined ? undefined : checkSession(root, row);
    if (row !== undefined) rows[at] = row;
  }
  const results = [...rows.entries()].flatMap(([at, row]) => {
    const one = checked[at];
    return one === undefined ? [] : [{ row, checked: one, failed: fails(one, strict) }];
  });
  const told = [...results, ...shut.filter(({ project }) => !rows.some((row) => row.project === project)).map((one) => ({ row: undefined, checked: one, failed: true }))];
  const failed = told.filter((result) => result.failed).length;
  return {
    json: { ok: failed === 0, sessions: told.length, failed, results: told.map(({ checked }) => json(checked, strict)) },
    text: [...told.flatMap(({ row, checked }) => [report(checked, strict, () => (row === undefined ? checked.folder : nameOf(row, rows))), '\n']), `handoff: ${told.length} checked, ${failed} failed`],
    exit: failed === 0 ? 0 : 1,
  };
}

/** A project's folder that may not be looked into: what lies in it and no row names is not known. */
function shutFolder(error: Error): Checked {
  const name = path.basename((error as NodeJS.ErrnoException).path ?? '');
  return { session: name, folder: name, project: name, turns: 0, sealed: false, findings: [fail('unreadable', `cannot be read (${error.message})`)] };
}

function broken({ findings }: Checked, strict: boolean): Finding[] {
  return findings.filter((finding) => finding.level === 'fail' || (strict && finding.counts));
}

function fails(checked: Checked, strict: boolean): boolean {
  return broken(checked, strict).length > 0;
}

/** The name that leads to the session of `row` and to no other one of `rows`. */
function nameOf(row: IndexRow, rows: readonly IndexRow[]): string {
  const place = relativePlace(row);
  return rows.some((other) => (other.uuid === row.id || other.id === row.id) && relativePlace(other) !== place) ? place : row.id;
}

function report(checked: Checked, strict: boolean, name: () => string): string {
  const bad = broken(checked, strict);
  if (bad.length > 0) return `FAIL ${idInLine(checked.session)}: ${bad.map(told).join('; ')}${wayOn(bad, name)}`;
  const line = `PASS ${checked.folder} [${checked.project}]: manifest sha ok / timeline=${checked.turns} turns / llm json parses${checked.sealed ? ' / chain ok' : ''}`;
  return [line, ...checked.findings.map((finding) => `  note: ${told(finding)}`)].join('\n');
}

/** How to go on after damage; what only has to be rendered, or names its own remedy, needs no more words. */
function wayOn(bad: readonly Finding[], name: () => string): string {
  const has = (ids: readonly FindingId[]): boolean => bad.some(({ id }) => ids.includes(id));
  if (has(LOST)) return ` — put its folder back from a copy or from git, or \`handoff forget ${name()}\` and build it again`;
  return has(RENDERED) ? ` — \`handoff render ${name()}\` makes it anew` : '';
}

function told({ text, expected, found }: Finding): string {
  const sides = [expected === undefined ? '' : `expected ${expected}`, found === undefined ? '' : `found ${found}`].filter((side) => side !== '');
  return sides.length === 0 ? text : `${text} (${sides.join(', ')})`;
}

function json(checked: Checked, strict: boolean): Record<string, unknown> {
  return { ok: !fails(checked, strict), session: checked.session, folder: checked.folder, project: checked.project, turns: checked.turns, sealed: checked.sealed, findings: checked.findings.map(({ counts: _counts, ...finding }) => finding) };
}
