/**
 * INDEX.json: one row a session, sorted by project and folder. It is a copy of what the manifests say and can always be
 * made anew; nothing depends on it but speed. Rows are exchanged in the text, so that a build in a store of many
 * thousand sessions does not pay for parsing them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { readFile, readText, replaceFile } from '../lib/fs/files.mts';
import { acquire } from '../lib/fs/lock.mts';
import { errnoOf } from '../lib/errors.mts';
import { isObject } from '../lib/json.mts';
import { promotedRevision } from '../lib/promotion.mts';
import { INDEX_KEY, sessionPaths, storePaths } from './layout.mts';
import { readManifest, type Manifest } from './manifest.mts';
import { objectiveHead, objectiveOf } from './objective.mts';

export interface IndexRow {
  /** The session's folder. */
  id: string;
  /** The manifest's `session`. */
  uuid: string;
  project: string;
  harness: string;
  turns: number;
  revisions: number;
  updated: string;
  manifest_sha256: string;
  title?: string;
  /** At most 80 characters of it. */
  objective?: string;
  /** The transcript's own id. */
  source_id?: string;
  promoted?: { gate: string; revision?: number };
}

/** How long a command waits for another one that is writing the index. */
const WAIT_MS = 20_000;
/** Marks what is written under the index lock: one name, so that the next writer clears what a crash left. */
export const NEW = 'new';

/** `objective` as the build or the summary has it; `(none)` gives no key. */
export function indexRow(folder: string, manifest: Manifest, objective = ''): IndexRow {
  const head = objectiveHead(objective);
  const revision = promotedRevision(manifest);
  return {
    id: folder,
    uuid: manifest.session,
    project: manifest.project,
    harness: manifest.harness,
    turns: manifest.turn_count,
    revisions: manifest.revisions,
    updated: manifest.updated_at,
    manifest_sha256: manifest.manifest_sha256,
    ...(manifest.title === undefined ? {} : { title: manifest.title }),
    ...(head === '' ? {} : { objective: head }),
    ...(manifest.uuid === undefined ? {} : { source_id: manifest.uuid }),
    ...(manifest.promoted_gate === undefined ? {} : {
      promoted: { gate: manifest.promoted_gate, ...(revision === undefined ? {} : { revision }) },
    }),
  };
}

/** How much of either end of an index is looked at. */
const END = 64;

/**
 * The bytes of INDEX.json, where it is to be believed in what it does not say: undefined where there is none, where a power cut took
 * its end or its beginning, and where it has no row, since it may have lost them all. As bytes it is read and searched in a fifth of the time
 * that its text takes.
 */
export function believedIndex(root: string): Buffer | undefined {
  const bytes = readFile(storePaths(root).index);
  if (bytes === undefined || !/^\s*\[/.test(bytes.toString('latin1', 0, END)) || !/\]\s*$/.test(bytes.subarray(-END).toString('latin1'))) return undefined;
  return bytes.length < END && /^\s*\[\s*\]\s*$/.test(bytes.toString('latin1')) ? undefined : bytes;
}

/** Undefined for a text that is no index of ours: torn, with a name that leads elsewhere, or with words that are none, which would be shown and searched. */
export function parseRows(text: string): IndexRow[] | undefined {
  try {
    const rows = JSON.parse(text) as IndexRow[];
    return Array.isArray(rows) && rows.every(isRow) ? rows : undefined;
  } catch {
    return undefined;
  }
}

function isRow(row: IndexRow | null): boolean {
  return isObject(row) && isName(row.id) && isName(row.project) && typeof row.uuid === 'string'
    && isTextIfAny(row.harness) && isTextIfAny(row.updated) && isTextIfAny(row.title) && isTextIfAny(row.objective) && isTextIfAny(row.source_id)
    && (row.promoted === undefined || (isObject(row.promoted) && typeof row.promoted.gate === 'string'));
}

