/** Blocks of a message in the shapes of Anthropic, OpenAI and Gemini: a turn each, and one for texts that follow each other. */
import { mediaPlaceholder, referencePlaceholder } from '../../media.mts';
import type { Json, JsonObject, TurnClass, TurnDraft } from '../../turn.mts';
import { jsonText, list, object, text } from '../../fields.mts';
import type { Content } from './content.mts';
import { callOf, effectOfCall, resultOf, toolName } from './fields.mts';

type Draft = Omit<TurnDraft, 'ts'>;

/** The turns of the content; a block that only says `content.text` again is left out. `whole` is the record's own class. */
export function readBlocks(content: Content, whole: TurnClass, record: JsonObject): Draft[] {
  const calls = content.calls.map((call) => openAiCall(object(call) ?? {}));
  for (const blocks of content.lists) {
    const drafts = readList(blocks, content.text === undefined, whole, record);
    if (drafts.length > 0) return [...drafts, ...calls];
  }
  return calls;
}

function readList(blocks: readonly Json[], withText: boolean, whole: TurnClass, record: JsonObject): Draft[] {
  const drafts: Draft[] = [];
  let texts: string[] = [];
  const flush = (): void => {
    const body = texts.filter((part) => part !== '').join('\n').trim();
    texts = [];
    if (body === '') return;
    drafts.push(whole === 'TOOL' ? toolDraft(record, body) : { class: whole, text: body });
  };
  for (const block of blocks) {
    const draft = typedBlock(block);
    if (draft === undefined) {
      if (withText) texts.push(plainText(block));
    } else {
      flush();
      if (draft.text !== '') drafts.push(draft);
    }
  }
  flush();
  return drafts;
}

/** A text of a record that is a tool's: whether it is the call or the result, as far as kind and role tell. */
export function toolDraft(record: JsonObject, body: string): Draft {
  const source = object(record.payload) ?? record;
  const kind = `${text(record.kind) || text(record.type)} ${text(source.type)}`.toLowerCase();
  const role = text(record.role).toLowerCase();
  const named = /result|output|response/.test(kind) || record.ok !== undefined || record.is_error !== undefined;
  const calls = /call|use/.test(kind);
  if (named || (role === 'tool' && !calls)) return { class: 'TOOL', text: body, kind: 'result', ...callOf(source), ...resultOf(source) };
  if (calls || role === 'assistant') return { class: 'TOOL', text: body, kind: 'call', ...callOf(source), ...effectOfCall(source) };
  return { class: 'TOOL', text: body };
}

/** A block with a class of its own; undefined for text, pictures and what is not known. */
function typedBlock(block: Json): Draft | undefined {
  const value = object(block);
  if (value === undefined) return undefined;
  const type = text(value.type).toLowerCase();
  if (type.includes('think') || type.includes('reason')) {
    return { class: 'THOUGHT', text: text(value.thinking) || text(value.text) || plainText(value.content ?? value.summary ?? '') || (type === 'redacted_thinking' ? '[redacted thinking]' : '') };
  }
  if (value.functionCall !== undefined || value.function_call !== undefined) {
    const call = object(value.functionCall) ?? object(value.function_call) ?? {};
    return { class: 'TOOL', text: `functionCall ${text(call.name)} ${jsonText(call.args ?? call.arguments)}`, kind: 'call', ...callOf(call, call.id), ...effectOfCall(call) };
  }
  if (value.functionResponse !== undefined) {
    const answer = object(value.functionResponse) ?? {};
    return { class: 'TOOL', text: jsonText(answer.response) || '(no output)', kind: 'result', ...callOf(answer, answer.id), ...resultOf(object(answer.response) ?? {}) };
  }
  if (type === 'function_call_output') {
    return { class: 'TOOL', text: `function_call_output ${jsonText(value.output)}`, kind: 'result', ...callOf(value), ...resultOf(value) };
  }
  if (type === 'tool_result' || type === 'tool_response') {
    return { class: 'TOOL', text: plainText(value.content ?? value.output ?? '') || 'tool_result {}', kind: 'result', ...callOf(value), ...resultOf(value) };
  }
  if (type === 'function_call') return callDraft(value, `function_call ${toolName(value) ?? ''} ${jsonText(value.arguments)}`);
  if (type === 'tool_use' || type === 'tool_call' || type === 'tool-call') {
    return callDraft(value, `tool_use ${toolName(value) ?? ''} ${jsonText(value.input ?? value.arguments ?? value.args)}`);
  }
  return undefined;
}

function callDraft(value: JsonObject, body: string): Draft {
  return { class: 'TOOL', text: body, kind: 'call', ...callOf(value, value.id), ...effectOfCall(value) };
}

function openAiCall(call: JsonObject): Draft {
  const fn = object(call.function) ?? call;
  return callDraft(call, `function_call ${toolName(call) ?? ''} ${jsonText(fn.arguments ?? fn.input)}`);
}

/** The text of a block as 2.0.x read it, pictures as placeholders; '' where it has none. */
function plainText(block: Json): string {
  if (typeof block === 'string') return block;
  if (Array.isArray(block)) return block.map(plainText).filter((part) => part !== '').join('\n');
  const value = object(block);
  if (value === undefined) return '';
  for (const key of ['text', 'thinking', 'content'] as const) {
    const inner = value[key];
    if (typeof inner === 'string' && inner !== '') return inner;
  }
  if (Array.isArray(value.content)) return plainText(list(value.content));
  return picture(value);
}

function picture(value: JsonObject): string {
  const source = object(value.source);
  if (typeof source?.data === 'string') return mediaPlaceholder('image', text(source.media_type), source.data);
  const inline = object(value.inlineData);
  if (typeof inline?.data === 'string') return mediaPlaceholder('image', text(inline.mimeType), inline.data);
  const url = text(value.image_url) || text(object(value.image_url)?.url) || text(source?.url);
  return url === '' ? '' : referencePlaceholder('image', url);
}
