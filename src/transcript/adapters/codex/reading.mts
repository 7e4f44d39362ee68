/** What all parts of the reader share: how this file is read, and how it counts. */
import type { RecordSink } from '../../adapter.mts';
import type { JsonObject, Tokens } from '../../turn.mts';
import { defined, finite } from '../../fields.mts';

/** What the first records of a file say about all of it. */
export interface Reading {
  /**
   * Old clients wrote an answer as an event while it streamed and the item only after the whole step, or, when
   * they died in it, never; the items look like those of newer clients. There the events are the source.
   */
  eventsFirst: boolean;
  /** The file of a sub-agent: what stands in the user's role is its parent's task. */
  subagent: boolean;
}

/** The running total of the thread; clients before 0.110 began it anew at each resume. */
export function total(usage: JsonObject | undefined, to: RecordSink): void {
  if (usage !== undefined) to.usageTotal(tokens(usage));
}

/** Codex counts what came from its cache within `input_tokens`; here the two stand side by side as it wrote them. */
function tokens(usage: JsonObject): Tokens {
  return defined<Tokens>({
    input: finite(usage.input_tokens),
    output: finite(usage.output_tokens),
    cache_read: finite(usage.cached_input_tokens),
    cache_write: finite(usage.cache_write_input_tokens),
    reasoning: finite(usage.reasoning_output_tokens),
  });
}
