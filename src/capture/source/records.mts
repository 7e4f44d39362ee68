/**
 * From a line of a transcript to turns without numbers: JSON, redaction, adapter. Also what the lines tell besides
 * turns: facts, tokens, and what could not be read.
 */
import { isUtf8 } from 'node:buffer';
import type { Line } from '../../lib/fs/lines.mts';
import type { LineAdapter, RecordSink } from '../../transcript/adapter.mts';
import type { Redactor } from '../../transcript/redaction/redactor.mts';
import type { JsonObject, SessionFacts, Tokens, TurnDraft } from '../../transcript/turn.mts';
import { addTotal, type RunningTotal } from '../../transcript/usage.mts';
import { createRoleReader, type RoleTurn } from '../../transcript/role-text.mts';
import { mergeFacts } from './facts.mts';
import { createHolding } from './holding.mts';
import { salvage } from './json-text.mts';

/** What lines held besides turns. */
export interface Tally {
  facts: SessionFacts;
  /** The last running total that a source gave of itself. */
  running: RunningTotal | undefined;
  unknown: Record<string, number>;
  /** Lines that parse and give no turn. */
  skipped: number;
  bad: BadLine[];
  badCount: number;
  /** Bad lines out of which whole records were saved. */
  saved: number;
  /** Lines with bytes that are not UTF-8. */
  notUtf8: number;
}

export interface BadLine {
  /** Counted from 1, as editors do. */
  line: number;
  offset: number;
  reason: string;
}

export interface TurnReader {
  /** The turns that this line completes, in order; the array is reused. `index` counts from 0. */
  read(line: Line, index: number): readonly TurnDraft[];
  /** The turn that the end of the source completes: only text has one. */
  end(): readonly TurnDraft[];
  /** The line that the turns given last belong to. */
  readonly at: number;
  readonly tally: Tally;
}

const REMEMBERED = 5;
/** Names of records that no adapter knows; a hostile source has any number of them. */
const MOST_UNKNOWN = 50;
/** Messages whose tokens are kept apart, so that one that is said again counts once. */
const RECENT = 64;

export function createTally(): Tally {
  return { facts: {}, running: undefined, unknown: Object.create(null) as Record<string, number>, skipped: 0, bad: [], badCount: 0, saved: 0, notUtf8: 0 };
}

/** Counts a record whose `type` its adapter does not know. */
export function countUnknown({ unknown }: Tally, type: string): void {
  const name = type.slice(0, 80);
  if (name in unknown || Object.keys(unknown).length < MOST_UNKNOWN) unknown[name] = (unknown[name] ?? 0) + 1;
}

/** Puts a turn to the others, unless it says nothing. A call must keep its result even where that is empty. */
export function takeDraft(draft: TurnDraft, ownSide: string | undefined, drafts: TurnDraft[]): void {
  if (draft.kind !== 'result' && (draft.text === '' || (draft.text.length < 64 && draft.text.trim() === ''))) return;
  if (draft.side !== undefined && draft.side === ownSide) delete draft.side;
  if (!draft.text.isWellFormed()) draft.text = draft.text.toWellFormed();
  drafts.push(draft);
}

