/**
 * Which session is meant. INDEX.json answers, and the sessions that a lock names: a build may have died, or be at work,
 * before it wrote its row. Without INDEX.json the manifests answer.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError } from '../lib/errors.mts';
import { readFile, sleep } from '../lib/fs/files.mts';
import { allLocks, recordsOf } from '../lib/fs/lock-file.mts';
import { sessionDir, sessionPaths, storePaths } from './layout.mts';
import { believedIndex, folders, indexRow, parseRows, rowsFromManifests, unlessRefused, type IndexRow, type Refused } from './index-file.mts';
import { readManifest } from './manifest.mts';
import { folderName, isBeside, withSuffix } from './names.mts';
import { objectiveOf } from './objective.mts';

/** All sessions, in the order of the index. Without one, `refused` is told of the places that may not be looked into. */
export function allSessions(root: string, refused?: Refused): IndexRow[] {
  return rowsThatMayName(root, undefined, refused);
}

/**
 * The rows and what locks tell; the latter alone, where the whole index holds none of `words`: parsing the rows of thousands
 * takes longer than most builds.
 */
function rowsThatMayName(root: string, words: readonly string[] | undefined, refused: Refused = () => {}): IndexRow[] {
  const index = believedIndex(root);
  if (index !== undefined && words?.some((word) => index.includes(word)) === false) return withLocked(root, []);
  return withLocked(root, (index === undefined ? undefined : parseRows(index.toString('utf8'))) ?? rowsFromManifests(root, refused));
}

/** Whether INDEX.json says anything of the session `id`: a merge of git, or a hand, may have taken its row. */
export function isListed(root: string, id: string): boolean {
  return readFile(storePaths(root).index)?.includes(JSON.stringify(id)) === true;
}

/** The session `id` where it lies in `place` (`project/folder`) and no row says so, as a merge of git may leave an index. */
export function sessionAt(root: string, place: string, id: string): IndexRow | undefined {
  const row = rowAt(root, place);
  return row?.uuid === id ? row : undefined;
}

/** A session whose manifest cannot be read and that no row names: its place is all that is known of it. */
export type UnreadableRow = IndexRow & { reason: string };

/**
 * Sessions that no row names because their manifest cannot be read. A merge of git leaves such ones, and an index that was made
 * anew knows nothing of them.
 */
export function unreadableSessions(root: string, rows: readonly IndexRow[], refused?: Refused): UnreadableRow[] {
  const known = new Set(rows.map(relativePlace));
  const { projects } = storePaths(root);
  return folders(projects, refused).flatMap((project) => folders(path.join(projects, project), refused).flatMap((id) => (known.has(`${project}/${id}`) ? [] : unreadableAt(root, project, id) ?? [])));
}

function unreadableAt(root: string, project: string, id: string): UnreadableRow | undefined {
  let why = '';
  const read = unlessRefused((error) => { why = error.message; }, undefined, () => readManifest(sessionPaths(sessionDir(root, project, id)).manifest));
  const reason = read?.state === 'unreadable' ? read.reason : why;
  if (reason === '') return undefined;
  return { reason, id, uuid: id, project, harness: '', turns: 0, revisions: 0, updated: '', manifest_sha256: '' };
}

/** The row under the session's lock: undefined where its manifest was put right or its folder is gone. */
export function stillUnreadable(root: string, { project, id }: UnreadableRow): UnreadableRow | undefined {
  return unreadableAt(root, project, id);
}

/** Whether `row` is of a session that no id leads to, only its place: another one may be known by its folder's name. */
export function isUnreadable(row: IndexRow): row is UnreadableRow {
  return 'reason' in row;
}

/**
 * The rows with what locks tell: sessions that have no row yet, and rows whose session has moved away or was forgotten
 * while its row still stands.
 */
function withLocked(root: string, rows: readonly IndexRow[]): IndexRow[] {
  const records = allLocks(storePaths(root).locks).flatMap(recordsOf);
  const places = new Set(records.flatMap((record) => [record['place'], record['to']]).filter((place) => typeof place === 'string'));
  if (places.size === 0) return [...rows];
  const kept = rows.filter((row) => !places.has(relativePlace(row)) || hasManifest(root, row));
  const known = new Set(kept.map(relativePlace));
  const added = [...places].flatMap((place) => (known.has(place) ? [] : rowAt(root, place) ?? []));
  // One that moved between the two looks stands in both: its new place counts.
  const moved = new Set(added.map(({ uuid }) => uuid));
  return [...kept.filter((row) => !moved.has(row.uuid) || hasManifest(root, row)), ...added];
}

