/** What a tool call or result is called, by the keys that Anthropic, OpenAI, Gemini and plain writers use. */
import { effectOf } from '../../effects.mts';
import type { Effect, Json, JsonObject } from '../../turn.mts';
import { defined, finite, object, word } from '../../fields.mts';

export function toolName(source: JsonObject): string | undefined {
  return word(source.tool) ?? word(source.tool_name) ?? word(source.name) ?? word(object(source.function)?.name);
}

/** The name and the call's id; `id` alone counts only where the block itself is the call. */
export function callOf(source: JsonObject, own?: Json): { tool?: string; call?: string } {
  const call = word(source.call) ?? word(source.call_id) ?? word(source.tool_call_id) ?? word(source.tool_use_id) ?? word(own);
  return defined<{ tool?: string; call?: string }>({ tool: toolName(source), call });
}

export function effectOfCall(source: JsonObject): { effect: Effect } {
  return { effect: effectOf(toolName(source) ?? '') };
}

export function resultOf(source: JsonObject): { ok?: boolean; exit?: number } {
  const exit = finite(source.exit) ?? finite(source.exit_code);
  const failed = source.ok === false || source.is_error === true || source.success === false || (exit !== undefined && exit !== 0);
  const fine = source.ok === true || source.is_error === false || source.success === true || exit === 0;
  return defined<{ ok?: boolean; exit?: number }>({ ok: failed ? false : fine ? true : undefined, exit });
}
