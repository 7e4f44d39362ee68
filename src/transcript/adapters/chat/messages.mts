/** One message of a chat: its turns in order, each with the number of its block. */
import type { RecordSink } from '../../adapter.mts';
import { effectOf } from '../../effects.mts';
import { splitInjected } from '../../injected.mts';
import { withoutDataUrls } from '../../media.mts';
import type { Json, JsonObject, TurnDraft } from '../../turn.mts';
import { defined, jsonText, list, object, text, word } from '../../fields.mts';
import { blockText, isPicture, resultText } from './blocks.mts';
import { partOf } from './identity.mts';

type Base = Pick<TurnDraft, 'ts' | 'id'>;

/** Part 0 is the thought that stands beside the content; the blocks follow from 1 on, then the calls beside the content. */
export function readMessage(message: JsonObject, base: Base, to: RecordSink): void {
  const role = text(message.role);
  const blocks: Json[] = Array.isArray(message.content) ? message.content : [message.content ?? ''];
  if (role === 'tool' || role === 'function') {
    if (blocks.some((block) => isResult(text(object(block)?.type)))) blocks.forEach((block, at) => readBlock(block, role, { ...base, part: at + 1 }, to));
    else result(message, resultText(message.content), { ...base, part: 1 }, to);
    return;
  }
  to.turn({ ...base, part: 0, class: 'THOUGHT', text: text(message.reasoning_content) || text(message.reasoning) });
  blocks.forEach((block, at) => readBlock(block, role, { ...base, part: at + 1 }, to));
  const calls = list(message.tool_calls).concat(message.function_call ?? []);
  calls.forEach((call, at) => {
    const value = object(call) ?? {};
    const fn = object(value.function) ?? object(value.custom) ?? value;
    callTurn('function_call', text(fn.name), fn.arguments ?? fn.input, word(value.id), { ...base, part: 1 + blocks.length + at }, to);
  });
}

function isResult(type: string): boolean {
  return type === 'tool_result' || type === 'tool-result' || type === 'function_call_output' || type.endsWith('_tool_result');
}

function readBlock(block: Json, role: string, at: Base & { part: number }, to: RecordSink): void {
  const value = object(block);
  const type = text(value?.type);
  if (value !== undefined) {
    if (isResult(type)) return result(value, resultText(value.content ?? value.output ?? value.result), at, to);
    if (type === 'tool_use' || type === 'tool-call' || type === 'server_tool_use' || type === 'mcp_tool_use') {
      return callTurn('tool_use', text(value.name) || text(value.toolName), value.input ?? value.args, word(value.id) ?? word(value.toolCallId), at, to);
    }
    if (type === 'function_call') return callTurn('function_call', text(value.name), value.arguments, word(value.call_id) ?? word(value.id), at, to);
    if (type === 'thinking' || type === 'reasoning') return to.turn({ ...at, class: 'THOUGHT', text: text(value.thinking) || text(value.text) });
    if (type === 'redacted_thinking') return to.turn({ ...at, class: 'THOUGHT', text: '[redacted thinking]' });
  }
  say(blockText(block), role, isPicture(value), at, to);
}

function say(said: string, role: string, isImage: boolean, at: Base & { part: number }, to: RecordSink): void {
  switch (role) {
    case 'user':
    case 'human':
      if (isImage) return to.turn({ ...at, class: 'OTHER', text: said, meta: 'attachment' });
      splitInjected(said).forEach((piece, number) => {
        const part = partOf(at.part, number);
        to.turn({ ...at, part, ...(piece.meta === undefined ? { class: 'USER', text: piece.text } : { class: 'OTHER', text: piece.text, meta: piece.meta }) });
      });
      return;
    case 'system':
    case 'developer':
      return to.turn({ ...at, class: 'OTHER', text: said, meta: 'instructions' });
    default:
      return to.turn({ ...at, class: 'AGENT', text: said });
  }
}

function callTurn(kind: string, tool: string, input: Json | undefined, call: string | undefined, at: Base & { part: number }, to: RecordSink): void {
  to.turn(defined<TurnDraft>({ ...at, class: 'TOOL', text: withoutDataUrls(`${kind} ${tool} ${jsonText(input ?? {})}`), kind: 'call', tool: word(tool), call, effect: effectOf(tool) }));
}

function result(value: JsonObject, body: string, at: Base & { part: number }, to: RecordSink): void {
  const failed = value.is_error === true || value.isError === true || value.status === 'error';
  const fine = value.is_error === false || value.isError === false || value.status === 'success';
  to.turn(defined<TurnDraft>({
    ...at, class: 'TOOL', text: body.trim() === '' ? '(no output)' : body, kind: 'result', tool: word(value.name) ?? word(value.toolName),
    call: word(value.tool_call_id) ?? word(value.tool_use_id) ?? word(value.toolCallId) ?? word(value.call_id), ok: failed ? false : fine ? true : undefined,
  }));
}
