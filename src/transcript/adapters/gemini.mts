/**
 * Gemini CLI. Until 0.36 a session is one JSON document that is written anew; since then (0.61) it is a log of operations
 * in lines: a header, messages that are written again under their id, `$set` for the session's own values or for the whole
 * list of messages, `$rewindTo`. Both are read as the same history. A turn is known by its message's id, a call by its own.
 */
import type { RecordSink, WholeAdapter } from '../adapter.mts';
import type { JsonObject, SessionFacts } from '../turn.mts';
import { defined, list, object, objects, recordIn, text, word } from '../fields.mts';
import { giveEntry } from './gemini/give.mts';
import { createHistory, type History } from './gemini/history.mts';
import { parentSession, projectRoot } from './gemini/place.mts';

/** Lines that are looked at where the first one is no header. */
const LOOK = 40;

export const geminiLog: WholeAdapter = {
  kind: 'whole',
  id: 'gemini',
  harness: 'gemini',
  version: 1,
  looksLike: (head) => shapeOf(head) === 'log',
  form: 'log',
  read(value, path, to) {
    const session = createSession(path, to);
    const history = createHistory();
    objects(value).forEach((record, position) => operation(record, position, history, session, to));
    session.end(history);
  },
};

export const geminiDocument: WholeAdapter = {
  ...geminiLog,
  id: 'gemini-document',
  looksLike: (head) => shapeOf(head) === 'document',
  form: 'document',
  read(value, path, to) {
    const session = createSession(path, to);
    const history = createHistory();
    const document = object(value) ?? {};
    session.tells(document);
    objects(document.messages).forEach((record, position) => history.write(record, position));
    session.end(history);
  },
};

function operation(record: JsonObject, position: number, history: History, session: Session, to: RecordSink): void {
  const set = object(record.$set);
  if (typeof record.$rewindTo === 'string') history.rewind(record.$rewindTo, position);
  else if (set !== undefined) {
    session.tells(set);
    if (Array.isArray(set.messages)) history.replace(set.messages);
  } else if (typeof record.id === 'string' || typeof record.type === 'string') history.write(record, position);
  else if (isHeader(record)) {
    session.tells(record);
    history.started();
  } else to.unknown(`(${Object.keys(record).slice(0, 3).join(', ').slice(0, 60)})`);
}

interface Session {
  /** A header, the values of a `$set`, or a document. */
  tells(values: JsonObject): void;
  end(history: History): void;
}

function createSession(path: string, to: RecordSink): Session {
  let subagent = false;
  let cwd: string | undefined;
  const sink: RecordSink = {
    ...to,
    facts(facts) {
      cwd ??= facts.cwd;
      to.facts(facts);
    },
  };
  return {
    tells(values) {
      if (values.kind === 'subagent') subagent = true;
      sink.facts(defined<SessionFacts>({ uuid: word(values.sessionId), title: word(values.summary), cwd: word(list(values.directories)[0]) }));
    },
    end(history) {
      for (const entry of history.entries) giveEntry(entry, subagent, sink);
      to.facts(defined<SessionFacts>({ cwd: cwd ?? projectRoot(path), parent_session: subagent ? parentSession(path) : undefined }));
    },
  };
}

function isHeader(record: JsonObject): boolean {
  return typeof record.sessionId === 'string' && typeof record.projectHash === 'string';
}

/** Asked of every file that is built: a search for the format's own words comes before any parsing. */
function shapeOf(head: string): 'log' | 'document' | undefined {
  const start = head.slice(0, 4096).trimStart();
  if (!start.startsWith('{')) return undefined;
  const named = start.includes('"projectHash"') && start.includes('"sessionId"');
  if (!named && !head.includes('"$set"') && !head.includes('"gemini"')) return undefined;
  const lines = head.split('\n', LOOK);
  const first = recordIn(lines[0] ?? '');
  if (first === undefined) return named && start.includes('"messages"') ? 'document' : lines.some(isOperation) ? 'log' : undefined;
  if (isHeader(first)) return Array.isArray(first.messages) ? 'document' : 'log';
  return lines.some(isOperation) ? 'log' : undefined;
}

/** A line that no other format has: a list that replaces all messages, or a message of this agent. */
function isOperation(line: string): boolean {
  if (!line.includes('"$set"') && !line.includes('"gemini"')) return false;
  const record = recordIn(line);
  return record !== undefined && (Array.isArray(object(record.$set)?.messages) || (record.type === 'gemini' && text(record.id) !== '' && record.content !== undefined));
}
