/**
 * Builds every session under a folder of recorded transcripts, verifies each, and compares with what is known of it.
 * A session is any file that has the shape of a harness's transcript; files without a conversation are passed over.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { endsOf } from '../../src/capture/recorded/peek.mts';
import { peekByShape } from '../../src/capture/recorded/subagents.mts';
import { HandoffError } from '../../src/lib/errors.mts';
import { readManifest } from '../../src/store/manifest.mts';
import { shapeOf } from '../../src/transcript/shape.mts';
import { buildInto, failures } from './build.ts';
import { nodeWithSqlite } from './node-sqlite.ts';
import { freshFolder, REPOSITORY } from './run.ts';
import { handoffDifferences, type KnownEntry } from './truth-known.ts';

export interface Row {
  harness: string;
  sessions: number;
  built: number;
  verified: number;
  /** Sessions of which something is known, and how many of these agree with it. */
  known: number;
  agree: number;
  turns: number;
  /** Records of a type that the adapter does not know. */
  unknown: number;
  versions: Set<string>;
}

export interface Sweep {
  rows: Row[];
  /** A sentence for each thing that is not as it should be. */
  failures: string[];
  /** What was left out, and why. */
  notes: string[];
}

interface Session {
  /** As TRUTH.json names it. */
  key: string;
  /** As `build` takes it. */
  source: string;
  harness: string;
}

type Truth = Map<string, KnownEntry>;

/** `folder` has a folder for each harness, with a TRUTH.json where something is known of its sessions. */
export async function sweep(folder: string): Promise<Sweep> {
  const result: Sweep = { rows: [], failures: [], notes: [] };
  const rows = new Map<string, Row>();
  let silent = 0;
  for (const name of fs.readdirSync(folder).sort()) {
    const dir = path.join(folder, name);
    if (!fs.statSync(dir).isDirectory()) continue;
    const truth = truthOf(dir);
    const met = new Set<string>();
    for (const session of await sessionsIn(dir, truth, result.notes)) {
      met.add(session.key);
      const row = rowOf(rows, session.harness);
      const said = await take(session, truth.get(session.key), row);
      if (said === undefined) silent += 1;
      else result.failures.push(...said.map((text) => `${name}/${session.key}: ${text}`));
    }
    for (const key of truth.keys()) if (!met.has(key)) result.failures.push(`${name}/${key}: no such session was found`);
  }
  if (silent > 0) result.notes.push(`${silent} files have the shape of a transcript and hold no conversation`);
  result.rows = [...rows.values()].filter(({ sessions }) => sessions > 0).sort((a, b) => (a.harness < b.harness ? -1 : 1));
  return result;
}

/** The rows as an aligned table. */
export function tableOf({ rows }: Sweep): string {
  const cells = [
    ['harness', 'sessions', 'built', 'verified', 'agree', 'turns', 'unknown records', 'versions'],
    ...rows.map((row) => [row.harness, row.sessions, row.built, row.verified, `${row.agree}/${row.known}`, row.turns, row.unknown, [...row.versions].sort().join(', ')].map(String)),
  ];
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  return cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n');
}

function truthOf(dir: string): Truth {
  const file = path.join(dir, 'TRUTH.json');
  return new Map(fs.existsSync(file) ? Object.entries(JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, KnownEntry>) : []);
}

function rowOf(rows: Map<string, Row>, harness: string): Row {
  const row = rows.get(harness) ?? { harness, sessions: 0, built: 0, verified: 0, known: 0, agree: 0, turns: 0, unknown: 0, versions: new Set<string>() };
  rows.set(harness, row);
  return row;
}

async function sessionsIn(dir: string, truth: Truth, notes: string[]): Promise<Session[]> {
  const files = fs.readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name)).sort();
  const found: Session[] = [];
  for (const file of files) {
    const shape = await shapeOf(endsOf(file).start, file);
    if ((shape.kind !== 'lines' && shape.kind !== 'whole') || shape.adapter.harness === '') continue;
    const { harness, id } = shape.adapter;
    const key = path.relative(dir, file);
    if (id.endsWith('-database')) found.push(...databaseSessions(file, key, harness, truth, notes));
    // A session of a store of files is named as one of a database is.
    else found.push({ key: /^(.*)\/session\/[^/]+\/(ses_\w+)\.json$/.test(key) ? key.replace(/\/session\/[^/]+\/(ses_\w+)\.json$/, '#$1') : key, source: file, harness });
  }
  return found;
}

