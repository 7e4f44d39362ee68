/**
 * The neutral model that every harness is read into. A turn is what one line of timeline.jsonl says;
 * docs/FORMAT.md has the meaning of each key.
 */
export const TURN_CLASSES = ['USER', 'AGENT', 'THOUGHT', 'TOOL', 'OTHER'] as const;
export type TurnClass = (typeof TURN_CLASSES)[number];

/** What a tool does to the world, as far as its name tells: `read` and `idempotent` are safe to repeat. */
export type Effect = 'read' | 'idempotent' | 'write' | 'unknown';

/** A turn as an adapter sees it: what one record says, before it has a number. */
export interface TurnDraft {
  class: TurnClass;
  /** The record's own time as it wrote it, or '' where it has none. */
  ts: string;
  text: string;
  /** The record's own finite `seq`; only the canonical shape has one. */
  seq?: number;
  /** The source's own message or record id, and the id of the record it hangs on. */
  id?: string;
  parent?: string;
  /** The record's own id, where `id` is that of a message written in several records: `parent` names this one. */
  record?: string;
  /** On TOOL turns: a call or its result, the tool's name, the call's id. */
  kind?: 'call' | 'result';
  tool?: string;
  call?: string;
  /** On calls. */
  effect?: Effect;
  /** On results: false where it failed; absent where the record does not tell. */
  ok?: boolean;
  exit?: number;
  /** The sub-agent it ran in; absent for the main agent. */
  side?: string;
  /** The block's number in its message, where a source is known by identity; else capture counts. */
  part?: number;
  /** In a merged timeline: the session that it is from. Ids, parents and calls are that session's own. */
  from?: string;
  /** Why it is OTHER, or that it is synthetic, refused, cancelled, queued, continued, superseding. */
  meta?: string;
}

/** What the text of a call begins with, before the tool's name and its input: the client's word for a call. */
export const CALL_LEAD = /^(?:tool_use|\w+_call) /;

/** A turn of the timeline. (`seq`, `part`) is unique in a session; `part` is absent for 0. */
export interface Turn extends TurnDraft {
  seq: number;
}

export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** What a source says about its session, apart from turns. The first value of each wins, but for those that say so. */
export interface SessionFacts {
  /** The transcript's own id. */
  uuid?: string;
  /** The last value wins: a session goes on with the model that it was switched to. */
  model?: string;
  cwd?: string;
  /** The last value wins. */
  branch?: string;
  /** The last value wins. */
  commit?: string;
  /** The last value wins. */
  title?: string;
  clientVersion?: string;
  /** Canonical lines only: the harness they name, and the thread's name (it may carry a `--project--` tag). */
  harness?: string;
  thread?: string;
  parent_session?: string;
  /**
   * Where the file tells that it began as a copy of another session; `of` is '' where it does not tell of which.
   * `before`, of a source that changes in place: the time of the fork, turns of earlier times are copies.
   */
  fork?: { of: string; by: string; before?: string };
}

/** Tokens of one message, or of the session so far (`total`). */
export interface Tokens {
  input?: number;
  output?: number;
  cache_read?: number;
  cache_write?: number;
  reasoning?: number;
}
