/** The client's queue of prompts: what was put in, and what left it, so that what was never delivered can be found. */
import type { RecordSink } from '../../adapter.mts';
import { injectedAs } from '../../injected.mts';
import type { JsonObject } from '../../turn.mts';
import { contentText, str } from './chain.mts';

/** Commands that the client stores under another name than the one that was typed. */
const STORED_AS_USAGE = new Set(['/usage', '/cost', '/stats']);

/** Turns of one queue-operation; the operations of 2.0.x, which name no text, give none. */
export function readQueue(record: JsonObject, to: RecordSink): void {
  const ts = str(record.timestamp);
  const text = contentText(record.content);
  if (record.operation === 'enqueue') {
    if (text === '') return;
    const meta = injectedAs(text) === 'notification' ? 'queued-notification' : 'queued';
    to.turn({ class: 'OTHER', ts, text, meta });
    if (STORED_AS_USAGE.has(text.trim())) to.turn({ class: 'USER', ts, text: text.trim() });
    return;
  }
  const name = str(record.operation) || 'operation';
  to.turn({ class: 'OTHER', ts, text: text === '' ? `[queue ${name}]` : `[queue ${name}] ${text}`, meta: 'queue' });
}
