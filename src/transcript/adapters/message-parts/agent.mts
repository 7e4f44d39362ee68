/** An agent's message: one request to the model. Its parts are written while it runs, and again in place when they end. */
import type { RecordSink } from '../../adapter.mts';
import type { JsonObject, SessionFacts, Tokens } from '../../turn.mts';
import { defined, finite, object, text, word } from '../../fields.mts';
import { fileLine } from './file.mts';
import { partId, type Message } from './message.mts';
import { iso, timeOf } from './time.mts';
import { readTool } from './tool.mts';

const SILENT = new Set(['step-start', 'snapshot', 'patch', 'agent', 'compaction']);

export function readAgentMessage(message: Message, to: RecordSink): void {
  const { info } = message;
  const isSummary = info.summary === true;
  // A summary may be written by another, smaller model than the one that the session works with.
  if (!isSummary) to.facts(defined<SessionFacts>({ model: word(info.modelID) }));
  const { created, completed } = timeOf(info);
  let steps = 0;
  for (const [place, part] of message.parts.entries()) {
    const base = { ts: iso(timeOf(part).start, created), id: partId(message, part, place) };
    const type = text(part.type);
    switch (type) {
      case 'text':
        if (!isWhole(part, message)) break;
        if (isSummary) to.turn({ ...base, class: 'OTHER', text: text(part.text), meta: 'compaction-summary' });
        else if (part.synthetic === true || part.ignored === true) to.turn({ ...base, class: 'OTHER', text: text(part.text), meta: 'notification' });
        else to.turn({ ...base, class: 'AGENT', text: text(part.text) });
        break;
      case 'reasoning':
        if (isWhole(part, message)) to.turn({ ...base, class: 'THOUGHT', text: text(part.text) });
        break;
      case 'tool':
        readTool(part, base, message.isShell, to);
        break;
      case 'file':
        to.turn({ ...base, class: 'OTHER', text: fileLine(part), meta: 'attachment' });
        break;
      case 'retry':
        to.turn({ ...base, ts: iso(timeOf(part).created, created), class: 'OTHER', text: errorText(part), meta: 'api-error' });
        break;
      case 'step-finish':
        steps += 1;
        to.usage(base.id, tokensOf(part));
        break;
      default:
        if (!SILENT.has(type)) to.unknown(`part/${type}`);
    }
  }
  // The message's own numbers are those of its steps.
  if (steps === 0) to.usage(message.id, tokensOf(info));
  if (object(info.error) !== undefined) {
    const meta = object(info.error)?.name === 'MessageAbortedError' ? 'interrupted' : 'api-error';
    to.turn({ ts: iso(completed, created), id: message.id, class: 'OTHER', text: errorText(info), meta });
  }
}

/** A text that begins and does not end is still being written, unless its message is over. */
function isWhole(part: JsonObject, message: Message): boolean {
  const { start, end } = timeOf(part);
  if (start === undefined || end !== undefined) return true;
  return !message.isLast || timeOf(message.info).completed !== undefined || object(message.info.error) !== undefined;
}

function errorText(holder: JsonObject): string {
  const error = object(holder.error);
  return word(object(error?.data)?.message) ?? word(error?.message) ?? word(error?.name) ?? 'the request failed';
}

function tokensOf(holder: JsonObject): Tokens {
  const tokens = object(holder.tokens);
  const cache = object(tokens?.cache);
  return defined<Tokens>({
    input: finite(tokens?.input),
    output: finite(tokens?.output),
    reasoning: finite(tokens?.reasoning),
    cache_read: finite(cache?.read),
    cache_write: finite(cache?.write),
  });
}
