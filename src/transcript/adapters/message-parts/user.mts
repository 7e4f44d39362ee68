/**
 * A user's message. Of its text parts only those without a mark were typed; the client adds what it read for an
 * attachment, reminders, and the word to go on after a compaction, each marked `synthetic`.
 */
import type { RecordSink } from '../../adapter.mts';
import { splitInjected } from '../../injected.mts';
import type { JsonObject, TurnDraft } from '../../turn.mts';
import { object, text, word } from '../../fields.mts';
import { fileLine } from './file.mts';
import { partId, type Message } from './message.mts';
import { unquoted } from './prompt.mts';
import { iso, timeOf } from './time.mts';

/** Stands in place of the prompt where the person ran a command by hand; the next message holds it. */
export const SHELL_NOTE = 'The following tool was executed by the user';
/** Mark a place in the session and say nothing. */
const SILENT = new Set(['agent', 'snapshot', 'patch', 'step-start', 'step-finish']);

export function readUserMessage(message: Message, to: RecordSink): void {
  const created = timeOf(message.info).created;
  for (const [place, part] of message.parts.entries()) {
    const base = { ts: iso(created, timeOf(part).start), id: partId(message, part, place) };
    const type = text(part.type);
    switch (type) {
      case 'text':
        readText(part, base, message, to);
        break;
      case 'file':
        to.turn({ ...base, class: 'OTHER', text: fileLine(part), meta: 'attachment' });
        break;
      case 'compaction':
        to.turn({ ...base, class: 'OTHER', text: `Context compacted (${part.auto === true ? 'by the client' : 'on request'})`, meta: 'compaction' });
        break;
      case 'subtask':
        readSubtask(part, base, to);
        break;
      default:
        if (!SILENT.has(type)) to.unknown(`part/${type}`);
    }
  }
}

function readText(part: JsonObject, base: { ts: string; id: string }, message: Message, to: RecordSink): void {
  const body = text(part.text);
  if (part.synthetic === true) return to.turn({ ...base, class: 'OTHER', text: body, meta: addedAs(part, body) });
  // Shown to the person and kept from the model: a plug-in's word.
  if (part.ignored === true) return to.turn({ ...base, class: 'OTHER', text: body, meta: 'notification' });
  if (message.isChild) return to.turn({ ...base, class: 'OTHER', text: body, meta: 'task' });
  splitInjected(unquoted(body)).forEach((piece, at) => {
    const draft: TurnDraft = { ...base, part: at, class: piece.meta === undefined ? 'USER' : 'OTHER', text: piece.text };
    if (piece.meta !== undefined) draft.meta = piece.meta;
    to.turn(draft);
  });
}

function addedAs(part: JsonObject, body: string): string {
  if (object(part.metadata)?.compaction_continue === true) return 'continue';
  return body === SHELL_NOTE ? 'command' : 'synthetic';
}

/** A command that runs in a sub-agent: its name is what the person typed, the body is what the client made of it. */
function readSubtask(part: JsonObject, base: { ts: string; id: string }, to: RecordSink): void {
  const command = word(part.command);
  if (command !== undefined) to.turn({ ...base, class: 'USER', text: `/${command}` });
  to.turn({ ...base, part: 1, class: 'OTHER', text: text(part.prompt), meta: 'expanded' });
}
