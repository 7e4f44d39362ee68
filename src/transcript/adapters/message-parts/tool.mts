/**
 * A tool part is a call and its result in one: `pending` while the model still writes the input, `running`, then
 * `completed` or `error`. In a session that was killed it stays `running` for ever.
 */
import type { RecordSink } from '../../adapter.mts';
import { effectOf } from '../../effects.mts';
import type { JsonObject, TurnDraft } from '../../turn.mts';
import { defined, finite, object, objects, text, word } from '../../fields.mts';
import { fileLine } from './file.mts';
import { iso, timeOf } from './time.mts';

/** Written by the client itself when the person stopped the agent: nobody knows how far the tool came. */
const ABORTED = 'Tool execution aborted';
/** What a call is named for that no tool answers; it ends as `completed`. */
const NO_TOOL = 'invalid';

export function readTool(part: JsonObject, base: { ts: string; id: string }, isShell: boolean, to: RecordSink): void {
  const state = object(part.state) ?? {};
  const status = text(state.status);
  if (status === 'pending') return;
  if (status !== 'running' && status !== 'completed' && status !== 'error') return to.unknown(`tool/${status}`);

  const tool = text(part.tool);
  const call = word(part.callID) ?? base.id;
  const input = object(state.input);
  const { start, end } = timeOf(state);
  const ts = iso(start) || base.ts;
  if (isShell && word(input?.command) !== undefined) to.turn({ ...base, ts, class: 'USER', text: `!${text(input?.command)}` });
  to.turn({ ...base, ts, class: 'TOOL', kind: 'call', tool, call, effect: effectOf(tool), text: `tool_use ${tool} ${JSON.stringify(state.input ?? {})}` });

  const child = word(object(state.metadata)?.sessionId);
  if (child !== undefined) to.turn({ ...base, ts, class: 'OTHER', text: `Sub-agent session ${child}`, meta: 'subagent' });
  if (status === 'running') return;
  to.turn(defined<TurnDraft>({ id: base.id, class: 'TOOL', kind: 'result', tool, call, ts: iso(end, start) || base.ts, text: resultText(state, status), ...outcome(state, status, tool) }));
}

function resultText(state: JsonObject, status: string): string {
  const body = text(status === 'error' ? state.error : state.output);
  const files = objects(state.attachments).map(fileLine);
  return [...(body === '' && files.length > 0 ? [] : [body]), ...files].join('\n');
}

/** A command that failed is `completed` all the same: only its exit tells, and it has none where it was stopped. */
function outcome(state: JsonObject, status: string, tool: string): { ok: boolean; exit?: number; meta?: string } {
  const metadata = object(state.metadata);
  if (status === 'error') return { ok: false, ...(state.error === ABORTED || metadata?.interrupted === true ? { meta: 'synthetic' } : {}) };
  const exit = finite(metadata?.exit);
  if (exit !== undefined) return { ok: exit === 0, exit };
  return { ok: tool !== NO_TOOL && metadata?.exit !== null };
}
