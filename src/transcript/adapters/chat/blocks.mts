/** The text of content blocks, in the words of several APIs. */
import { mediaPlaceholder, referencePlaceholder, withoutDataUrls } from '../../media.mts';
import type { Json, JsonObject } from '../../turn.mts';
import { blockText as anthropicText } from '../claude-code/chain.mts';
import { object, text, word } from '../../fields.mts';

const PICTURES = new Set(['image', 'image_url', 'input_image', 'document', 'file', 'input_audio', 'input_file']);

export function isPicture(block: JsonObject | undefined): boolean {
  return block !== undefined && PICTURES.has(text(block.type)) && typeof block.text !== 'string';
}

/** A string as it is, a text's words, and a line for a picture or file. */
export function blockText(block: Json): string {
  if (typeof block === 'string') return withoutDataUrls(block);
  const value = object(block);
  if (value === undefined) return '';
  if (typeof value.text === 'string') return withoutDataUrls(value.text);
  if (typeof value.refusal === 'string') return value.refusal;
  const url = text(value.image_url) || text(object(value.image_url)?.url);
  if (url !== '') return url.startsWith('data:') ? dataPlaceholder('image', url) : referencePlaceholder('image', url);
  const audio = object(value.input_audio);
  if (typeof audio?.data === 'string') return mediaPlaceholder('audio', `audio/${text(audio.format) || 'unknown'}`, audio.data);
  const file = object(value.file);
  if (file !== undefined) return typeof file.file_data === 'string' ? dataPlaceholder('file', file.file_data) : referencePlaceholder('file', text(file.filename) || text(file.file_id));
  if (value.type === 'image' && typeof value.data === 'string') return mediaPlaceholder('image', word(value.mimeType) ?? word(value.mediaType), value.data);
  return anthropicText(value);
}

/** The text of a result: blocks joined by line ends, an object as its JSON. */
export function resultText(content: Json | undefined): string {
  if (typeof content === 'string') return withoutDataUrls(content);
  if (Array.isArray(content)) return content.map(blockText).filter((part) => part !== '').join('\n');
  const value = object(content);
  if (value === undefined) return content === undefined || content === null ? '' : String(content);
  if (typeof value.value === 'string') return withoutDataUrls(value.value);
  if (typeof value.text === 'string' || value.source !== undefined) return blockText(value);
  return withoutDataUrls(JSON.stringify(value.value ?? value));
}

const DATA = /^data:([\w.+-]{1,60}\/[\w.+-]{1,100})?(?:;[^,;]{0,100}){0,4},/;

function dataPlaceholder(kind: string, url: string): string {
  const head = DATA.exec(url.slice(0, 600));
  return mediaPlaceholder(kind, head?.[1], head === null ? url : url.slice(head[0].length));
}