/** What may be the name of a folder of ours, and leads nowhere else. */
function isName(name: string | undefined): name is string {
  return name !== undefined && name !== '' && !name.startsWith('.');
}

/** `place` is `project/folder`; anything else that a lock may hold is not followed. */
function rowAt(root: string, place: string): IndexRow | undefined {
  const [project, folder, more] = place.split('/');
  if (!isName(project) || !isName(folder) || more !== undefined) return undefined;
  const paths = sessionPaths(sessionDir(root, project, folder));
  const read = readManifest(paths.manifest);
  return read.state === 'read' ? { ...indexRow(folder, read.manifest, objectiveOf(paths.summary)), project } : undefined;
}

/**
 * The session that is known by exactly this id (its `session` or folder), else by the transcript's own id.
 * Undefined where there is none; AMBIGUOUS where an id stands for several.
 */
export function findExact(root: string, id: string, sourceId?: string): IndexRow | undefined {
  const { hits } = steady(() => lookExact(root, id, sourceId), ({ hits: found, lost }) => found.length <= 1 && lost.length === 0);
  const [hit] = hits;
  if (hit === undefined || hits.length === 1) return hit;
  // A merge of git may leave a session in two places: no name tells them apart, only a place.
  const isTwice = hits.every(({ uuid }) => uuid === hit.uuid);
  // A build alone asks for the transcript's own id too, where no --session was given.
  const wayOn = isTwice ? `; one session is in all of them: \`handoff forget <project/folder>\` takes away one that is not wanted` : sourceId === undefined ? '' : '; --session says which is meant';
  throw ambiguous(id, hits, wayOn);
}

/** `lost`: rows that fit and whose session is not where they say. */
function lookExact(root: string, id: string, sourceId: string | undefined): { hits: IndexRow[]; lost: IndexRow[] } {
  const rows = rowsThatMayName(root, [id, ...(sourceId === undefined ? [] : [sourceId])].map((name) => JSON.stringify(name)));
  const lost: IndexRow[] = [];
  for (const fits of [
    (row: IndexRow) => row.uuid === id,
    (row: IndexRow) => row.id === id && isGivenName(row),
    (row: IndexRow) => sourceId !== undefined && row.source_id === sourceId,
  ]) {
    const fitting = unique(rows.filter(fits));
    const found = fitting.filter((row) => hasManifest(root, row));
    lost.push(...fitting.filter((row) => !found.includes(row)));
    // Of two that went apart, the one that kept the id stands for both.
    const hits = found.filter((row) => !found.some((other) => isBeside(row.uuid, other.uuid)));
    if (hits.length > 0) return { hits, lost: hits.length > 1 ? lost : [] };
  }
  return { hits: [], lost };
}

/** In ms, before each look: a session's way to another place, and the row that says so, take a moment. */
const PAUSES_MS = [0, 5, 20, 60, 150];

/**
 * What `look` sees, as soon as it is `enough`. The index and the locks are read one after the other while sessions move, so
 * that nothing, several or an empty place may be seen where one is: that is believed when two looks agree in it.
 */
function steady<T>(look: () => T, enough: (seen: T) => boolean): T {
  let before: string | undefined;
  for (const pause of PAUSES_MS) {
    if (pause > 0) sleep(pause);
    const seen = look();
    const words = JSON.stringify(seen);
    if (enough(seen) || words === before) return seen;
    before = words;
  }
  return look();
}

/** Whether the session of the row lies where the row says. */
export function hasManifest(root: string, row: IndexRow): boolean {
  return fs.existsSync(sessionPaths(dirOf(root, row)).manifest);
}

/**
 * Where the session of a row is now, which may have moved since the row was read. A row that nothing takes back is given as
 * it is, though its folder has no manifest; undefined where the session is in the index no more.
 */
export function whereNow(root: string, row: IndexRow): IndexRow | undefined {
  if (hasManifest(root, row) || (isUnreadable(row) && stillUnreadable(root, row) !== undefined)) return row;
  const [now] = steady(() => allSessions(root).filter(({ uuid }) => uuid === row.uuid), ([hit, more]) => hit !== undefined && more === undefined && hasManifest(root, hit));
  return now;
}

/** The sessions beside the one with this id: what other stores made of it. */
export function besideSessions(root: string, id: string): IndexRow[] {
  const rows = rowsThatMayName(root, [`${JSON.stringify(id).slice(0, -1)}~`]);
  return unique(rows.filter(({ uuid }) => isBeside(uuid, id)));
}

