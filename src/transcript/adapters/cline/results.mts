/**
 * Results: a list of `{query, result, error?, success}`, one for each command or file of the call, the same as the JSON
 * text of one object, or plain text. `is_error` is set only where the call was rejected; that a command failed stands
 * inside, and its exit status only in the text.
 */
import { mediaPlaceholder, withoutDataUrls } from '../../media.mts';
import type { Json, JsonObject } from '../../turn.mts';
import { blockText, contentText } from '../claude-code/chain.mts';
import { list, object, parsedObject, text, word } from '../../fields.mts';

const EXIT = /^\[?Command exited with code (\d{1,10})\]?/;

export interface Result {
  text: string;
  ok?: boolean;
  exit?: number;
}

export function resultOf(block: JsonObject): Result {
  const items = itemsOf(block.content);
  const texts = items.map((item) => (items.length > 1 && typeof item.query === 'string' ? `$ ${item.query}\n${itemText(item)}` : itemText(item)));
  const body = texts.join('\n\n');
  const result: Result = { text: body.trim() === '' ? '(no output)' : body };
  const failed = items.find((item) => item.success === false);
  if (block.is_error === true || failed !== undefined) result.ok = false;
  else if (block.is_error === false || items.some((item) => item.success === true)) result.ok = true;
  const exit = EXIT.exec(text(failed?.result).slice(0, 80)) ?? EXIT.exec(text(failed?.error).slice(0, 80));
  if (exit !== null) result.exit = Number(exit[1]);
  return result;
}

function itemsOf(content: Json | undefined): JsonObject[] {
  if (typeof content !== 'string') return (Array.isArray(content) ? content : [content ?? '']).map((item) => (typeof item === 'string' ? { text: item } : (object(item) ?? {})));
  const value = parsedObject(content);
  const known = value !== undefined && (value.result !== undefined || value.error !== undefined || typeof value.success === 'boolean');
  return [known ? value : { text: content }];
}

function itemText(item: JsonObject): string {
  if (item.result === undefined && item.error === undefined) return typeof item.text === 'string' ? withoutDataUrls(item.text) : (pictureText(item) ?? blockText(item));
  const said = typeof item.result === 'string' ? withoutDataUrls(item.result) : Array.isArray(item.result) ? list(item.result).map((part) => pictureText(object(part) ?? {}) ?? blockText(part)).join('\n') : contentText(item.result);
  const error = typeof item.error === 'string' ? item.error : item.error === undefined || item.error === null ? '' : JSON.stringify(item.error);
  // A command's error says again what the head of its output says.
  return error === '' || said.includes(error) ? said : [said, error].filter((part) => part !== '').join('\n');
}

/** A picture whose bytes stand in the block itself; undefined for anything else. */
export function pictureText(block: JsonObject): string | undefined {
  return block.type === 'image' && typeof block.data === 'string' ? mediaPlaceholder('image', word(block.mediaType) ?? word(block.mimeType), block.data) : undefined;
}
