/**
 * Images and other binary blocks become one line: a handoff says what was there, and its hash tells
 * whether two of them are the same, but the bytes stay in the transcript.
 */
import { createHash } from 'node:crypto';

/** Base64 in a `data:` URL up to this many characters stays in the text: an icon costs less than its hash would tell. */
const SMALL = 1024;
const BASE64 = /[A-Za-z0-9+/_=-]*/y;
const DATA_HEAD = /data:([\w.+-]{1,60}\/[\w.+-]{1,100})?(?:;[\w.+-]{1,60}=[^;,\s"'`()]{0,200})*$/;

/**
 * The line for a block whose bytes are base64, e.g. `[image image/png 1234 bytes sha256:<64 hex>]`.
 * `kind` and `type` come from the transcript; what could break the line is taken off them. Never throws.
 */
export function mediaPlaceholder(kind: string, type: string | undefined, base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  const hash = createHash('sha256').update(bytes).digest('hex');
  return `[${word(kind, 'block')} ${word(type, 'application/octet-stream')} ${bytes.length} bytes sha256:${hash}]`;
}

/** The line for a block whose bytes lie elsewhere: a URL, a file id, or nothing that is known. */
export function referencePlaceholder(kind: string, where: string | undefined): string {
  const name = word(kind, 'block');
  if (where === undefined || where === '') return `[${name}]`;
  const data = withoutDataUrls(where);
  if (data !== where) return data;
  return `[${name} ${where.slice(0, 500).replace(/\s+/g, ' ')}]`;
}

/** The text with every long base64 `data:` URL replaced by its placeholder; the same string where there is none. */
export function withoutDataUrls(text: string): string {
  if (text.length < SMALL) return text;
  let mark = text.indexOf(';base64,');
  if (mark < 0) return text;
  let result = '';
  let copied = 0;
  while (mark >= 0) {
    const start = mark + ';base64,'.length;
    BASE64.lastIndex = start;
    BASE64.test(text);
    const end = BASE64.lastIndex;
    // Only a bounded piece before the mark is looked at, so that many marks in one text stay linear.
    const before = text.slice(Math.max(copied, mark - 400), mark);
    const head = end - start > SMALL ? before.lastIndexOf('data:') : -1;
    const match = head < 0 ? null : DATA_HEAD.exec(before.slice(head));
    if (match !== null) {
      const type = match[1];
      const at = mark - (before.length - head);
      result += text.slice(copied, at) + mediaPlaceholder(type?.startsWith('image/') ? 'image' : 'data', type, text.slice(start, end));
      copied = end;
    }
    mark = text.indexOf(';base64,', end);
  }
  return copied === 0 ? text : result + text.slice(copied);
}

function word(text: string | undefined, otherwise: string): string {
  const clean = (text ?? '').slice(0, 100).replace(/[^\w.+/-]/g, '');
  return clean === '' ? otherwise : clean;
}
