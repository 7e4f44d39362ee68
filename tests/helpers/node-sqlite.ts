/**
 * A Node that has `node:sqlite`, for tests of sources that are databases: this one, the one that HANDOFF_NODE_SQLITE
 * names, or Node 22 through npx. Where there is none, tests skip and say why; with REQUIRE_TOOLS=1 they fail instead
 * on a machine that has npx.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface NodeWithSqlite {
  /** Path of the binary; undefined where none was found. */
  node: string | undefined;
  /** For a test's title: why there is none, or ''. */
  reason: string;
  skip: boolean;
}

let found: NodeWithSqlite | undefined;

export function nodeWithSqlite(): NodeWithSqlite {
  found ??= find();
  return found;
}

function find(): NodeWithSqlite {
  for (const node of [process.env['HANDOFF_NODE_SQLITE'], process.execPath]) {
    if (node !== undefined && node !== '' && hasSqlite(node)) return { node, reason: '', skip: false };
  }
  // Quick to give up where there is no network; what npx fetched once it has.
  const env = { ...process.env, npm_config_fetch_retries: '0', npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' };
  const asked = spawnSync('npx', ['-y', 'node@22', '-p', 'process.execPath'], { encoding: 'utf8', timeout: 90_000, env, cwd: tmpdir() });
  const node = (asked.stdout ?? '').trim().split('\n').at(-1) ?? '';
  if (asked.status === 0 && node !== '' && hasSqlite(node)) return { node, reason: '', skip: false };
  if (asked.error !== undefined && (asked.error as NodeJS.ErrnoException).code === 'ENOENT') return { node: undefined, reason: ' (skipped: no Node with node:sqlite, and no npx)', skip: true };
  return { node: undefined, reason: ' (skipped: npx gave no Node 22)', skip: process.env['REQUIRE_TOOLS'] !== '1' };
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

/** Makes a database: statements without values, then rows by table. */
export function makeDatabase(file: string, schema: readonly string[], rows: Readonly<Record<string, readonly Record<string, string | number | null>[]>>): void {
  inSqlite<null>(`
    import { DatabaseSync } from 'node:sqlite';
    const [file, plan] = argv;
    const { schema, rows } = JSON.parse(plan);
    const db = new DatabaseSync(file);
    db.exec('PRAGMA journal_mode = WAL');
    for (const sql of schema) db.exec(sql);
    for (const [table, list] of Object.entries(rows)) for (const row of list) {
      const keys = Object.keys(row);
      db.prepare(\`INSERT INTO \${table} (\${keys.join(', ')}) VALUES (\${keys.map(() => '?').join(', ')})\`).run(...Object.values(row));
    }
    db.close();
    console.log('null');
  `, [file, JSON.stringify({ schema, rows })]);
}
