/**
 * Qwen Code: append-only JSONL in ~/.qwen/projects/<folder>/chats. The envelope resembles that of Claude Code, the message
 * that of Gemini. Where a record comes from stands in `provenance`. Every record is a link of the chain and gives a turn.
 */
import fs from 'node:fs';
import { basename } from 'node:path';
import type { LineAdapter, RecordSink, Replay, SourceHead } from '../adapter.mts';
import type { JsonObject, SessionFacts } from '../turn.mts';
import { defined, object, parsedObject, text, word } from '../fields.mts';
import { linkOf, sideOf, turnOf } from './qwen/link.mts';
import { readAssistant, readResult, readUser } from './qwen/messages.mts';
import { readSystem } from './qwen/system.mts';

const MESSAGES = new Set(['user', 'assistant', 'tool_result']);
const LARGEST_META = 64 * 1024;

export const qwen: LineAdapter = {
  kind: 'lines',
  id: 'qwen',
  harness: 'qwen',
  version: 1,
  ownSide,
  replay,

  recognises(record: JsonObject): boolean {
    if (typeof record.uuid !== 'string' || typeof record.sessionId !== 'string' || !('parentUuid' in record)) return false;
    const type = text(record.type);
    if (type === 'system') return 'provenance' in record || object(record.systemPayload) !== undefined;
    return MESSAGES.has(type) && (Array.isArray(object(record.message)?.parts) || 'provenance' in record);
  },

  identify(head: SourceHead): SessionFacts {
    const session = word(head.records.find((record) => typeof record.sessionId === 'string')?.sessionId);
    const own = ownSide(head);
    if (own !== undefined) return defined<SessionFacts>({ uuid: own, parent_session: session, model: modelBeside(head.path) });
    const of = word(object(head.records.find(isCopy)?.forkedFrom)?.sessionId);
    return defined<SessionFacts>({ uuid: session, fork: of === undefined ? undefined : { of, by: 'forkedFrom of the copied records' } });
  },

  read(record: JsonObject, to: RecordSink): void {
    const link = linkOf(record);
    const type = text(record.type);
    to.facts(defined<SessionFacts>({ cwd: word(record.cwd), branch: word(record.gitBranch), clientVersion: word(record.version) }));
    switch (type) {
      case 'user':
        return readUser(record, link, to);
      case 'assistant':
        return readAssistant(record, link, to);
      case 'tool_result':
        return readResult(record, link, to);
      case 'system':
        return readSystem(record, link, to);
    }
    to.unknown(type === '' ? '(no type)' : type);
    if (link.id !== undefined) to.turn(turnOf(link, 'OTHER', `[record ${type.slice(0, 60)}]`, 'unknown-record'));
  },
};

/** Every copied record names the one that it is a copy of; the fork's own name none. */
function replay(head: SourceHead): Replay | undefined {
  if (!head.records.some(isCopy)) return undefined;
  return { judge: (record) => (isCopy(record) ? 'copied' : typeof record.uuid === 'string' ? 'own' : undefined) };
}

function isCopy(record: JsonObject): boolean {
  return word(object(record.forkedFrom)?.sessionId) !== undefined;
}

/** The sub-agent whose own file this is: every record of the head names it. */
function ownSide(head: SourceHead): string | undefined {
  const links = head.records.filter((record) => typeof record.uuid === 'string');
  const own = links[0] === undefined ? undefined : sideOf(links[0]);
  return own !== undefined && links.every((record) => sideOf(record) === own) ? own : undefined;
}

/** A sub-agent's records do not name its model: `<file>.meta.json` beside them does. Undefined where there is no such plain file. */
function modelBeside(path: string): string | undefined {
  if (!path.endsWith('.jsonl') || !basename(path).startsWith('agent-')) return undefined;
  try {
    const file = path.replace(/\.jsonl$/, '.meta.json');
    const { size } = fs.lstatSync(file);
    if (size > LARGEST_META || !fs.lstatSync(file).isFile()) return undefined;
    const model = word(parsedObject(fs.readFileSync(file, 'utf8').trim())?.model);
    return model !== undefined && /^[\w.:/@+-]{1,100}$/.test(model) ? model : undefined;
  } catch {
    return undefined;
  }
}
