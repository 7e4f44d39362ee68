/**
 * GitHub Copilot CLI: ~/.copilot/session-state/<uuid>/events.jsonl, one event a line. A call stands twice; it is taken
 * from the message that asks for it, and from `tool.user_requested` where no message did. Sub-agents write into the
 * same file: an event with an `agentId` is theirs.
 */
import type { LineAdapter, RecordSink, SourceHead } from '../adapter.mts';
import type { JsonObject, SessionFacts, TurnDraft } from '../turn.mts';
import { readAnswer, readComplete, readRequested } from './copilot/answers.mts';
import { readSession } from './copilot/session.mts';
import { readUser } from './copilot/user.mts';
import { defined, object, text, word } from '../fields.mts';

/** Events without a text for a reader, and those that repeat what another event says. */
const SILENT = new Set([
  'assistant.turn_start', 'assistant.turn_end', 'assistant.intent', 'assistant.reasoning', 'assistant.usage', 'tool.execution_start', 'tool.execution_progress',
  'tool.execution_partial_result', 'subagent.started', 'subagent.configured', 'subagent.selected', 'subagent.deselected', 'subagent.completed', 'hook.start', 'hook.end',
  'permission.requested', 'permission.completed', 'user_input.requested', 'user_input.completed', 'pending_messages.modified', 'system.message',
]);
const FAMILY = /^(?:session|user|system|assistant|tool|subagent|hook|skill|permission|user_input|pending_messages)\.[\w.]{1,60}$/;
const FOLDER = /[/\\]([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})[/\\]events\.jsonl$/;

export const copilot: LineAdapter = { kind: 'lines', id: 'copilot', harness: 'copilot', version: 1, recognises, identify, read };

function recognises(record: JsonObject): boolean {
  const type = text(record.type);
  return (FAMILY.test(type) || type === 'abort') && object(record.data) !== undefined && typeof record.id === 'string' && 'parentId' in record;
}

function identify(head: SourceHead): SessionFacts {
  const start = head.records.find((record) => record.type === 'session.start');
  return defined<SessionFacts>({ uuid: word(object(start?.data)?.sessionId) ?? FOLDER.exec(head.path)?.[1] });
}

function read(record: JsonObject, to: RecordSink): void {
  const type = text(record.type);
  // What is shown while it streams is said again when it is whole.
  if (SILENT.has(type) || record.ephemeral === true) return;
  const data = object(record.data) ?? {};
  const side = word(record.agentId);
  const base = defined<Pick<TurnDraft, 'ts' | 'id' | 'side'>>({ ts: text(record.timestamp), id: word(record.id), side });
  switch (type) {
    case 'user.message':
      return readUser(data, base, to);
    case 'assistant.message':
      return readAnswer(data, base, to);
    case 'tool.user_requested':
      return readRequested(data, base, to);
    case 'tool.execution_complete':
      return readComplete(data, base, to);
    case 'skill.invoked':
      return to.turn({ ...base, class: 'OTHER', text: text(data.content) || `[skill ${text(data.name)}]`, meta: 'expanded' });
    case 'system.notification':
      return to.turn({ ...base, class: 'OTHER', text: text(data.content), meta: 'notification' });
    case 'subagent.failed':
      return to.turn({ ...base, class: 'OTHER', text: `[sub-agent ${text(data.agentName)} failed] ${text(data.error) || text(object(data.error)?.message)}`.trim(), meta: 'notification' });
    case 'abort':
      return to.turn({ ...base, class: 'OTHER', text: `[aborted] ${text(data.reason)}`.trim(), meta: 'interrupted' });
    default:
      if (!type.startsWith('session.')) return to.unknown(type === '' ? '(no type)' : type);
      return readSession(type, data, base, to);
  }
}
