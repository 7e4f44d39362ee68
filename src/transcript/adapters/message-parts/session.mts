/**
 * The common model of OpenCode and its forks: a session has messages, a message has parts, and a part is written again
 * in its place while it grows. An export holds them as one document; the file store and the database are brought into
 * the same shape. A turn is known by the id of its part.
 */
import type { RecordSink } from '../../adapter.mts';
import type { Json, JsonObject, SessionFacts } from '../../turn.mts';
import { defined, object, objects, text, word } from '../../fields.mts';
import { readAgentMessage } from './agent.mts';
import type { Message } from './message.mts';
import { unquoted } from './prompt.mts';
import { iso, timeOf } from './time.mts';
import { readUserMessage, SHELL_NOTE } from './user.mts';

/** Clients that could not think of a title yet call a session so. */
const UNTITLED = /^(?:New|Child) session - \d{4}-\d\d-\d\dT/;
/** What `export --sanitize` puts in the place of every text and path. */
const SANITIZED = '[redacted:';

/** Takes `{info, messages: [{info, parts}]}`; anything else gives nothing. */
export function readSession(value: Json, to: RecordSink): void {
  const session = object(value);
  const info = object(session?.info) ?? {};
  const parent = word(info.parentID);
  const messages = objects(session?.messages);
  to.facts({ ...factsOf(info, parent), ...(parent === undefined ? forkOf(info, messages) : {}) });

  const shells = new Set<string>();
  messages.forEach((one, at) => {
    const about = object(one.info) ?? {};
    const id = word(about.id) ?? `#${at}`;
    const parts = objects(one.parts);
    const message: Message = { info: about, id, parts, isChild: parent !== undefined, isLast: at === messages.length - 1, isShell: shells.has(text(about.parentID)) };
    switch (about.role) {
      case 'user':
        if (parts.some((part) => part.synthetic === true && part.text === SHELL_NOTE)) shells.add(id);
        return readUserMessage(message, to);
      case 'assistant':
        return readAgentMessage(message, to);
      default:
        to.unknown(`message/${word(about.role) ?? '(no role)'}`);
    }
  });
}

/**
 * A fork's messages are copies with ids of their own, and keep the times they were first written at: a session begins before
 * all that is said in it. Of which session it is one stands nowhere.
 */
function forkOf(info: JsonObject, messages: readonly JsonObject[]): SessionFacts {
  const before = iso(timeOf(info).created);
  const first = iso(timeOf(object(messages[0]?.info)).created);
  return first !== '' && first < before ? { fork: { of: '', by: 'messages older than the session', before } } : {};
}

function factsOf(info: JsonObject, parent: string | undefined): SessionFacts {
  const said = (value: string): string | undefined => (value === '' || value.startsWith(SANITIZED) ? undefined : value);
  const title = said(unquoted(text(info.title)));
  const id = word(info.id);
  return defined<SessionFacts>({
    // Its turns have the ids of the real ones and other texts: it must not go on from them.
    uuid: id !== undefined && text(info.directory).startsWith(SANITIZED) ? `${id}-sanitized` : id,
    cwd: said(text(info.directory)),
    model: word(object(info.model)?.id),
    title: title === undefined || UNTITLED.test(title) ? undefined : title,
    clientVersion: word(info.version),
    parent_session: parent,
  });
}
