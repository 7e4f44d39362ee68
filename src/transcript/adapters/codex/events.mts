/**
 * Events. Most repeat a response item and give nothing; the rest carry what no item does: errors, interruptions,
 * work that ran inside a script, sub-agents, and the running total of tokens.
 */
import type { RecordSink } from '../../adapter.mts';
import { effectOf } from '../../effects.mts';
import type { Json, JsonObject } from '../../turn.mts';
import { defined, finite, list, object, text, word } from '../../fields.mts';
import { total } from './reading.mts';
import type { Reading } from './reading.mts';

const SILENT = new Set(`user_message agent_reasoning_section_break task_started turn_started thread_settings_applied context_compacted
  patch_apply_begin patch_apply_end exec_command_begin exec_command_end exec_command_output_delta mcp_tool_call_begin mcp_tool_call_end
  web_search_begin web_search_end view_image_tool_call image_generation_begin image_generation_end plan_update turn_diff
  entered_review_mode exited_review_mode session_configured thread_name_updated thread_goal_updated undo_completed item_started
  background_event shutdown_complete collab_agent_spawn_begin collab_agent_spawn_end collab_waiting_begin collab_waiting_end
  collab_agent_interaction_begin collab_agent_interaction_end collab_close_begin collab_close_end`.split(/\s+/));
const SILENT_ITEMS = new Set(['UserMessage', 'AgentMessage', 'Reasoning', 'WebSearch', 'ImageView', 'ImageGeneration', 'ContextCompaction',
  'HookPrompt', 'EnteredReviewMode', 'ExitedReviewMode', 'McpToolCall', 'DynamicToolCall', 'Plan', 'Sleep']);
/** Said by the client in the agent's name. */
const COMPACTED = 'Compact task completed';
const PATCH_WORD = new Map([['add', 'Add'], ['update', 'Update'], ['delete', 'Delete']]);

export function readEvent(event: JsonObject, ts: string, to: RecordSink, reading: Reading): void {
  const type = text(event.type);
  switch (type) {
    case 'agent_message':
      if (!reading.eventsFirst) return;
      if (event.message === COMPACTED) return to.turn({ class: 'OTHER', ts, text: COMPACTED, meta: 'notification' });
      return to.turn({ class: 'AGENT', ts, text: text(event.message) });
    case 'agent_reasoning':
    case 'agent_reasoning_raw_content':
      if (reading.eventsFirst) to.turn({ class: 'THOUGHT', ts, text: text(event.text) });
      return;
    case 'token_count':
      return total(object(object(event.info)?.total_token_usage), to);
    case 'task_complete':
    case 'turn_complete':
      return to.turn({ class: 'OTHER', ts, text: errorText(event.error), meta: 'api-error' });
    case 'error':
    case 'stream_error':
      return to.turn({ class: 'OTHER', ts, text: text(event.message), meta: 'api-error' });
    case 'turn_aborted':
      return to.turn({ class: 'OTHER', ts, text: `Turn aborted: ${word(event.reason) ?? 'no reason given'}`, meta: 'interrupted' });
    case 'thread_rolled_back':
      return to.turn({ class: 'OTHER', ts, text: `Thread rolled back: ${finite(event.num_turns) ?? 'some'} turns`, meta: 'rolled-back' });
    case 'warning':
      return to.turn({ class: 'OTHER', ts, text: text(event.message), meta: 'notification' });
    case 'item_completed':
      return readCompleted(object(event.item) ?? {}, ts, to);
    default:
      if (!SILENT.has(type)) to.unknown(`event_msg/${type}`);
  }
}

function errorText(error: Json | undefined): string {
  if (typeof error === 'string') return error;
  const value = object(error);
  return value === undefined ? '' : (word(value.message) ?? JSON.stringify(value));
}

function readCompleted(item: JsonObject, ts: string, to: RecordSink): void {
  const type = text(item.type);
  switch (type) {
    case 'CommandExecution':
      return readCommand(item, ts, to);
    case 'FileChange':
      if (isNested(item)) to.turn({ class: 'TOOL', ts, id: text(item.id), kind: 'call', tool: 'apply_patch', effect: 'write', text: changesText(item), ...verdict(item), meta: 'nested' });
      else ended(item, ts, to);
      return;
    case 'SubAgentActivity':
      return to.turn({ class: 'OTHER', ts, text: `Sub-agent ${text(item.agent_path)} ${text(item.kind)}: thread ${text(item.agent_thread_id)}`, meta: 'subagent' });
    case 'CollabAgentToolCall': {
      const threads = list(item.receiver_thread_ids).map(text).filter((id) => id !== '');
      if (threads.length > 0) to.turn({ class: 'OTHER', ts, text: `Sub-agent ${text(item.tool)} ${text(item.status)}: thread ${threads.join(', ')}`, meta: 'subagent' });
      return;
    }
    default:
      if (!SILENT_ITEMS.has(type)) to.unknown(`event_msg/item_completed/${type}`);
  }
}

/** Run by a script of code mode: the client's own id, no link to the script's call, and no item of its own. */
function isNested(item: JsonObject): boolean {
  return text(item.id).startsWith('exec-');
}

/**
 * A command of its own has an output item with its exit code. Only here are a command that a script ran (it has no result
 * to wait for, so no call id), what one had printed that the client stopped (exit below 0), and how one ended whose output
 * item was never written, or was written while it ran on.
 */
function readCommand(item: JsonObject, ts: string, to: RecordSink): void {
  const exit = finite(item.exit_code);
  if (isNested(item)) {
    const input = JSON.stringify(defined<JsonObject>({ command: item.command, cwd: item.cwd, exit_code: item.exit_code }));
    to.turn({ class: 'TOOL', ts, id: text(item.id), kind: 'call', tool: 'exec_command', effect: effectOf('exec_command'), text: `command_execution exec_command ${input}`, ...verdict(item), meta: 'nested' });
  } else if (exit !== undefined && exit < 0 && text(item.id) !== '') {
    const body = text(item.aggregated_output);
    to.turn({ class: 'TOOL', ts, kind: 'result', call: text(item.id), text: body === '' ? '(no output)' : body, ok: false, exit });
  } else ended(item, ts, to);
}

/** That a call ended, without what it printed: nearly always an output item beside it has that. */
function ended(item: JsonObject, ts: string, to: RecordSink): void {
  const how = verdict(item);
  const call = text(item.id);
  if (call === '' || how.ok === undefined) return;
  to.turn({ class: 'OTHER', ts, call, text: `The client notes that the call ended: ${how.exit === undefined ? (how.ok ? 'it worked' : 'it failed') : `exit ${how.exit}`}`, ...how, meta: 'ended' });
}

function verdict(item: JsonObject): { ok?: boolean; exit?: number } {
  const exit = finite(item.exit_code);
  const ok = exit !== undefined ? exit === 0 : item.status === 'completed' ? true : item.status === 'failed' || item.status === 'declined' ? false : undefined;
  return { ...(ok === undefined ? {} : { ok }), ...(exit === undefined ? {} : { exit }) };
}

/** The files of a change, in the words of a patch: what is changed stands in the script's own text. */
function changesText(item: JsonObject): string {
  const lines = Object.entries(object(item.changes) ?? {}).flatMap(([path, change]) => {
    const moved = word(object(change)?.move_path);
    const head = `*** ${PATCH_WORD.get(text(object(change)?.type)) ?? 'Update'} File: ${path}`;
    return moved === undefined ? [head] : [head, `*** Move to: ${moved}`];
  });
  return `file_change apply_patch\n${lines.join('\n')}`;
}
