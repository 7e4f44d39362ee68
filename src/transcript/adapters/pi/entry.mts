/** What every entry of the tree says about its turns. */
import type { RecordSink } from '../../adapter.mts';
import type { Json, JsonObject, Tokens, TurnDraft } from '../../turn.mts';
import { defined, finite, object, text, word } from '../../fields.mts';

export type Entry = Pick<TurnDraft, 'ts' | 'id' | 'parent'>;

export function entryOf(record: JsonObject): Entry {
  return defined<Entry>({ ts: text(record.timestamp), id: word(record.id), parent: word(record.parentId) });
}

/** A turn for an entry that is a node of the tree and says nothing that a reader needs. */
export function note(entry: Entry, to: RecordSink, said: string): void {
  if (entry.id !== undefined) to.turn({ ...entry, class: 'OTHER', text: said, meta: 'state' });
}

export function countTokens(value: Json | undefined, entry: Entry, to: RecordSink): void {
  const usage = object(value);
  if (usage === undefined) return;
  to.usage(entry.id ?? entry.ts, defined<Tokens>({
    input: finite(usage.input), output: finite(usage.output), cache_read: finite(usage.cacheRead), cache_write: finite(usage.cacheWrite), reasoning: finite(usage.reasoning),
  }));
}
