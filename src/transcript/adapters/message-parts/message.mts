/** One message and its parts, and what its place in the session tells of it. */
import type { JsonObject } from '../../turn.mts';
import { word } from '../../fields.mts';

export interface Message {
  info: JsonObject;
  id: string;
  parts: JsonObject[];
  /** The session is a sub-agent's: its user is the agent that started it. */
  isChild: boolean;
  /** No message follows it: a text in it may still grow. */
  isLast: boolean;
  /** The person ran the command in it (`!git status`), not the agent. */
  isShell: boolean;
}

/** The part's own id, or its place in the message. */
export function partId(message: Message, part: JsonObject, place: number): string {
  return word(part.id) ?? `${message.id}/${place}`;
}
