/**
 * pi: append-only JSONL under ~/.pi/agent/sessions, a header and then entries that form a tree by `id` and `parentId`.
 * Branches follow each other in the file; which of them stands is found by lineage, so every entry gives at least one
 * turn: an entry without one would be a hole in the way from a prompt to its root.
 */
import type { LineAdapter, RecordSink, Replay, SourceHead } from '../adapter.mts';
import type { JsonObject, SessionFacts } from '../turn.mts';
import { defined, list, object, text, word } from '../fields.mts';
import { countTokens, entryOf, note, type Entry } from './pi/entry.mts';
import { readMessage } from './pi/messages.mts';

const TYPES = new Set(['message', 'model_change', 'thinking_level_change', 'session_info', 'label', 'compaction', 'branch_summary', 'custom',
  'custom_message', 'context_edit', 'usage']);
const ROLES = new Set(['system', 'user', 'assistant', 'toolResult', 'bashExecution', 'custom', 'branchSummary', 'compactionSummary']);
const UUID = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.jsonl)?$/;

export const pi: LineAdapter = { kind: 'lines', id: 'pi', harness: 'pi', version: 1, recognises, identify, read, replay };

function recognises(record: JsonObject): boolean {
  const type = text(record.type);
  if (type === 'session') return typeof record.id === 'string' && typeof record.cwd === 'string' && typeof record.timestamp === 'string';
  if (!TYPES.has(type)) return false;
  // Version 1 of the format had no tree: there, only the message itself tells.
  if (type === 'message') return ROLES.has(text(object(record.message)?.role)) && !('uuid' in record);
  return typeof record.id === 'string' && 'parentId' in record && typeof record.timestamp === 'string';
}

function identify(head: SourceHead): SessionFacts {
  const header = head.records.find((record) => record.type === 'session');
  const uuid = word(header?.id) ?? UUID.exec(head.path)?.[1];
  // The path of the file that this one was cloned or forked from: its name ends in that session's id.
  const parent = word(header?.parentSession) ?? word(header?.branchedFrom);
  const of = parent === undefined ? undefined : (UUID.exec(parent)?.[1] ?? parent.split(/[/\\]/).at(-1));
  return defined<SessionFacts>({
    uuid,
    cwd: word(header?.cwd),
    model: word(header?.modelId),
    fork: of === undefined || of === '' ? undefined : { of, by: 'parentSession of the header' },
  });
}

/** Copies keep the times they were written at, and the header has the time of the fork; a label that is made anew has its old time too. */
function replay(head: SourceHead): Replay | undefined {
  const header = head.records.find((record) => record.type === 'session');
  const forkedAt = Date.parse(text(header?.timestamp));
  if (identify(head).fork === undefined || Number.isNaN(forkedAt)) return undefined;
  return {
    judge(record) {
      const at = Date.parse(text(record.timestamp));
      return record.type === 'session' || Number.isNaN(at) ? undefined : at < forkedAt ? 'copied' : 'own';
    },
  };
}

function read(record: JsonObject, to: RecordSink): void {
  const type = text(record.type);
  if (type === 'session') return;
  const entry = entryOf(record);
  switch (type) {
    case 'message':
      return readMessage(object(record.message) ?? {}, entry, to);
    case 'model_change':
      to.facts(defined<SessionFacts>({ model: word(record.modelId) }));
      return note(entry, to, `[model ${[record.provider, record.modelId].map(text).filter((part) => part !== '').join('/')}]`);
    case 'thinking_level_change':
      return note(entry, to, `[thinking level ${text(record.thinkingLevel)}]`);
    case 'session_info':
      to.facts(defined<SessionFacts>({ title: word(record.name) }));
      return note(entry, to, `[session name ${text(record.name)}]`);
    case 'label':
      return note(entry, to, `[label ${text(record.label)}]`);
    case 'compaction':
      return summary(record, entry, to, 'compaction-summary');
    case 'branch_summary':
      return summary(record, entry, to, 'branch-summary');
    case 'custom_message':
      return to.turn({ ...entry, class: 'OTHER', text: contentText(record) || `[message of ${text(record.customType)}]`, meta: 'injected' });
    case 'custom':
      return note(entry, to, `[data of ${text(record.customType)}]`);
    case 'context_edit':
      return note(entry, to, `[entry ${text(record.targetId)} ${record.replacement === null ? 'taken out of' : 'replaced in'} the context]`);
    case 'usage':
      countTokens(record.usage, entry, to);
      return note(entry, to, '[usage]');
    default:
      to.unknown(type === '' ? '(no type)' : type);
      note(entry, to, `[record ${type}]`);
  }
}

/** The client asked the model for it: its tokens are the session's. */
function summary(record: JsonObject, entry: Entry, to: RecordSink, meta: string): void {
  countTokens(record.usage, entry, to);
  to.turn({ ...entry, class: 'OTHER', text: text(record.summary) || `[${meta}]`, meta });
}

function contentText(record: JsonObject): string {
  return text(record.content) || list(record.content).map((block) => text(object(block)?.text)).filter((part) => part !== '').join('\n');
}
