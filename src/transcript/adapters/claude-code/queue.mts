/** The client's queue of prompts: what was put in, and what left it, so that what was never delivered can be found. */
import type { RecordSink } from '../../adapter.mts';
import { text } from '../../fields.mts';
import { injectedAs } from '../../injected.mts';
import type { JsonObject } from '../../turn.mts';
import { contentText } from './chain.mts';

/** Commands that the client stores under another name than the one that was typed. */
const STORED_AS_USAGE = new Set(['/usage', '/cost', '/stats']);

/** Turns of one queue-operation; the operations of 2.0.x, which name no text, give none. */
export function readQueue(record: JsonObject, to: RecordSink): void {
  const ts = text(record.timestamp);
  const said = contentText(record.content);
  if (record.operation === 'enqueue') {
    if (said === '') return;
    const meta = injectedAs(said) === 'notification' ? 'queued-notification' : 'queued';
    to.turn({ class: 'OTHER', ts, text: said, meta });
    if (STORED_AS_USAGE.has(said.trim())) to.turn({ class: 'USER', ts, text: said.trim() });
    return;
  }
  const name = text(record.operation) || 'operation';
  to.turn({ class: 'OTHER', ts, text: said === '' ? `[queue ${name}]` : `[queue ${name}] ${said}`, meta: 'queue' });
}
