/** What a tool gave back, and whether it failed. A command that failed is a success to Gemini CLI: its exit code stands in the text. */
import type { Json, JsonObject } from '../../turn.mts';
import { object } from '../../fields.mts';
import { mediaText, partsOf } from './parts.mts';

export interface Outcome {
  ok?: boolean;
  exit?: number;
}

/** The text of a `functionResponse`: what the model was told, with lines for images that came with it. */
export function responseText(response: JsonObject): string {
  const body = response.response;
  const media = partsOf(response.parts).flatMap((part) => mediaText(part) ?? []);
  return [bodyText(body), ...media].filter((piece) => piece !== '').join('\n');
}

/** Whether the response itself says that the tool failed. */
export function isError(response: JsonObject): boolean {
  const body = object(response.response);
  return body !== undefined && body.error !== undefined && body.error !== null && body.output === undefined;
}

function bodyText(body: Json | undefined): string {
  if (typeof body === 'string') return body;
  const value = object(body);
  if (value === undefined) return '';
  const said = value.output ?? value.error;
  if (typeof said === 'string') return said;
  return Object.keys(value).length === 0 ? '' : JSON.stringify(said ?? value);
}

/** The client's own lines at the end of a command's output are short. */
const TAIL = 600;
const EXIT = /(?:^|\n)Exit Code: (-?\d{1,10}|\(none\))(?:\nSignal: ([^\n]{0,40}))?(?:\nBackground PIDs: [^\n]{0,200})?(?:\nProcess Group PGID: [^\n]{0,40})?(?:\n<\/untrusted_context>)?\n?$/;
const SIGNAL = /\nSignal: (?!\(none\)|0\n)[^\n]{1,40}(?:\nBackground PIDs: [^\n]{0,200})?(?:\nProcess Group PGID: [^\n]{0,40})?(?:\n<\/untrusted_context>)?\n?$/;
/** Texts that the client writes instead of an output because it did not run the command to its end. */
const REFUSED = /^(?:<untrusted_context>\n)?Command (?:injection detected|was (?:automatically )?cancelled)/;

export function isShell(tool: string): boolean {
  return tool === 'run_shell_command' || tool === 'shell';
}

/**
 * How a shell command ended, by the lines that the client writes behind its output. `shown` is the bare output where the
 * client keeps it besides: a command that prints such lines itself is not taken for one that failed.
 */
export function shellOutcome(said: string, shown: Json | undefined): Outcome {
  if (REFUSED.test(said)) return { ok: false };
  const at = said.indexOf('Output: ') + 'Output: '.length;
  const own = typeof shown === 'string' && shown !== '' && said.startsWith(shown, at) ? said.slice(at + shown.length) : said;
  const tail = own.slice(-TAIL);
  const found = EXIT.exec(tail);
  if (found?.[1] !== undefined && found[1] !== '(none)') return { ok: found[1] === '0', exit: Number(found[1]) };
  return SIGNAL.test(tail) ? { ok: false } : {};
}