/** A folder that a person named. One that was made from its session's id stands for that id alone: `a/b` is not `a_b`. */
function isGivenName({ id, uuid }: IndexRow): boolean {
  return ![folderName(uuid), folderName(uuid, true)].some((name) => id === name || id === withSuffix(name, uuid));
}

/**
 * The one session whose id, folder or uuid begins with `prefix`, or `project/prefix`; an exact match wins. A project's name
 * alone is none of these: `forget` of an unset variable, or of a word too short, must not find what happens to be alone.
 * Throws USAGE for an empty prefix, NO_MATCH or AMBIGUOUS.
 */
export function findByPrefix(root: string, prefix: string): IndexRow {
  if (prefix === '') throw emptyPrefix();
  let isEmpty = true;
  const look = (): IndexRow[] => {
    const rows = allSessions(root);
    isEmpty = rows.length === 0;
    const there = lyingAt(root, rows, prefix);
    const hits = there === undefined ? beginningWith(rows, prefix) : [there];
    // What `verify --all` tells of can be named too.
    return hits.length > 0 ? hits : beginningWith(unreadableSessions(root, rows, () => {}), prefix);
  };
  const hits = steady(look, ([first, more]) => first !== undefined && more === undefined && hasManifest(root, first));
  const [hit] = hits;
  if (isEmpty && hit === undefined) throw new HandoffError('NO_MATCH', `no handoffs yet in ${root}; \`handoff config\` says why it is this store`);
  if (hit === undefined) throw new HandoffError('NO_MATCH', `no handoff matches ${prefix}; \`handoff list\` shows what is in ${root}`);
  if (hits.length > 1) throw ambiguous(prefix, hits);
  return hit;
}

/** An unset variable of a script, most likely: all begins with it. */
export function emptyPrefix(): HandoffError {
  return new HandoffError('USAGE', 'an empty prefix names no session; `handoff list` shows those there are');
}

/** The session at the place `project/folder`: an ambiguous prefix is answered with places, so a place is one session's alone. */
function lyingAt(root: string, rows: readonly IndexRow[], place: string): IndexRow | undefined {
  if (!place.includes('/')) return undefined;
  const row = rows.find((one) => relativePlace(one) === place);
  const [project = '', folder = '', more] = place.split('/');
  return row ?? (isName(project) && isName(folder) && more === undefined ? unreadableAt(root, project, folder) : undefined);
}

function beginningWith(rows: readonly IndexRow[], prefix: string): IndexRow[] {
  const names = (row: IndexRow) => [row.id, row.uuid, ...(row.source_id === undefined ? [] : [row.source_id])];
  const inProject = (row: IndexRow) => prefix.startsWith(`${row.project}/`);
  // A session's own id before a folder's name, and both before the id of a transcript that may stand in several.
  const exact = [(row: IndexRow) => row.uuid, (row: IndexRow) => row.id, (row: IndexRow) => row.source_id]
    .map((name) => rows.filter((row) => name(row) === prefix || `${row.project}/${name(row)}` === prefix));
  let hits = exact.find((found) => found.length > 0) ?? [];
  if (hits.length === 0) hits = rows.filter((row) => names(row).some((name) => name.startsWith(prefix) || (inProject(row) && `${row.project}/${name}`.startsWith(prefix))));
  // 2.0.x let the first part of `session-<date>` go.
  if (hits.length === 0 && !prefix.startsWith('session-')) hits = rows.filter((row) => names(row).some((name) => name.startsWith(`session-${prefix}`)));
  return unique(hits);
}

/** The folder of the session of a row. */
export function dirOf(root: string, row: { project: string; id: string }): string {
  return sessionDir(root, row.project, row.id);
}

function unique(rows: IndexRow[]): IndexRow[] {
  return [...new Map(rows.map((row) => [`${row.project}/${row.id}`, row])).values()];
}

const SHOWN = 10;

function ambiguous(prefix: string, hits: readonly IndexRow[], wayOn = ''): HandoffError {
  const names = hits.map((row) => `${row.project}/${row.id}`);
  const list = names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? `, and ${names.length - SHOWN} more` : '');
  return new HandoffError('AMBIGUOUS', `${prefix} matches ${names.length} handoffs: ${list}${wayOn}`, { data: { candidates: names } });
}

/** `project/folder`, as locks name a session's place. */
export function relativePlace(row: { project: string; id: string }): string {
  return path.posix.join(row.project, row.id);
}