export function createRecordReader(adapter: LineAdapter, redactor: Redactor, options: { ownSide?: string | undefined; running?: RunningTotal | undefined; keptOutput?: ((result: TurnDraft) => TurnDraft | undefined) | undefined; onTokens: (id: string, tokens: Tokens) => void }): TurnReader {
  const tally = createTally();
  tally.running = options.running;
  const drafts: TurnDraft[] = [];
  const clean: RecordSink = redactor.words({
    turn: (draft) => takeDraft(draft, options.ownSide, drafts),
    facts: (facts) => mergeFacts(tally.facts, facts),
    usage: options.onTokens,
    usageTotal: (tokens) => void (tally.running = addTotal(tally.running, tokens)),
    unknown: (type) => countUnknown(tally, type),
  });
  const { keptOutput } = options;
  const sink: RecordSink = keptOutput === undefined ? clean : {
    ...clean,
    turn(draft) {
      const more = keptOutput(draft);
      clean.turn(draft);
      if (more !== undefined) clean.turn(more);
    },
  };
  const held = createHolding();
  const take = (record: JsonObject, text: string, from?: Uint8Array) => {
    if (adapter.keepsNames !== true) {
      adapter.read(redactor.record(record, text, from), sink);
      return;
    }
    // Nothing of the record is given on before all that it says was looked at.
    adapter.read(record, held.sink);
    if (redactor.mayHold(held.texts())) {
      held.clear();
      adapter.read(redactor.redact(record), held.sink);
    }
    held.giveTo(sink);
  };
  /** False for a record that is nested deeper than the stack, which nobody wrote by working: nothing of it is given on. */
  const isTaken = (record: JsonObject, text?: string, from?: Uint8Array): boolean => {
    const before = drafts.length;
    try {
      take(record, text ?? JSON.stringify(record), from);
      return true;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      held.clear();
      drafts.length = before;
      return false;
    }
  };
  const damaged = (line: Line, index: number, reason: string) => {
    tally.badCount += 1;
    if (tally.bad.length < REMEMBERED) tally.bad.push({ line: index + 1, offset: line.start, reason });
  };

  let at = 0;
  return {
    tally,
    get at() {
      return at;
    },
    end: () => [],
    read(line, index) {
      drafts.length = 0;
      at = index;
      if (line.tooLong) {
        damaged(line, index, 'longer than --max-line-bytes');
        return drafts;
      }
      let { bytes } = line;
      if (index === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3);
      if (bytes.length === 0) return drafts;
      const text = bytes.toString('utf8');
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        if (text.trim() === '') return drafts;
        damaged(line, index, text.includes('\0') ? 'NUL bytes' : 'invalid JSON');
        const records = salvage(text, (record) => adapter.recognises(record));
        if (records.filter((record) => isTaken(record)).length > 0) tally.saved += 1;
        return drafts;
      }
      if (text.includes('\ufffd') && !isUtf8(bytes)) tally.notUtf8 += 1;
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        if (!isTaken(value as JsonObject, text, bytes)) {
          damaged(line, index, 'nested too deeply');
          return drafts;
        }
      }
      if (drafts.length === 0) tally.skipped += 1;
      return drafts;
    },
  };
}

/**
 * The turns of a role-marked text. `captured`: how many of its lines were taken before, and to which byte; they are given
 * again, so that the reader knows the file's markers, and what goes on with the last captured turn is a turn of its own.
 */
export function createTextReader(redactor: Redactor, { lines: captured, bytes: to }: { lines: number; bytes: number }): TurnReader {
  const tally = createTally();
  const reader = createRoleReader();
  let at = 0;
  let isBehind = captured === 0;
  const drafts = (turn: RoleTurn | undefined): readonly TurnDraft[] => {
    if (turn === undefined || turn.text.trim() === '') return [];
    at = turn.line;
    const text = redactor.text(turn.text).toWellFormed();
    const meta = turn.openedByMarker ? undefined : captured > 0 ? 'continued' : 'preamble';
    return [{ class: turn.class, ts: '', text, ...(meta === undefined ? {} : { meta }) }];
  };
  return {
    tally,
    get at() {
      return at;
    },
    read(line, index) {
      if (!isUtf8(line.bytes)) tally.notUtf8 += 1;
      const cut = to - line.start;
      if (index === captured - 1 && line.bytes.length > cut) {
        // The last captured line had no end yet, and has grown.
        reader.line(line.bytes.toString('utf8', 0, cut), index);
        reader.end();
        isBehind = true;
        reader.rest(line.bytes.toString('utf8', cut), index);
        return [];
      }
      if (index >= captured && !isBehind) {
        reader.end();
        isBehind = true;
      }
      const turn = reader.line(line.bytes.toString('utf8'), index);
      return index < captured ? [] : drafts(turn);
    },
    end() {
      const turn = reader.end();
      return isBehind ? drafts(turn) : [];
    },
  };
}

export interface TokenCount {
  add(id: string, tokens: Tokens): void;
  readonly total: Tokens;
  /** The last messages, for the next build. */
  readonly recent: ReadonlyMap<string, Tokens>;
}

/** Adds up tokens by message: the larger value of each kind counts once per id. */
export function createTokenCount(from: { total?: Tokens; recent?: Record<string, Tokens> }): TokenCount {
  const total: Tokens = { ...from.total };
  const recent = new Map<string, Tokens>(Object.entries(from.recent ?? {}));
  return {
    total,
    recent,
    add(id, tokens) {
      const before = recent.get(id) ?? {};
      const now: Tokens = { ...before };
      for (const kind of Object.keys(tokens) as (keyof Tokens)[]) {
        const value = tokens[kind];
        if (value === undefined || !Number.isFinite(value)) continue;
        const more = value - (before[kind] ?? 0);
        if (more <= 0 && before[kind] !== undefined) continue;
        now[kind] = value;
        total[kind] = (total[kind] ?? 0) + Math.max(more, 0);
      }
      recent.delete(id);
      recent.set(id, now);
      if (recent.size > RECENT) recent.delete(recent.keys().next().value as string);
    },
  };
}
