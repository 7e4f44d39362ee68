/**
 * Forks of Codex. Up to 0.1xx the history of the other thread is copied behind its own session_meta, in one go and with
 * the time of the fork on every line; its turns keep their ids. Since 0.171 nothing is copied: `history_base` names the
 * other thread's file.
 */
import type { Replay, SourceHead } from '../../adapter.mts';
import type { JsonObject } from '../../turn.mts';
import { object, text, word } from '../../fields.mts';

/** Ids of version 7 begin with the millisecond in which they were made. */
const TIMED_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;
const TIME_DIGITS = 13;
/** Copies follow each other faster than anybody can work. */
const PAUSE_MS = 1_000;

export function replayOf(head: SourceHead): Replay | undefined {
  const metas = head.records.filter((record) => record.type === 'session_meta');
  const [first] = metas;
  const meta = object(first?.payload);
  const own = word(meta?.id);
  if (first === undefined || own === undefined) return undefined;
  if (otherThread(head, own) === undefined) {
    const base = word(object(meta?.history_base)?.thread_id);
    return base !== undefined && base !== own ? { judge: () => 'own', elsewhere: true } : undefined;
  }
  const began = Date.parse(text(first.timestamp));
  let last = began;
  return {
    apart: true,
    judge(record) {
      const payload = object(record.payload);
      if (record.type === 'session_meta') return payload?.id === own ? undefined : 'copied';
      const at = Date.parse(text(record.timestamp));
      const byId = olderThan(own, payload);
      if (byId === false) return 'own';
      if (byId === undefined && Number.isNaN(at)) return undefined;
      if (byId === undefined && at > began && at - last >= PAUSE_MS) return 'own';
      if (at > last) last = at;
      return 'copied';
    },
  };
}

/** The thread whose session_meta stands behind the file's own. */
export function otherThread(head: SourceHead, own: string | undefined): string | undefined {
  if (own === undefined) return undefined;
  for (const record of head.records) {
    const id = record.type === 'session_meta' ? word(object(record.payload)?.id) : undefined;
    if (id !== undefined && id !== own) return id;
  }
  return undefined;
}

/** Whether the record's turn began before the thread `own` did; undefined where its id does not tell. */
function olderThan(own: string, payload: JsonObject | undefined): boolean | undefined {
  const turn = text(payload?.turn_id);
  if (!TIMED_ID.test(turn) || !TIMED_ID.test(own)) return undefined;
  return turn.slice(0, TIME_DIGITS) < own.slice(0, TIME_DIGITS);
}
