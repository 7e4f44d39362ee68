/**
 * System records: state, telemetry that repeats what messages say, and the few that say something. Each is a link that
 * later records hang on (a rewound prompt hangs on one), so each gives a turn, if only one that names it.
 */
import type { RecordSink } from '../../adapter.mts';
import type { JsonObject } from '../../turn.mts';
import { list, object, text, word } from '../../fields.mts';
import { contentText, partsOf } from '../gemini/parts.mts';
import { typedPieces } from '../gemini/typed.mts';
import { turnOf, type Link } from './link.mts';

/** Subtypes that are state or log. */
const STATE = new Set([
  'attribution_snapshot', 'file_history_snapshot', 'session_model', 'session_source', 'session_sources_snapshot', 'session_artifact_event',
  'session_artifact_snapshot', 'branch_checkpoint', 'goal_state', 'goal_turn_end', 'turn_result', 'user_text_elements', 'at_command', 'omni_recall',
  'background_task_completed', 'agent_bootstrap', 'agent_launch_prompt', 'agent_retry', 'agent_session_ready', 'realtime_message',
  'managed_session_header_v1', 'managed_session_event_v1', 'managed_session_commit_v1', 'rewind', 'parent_session', 'custom_title',
]);

export function readSystem(record: JsonObject, link: Link, to: RecordSink): void {
  const subtype = text(record.subtype);
  const payload = object(record.systemPayload) ?? {};
  switch (subtype) {
    case 'ui_telemetry':
      return readTelemetry(object(payload.uiEvent) ?? {}, link, to);
    case 'slash_command':
      return readCommand(payload, link, to);
    case 'chat_compression':
      return readCompression(payload, link, to);
    case 'custom_title':
      if (word(payload.customTitle) !== undefined) to.facts({ title: text(payload.customTitle) });
      break;
    case 'parent_session':
      if (word(payload.parentSessionId) !== undefined) to.facts({ parent_session: text(payload.parentSessionId) });
      break;
    default:
      if (!STATE.has(subtype)) to.unknown(`system/${subtype}`);
  }
  to.turn(turnOf(link, 'OTHER', `[system ${subtype}]`, subtype === 'rewind' ? 'rewind' : 'state'));
}

/** An error of the model's service stands nowhere else. Requests that the client made for itself are not the session's. */
function readTelemetry(event: JsonObject, link: Link, to: RecordSink): void {
  const name = text(event['event.name']);
  const message = text(event.error_message);
  if (name === 'qwen-code.api_error' && message !== '' && event.subagent_id === undefined && event.subagent_name === undefined) {
    to.turn(turnOf(link, 'OTHER', message, 'api-error'));
    return;
  }
  to.turn(turnOf(link, 'OTHER', `[system ui_telemetry ${name.slice(0, 60)}]`, 'telemetry'));
}

/** What was typed as a command, and what the client answered; a command that it gave itself is its own. */
function readCommand(payload: JsonObject, link: Link, to: RecordSink): void {
  const command = text(payload.rawCommand);
  if (payload.phase === 'invocation' && command !== '' && payload.hiddenInvocation !== true) {
    to.turn(turnOf(link, 'USER', command));
    return;
  }
  const shown = list(payload.outputHistoryItems).map((item) => text(object(item)?.text)).filter((item) => item !== '');
  to.turn(turnOf(link, 'OTHER', shown.join('\n') || `[system slash_command ${command.slice(0, 200)}]`, 'command-output'));
}

/** The first text in the user's role that is not the client's opening context is the summary that stands for the history. */
function readCompression(payload: JsonObject, link: Link, to: RecordSink): void {
  for (const item of list(payload.compressedHistory)) {
    const turn = object(item);
    if (turn?.role !== 'user') continue;
    const said = contentText(turn.parts);
    const isContext = typedPieces(partsOf(turn.parts)).every((piece) => piece.meta !== undefined && piece.meta !== 'compaction-summary');
    if (said === '' || isContext) continue;
    to.turn(turnOf(link, 'OTHER', said, 'compaction-summary'));
    return;
  }
  to.turn(turnOf(link, 'OTHER', '[system chat_compression]', 'compaction'));
}
