/**
 * Sessions in an SQLite database: `session`, `message` and `part`, whose `data` is the record without its ids. Other
 * tables repeat them (`event`) or hold keys (`account`, `credential`): they are never read.
 */
import path from 'node:path';
import { HandoffError } from '../../../lib/errors.mts';
import type { Loaded } from '../../adapter.mts';
import type { Json, JsonObject } from '../../turn.mts';
import { parsedObject, text } from '../../fields.mts';
import { copyDatabase } from './database-copy.mts';
import { gather } from './rows.mts';

const MAGIC = 'SQLite format 3\0';
const LISTED = 5;
/** What an id may be made of to be shown. */
const PLAIN = /^[\w-]{1,100}$/;

type Row = Record<string, Json>;
interface Database {
  prepare(sql: string): { all(...values: string[]): Row[] };
  close(): void;
}
type Sqlite = { DatabaseSync: new (file: string, options: { readOnly: boolean }) => Database };

/**
 * Whether the file is `program`'s database: by its name, or by the tables that its first pages name. The name counts
 * since the file may be all but empty while everything stands in its log.
 */
export function isDatabaseOf(program: 'opencode' | 'kilo', head: string, file: string): boolean {
  if (!head.startsWith(MAGIC)) return false;
  const name = /(?:^|[/\\])(opencode|kilo)(?:[-.][\w.-]*)?\.db$/i.exec(file)?.[1]?.toLowerCase();
  if (name !== undefined) return name === program;
  const hasTables = ['message', 'part', 'session'].every((table) => head.includes(`CREATE TABLE \`${table}\``));
  return hasTables && head.includes('kilo_') === (program === 'kilo');
}

/**
 * Reads one session. `program`: the client's command, for the way round where this Node has no SQLite.
 * Throws USAGE where the session must be named, SOURCE where it is not there, SHAPE where the database cannot be read.
 */
export async function loadDatabase(file: string, session: string | undefined, scratch: string, program: string): Promise<Loaded> {
  const { DatabaseSync } = await sqlite(file, session, program);
  const copy = copyDatabase(file, scratch);
  let database: Database | undefined;
  try {
    database = new DatabaseSync(copy.path, { readOnly: true });
    const rows = (sql: string, ...values: string[]): Row[] => (database as Database).prepare(sql).all(...values);
    rows('SELECT id FROM session LIMIT 1');
    // Both files are open now: on systems where open files keep their bytes, nothing can be left behind.
    if (path.sep === '/') copy.remove();
    return readRows(file, session ?? onlySession(file, rows), rows);
  } catch (error) {
    if (!isOfSqlite(error)) throw error;
    throw new HandoffError('SHAPE', `${file} cannot be read as a database of ${program} (${(error as Error).message}); \`${program} export ${session ?? '<session>'} > session.json\` gives a file that can`, { cause: error });
  } finally {
    database?.close();
    copy.remove();
  }
}

/** SQLite's own refusals, and a number that is larger than Node takes from it. */
function isOfSqlite(error: unknown): boolean {
  return error instanceof Error && ['ERR_SQLITE_ERROR', 'ERR_OUT_OF_RANGE'].includes(String((error as NodeJS.ErrnoException).code));
}

async function sqlite(file: string, session: string | undefined, program: string): Promise<Sqlite> {
  try {
    // @ts-expect-error Node 20, whose types these are, has no such module.
    return (await import('node:sqlite')) as Sqlite;
  } catch (error) {
    const named = session !== undefined && PLAIN.test(session) ? session : '<session>';
    const where = named === session ? '' : ` (\`${program} session list\` shows their names)`;
    throw new HandoffError('SHAPE', `${file} is an SQLite database, which this Node cannot read (22.13 and newer can): run \`${program} export ${named} > session.json\`${where} and build that file`, { cause: error });
  }
}

function onlySession(file: string, rows: (sql: string) => Row[]): string {
  const ids = rows('SELECT id FROM session ORDER BY time_updated DESC, id').map((row) => text(row['id']));
  if (ids.length === 1 && ids[0] !== undefined) return ids[0];
  if (ids.length === 0) throw new HandoffError('NO_TURNS', `${file} holds no session`);
  throw new HandoffError('USAGE', `${file} holds ${ids.length} sessions: name one as <file>#<session>; the newest are ${shown(ids)}`, { data: { sessions: ids.slice(0, 100) } });
}

function readRows(file: string, session: string, rows: (sql: string, ...values: string[]) => Row[]): Loaded {
  const [row] = rows('SELECT * FROM session WHERE id = ?', session);
  if (row === undefined) {
    const ids = rows('SELECT id FROM session ORDER BY time_updated DESC, id').map((one) => text(one['id']));
    throw new HandoffError('SOURCE', `${file} holds no session ${PLAIN.test(session) ? session : 'of that name'}${ids.length === 0 ? '' : `; the newest are ${shown(ids)}`}`);
  }
  const into = gather(file);
  into.session('session', JSON.stringify(row));
  for (const message of rows('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id', session)) {
    into.message(`message ${text(message['id'])}`, text(message['id']), text(message['data']));
  }
  for (const part of rows('SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id', session)) {
    into.part(`part ${text(part['id'])}`, text(part['id']), text(part['message_id']), text(part['data']));
  }
  return into.loaded(`${file}#${session}`, infoOf(row));
}

/** The session's row under the names that an export gives its fields. */
function infoOf(row: Row): JsonObject {
  const model = parsedObject(text(row['model']));
  return {
    id: text(row['id']),
    directory: text(row['directory']),
    title: text(row['title']),
    version: text(row['version']),
    time: { created: row['time_created'] },
    ...(typeof row['parent_id'] === 'string' ? { parentID: row['parent_id'] } : {}),
    ...(model === undefined ? {} : { model }),
  };
}

function shown(ids: readonly string[]): string {
  const plain = ids.filter((id) => PLAIN.test(id));
  return plain.slice(0, LISTED).join(', ') + (ids.length > LISTED ? ', …' : '');
}
