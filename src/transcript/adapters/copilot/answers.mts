/** What the agent thought, said and asked for, and what came of it. */
import type { RecordSink } from '../../adapter.mts';
import { effectOf } from '../../effects.mts';
import { withoutDataUrls } from '../../media.mts';
import type { JsonObject, SessionFacts, TurnDraft } from '../../turn.mts';
import { defined, finite, jsonText, list, object, text, word } from '../../fields.mts';

type Base = Pick<TurnDraft, 'ts' | 'id' | 'side'>;

export function readAnswer(data: JsonObject, base: Base, to: RecordSink): void {
  if (base.side === undefined) to.facts(defined<SessionFacts>({ model: word(data.model) }));
  to.turn({ ...base, class: 'THOUGHT', text: text(data.reasoningText) });
  to.turn({ ...base, class: 'AGENT', text: withoutDataUrls(text(data.content)) });
  for (const request of list(data.toolRequests)) {
    const value = object(request);
    if (value !== undefined) call(text(value.name), value, base, to);
  }
}

/** A tool that the person started without the agent. */
export function readRequested(data: JsonObject, base: Base, to: RecordSink): void {
  call(text(data.toolName), data, base, to);
}

function call(tool: string, value: JsonObject, base: Base, to: RecordSink): void {
  to.turn(defined<TurnDraft>({
    ...base, class: 'TOOL', text: withoutDataUrls(`function_call ${tool} ${jsonText(value.arguments ?? {})}`), kind: 'call', tool: word(tool), call: word(value.toolCallId), effect: effectOf(tool),
  }));
}

/**
 * `success` says that the tool ran; a command's own exit status stands beside it. On a resume the client closes the
 * calls that a kill left open: such a result is made up, and the call stays open.
 */
export function readComplete(data: JsonObject, base: Base, to: RecordSink): void {
  const exit = finite(object(data.shellExecution)?.exitCode);
  const synthetic = data.interactionId === 'resume' || data.model === 'resumed';
  const failed = data.success === false || (exit !== undefined && exit !== 0);
  // `detailedContent` is a diff that the client draws, even where nothing was changed.
  const body = withoutDataUrls(text(object(data.result)?.content) || text(object(data.error)?.message) || text(data.error));
  to.turn(defined<TurnDraft>({
    ...base, class: 'TOOL', text: body === '' ? '(no output)' : body, kind: 'result', tool: word(data.toolName), call: word(data.toolCallId),
    ok: failed || synthetic ? false : data.success === true ? true : undefined, exit, meta: synthetic ? 'synthetic' : undefined,
  }));
}
