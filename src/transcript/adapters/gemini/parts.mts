/**
 * Content in the Gemini shape: a string, one part, or a list of parts (`text`, `inlineData`, `functionCall`,
 * `functionResponse`). Qwen Code writes its messages in the same shape.
 */
import { mediaPlaceholder, referencePlaceholder, withoutDataUrls } from '../../media.mts';
import type { Json, JsonObject } from '../../turn.mts';
import { object, objects, text, word } from '../../fields.mts';

/** The content as a list of parts; strings become text parts. */
export function partsOf(content: Json | undefined): JsonObject[] {
  const all = Array.isArray(content) ? content : [content];
  return objects(all.map((part) => (typeof part === 'string' ? (part === '' ? null : { text: part }) : (part ?? null))));
}

/** Whether the content has any text or media, thoughts aside; cheaper than making it. */
export function isSaying(content: Json | undefined): boolean {
  if (typeof content === 'string') return content !== '';
  return partsOf(content).some((part) => part.thought !== true && (text(part.text) !== '' || part.inlineData !== undefined || part.fileData !== undefined));
}

/** The first text of the content. */
export function firstText(content: Json | undefined): string {
  return text(partsOf(content).find((part) => part.thought !== true && text(part.text) !== '')?.text);
}

/** What a part says: its text, or a line for an image or file. '' for thoughts, calls and results, which have turns of their own. */
export function partText(part: JsonObject): string {
  if (part.thought === true || part.functionCall !== undefined || part.functionResponse !== undefined) return '';
  return mediaText(part) ?? withoutDataUrls(text(part.text));
}

/** The line for a part that is no text; undefined for one that is. */
export function mediaText(part: JsonObject): string | undefined {
  const inline = object(part.inlineData);
  if (inline !== undefined) {
    const type = word(inline.mimeType);
    return mediaPlaceholder(type?.split('/')[0] ?? 'data', type, text(inline.data));
  }
  const file = object(part.fileData);
  return file === undefined ? undefined : referencePlaceholder('file', word(file.fileUri));
}

/** All that the content says, without thoughts. Parts of one answer follow each other as they were streamed. */
export function contentText(content: Json | undefined): string {
  return partsOf(content).map(partText).join('');
}

/** The thoughts among the parts. */
export function thoughtTexts(content: Json | undefined): string[] {
  return partsOf(content).flatMap((part) => (part.thought === true && typeof part.text === 'string' && part.text !== '' ? [part.text] : []));
}
