/** One item of the history: a message, what was attached to it, and the states of the calls that it made. */
import type { RecordSink } from '../../adapter.mts';
import { effectOf } from '../../effects.mts';
import { splitInjected } from '../../injected.mts';
import { referencePlaceholder, withoutDataUrls } from '../../media.mts';
import type { Json, JsonObject, TurnDraft } from '../../turn.mts';
import { partOf } from '../chat/identity.mts';
import { defined, jsonText, list, object, text, word } from '../../fields.mts';

type Base = Pick<TurnDraft, 'ts' | 'id'>;

/** While it is generated its input is not whole; what comes later never changes it. */
const PENDING = new Set(['generating', 'pending']);
const ENDED = new Set(['done', 'errored', 'canceled']);

/** Parts: 0 the thought, from 1 on the blocks of the content, then calls, or what was attached. `answered`: calls whose result stands in a state. */
export function readItem(item: JsonObject, base: Base, answered: ReadonlySet<string | undefined>, to: RecordSink): void {
  const message = object(item.message) ?? {};
  const role = text(message.role);
  const summary = text(item.conversationSummary);
  if (summary !== '') to.turn({ ...base, part: 0, class: 'OTHER', text: summary, meta: 'compaction-summary' });
  const blocks = Array.isArray(message.content) ? message.content : [message.content ?? ''];
  switch (role) {
    case 'user':
      blocks.forEach((block, at) => readTyped(block, at + 1, base, to));
      list(item.contextItems).forEach((context, at) => attached(object(context) ?? {}, { ...base, part: 1 + blocks.length + at }, to));
      return;
    case 'assistant':
      to.turn({ ...base, part: 0, class: 'THOUGHT', text: text(object(item.reasoning)?.text) });
      blocks.forEach((block, at) => to.turn({ ...base, part: at + 1, class: 'AGENT', text: blockText(block) }));
      return readCalls(item, message, 1 + blocks.length, base, to);
    case 'thinking':
      return to.turn({ ...base, part: 0, class: 'THOUGHT', text: blocks.map(blockText).join('\n') || '[redacted thinking]' });
    case 'tool':
      // The editor's own sessions have a message for a result that a state tells too.
      if (answered.has(word(message.toolCallId))) return;
      return to.turn(defined<TurnDraft>({ ...base, part: 1, class: 'TOOL', text: blocks.map(blockText).join('\n') || '(no output)', kind: 'result', call: word(message.toolCallId) }));
    case 'system':
      return to.turn({ ...base, part: 1, class: 'OTHER', text: blocks.map(blockText).join('\n'), meta: 'instructions' });
    default:
      to.unknown(`message/${role}`);
  }
}

function blockText(block: Json): string {
  const value = object(block);
  if (value === undefined) return withoutDataUrls(text(block));
  const url = text(object(value.imageUrl)?.url);
  return url === '' ? withoutDataUrls(text(value.text)) : referencePlaceholder('image', url);
}

function readTyped(block: Json, part: number, base: Base, to: RecordSink): void {
  const said = blockText(block);
  if (object(block)?.imageUrl !== undefined) return to.turn({ ...base, part, class: 'OTHER', text: said, meta: 'attachment' });
  splitInjected(said).forEach((piece, at) => {
    to.turn({ ...base, part: partOf(part, at), ...(piece.meta === undefined ? { class: 'USER', text: piece.text } : { class: 'OTHER', text: piece.text, meta: piece.meta }) });
  });
}

function attached(context: JsonObject, at: Base & { part: number }, to: RecordSink): void {
  const name = text(context.name) || text(context.description);
  const body = withoutDataUrls(text(context.content));
  if (name !== '' || body !== '') to.turn({ ...at, class: 'OTHER', text: `[attachment ${name}]\n${body}`.trimEnd(), meta: 'attachment' });
}

/** A call has the same part as its result: the kind tells them apart. */
function readCalls(item: JsonObject, message: JsonObject, from: number, base: Base, to: RecordSink): void {
  const states = new Map(list(item.toolCallStates).map((state) => [word(object(state)?.toolCallId), object(state) ?? {}]));
  const calls = list(message.toolCalls).map((call) => object(call) ?? {});
  calls.forEach((call, at) => {
    if (PENDING.has(text(states.get(word(call.id))?.status))) return;
    const fn = object(call.function) ?? {};
    const tool = text(fn.name);
    to.turn(defined<TurnDraft>({ ...base, part: from + at, class: 'TOOL', text: withoutDataUrls(`function_call ${tool} ${jsonText(fn.arguments ?? {})}`), kind: 'call', tool: word(tool), call: word(call.id), effect: effectOf(tool) }));
  });
  calls.forEach((call, at) => {
    const state = states.get(word(call.id));
    const status = text(state?.status);
    if (state === undefined || !ENDED.has(status)) return;
    const body = list(state.output).map((part) => withoutDataUrls(text(object(part)?.content))).join('\n');
    // `done` says that the tool ran: how a command ended is nowhere.
    to.turn(defined<TurnDraft>({
      ...base, part: from + at, class: 'TOOL', text: body || (status === 'canceled' ? '[canceled]' : '(no output)'), kind: 'result', tool: word(object(call.function)?.name), call: word(call.id),
      ok: status === 'done' ? undefined : false, meta: status === 'canceled' ? 'cancelled' : undefined,
    }));
  });
}
