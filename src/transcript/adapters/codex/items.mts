/** Response items: one conversation item as it goes to the model. */
import type { RecordSink } from '../../adapter.mts';
import { effectOf } from '../../effects.mts';
import { mediaPlaceholder } from '../../media.mts';
import type { Json, JsonObject, TurnDraft } from '../../turn.mts';
import { defined, jsonText, list, object, text, word } from '../../fields.mts';
import { isOpaque, readAgentMessage, readMessage } from './messages.mts';
import { outcome, outputText } from './output.mts';
import type { Reading } from './reading.mts';

/** Items without a text for a reader: tool schemas (40 KB a session), snapshots, summaries that are encrypted. */
const SILENT = new Set(['additional_tools', 'ghost_snapshot', 'compaction', 'compaction_summary', 'compaction_trigger', 'context_compaction']);

export function readItem(record: JsonObject, item: JsonObject, ts: string, to: RecordSink, reading: Reading): void {
  const type = text(item.type);
  const base = defined<{ ts: string; id?: string }>({ ts, id: word(item.id) });
  switch (type) {
    case 'message':
      if (reading.eventsFirst && item.role === 'assistant') return;
      // The record `compacted` gives the same summary to the reader.
      if (object(record.metadata)?.compaction_output === true) return;
      return readMessage(item, base, to, reading);
    case 'agent_message':
      return readAgentMessage(item, base, to);
    case 'reasoning':
      if (!reading.eventsFirst) to.turn({ ...base, class: 'THOUGHT', text: reasoningText(item) });
      return;
    case 'function_call':
      return call(base, to, item, text(item.name), `function_call ${text(item.name)} ${jsonText(item.arguments)}`);
    case 'custom_tool_call':
      return call(base, to, item, text(item.name), `custom_tool_call ${text(item.name)} ${jsonText(item.input)}`);
    case 'local_shell_call':
      return call(base, to, item, 'local_shell', `local_shell_call ${jsonText(item.action)}`);
    case 'tool_search_call':
      return call(base, to, item, 'tool_search', `tool_search_call ${jsonText(item.arguments)}`);
    // These run at the model's side: no output item ever follows, so they carry no call id that would wait for one.
    case 'web_search_call':
      return to.turn({ ...base, class: 'TOOL', kind: 'call', tool: 'web_search', effect: 'read', text: `web_search_call ${jsonText(item.action)}` });
    case 'image_generation_call':
      return to.turn({ ...base, class: 'TOOL', kind: 'call', tool: 'image_generation', effect: 'unknown', text: imageText(item) });
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'mcp_tool_call_output':
      return result(base, to, item, outputText(item.output));
    case 'tool_search_output':
      return result(base, to, item, `tool_search_output ${toolNames(item.tools)}`);
    default:
      if (!SILENT.has(type)) to.unknown(`response_item/${type}`);
  }
}

function call(base: { ts: string; id?: string }, to: RecordSink, item: JsonObject, tool: string, body: string): void {
  to.turn(defined<TurnDraft>({ ...base, class: 'TOOL', text: body, kind: 'call', tool: tool === '' ? undefined : tool, call: word(item.call_id), effect: effectOf(tool) }));
}

function result(base: { ts: string; id?: string }, to: RecordSink, item: JsonObject, body: string): void {
  // An output without a text is still the answer to its call: without a turn the call would look unfinished.
  const shown = body === '' ? '(no output)' : body;
  to.turn(defined<TurnDraft>({ ...base, class: 'TOOL', text: shown, kind: 'result', tool: word(item.name), call: word(item.call_id), ...outcome(item.output) }));
}

function reasoningText(item: JsonObject): string {
  const parts = [...list(item.summary), ...list(item.content)].map((part) => (typeof part === 'string' ? part : text(object(part)?.text)));
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

function imageText(item: JsonObject): string {
  const image = text(item.result);
  const prompt = text(item.revised_prompt);
  return ['image_generation_call', prompt, image !== '' && isOpaque(image) ? mediaPlaceholder('image', 'image/png', image) : image].filter((part) => part !== '').join(' ');
}

/** A search for tools answers with their whole schemas: the names are what was found. */
function toolNames(tools: Json | undefined): string {
  return list(tools).map((tool) => text(object(tool)?.name)).filter((name) => name !== '').join(', ');
}