function isTextIfAny(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

/** What would lead out of the store: an index may come from elsewhere. */
const NO_NAME = /^\.{0,2}$|[\\/\0]/;

function isName(name: unknown): boolean {
  return typeof name === 'string' && !NO_NAME.test(name);
}

/** Is told of what the file system refuses to a reader, who goes on with the rest; where there is none, that is thrown. */
export type Refused = (error: Error) => void;

/** Gives `otherwise` where `look` is refused and somebody is told of that. */
export function unlessRefused<T>(refused: Refused | undefined, otherwise: T, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (refused === undefined || !(error instanceof Error) || !['EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) throw error;
    refused(error);
    return otherwise;
  }
}

/** The rows as the manifests give them; a manifest that cannot be read gives none. */
export function rowsFromManifests(root: string, refused?: Refused): IndexRow[] {
  const { projects } = storePaths(root);
  const rows: IndexRow[] = [];
  for (const project of folders(projects, refused)) {
    for (const folder of folders(path.join(projects, project), refused)) {
      const paths = sessionPaths(path.join(projects, project, folder));
      // The place counts, not what the manifest says of it: a folder may have been moved by hand.
      const row = unlessRefused(refused, undefined, () => {
        const read = readManifest(paths.manifest);
        return read.state === 'read' ? { ...indexRow(folder, read.manifest, objectiveOf(paths.summary)), project } : undefined;
      });
      if (row !== undefined) rows.push(row);
    }
  }
  return rows;
}

/** Sub-folders in the order of their bytes; links are not followed, so that a link cannot bring the outside in. */
export function folders(dir: string, refused?: Refused): string[] {
  const entries = unlessRefused(refused, [], () => {
    try {
      return fs.readdirSync(dir, { withFileTypes: true });
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return [];
      throw error;
    }
  });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort(byBytes);
}

/** Orders texts by the bytes of their UTF-8, the same on every machine. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export interface IndexChange {
  put?: IndexRow | readonly IndexRow[];
  /** The place that a session has left. */
  remove?: { project: string; id: string };
  /** Runs under the index lock, after the rows are written: the pages that say the same. */
  pages?: () => void;
}

/** Brings INDEX.json up to date, under its lock. Makes it anew where it is missing or torn. */
export function updateIndex(root: string, change: IndexChange): void {
  const { index, locks } = storePaths(root);
  const lock = acquire(locks, INDEX_KEY, 'index', WAIT_MS);
  try {
    const text = readText(index);
    let isWhole = true;
    const anew = (): string => JSON.stringify(changed(rowsFromManifests(root, () => { isWhole = false; }), change), null, 2);
    const next = (text === undefined ? undefined : spliced(text, change)) ?? anew();
    // An index hides what it has no row of: better none, and the manifests answer.
    if (isWhole && next !== text) replaceFile(index, next, NEW);
    change.pages?.();
  } finally {
    lock.release();
  }
}

/** Makes INDEX.json anew from the manifests; gives its rows. `pages` runs under the index lock. */
export function rebuildIndex(root: string, pages?: (rows: readonly IndexRow[]) => void): IndexRow[] {
  const { index, locks } = storePaths(root);
  const lock = acquire(locks, INDEX_KEY, 'index', WAIT_MS);
  try {
    const rows = rowsFromManifests(root);
    const text = JSON.stringify(rows, null, 2);
    if (text !== readText(index)) replaceFile(index, text, NEW);
    pages?.(rows);
    return rows;
  } finally {
    lock.release();
  }
}

function listOf(put: IndexChange['put']): readonly IndexRow[] {
  return put === undefined ? [] : [put].flat() as IndexRow[];
}

function changed(rows: IndexRow[], { put, remove }: IndexChange): IndexRow[] {
  const puts = new Map(listOf(put).map((row) => [`${row.project}/${row.id}`, row]));
  const kept = rows.filter((row) => !(remove !== undefined && row.id === remove.id && row.project === remove.project) && !puts.has(`${row.project}/${row.id}`));
  kept.push(...puts.values());
  return kept.sort((a, b) => byBytes(a.project, b.project) || byBytes(a.id, b.id));
}

const OPEN = '[\n  {\n';
const BETWEEN = '\n  },\n  {\n';
const CLOSE = '\n  }\n]';

/** The text with the rows exchanged; undefined where it is not in the form that both 2.0.x and we write. */
function spliced(text: string, { put, remove }: IndexChange): string | undefined {
  if (text.trim() === '[]') return put === undefined ? text : JSON.stringify(changed([], { put }), null, 2);
  if (!text.startsWith(OPEN) || !text.endsWith(CLOSE)) return undefined;
  const rows = text.slice(OPEN.length, -CLOSE.length).split(BETWEEN);
  if (remove !== undefined) {
    const at = placeOf(rows, remove.project, remove.id);
    if (at === undefined) return undefined;
    if (at.found) rows.splice(at.index, 1);
  }
  for (const one of listOf(put)) {
    const at = placeOf(rows, one.project, one.id);
    if (at === undefined) return undefined;
    const row = JSON.stringify([one], null, 2).slice(OPEN.length, -CLOSE.length);
    rows.splice(at.index, at.found ? 1 : 0, row);
  }
  return rows.length === 0 ? '[]' : OPEN + rows.join(BETWEEN) + CLOSE;
}

/** Where a row stands or belongs, by halving; undefined where a row is no JSON. */
function placeOf(rows: readonly string[], project: string, id: string): { index: number; found: boolean } | undefined {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    let row: IndexRow;
    try {
      row = JSON.parse(`{${rows[middle] ?? ''}}`) as IndexRow;
    } catch {
      return undefined;
    }
    if (typeof row.id !== 'string' || typeof row.project !== 'string') return undefined;
    const order = byBytes(row.project, project) || byBytes(row.id, id);
    if (order === 0) return { index: middle, found: true };
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return { index: low, found: false };
}
