/**
 * Chat exports: one document `{"messages":[{role,content}, …]}`, or the list of messages alone, in the shapes of the
 * OpenAI and Anthropic APIs. So many tools write it that it is asked last, and only where every message has a role. A list
 * of whole conversations is taken too, to say by name that it is not one.
 */
import { HandoffError } from '../../lib/errors.mts';
import type { RecordSink, WholeAdapter } from '../adapter.mts';
import type { Json, JsonObject, SessionFacts, Tokens } from '../turn.mts';
import { documentHead } from './chat/head.mts';
import { createIds, timeOf } from './chat/identity.mts';
import { readMessage } from './chat/messages.mts';
import { conversationsIn, isChat, messagesIn } from './chat/shape.mts';
import { defined, finite, object, text, word } from '../fields.mts';

export const chat: WholeAdapter = {
  kind: 'whole',
  id: 'chat',
  harness: 'chat',
  version: 1,
  looksLike(head) {
    if (!/"(?:role|mapping|chat_messages|conversations)"/.test(head)) return false;
    const value = documentHead(head);
    return value !== undefined && (isChat(value) || conversationsIn(value) !== undefined);
  },
  form: 'document',
  read,
};

/** Throws SHAPE for a list of conversations. */
function read(value: Json, path: string, to: RecordSink): void {
  const conversations = conversationsIn(value);
  if (conversations !== undefined) {
    throw new HandoffError('SHAPE', `${path === '-' ? 'standard input' : path} is a list of ${conversations} conversations, and a handoff is one session: save one of them as a file of its own, {"messages":[…]}, and build that`);
  }
  const document = object(value) ?? {};
  to.facts(defined<SessionFacts>({
    uuid: idIn(document),
    title: word(document.title) ?? word(document.name),
    model: word(document.model),
    cwd: word(document.cwd),
  }));
  const idOf = createIds();
  messagesIn(value).forEach((item, position) => {
    const message = object(item);
    if (message === undefined || typeof message.role !== 'string') return to.unknown('message without a role');
    const id = idOf(message.id ?? message.uuid, position);
    const usage = object(message.usage);
    if (usage !== undefined) to.usage(id, tokensOf(usage));
    to.facts(defined<SessionFacts>({ model: word(message.model) }));
    const ts = timeOf(message.timestamp, message.ts, message.created_at, message.createdAt, message.create_time, message.time);
    readMessage(message, { ts, id }, to);
  });
}

const ID_KEYS = ['session_id', 'sessionId', 'session', 'conversation_id', 'conversationId', 'thread_id', 'chat_id', 'uuid', 'id'];

function idIn(document: JsonObject): string | undefined {
  for (const key of ID_KEYS) if (text(document[key]) !== '') return text(document[key]);
  return undefined;
}

function tokensOf(usage: JsonObject): Tokens {
  return defined<Tokens>({
    input: finite(usage.input_tokens) ?? finite(usage.prompt_tokens),
    output: finite(usage.output_tokens) ?? finite(usage.completion_tokens),
    cache_read: finite(usage.cache_read_input_tokens) ?? finite(object(usage.prompt_tokens_details)?.cached_tokens),
    cache_write: finite(usage.cache_creation_input_tokens),
    reasoning: finite(object(usage.completion_tokens_details)?.reasoning_tokens),
  });
}
