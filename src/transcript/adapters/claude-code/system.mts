/** System records: notes of the client between the messages, all links of the chain. */
import type { RecordSink } from '../../adapter.mts';
import { object, text } from '../../fields.mts';
import { injectedAs, typedCommand } from '../../injected.mts';
import type { JsonObject } from '../../turn.mts';
import type { Base } from './chain.mts';
import { contentText, turnOf } from './chain.mts';

const METAS = new Map([
  ['compact_boundary', 'compaction'],
  ['microcompact_boundary', 'compaction'],
  ['api_error', 'api-error'],
  ['model_refusal_no_fallback', 'api-error'],
  ['stop_hook_summary', 'hook'],
  ['local_command', 'command-output'],
  ['turn_duration', 'system'],
]);

/** Gives exactly one turn: OTHER, but for a local command, which a person typed. */
export function readSystem(record: JsonObject, base: Base, to: RecordSink): void {
  const subtype = text(record.subtype) || 'record';
  const content = contentText(record.content);
  if (subtype === 'local_command' && base.side === undefined) {
    const typed = typedCommand(content);
    if (typed !== undefined) {
      to.turn(turnOf(base, 'USER', typed.text));
      return;
    }
  }
  const meta = METAS.get(subtype) ?? injectedAs(content) ?? 'system';
  to.turn(turnOf(base, 'OTHER', content || placeholder(subtype, record), meta));
}

function placeholder(subtype: string, record: JsonObject): string {
  const error = object(record.error);
  if (subtype === 'turn_duration' && typeof record.durationMs === 'number') return `[system turn_duration ${record.durationMs} ms]`;
  if (error !== undefined) {
    const what = text(error.formatted) || text(error.message) || String(error.status ?? '');
    const again = typeof record.retryAttempt === 'number' ? `, retry ${record.retryAttempt} of ${String(record.maxRetries ?? '?')}` : '';
    return `[system ${subtype}${what === '' ? '' : ` ${what}`}${again}]`;
  }
  if (subtype === 'stop_hook_summary' && typeof record.hookCount === 'number') {
    const errors = Array.isArray(record.hookErrors) ? record.hookErrors.filter((item) => typeof item === 'string').join('; ') : '';
    return `[system stop_hook_summary ${record.hookCount} hooks${errors === '' ? '' : `: ${errors}`}]`;
  }
  return `[system ${subtype}]`;
}
