/**
 * A session of Gemini CLI, put together from what was written: messages that are written again with more in them, lists
 * that replace all of history, prompts that are taken back. Every message is kept with the fullest that was ever said of
 * it: a resumed session writes its history anew and poorer than it was.
 */
import type { Json, JsonObject } from '../../turn.mts';
import { object, objects, text, word } from '../../fields.mts';
import { entriesOf, newCall, takeEntry, takePart, takeResponse, type Call } from './calls.mts';
import { contentText, firstText, isSaying, partsOf } from './parts.mts';
import { isSnapshot, typedPieces } from './typed.mts';

export interface Message {
  id: string;
  /** Of the first time that it was written: a resume writes its own time on all of them. */
  ts: string;
  type: string;
  content: Json | undefined;
  /** What the client showed as the prompt. */
  shown: Json | undefined;
  thoughts: JsonObject[];
  tokens: JsonObject | undefined;
  model: string | undefined;
  calls: Call[];
  /** `copy`: a rewritten history says again what was said; `rewritten`: it says it with other words. */
  origin: 'said' | 'copy' | 'rewritten';
}

/** A message, or the place where prompts were taken back: the record's position and how many. */
export type Entry = Message | { rewound: number; position: number };

export interface History {
  /** In the order of their first writing. */
  readonly entries: readonly Entry[];
  /** A message that was written by itself. */
  write(record: JsonObject, position: number): void;
  /** A list that replaces all messages. */
  replace(messages: readonly Json[]): void;
  /** Takes back the message `id` and all after it. */
  rewind(id: string, position: number): void;
  /** The client was started anew. */
  started(): void;
}

export function createHistory(): History {
  const entries: Entry[] = [];
  const messages = new Map<string, Message>();
  const calls = new Map<string, Call>();
  const spoken = new Set<string>();
  let live = new Set<string>();
  /** After the summary of a compression the client writes what it keeps of the history once more, as new messages. */
  let copying = false;

  function take(record: JsonObject, id: string, way: 'line' | 'list', derived: boolean): Message {
    const known = messages.get(id);
    const message = known ?? { id, ts: text(record.timestamp), type: text(record.type), content: undefined, shown: undefined, thoughts: [], tokens: undefined, model: undefined, calls: [], origin: 'said' };
    merge(message, record, way === 'list' && known !== undefined);
    if (known === undefined) {
      const key = `${message.type}\0${contentText(message.content)}`;
      if (derived) message.origin = spoken.has(key) ? 'copy' : 'rewritten';
      else spoken.add(key);
      messages.set(id, message);
      entries.push(message);
    }
    takeCalls(message, record, way === 'list');
    return message;
  }

  function takeCalls(message: Message, record: JsonObject, rewritten: boolean): void {
    entriesOf(record).forEach(({ id, entry }, at) => {
      const call = id === undefined ? unnamed(message, at) : named(id, message);
      takeEntry(call, entry, rewritten);
    });
    for (const part of partsOf(record.content)) {
      const called = object(part.functionCall);
      const response = object(part.functionResponse);
      const id = word((called ?? response)?.id);
      if (id === undefined) continue;
      if (called !== undefined) takePart(named(id, message), called);
      if (response === undefined) continue;
      const orphan = !calls.has(id);
      const call = named(id, message);
      if (orphan) call.orphan = true;
      takeResponse(call, part, response, message.ts);
    }
  }

  function named(id: string, owner: Message): Call {
    let call = calls.get(id);
    if (call === undefined) {
      call = newCall(id);
      calls.set(id, call);
      owner.calls.push(call);
    }
    return call;
  }

  const isPrompt = (id: string): boolean => {
    const message = messages.get(id);
    return message?.type === 'user' && typedPieces(partsOf(message.content)).some((piece) => piece.meta === undefined);
  };

  return {
    entries,
    write(record, position) {
      const id = word(record.id) ?? `#${position}`;
      const message = take(record, id, 'line', copying);
      live.add(id);
      if (message.type === 'user' && isSnapshot(firstText(message.content))) {
        copying = true;
        message.origin = 'said';
      }
    },
    replace(items) {
      const all = objects([...items]);
      const lastKnown = all.findLastIndex((record) => messages.has(text(record.id)));
      let summed = false;
      live = new Set(all.map((record, at) => {
        const id = word(record.id) ?? `#list-${at}`;
        // New among messages that are known: an old one in another form. New behind them: new.
        const message = take(record, id, 'list', summed || at < lastKnown);
        if (message.type === 'user' && isSnapshot(firstText(message.content))) {
          summed = true;
          message.origin = 'said';
        }
        return id;
      }));
      copying = false;
    },
    rewind(id, position) {
      const all = [...live];
      const at = Math.max(all.indexOf(id), 0);
      const gone = all.slice(at);
      live = new Set(all.slice(0, at));
      entries.push({ rewound: gone.filter(isPrompt).length, position });
    },
    started() {
      copying = false;
    },
  };
}

/** What a later writing adds. A list may only fill what is missing. */
function merge(message: Message, record: JsonObject, fill: boolean): void {
  if (record.content !== undefined && (!isSaying(message.content) || (!fill && isSaying(record.content)))) message.content = record.content;
  message.shown ??= record.displayContent;
  const thoughts = objects(record.thoughts);
  if (thoughts.length > message.thoughts.length || (!fill && thoughts.length > 0)) message.thoughts = thoughts;
  message.tokens = (fill ? message.tokens : undefined) ?? object(record.tokens) ?? message.tokens;
  message.model ??= word(record.model);
}

/** A call without an id is known by its place. */
function unnamed(message: Message, at: number): Call {
  const call = message.calls[at] ?? newCall(undefined);
  message.calls[at] = call;
  return call;
}
