/**
 * What an adapter is: a function from one record to turns (docs/ARCHITECTURE.md, "Prefix stability").
 * It looks at the record it is given and remembers nothing, so the turns made from a prefix of a
 * transcript never change when the transcript grows.
 */
import type { Json, JsonObject, SessionFacts, Tokens, TurnDraft } from './turn.mts';

/** Where an adapter puts what it found in one record. */
export interface RecordSink {
  /** Turns in the record's own order; their `part` follows from it. A turn whose text is '' is dropped. */
  turn(draft: TurnDraft): void;
  facts(facts: SessionFacts): void;
  /** Tokens of the message `id`; said again for the same id, the larger value of each kind counts once. */
  usage(id: string, tokens: Tokens): void;
  /** Running total of the session; the last one counts, added to those before where a client began to count anew (usage.mts). */
  usageTotal(tokens: Tokens): void;
  /** A record type that the adapter does not know; counted by type, never fatal. */
  unknown(type: string): void;
}

/** The beginning of a file: its whole records, up to a bound, and where it lies. */
export interface SourceHead {
  /** Absolute path, or '-' for standard input. */
  path: string;
  records: JsonObject[];
}

/** An append-only source with one JSON record a line. */
export interface LineAdapter {
  readonly kind: 'lines';
  readonly id: string;
  /** The harness's name for the manifest (`claude-code`, `codex`); '' where the lines name it themselves. */
  readonly harness: string;
  /** Raised when the turns made from the same record change. */
  readonly version: number;
  /** Whether the record is of this adapter's shape; detection takes the adapter that recognises the most of a head. */
  recognises(record: JsonObject): boolean;
  /** What the head tells about the session; must not change when the file grows. */
  identify(head: SourceHead): SessionFacts;
  /**
   * The reading of this adapter that fits one file, where generations of a format cannot be told apart record by
   * record. Decided by the file's first records only, so that it never changes when the file grows.
   */
  variant?(head: SourceHead): LineAdapter;
  read(record: JsonObject, to: RecordSink): void;
  /** Where the head tells that the file begins with turns of another session: who judges its records, in order from the first. */
  replay?(head: SourceHead): Replay | undefined;
  /**
   * What it takes from a record it takes with the names that stand beside it: a call's input as JSON, a result's text whole,
   * and it joins no two texts without something between them.
   * Then the look for secrets may go over what it gives, which is a third of a record, instead of over the record.
   */
  readonly keepsNames?: true;
  /** Where the client kept the whole of a result outside of the transcript, of which `text` is what the record says. */
  keptOutput?(text: string, path: string): KeptOutput | undefined;
  /** In a sub-agent's own file: the `side` that its turns name, which there is the main agent. */
  ownSide?(head: SourceHead): string | undefined;
}

export interface KeptOutput {
  /** As the record names it. */
  named: string;
  /** In the folder of the session; absent where it lies elsewhere. */
  file?: string;
}

/** A fork: how to find the end of what was copied into it. */
export interface Replay {
  /** `own`: this record was written in the fork, and nothing after it is a copy. Undefined where the record does not tell. */
  judge(record: JsonObject): 'copied' | 'own' | undefined;
  /** The copies are another thread's work and not the same conversation: the objective is the first own prompt, where there is one. */
  apart?: true;
  /** What went before the fork stands in the other session's file, and nothing of it in this one. */
  elsewhere?: true;
}

/**
 * A source that changes in place: one JSON document, a log of operations, the rows of a database. It is read whole, and
 * a turn is known by its identity: `id` (the source's own message or part id, or `#<position>` where it has none), with
 * `call`, kind and `part` (the block's number in that message, told by the adapter). The same set of turns comes out
 * whatever states were captured in between (docs/ARCHITECTURE.md, "Identity instead of position").
 */
export interface WholeAdapter {
  readonly kind: 'whole';
  readonly id: string;
  readonly harness: string;
  readonly version: number;
  /** From the first bytes of the file (256 KiB at most, without BOM) and its path. Must be sure: it is asked before the line adapters. */
  looksLike(head: string, path: string): boolean;
  /**
   * What is read. `document`: the file's JSON. `log`: a list of its lines' records. A function loads what lies in several
   * files or in a database; it reads only, and never outside the harness's own session folder.
   */
  readonly form: 'document' | 'log' | ((path: string, session: string | undefined, scratch: string) => Promise<Loaded> | Loaded);
  /** Turns in order, every draft with `id` and, past the first block of a message, `part`. Texts that are not whole yet are left out. */
  read(value: Json, path: string, to: RecordSink): void;
}

/** What a loader found. */
export interface Loaded {
  value: Json;
  /** SHA-256 over the bytes that make up this session, and how many. */
  raw_sha256: string;
  bytes: number;
  /** What `source_paths` names: `<file>#<session>` for a database. */
  path: string;
  /** Records that do not parse: a build stops at them, or leaves them out where that is asked for. */
  bad?: readonly BadRecord[];
}

export interface BadRecord {
  /** Its place among the records of the session, counted from 1. */
  line: number;
  offset: number;
  reason: string;
}
