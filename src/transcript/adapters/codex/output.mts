/** What a tool gave back, and whether it failed. Codex has no field for that: it stands in the text. */
import { mediaPlaceholder, referencePlaceholder, withoutDataUrls } from '../../media.mts';
import type { Json, JsonObject } from '../../turn.mts';
import { finite, list, object, parsedObject, text } from '../../fields.mts';

export interface Outcome {
  ok?: boolean;
  exit?: number;
}

/** A whole output that begins so was written by the client because the tool did not do its work. */
const REFUSALS = ['unsupported call: ', 'unsupported custom tool call: ', 'apply_patch verification failed', 'patch rejected', 'aborted by user',
  'execution error: ', 'failed to parse ', 'exec_command failed', 'write_stdin failed', 'exec command rejected', 'rejected by user',
  'command timed out after ', 'Script failed', 'collab tool failed', 'error: '];
/** The client's own lines stand above the output, so an output that quotes one is not taken for it. */
const HEADER = 600;
const EXIT = /^(?:Process exited with code|Exit code:) (-?\d+)$/m;
const ABORTED = /^Wall time:? [^\n]*\naborted by user/;
const DATA_URL = /^data:([\w.+-]{1,60}\/[\w.+-]{1,100})?(?:;[^,;]{0,100}){0,4};base64,/;

/** The text of an output: a string as it is, parts joined by line ends, images as placeholders. */
export function outputText(output: Json | undefined): string {
  if (typeof output === 'string') return withoutDataUrls(output);
  if (Array.isArray(output)) return output.map(partText).join('\n');
  const value = object(output);
  if (value === undefined) return output === undefined || output === null ? '' : String(output);
  if (typeof value.content === 'string') return value.content;
  if (Array.isArray(value.content)) return value.content.map(partText).join('\n');
  return JSON.stringify(value);
}

export function partText(part: Json): string {
  if (typeof part === 'string') return part;
  const value = object(part);
  if (value === undefined) return '';
  if (typeof value.text === 'string') return value.text;
  if (value.image_url !== undefined || value.type === 'input_image') return imagePlaceholder(value.image_url);
  if (value.type === 'image') return mediaPlaceholder('image', text(value.mimeType), text(value.data));
  return value.type === 'encrypted_content' ? '' : JSON.stringify(value);
}

export function imagePlaceholder(where: Json | undefined): string {
  const url = text(where) || text(object(where)?.url);
  const data = DATA_URL.exec(url.slice(0, 600));
  return data === null ? referencePlaceholder('image', url) : mediaPlaceholder('image', data[1], url.slice(data[0].length));
}

/** Whether the tool failed, as far as its output tells. Two codes are read where a script ran several commands: the first that failed. */
export function outcome(output: Json | undefined): Outcome {
  if (typeof output === 'string') return outcomeOfText(output);
  const parts = list(Array.isArray(output) ? output : object(output)?.content);
  if (object(output)?.success === false) return { ok: false };
  const texts = parts.map((part) => (typeof part === 'string' ? part : text(object(part)?.text)));
  const head = outcomeOfText(texts[0] ?? '');
  if (head.ok === false) return head;
  for (const part of texts.slice(1)) {
    const exit = commandExit(parsedObject(part));
    if (exit !== undefined && exit !== 0) return { ok: false, exit };
  }
  return texts[0]?.startsWith('Script completed') === true ? { ok: true } : head;
}

function outcomeOfText(output: string): Outcome {
  if (REFUSALS.some((head) => output.startsWith(head)) || ABORTED.test(output.slice(0, HEADER))) return { ok: false };
  const wrapped = output.startsWith('{"output":') ? finite(object(parsedObject(output)?.metadata)?.exit_code) : undefined;
  const exit = wrapped ?? headerExit(output);
  return exit === undefined ? {} : { ok: exit === 0, exit };
}

function headerExit(output: string): number | undefined {
  const end = output.indexOf('Output:\n');
  const code = EXIT.exec(output.slice(0, end < 0 ? HEADER : Math.min(end, HEADER)));
  if (code === null || !/^(?:Chunk ID:|Wall time:|Process exited|Exit code:)/.test(output)) return undefined;
  return Number(code[1]);
}

/** A script in code mode may print what its command gave back: an object that the client made, with the exit code. */
function commandExit(value: JsonObject | undefined): number | undefined {
  return value !== undefined && value.wall_time_seconds !== undefined && value.output !== undefined ? finite(value.exit_code) : undefined;
}
