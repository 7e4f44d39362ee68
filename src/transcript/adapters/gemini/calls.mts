/**
 * Tool calls of a session by their id. A call stands in `toolCalls`, in the message that answers it, and, once history was
 * rewritten, in the message's content: `toolCalls` is the source, the others only fill what it lacks.
 */
import { effectOf } from '../../effects.mts';
import { withoutDataUrls } from '../../media.mts';
import type { RecordSink } from '../../adapter.mts';
import type { Json, JsonObject, TurnDraft } from '../../turn.mts';
import { defined, object, objects, text, word } from '../../fields.mts';
import { isError, isShell, responseText, shellOutcome } from './outcome.mts';
import { mediaText, partsOf } from './parts.mts';

export interface Call {
  /** Absent where the client gave none. */
  id: string | undefined;
  tool: string;
  ts: string;
  args: Json | undefined;
  status: string;
  result: Json | undefined;
  shown: Json | undefined;
  /** Only its result is known. */
  orphan: boolean;
}

/** Before a tool runs: the call may still be changed or taken back. */
const PENDING = new Set(['validating', 'scheduled', 'awaiting_approval']);
const FINAL = new Set(['success', 'error', 'cancelled']);

export function newCall(id: string | undefined): Call {
  return { id, tool: '', ts: '', args: undefined, status: '', result: undefined, shown: undefined, orphan: false };
}

/** Takes over what an entry of `toolCalls` says; `rewritten` where history was made anew and may be poorer. */
export function takeEntry(call: Call, entry: JsonObject, rewritten: boolean): void {
  call.orphan = false;
  const status = text(entry.status);
  if (!FINAL.has(call.status) || FINAL.has(status)) call.status = status;
  call.tool ||= text(entry.name);
  call.ts ||= text(entry.timestamp);
  if (entry.args !== undefined && (!rewritten || call.args === undefined)) call.args = entry.args;
  if (entry.result !== undefined && entry.result !== null && (!rewritten || call.result === undefined)) call.result = entry.result;
  if (entry.resultDisplay !== undefined && (!rewritten || call.shown === undefined)) call.shown = entry.resultDisplay;
}

/** Takes over a `functionCall` part. */
export function takePart(call: Call, part: JsonObject): void {
  call.orphan = false;
  call.tool ||= text(part.name);
  call.args ??= part.args;
}

/** Takes over a `functionResponse` part, at the time of the message that holds it. */
export function takeResponse(call: Call, part: JsonObject, response: JsonObject, ts: string): void {
  call.tool ||= text(response.name);
  call.ts ||= ts;
  call.result ??= [part];
}

/** Gives the call and, where it is there, its result. `part`: its place among the calls of the message `id`. */
export function giveCall(call: Call, base: { id: string; ts: string; part: number }, to: RecordSink): void {
  if (PENDING.has(call.status) && call.result === undefined) return;
  const common = { id: base.id, part: base.part, class: 'TOOL' as const, ts: call.ts || base.ts, tool: call.tool === '' ? undefined : call.tool, call: call.id };
  if (!call.orphan) {
    const body = withoutDataUrls(`function_call ${call.tool} ${JSON.stringify(call.args ?? {})}`);
    to.turn(defined<TurnDraft>({ ...common, kind: 'call', text: body, effect: effectOf(call.tool) }));
  }
  if (call.result === undefined && !FINAL.has(call.status)) return;
  const said = resultOf(call);
  to.turn(defined<TurnDraft>({ ...common, kind: 'result', text: said.text, ok: said.ok, exit: said.exit, meta: call.status === 'cancelled' ? 'cancelled' : undefined }));
}

function resultOf(call: Call): { text: string; ok?: boolean; exit?: number } {
  const parts = partsOf(call.result);
  const responses = parts.map((part) => object(part.functionResponse)).filter((response) => response !== undefined);
  // A rewritten history puts the responses of a whole group into each of its calls.
  const own = responses.filter((response) => call.id === undefined || response.id === undefined || response.id === call.id);
  const pieces = own.map(responseText);
  for (const part of parts) {
    if (part.functionResponse === undefined) pieces.push(mediaText(part) ?? text(part.text));
  }
  const body = pieces.filter((piece) => piece !== '').join('\n');
  const said = withoutDataUrls(body === '' && typeof call.shown === 'string' ? call.shown : body);
  if (call.status === 'error' || call.status === 'cancelled' || own.some(isError)) return { text: said, ...exitOf(call, said), ok: false };
  const ok = call.status === 'success' ? { ok: true } : {};
  return { text: said, ...ok, ...(isShell(call.tool) ? shellOutcome(said, call.shown) : {}) };
}

function exitOf(call: Call, said: string): { exit?: number } {
  const { exit } = isShell(call.tool) ? shellOutcome(said, call.shown) : {};
  return exit === undefined ? {} : { exit };
}

/** The call's own id, and the entry, of everything in `toolCalls`. */
export function entriesOf(record: JsonObject): { id: string | undefined; entry: JsonObject }[] {
  return objects(record.toolCalls).map((entry) => ({ id: word(entry.id), entry }));
}
