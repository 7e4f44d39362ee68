/**
 * The canonical line: `seq`, `ts`, `harness`, `source`, `session`, `thread`, `role`, `kind`, `text`, the shape that other
 * tools write for this one. Its reading is generous, so that every line 2.0.x found a text in has one here too.
 */
import type { LineAdapter, RecordSink, SourceHead } from '../adapter.mts';
import type { Json, JsonObject, SessionFacts, TurnClass, TurnDraft } from '../turn.mts';
import { readBlocks, toolDraft } from './canonical/blocks.mts';
import { contentOf } from './canonical/content.mts';
import { defined, object, text, word } from '../fields.mts';

/** Keys by which other harnesses' lines are known: one of them, and the line is not canonical. */
const FOREIGN = ['payload', 'sessionId', 'parentUuid', 'parentId', 'leafUuid', 'data'];
const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

export const canonical: LineAdapter = {
  kind: 'lines',
  id: 'canonical',
  harness: '',
  version: 1,
  recognises,
  identify: (head: SourceHead) => factsOf(head.records[0] ?? {}),
  read,
};

function recognises(record: JsonObject): boolean {
  if (FOREIGN.some((key) => key in record)) return false;
  const named = seqOf(record.seq) !== undefined || typeof record.session === 'string' || typeof record.harness === 'string';
  const said = record.role !== undefined || record.kind !== undefined || record.type !== undefined || named;
  const holds = record.text !== undefined || record.content !== undefined || record.parts !== undefined || record.tool_calls !== undefined;
  // Without a name of its own a line must have a role: `type` and `content` alone are what many clients write.
  return said && holds && (named || typeof record.role === 'string' || typeof record.kind === 'string');
}

/** A number, or the text of one; null, '' and booleans are not a seq although JavaScript would make numbers of them. */
function seqOf(value: Json | undefined): number | undefined {
  if (typeof value === 'string') return NUMBER.test(value.trim()) ? Number(value) : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function factsOf(record: JsonObject): SessionFacts {
  return defined<SessionFacts>({ uuid: name(record.session), thread: word(record.thread), harness: word(record.harness), model: word(record.model), cwd: word(record.cwd) });
}

function name(value: Json | undefined): string | undefined {
  return typeof value === 'number' ? String(value) : word(value);
}

function read(record: JsonObject, to: RecordSink): void {
  // The session's name is the first record's (identify); a later one may name another.
  to.facts(defined<SessionFacts>({ harness: word(record.harness), model: word(record.model) ?? word(object(record.message)?.model), thread: word(record.thread), cwd: word(record.cwd) }));
  const base = baseOf(record);
  const whole = classOf(record);
  const content = contentOf(record);
  if (typeof content.text === 'string') to.turn({ ...base, ...(whole === 'TOOL' ? toolDraft(record, content.text) : { class: whole, text: content.text }) });
  for (const draft of readBlocks(content, whole, record)) to.turn({ ...base, ...draft });
}

function baseOf(record: JsonObject): Pick<TurnDraft, 'ts' | 'seq' | 'id'> {
  const ts = [record.ts, record.timestamp, object(record.message)?.created_at].find((value) => Boolean(value));
  const time = typeof ts === 'string' || typeof ts === 'number' ? String(ts) : '';
  return defined<Pick<TurnDraft, 'ts' | 'seq' | 'id'>>({ ts: time, seq: seqOf(record.seq), id: word(record.id) ?? word(record.uuid) });
}

/** The class of the whole record; blocks with a type of their own say theirs themselves. */
function classOf(record: JsonObject): TurnClass {
  const message = object(record.message);
  const payload = object(record.payload);
  const kind = text(record.kind) || text(record.type);
  const kinds = `${kind} ${text(payload?.kind) || text(payload?.type)}`.toLowerCase();
  const role = (text(record.role) || text(message?.role) || text(payload?.role)).toLowerCase();
  const plain = kind.toLowerCase();
  if (kinds.includes('tool') || kinds.includes('function_call') || role === 'tool' || role === 'function') return 'TOOL';
  if (kinds.includes('reason') || kinds.includes('think')) return 'THOUGHT';
  if (role === 'user' || role === 'human' || plain === 'human' || plain === 'user') return 'USER';
  if (role === 'assistant' || role === 'model' || plain === 'ai' || plain === 'assistant') return 'AGENT';
  return 'OTHER';
}
