/**
 * The file store of OpenCode before 1.2: `storage/session/<project>/<session>.json`, `storage/message/<session>/<message>.json`,
 * `storage/part/<message>/<part>.json`. The path that is given is the session's own file.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, HandoffError } from '../../../lib/errors.mts';
import type { Loaded } from '../../adapter.mts';
import { object, word } from '../../fields.mts';
import { gather, type Gathered } from './rows.mts';

const SESSION_FILE = /(?:^|[/\\])storage[/\\]session[/\\][^/\\]+[/\\](ses_[\w-]{1,100})\.json$/;
const RECORD_FILE = /^([\w-]{1,120})\.json$/;

export function isSessionFile(head: string, file: string): boolean {
  return SESSION_FILE.test(file) && /^\s*\{/.test(head) && /"id"\s*:\s*"ses_/.test(head.slice(0, 4096));
}

/** Throws SOURCE where the session's own file cannot be used; what else does not parse is told in `bad`. */
export function loadFileStore(file: string): Loaded {
  const session = SESSION_FILE.exec(file)?.[1] ?? '';
  const storage = path.resolve(file, '../../..');
  const into = gather(file);
  const info = into.session('session', fs.readFileSync(file, 'utf8'));
  if (info === undefined) throw new HandoffError('BAD_LINES', `${file} is a JSON document that does not parse; nothing was written (is the client writing it now?)`);

  const ids: string[] = [];
  for (const { id, raw } of recordsIn(path.join(storage, 'message', session))) {
    into.message(`message/${session}/${id}.json`, id, raw);
    ids.push(id);
  }
  for (const id of ids) takeParts(storage, id, into);
  return into.loaded(file, { ...info, id: word(info.id) ?? session, time: object(info.time) ?? {} });
}

function takeParts(storage: string, message: string, into: Gathered): void {
  for (const { id, raw } of recordsIn(path.join(storage, 'part', message))) into.part(`part/${message}/${id}.json`, id, message, raw);
}

/**
 * The records of a folder in the order of their ids, which is that of time. Only plain files in a plain folder: a link
 * could lead out of the store. One that a client takes away meanwhile is passed over.
 */
function* recordsIn(folder: string): Generator<{ id: string; raw: string }> {
  let entries: fs.Dirent[];
  try {
    if (!fs.lstatSync(folder).isDirectory()) return;
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name).sort();
  for (const name of names) {
    const id = RECORD_FILE.exec(name)?.[1];
    if (id === undefined) continue;
    try {
      yield { id, raw: fs.readFileSync(path.join(folder, name), 'utf8') };
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
}
