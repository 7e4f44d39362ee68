/** Files that hang on a prompt or on a result. Their bytes stay in the source. */
import { mediaPlaceholder, referencePlaceholder } from '../../media.mts';
import type { JsonObject } from '../../turn.mts';
import { text, word } from '../../fields.mts';

const DATA_URL = /^data:([^;,]{0,160})(?:;[^;,]{0,160})*;base64,/;

/** One line for a file: type, size and hash where the bytes are in the record, else its name and where it lies. */
export function fileLine(part: JsonObject): string {
  const url = text(part.url);
  const mime = word(part.mime);
  const data = DATA_URL.exec(url.slice(0, 1024));
  if (data !== null) return mediaPlaceholder(mime?.startsWith('image/') === true ? 'image' : 'file', mime ?? data[1], url.slice(data[0].length));
  const where = [mime, word(part.filename), word(url)].filter((piece) => piece !== undefined).join(' ');
  return referencePlaceholder('file', where);
}
