/**
 * Codex rollouts: `{"timestamp","type","payload"}` a line, from the first that had events (0.3x) to 0.171.
 * Messages, reasoning, calls and outputs are taken from response items; an event is taken only for what no
 * item carries. Identity is the first session_meta: a later one belongs to history copied from another thread.
 */
import type { LineAdapter, RecordSink, SourceHead } from '../adapter.mts';
import type { JsonObject, SessionFacts } from '../turn.mts';
import { readEvent } from './codex/events.mts';
import { readItem } from './codex/items.mts';
import type { Reading } from './codex/reading.mts';
import { total } from './codex/reading.mts';
import { otherThread, replayOf } from './codex/replay.mts';
import { defined, object, text, word } from '../fields.mts';

const TOP = new Set(['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted', 'world_state', 'token_usage_record',
  'inter_agent_communication', 'inter_agent_communication_metadata', 'dynamic_tools_updated', 'security_risk_score', 'realtime_item']);
/** The first client that is known to write an item right behind its event. */
const ITEM_BEHIND_EVENT = 110;
const ROLLOUT = /rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/;

export const codex: LineAdapter = reader({ eventsFirst: false, subagent: false });

function reader(reading: Reading): LineAdapter {
  return {
    kind: 'lines',
    id: 'codex',
    harness: 'codex',
    version: 2,
    keepsNames: true,
    recognises: (record) => object(record.payload) !== undefined && TOP.has(text(record.type)),
    identify,
    replay: replayOf,
    read: (record, to) => read(record, to, reading),
    variant: (head) => reader(readingOf(head)),
  };
}

function firstMeta(head: SourceHead): JsonObject | undefined {
  return object(head.records.find((record) => record.type === 'session_meta')?.payload);
}

function readingOf(head: SourceHead): Reading {
  const meta = firstMeta(head);
  const version = /^0\.(\d+)\./.exec(text(meta?.cli_version));
  return {
    eventsFirst: version !== null && Number(version[1]) < ITEM_BEHIND_EVENT,
    subagent: meta?.thread_source === 'subagent' || object(meta?.source)?.subagent !== undefined,
  };
}

function identify(head: SourceHead): SessionFacts {
  const meta = firstMeta(head);
  // The name of a file that an edited prompt began goes on with another uuid: only the first one is the thread's.
  const uuid = word(meta?.id) ?? ROLLOUT.exec(head.path)?.[1];
  const spawn = object(object(object(meta?.source)?.subagent)?.thread_spawn);
  const git = object(meta?.git);
  const of = word(meta?.forked_from_id) ?? otherThread(head, uuid);
  return defined<SessionFacts>({
    uuid,
    cwd: word(meta?.cwd),
    branch: word(git?.branch),
    commit: word(git?.commit_hash),
    clientVersion: word(meta?.cli_version),
    parent_session: word(meta?.parent_thread_id) ?? word(spawn?.parent_thread_id),
    fork: of === undefined || uuid === undefined ? undefined : { of, by: uuid },
  });
}

function read(record: JsonObject, to: RecordSink, reading: Reading): void {
  const payload = object(record.payload);
  const type = text(record.type);
  if (payload === undefined) {
    to.unknown(type === '' ? '(no type)' : type);
    return;
  }
  const ts = text(record.timestamp);
  switch (type) {
    case 'response_item':
      return readItem(record, payload, ts, to, reading);
    case 'event_msg':
      return readEvent(payload, ts, to, reading);
    case 'turn_context':
      return to.facts(defined<SessionFacts>({ model: word(payload.model), cwd: word(payload.cwd) }));
    case 'compacted':
      // replacement_history repeats messages that were read when they were said.
      return to.turn({ class: 'OTHER', ts, text: text(payload.message), meta: 'compaction-summary' });
    case 'token_usage_record':
      return total(object(payload.thread_token_usage), to);
    default:
      if (!TOP.has(type)) to.unknown(type === '' ? '(no type)' : type);
  }
}
