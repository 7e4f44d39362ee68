/** Where a canonical record keeps what was said: the first text, else the first list, in the order 2.0.x looked. */
import type { Json, JsonObject } from '../../turn.mts';
import { object } from '../../fields.mts';

export interface Content {
  /** The record's text where it has one as a plain string. */
  text?: string;
  /** Lists of blocks, in order: the first that gives a turn is the content. Beside a text only what is no text in them is read. */
  lists: Json[][];
  /** OpenAI's calls, which stand beside the content. */
  calls: Json[];
}

export function contentOf(record: JsonObject): Content {
  const message = object(record.message);
  const payload = object(record.payload);
  const item = object(record.item);
  const strings = [record.text, record.content, record.output, record.message, message?.content, message?.text, payload?.content, payload?.output,
    payload?.text, object(payload?.message)?.content];
  const places = [record.parts, record.content, record.output, message?.content, message?.parts, item?.content, payload?.parts, payload?.content,
    payload?.output, payload?.items, object(payload?.message)?.content];
  const found = strings.find((value): value is string => typeof value === 'string' && value.trim() !== '');
  const lists = places.filter((value): value is Json[] => Array.isArray(value) && value.length > 0);
  if (found === undefined) lists.push(single(record, payload));
  const calls = [record.tool_calls, message?.tool_calls].find((value): value is Json[] => Array.isArray(value)) ?? [];
  return { ...(found === undefined ? {} : { text: found }), lists, calls };
}

/** A record that is itself one block: a call or its output without a text of its own, or content that is one object. */
function single(record: JsonObject, payload: JsonObject | undefined): Json[] {
  for (const value of [payload, record]) {
    if (value?.type === 'function_call' || value?.type === 'function_call_output' || value?.type === 'tool_use' || value?.type === 'tool_result') return [value];
  }
  const content = object(record.content) ?? object(object(record.message)?.content);
  return content === undefined ? [] : [content];
}
