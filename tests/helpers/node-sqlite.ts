/**
 * A Node that has `node:sqlite`, for tests of sources that are databases: this one, the one that HANDOFF_NODE_SQLITE
 * names, or Node 22 through npx. Where there is none, tests skip and say why; with REQUIRE_TOOLS=1 they fail instead
 * on a machine that has npx.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { REPOSITORY } from './run.ts';

export interface NodeWithSqlite {
  /** Path of the binary; undefined where none was found. */
  node: string | undefined;
  /** For a test's title: why there is none, or ''. */
  reason: string;
  skip: boolean;
}

let found: NodeWithSqlite | undefined;
/** What npx answered, since every test file asks and each answer takes seconds. */
const REMEMBERED = join(REPOSITORY, 'node_modules/.cache/handoff/node-sqlite');

export function nodeWithSqlite(): NodeWithSqlite {
  found ??= find();
  return found;
}

function find(): NodeWithSqlite {
  for (const node of [process.env['HANDOFF_NODE_SQLITE'], process.execPath, remembered()]) {
    if (node !== undefined && node !== '' && hasSqlite(node)) return { node, reason: '', skip: false };
  }
  // Quick to give up where there is no network; what npx fetched once it has.
  const env = { ...process.env, npm_config_fetch_retries: '0', npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' };
  const asked = spawnSync('npx', ['-y', 'node@22', '-p', 'process.execPath'], { encoding: 'utf8', timeout: 90_000, env, cwd: tmpdir() });
  const node = (asked.stdout ?? '').trim().split('\n').at(-1) ?? '';
  if (asked.status === 0 && node !== '' && hasSqlite(node)) {
    mkdirSync(dirname(REMEMBERED), { recursive: true });
    writeFileSync(REMEMBERED, node);
    return { node, reason: '', skip: false };
  }
  if (asked.error !== undefined && (asked.error as NodeJS.ErrnoException).code === 'ENOENT') return { node: undefined, reason: ' (skipped: no Node with node:sqlite, and no npx)', skip: true };
  return { node: undefined, reason: ' (skipped: npx gave no Node 22)', skip: process.env['REQUIRE_TOOLS'] !== '1' };
}

function remembered(): string | undefined {
  try {
    return readFileSync(REMEMBERED, 'utf8');
  } catch {
    return undefined;
  }
}

function hasSqlite(node: string): boolean {
  return spawnSync(node, ['-e', 'import("node:sqlite").then(() => process.exit(0), () => process.exit(1))']).status === 0;
}

/** Runs the body of a module there and gives what it printed as JSON. `$1` and so on stand in `argv`. */
export function inSqlite<T>(body: string, argv: readonly string[] = []): T {
  const { node, reason } = nodeWithSqlite();
  if (node === undefined) throw new Error(`no Node with node:sqlite${reason}`);
  const folder = mkdtempSync(join(tmpdir(), 'handoff-sqlite-'));
  try {
    const file = join(folder, 'run.mts');
    writeFileSync(file, `const argv = process.argv.slice(2);\n${body}`);
    const ran = spawnSync(node, ['--no-warnings', file, ...argv], { encoding: 'utf8', maxBuffer: 1 << 28 });
    if (ran.status !== 0) throw new Error(`Node with node:sqlite ended with ${ran.status}: ${ran.stderr}`);
    return JSON.parse(ran.stdout) as T;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes a database whose rows all stand in its log, as a client that was killed leaves it. */
function makeDatabase(file: string, schema: readonly string[], rows: Readonly<Record<string, readonly Record<string, string | number | null>[]>>): void {
  inSqlite<null>(`
    import fs from 'node:fs';
    import { DatabaseSync } from 'node:sqlite';
    const [file, plan] = argv;
    const { schema, rows } = JSON.parse(plan);
    const open = file + '.open';
    const db = new DatabaseSync(open);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF; BEGIN');
    for (const sql of schema) db.exec(sql);
    for (const [table, list] of Object.entries(rows)) for (const row of list) {
      const keys = Object.keys(row);
      db.prepare(\`INSERT INTO \${table} (\${keys.join(', ')}) VALUES (\${keys.map(() => '?').join(', ')})\`).run(...Object.values(row));
    }
    db.exec('COMMIT');
    for (const ending of ['', '-wal']) fs.copyFileSync(open + ending, file + ending);
    db.close();
    fs.rmSync(open, { force: true });
    console.log('null');
  `, [file, JSON.stringify({ schema, rows })]);
}

const TABLES = [
  'CREATE TABLE `session` (`id` text PRIMARY KEY, `parent_id` text, `directory` text, `title` text, `version` text, `model` text, `time_created` integer, `time_updated` integer)',
  'CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text, `time_created` integer, `data` text)',
  'CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text, `session_id` text, `data` text)',
  'CREATE TABLE `credential` (`id` text, `value` text)',
];

interface Exported { info: Record<string, unknown>; messages: { info: Record<string, unknown>; parts: Record<string, unknown>[] }[] }

/** The database that a client of the OpenCode family would have for these exported sessions. */
export function databaseOf(file: string, sessions: readonly unknown[], more: { part?: Record<string, string>[] } = {}): void {
  const exported = sessions as Exported[];
  const time = (info: Record<string, unknown>): { created: number; updated?: number } => info['time'] as { created: number };
  const without = (record: Record<string, unknown>): string => JSON.stringify(Object.fromEntries(Object.entries(record).filter(([key]) => key !== 'id' && key !== 'sessionID' && key !== 'messageID')));
  makeDatabase(file, TABLES, {
    session: exported.map(({ info }) => ({
      id: String(info['id']), parent_id: (info['parentID'] as string | undefined) ?? null, directory: String(info['directory']), title: String(info['title']),
      version: String(info['version']), model: JSON.stringify(info['model'] ?? null), time_created: time(info).created, time_updated: time(info).updated ?? time(info).created,
    })),
    message: exported.flatMap(({ info, messages }) => messages.map((message) => ({
      id: String(message.info['id']), session_id: String(info['id']), time_created: time(message.info).created, data: without(message.info),
    }))),
    part: [
      ...exported.flatMap(({ info, messages }) => messages.flatMap((message) => message.parts.map((part) => ({
        id: String(part['id']), message_id: String(message.info['id']), session_id: String(info['id']), data: without(part),
      })))).reverse(),
      ...(more.part ?? []),
    ],
    credential: [{ id: 'c', value: 'not-to-be-read' }],
  });
}
