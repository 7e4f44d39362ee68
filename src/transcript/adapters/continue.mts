/**
 * Continue: ~/.continue/sessions/<uuid>.json, one document that is written again as it grows. Messages have neither an
 * id nor a time: their position is what they are known by. Results are states of the message that made the calls.
 */
import type { RecordSink, WholeAdapter } from '../adapter.mts';
import type { Json, JsonObject, SessionFacts, Tokens } from '../turn.mts';
import { documentHead, holds } from './chat/head.mts';
import { readItem } from './continue/items.mts';
import { defined, finite, list, object, word } from '../fields.mts';

const UNTITLED = new Set(['Untitled Session', 'New Session']);

export const continueDev: WholeAdapter = { kind: 'whole', id: 'continue', harness: 'continue', version: 1, looksLike, form: 'document', read };

function looksLike(head: string): boolean {
  if (!holds(head, '"sessionId"', '"history"')) return false;
  const value = object(documentHead(head));
  if (value === undefined || typeof value.sessionId !== 'string' || !Array.isArray(value.history)) return false;
  const first = object(value.history[0]);
  // A first item that is longer than what is seen of the document may be cut down to nothing.
  return first === undefined || Object.keys(first).length === 0 ? typeof value.workspaceDirectory === 'string' : object(first.message) !== undefined;
}

function read(value: Json, _path: string, to: RecordSink): void {
  const document = object(value) ?? {};
  const title = word(document.title);
  to.facts(defined<SessionFacts>({
    uuid: word(document.sessionId),
    cwd: word(document.workspaceDirectory),
    title: title === undefined || UNTITLED.has(title) ? undefined : title,
    model: word(document.chatModelTitle),
  }));
  const items = list(document.history).map((item) => object(item) ?? {});
  const answered = new Set(items.flatMap((item) => list(item.toolCallStates)).flatMap((state) => (object(state)?.output === undefined ? [] : [word(object(state)?.toolCallId)])));
  let counted = false;
  items.forEach((item, position) => {
    const id = `#${position}`;
    const usage = object(object(item.message)?.usage);
    if (usage !== undefined) {
      counted = true;
      to.facts(defined<SessionFacts>({ model: word(usage.model) }));
      to.usage(id, tokensOf(usage));
    }
    readItem(item, { ts: '', id }, answered, to);
  });
  const total = object(document.usage);
  if (!counted && total !== undefined) to.usageTotal(tokensOf(total));
}

/** The CLI hands on what the service wrote; its own sums are spelled another way. */
function tokensOf(usage: JsonObject): Tokens {
  const prompt = object(usage.prompt_tokens_details) ?? object(usage.promptTokensDetails);
  const completion = object(usage.completion_tokens_details) ?? object(usage.completionTokensDetails);
  return defined<Tokens>({
    input: finite(usage.prompt_tokens) ?? finite(usage.promptTokens),
    output: finite(usage.completion_tokens) ?? finite(usage.completionTokens),
    cache_read: finite(prompt?.cached_tokens) ?? finite(prompt?.cachedTokens),
    cache_write: finite(prompt?.cacheWriteTokens),
    reasoning: finite(completion?.reasoning_tokens) ?? finite(completion?.reasoningTokens),
  });
}