function databaseSessions(file: string, key: string, harness: string, truth: Truth, notes: string[]): Session[] {
  const { node, reason, skip } = nodeWithSqlite();
  const known = [...truth.keys()].filter((one) => one.startsWith(`${key}#`)).map((one) => one.slice(key.length + 1));
  if (skip || node === undefined) {
    notes.push(`${key} is not read${reason}`);
    for (const session of known) truth.delete(`${key}#${session}`);
    return [];
  }
  const asked = spawnSync(node, ['--no-warnings', '-e', `
    const { DatabaseSync } = require('node:sqlite'), fs = require('node:fs'), path = require('node:path'), os = require('node:os');
    const [file] = process.argv.slice(1), dir = fs.mkdtempSync(path.join(os.tmpdir(), 'handoff-sweep-'));
    try {
      for (const end of ['', '-wal']) if (fs.existsSync(file + end)) fs.copyFileSync(file + end, path.join(dir, 'x.db' + end));
      const db = new DatabaseSync(path.join(dir, 'x.db'));
      console.log(JSON.stringify(db.prepare('SELECT id FROM session ORDER BY id').all().map(({ id }) => id)));
      db.close();
    } finally { fs.rmSync(dir, { recursive: true, force: true }); }`, file], { encoding: 'utf8' });
  if (asked.status !== 0) throw new Error(`${file} could not be asked for its sessions: ${asked.stderr}`);
  return (JSON.parse(asked.stdout) as string[]).map((session) => ({ key: `${key}#${session}`, source: `${file}#${session}`, harness }));
}

/** What is wrong with one session; undefined where its file holds no conversation and nothing is known of it. */
async function take(session: Session, entry: KnownEntry | undefined, row: Row): Promise<string[] | undefined> {
  const root = freshFolder('handoff-sweep-');
  try {
    const dir = await built(session.source, root);
    row.sessions += 1;
    row.built += 1;
    const broken = failures(root);
    if (broken.length === 0) row.verified += 1;
    const read = readManifest(path.join(dir, 'manifest.json'));
    if (read.state === 'read') {
      row.turns += read.manifest.turn_count;
      row.unknown += Object.values(read.manifest.unknown ?? {}).reduce((sum, count) => sum + count, 0);
    }
    row.versions.add(entry?.version ?? await versionOf(session) ?? 'not told');
    if (entry === undefined) return broken;
    row.known += 1;
    const other = [...handoffDifferences(dir, entry), ...await again(session.source, root, dir)];
    if (other.length === 0) row.agree += 1;
    return [...broken, ...other];
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    if (error.code === 'NO_TURNS' && entry === undefined) return undefined;
    row.sessions += 1;
    return [`it is not built: ${error.message}`];
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

/** The handoff's folder. A database is built by a Node that can read it. Throws HandoffError. */
async function built(source: string, root: string): Promise<string> {
  const { node } = /#ses_\w+$/.test(source) ? nodeWithSqlite() : { node: undefined };
  if (node === undefined) return (await buildInto(root, source)).dir;
  const run = spawnSync(node, [path.join(REPOSITORY, 'tools/handoff.mjs'), 'build', source, '--json'], { encoding: 'utf8', env: { HANDOFFS_ROOT: root, PATH: process.env['PATH'], HOME: root } });
  const answer = JSON.parse(run.stdout) as { dir: string; error?: { code: string; message: string } };
  if (answer.error !== undefined || run.status !== 0) throw new HandoffError('SHAPE', answer.error?.message ?? run.stderr);
  return answer.dir;
}

/** A second build of the same bytes changes nothing. */
async function again(source: string, root: string, dir: string): Promise<string[]> {
  if (source.includes('#')) return [];
  const manifest = path.join(dir, 'manifest.json');
  const before = fs.readFileSync(manifest);
  const { action } = await buildInto(root, source);
  return action === 'up-to-date' && fs.readFileSync(manifest).equals(before) ? [] : [`a second build is ${action} and not up-to-date`];
}

/** The client that wrote it, by its own words, else by the names of the folders that it was collected in. */
async function versionOf({ source, key }: Session): Promise<string | undefined> {
  const told = source.includes('#') ? undefined : (await peekByShape(source)).facts.clientVersion;
  return told ?? /(?:^|\/)v(\d+(?:\.\d+)+)/.exec(key)?.[1];
}
