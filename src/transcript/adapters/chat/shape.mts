/** Whether a document is a chat, or a list of chats. Sure or not at all: a document of another harness must not pass for one. */
import type { Json, JsonObject } from '../../turn.mts';
import { list, object, text } from '../../fields.mts';

const ROLES = new Set(['user', 'human', 'assistant', 'ai', 'model', 'system', 'developer', 'tool', 'function']);
/** Where the messages of one conversation stand in the exports of common services. */
const CONVERSATION_KEYS = ['messages', 'mapping', 'chat_messages', 'conversation', 'conversations'];

export function messagesIn(value: Json): Json[] {
  return Array.isArray(value) ? value : list(object(value)?.messages);
}

/** Every item is a message, and at least one is there. */
export function isChat(value: Json): boolean {
  const items = messagesIn(value).map((item) => object(item));
  // What is seen of a long document may end within its last message, before it has a content.
  const last = items.at(-1);
  const sure = items.length > 1 && last !== undefined && isCut(last) ? items.slice(0, -1) : items;
  return sure.length > 0 && sure.every(isMessage);
}

function isMessage(item: JsonObject | undefined): boolean {
  if (item === undefined || !ROLES.has(text(item.role))) return false;
  const { content } = item;
  return typeof content === 'string' || Array.isArray(content) || Array.isArray(item.tool_calls) || object(item.function_call) !== undefined
    || content === null || typeof object(content)?.type === 'string' || typeof item.reasoning_content === 'string';
}

function isCut(item: JsonObject): boolean {
  return item.content === undefined && (item.role === undefined || ROLES.has(text(item.role)));
}

/** How many conversations the document lists; undefined where it is no such list. */
export function conversationsIn(value: Json): number | undefined {
  const items = Array.isArray(value) ? value : list(object(value)?.conversations);
  // The last one may be cut where only the beginning of the document is seen.
  const sure = items.length > 1 ? items.slice(0, -1) : items;
  return sure.length > 0 && sure.every((item) => isConversation(object(item))) ? items.length : undefined;
}

function isConversation(item: JsonObject | undefined): boolean {
  return item !== undefined && item.role === undefined && CONVERSATION_KEYS.some((key) => typeof item[key] === 'object' && item[key] !== null);
}
