/**
 * What a transcript is about, from its first bytes and its last ones: enough to choose among thousands of sessions
 * without reading them. Nothing here throws for what a file holds.
 */
import fs from 'node:fs';
import { head, shown } from '../../render/text.mts';
import { isClientCommand, isGreeting } from '../../render/prompts.mts';
import type { LineAdapter, RecordSink, WholeAdapter } from '../../transcript/adapter.mts';
import { documentHead } from '../../transcript/adapters/chat/head.mts';
import { object, recordIn, word } from '../../transcript/fields.mts';
import type { Json, JsonObject, SessionFacts } from '../../transcript/turn.mts';
import { DEAF, mergeFacts } from '../source/facts.mts';

const HEAD_BYTES = 64 * 1024;
/** Titles are written again and again; the last one stands near the end. */
const TAIL_BYTES = 16 * 1024;
/** A record that gives a title holds little else. */
const LONGEST_TITLE = 2_000;
/** A file that begins with so many records of another shape is not its place's harness's. */
const MOST_STRANGE = 50;

export interface Peek {
  /** What the head, and for titles the tail, tells. */
  facts: SessionFacts;
  /** The first thing that was typed and is no command and no greeting, else the first that was typed; as it stands there. */
  prompt: string | undefined;
  /** For a sub-agent: what it was told to do. */
  task: string | undefined;
  /** It is read out of more than this file, so its length tells nothing. */
  loads?: true;
}

/** The first bytes of a file, and its last ones where they are not among the first. */
export interface Ends {
  start: Buffer;
  end: Buffer | undefined;
}

/** Reads both ends. Never waits on a pipe that took the file's place. Throws as fs does. */
export function endsOf(file: string): Ends {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) return { start: Buffer.alloc(0), end: undefined };
    const start = piece(fd, 0, Math.min(HEAD_BYTES, stat.size));
    return { start, end: stat.size <= HEAD_BYTES ? undefined : piece(fd, stat.size - TAIL_BYTES, TAIL_BYTES) };
  } finally {
    fs.closeSync(fd);
  }
}

function piece(fd: number, from: number, want: number): Buffer {
  const bytes = Buffer.allocUnsafe(want);
  return bytes.subarray(0, fs.readSync(fd, bytes, 0, want, from));
}

/**
 * `adapters`: of the harness in whose place it lies, or the one whose shape it has. Lines are read only until the first
 * prompt, and from the end for the title.
 */
export function peek(file: string, ends: Ends, adapters: readonly (LineAdapter | WholeAdapter)[]): Peek {
  const found: Peek = { facts: {}, prompt: undefined, task: undefined };
  const lines = adapters.find((adapter) => adapter.kind === 'lines');
  if (lines !== undefined) readLinesOf(file, ends, lines, found);
  else readWhole(file, ends.start.toString('utf8'), adapters.filter((adapter) => adapter.kind === 'whole'), found);
  if (found.facts.cwd === undefined) mergeFacts(found.facts, { cwd: cwdIn(ends.start) ?? '' });
  return found;
}

function readLinesOf(file: string, { start, end }: Ends, adapter: LineAdapter, found: Peek): void {
  const records: JsonObject[] = [];
  const sink = sinkFor(found);
  const isEnough = (): boolean => sink.isSure() && found.facts.cwd !== undefined;
  let reader = adapter;
  let strange = 0;
  const at = eachRecord(start, 0, { whole: end === undefined, longest: Infinity }, (record) => {
    if (!adapter.recognises(record)) return records.length === 0 && (strange += 1) > MOST_STRANGE;
    records.push(record);
    attempt(() => {
      // The first record may say how all of them are read, and where it was.
      if (records.length === 1) {
        reader = adapter.variant?.({ path: file, records }) ?? adapter;
        mergeFacts(found.facts, reader.identify({ path: file, records }));
      }
      reader.read(record, sink);
    });
    return isEnough();
  });
  // A first record that is longer than a head (a pasted picture) is read as far as it goes.
  const cut = records.length === 0 ? object(documentHead(start.toString('utf8'))) : undefined;
  if (cut !== undefined && adapter.recognises(cut)) {
    records.push(cut);
    attempt(() => adapter.read(cut, sink));
  }
  if (records.length === 0) return;
  const known = adapter.identify({ path: file, records });
  found.facts = Object.assign(found.facts, known);
  const told: SessionFacts = {};
  eachRecord(end ?? start, end === undefined ? Math.max(at, start.length - TAIL_BYTES) : 0, { whole: true, longest: LONGEST_TITLE }, (record) => {
    if (adapter.recognises(record)) attempt(() => reader.read(record, { ...DEAF, facts: (more) => mergeFacts(told, more) }));
    return false;
  });
  if (told.title !== undefined) found.facts.title = told.title;
}

/**
 * Gives each record from `at` on until one is enough; gives where it stopped. A last line without an end counts only where
 * `whole`, lines of more bytes than `longest` are passed over.
 */
function eachRecord(bytes: Buffer, at: number, { whole, longest }: { whole: boolean; longest: number }, take: (record: JsonObject) => boolean): number {
  while (at < bytes.length) {
    const lf = bytes.indexOf(10, at);
    if (lf < 0 && !whole) break;
    const end = lf < 0 ? bytes.length : lf;
    const record = end - at > longest ? undefined : recordIn(bytes.toString('utf8', at, end));
    at = end + 1;
    if (record !== undefined && take(record)) break;
  }
  return at;
}

function readWhole(file: string, text: string, adapters: readonly WholeAdapter[], found: Peek): void {
  const adapter = adapters.find((one) => one.looksLike(text, file));
  if (adapter !== undefined) readDocument(file, text, adapter, sinkFor(found), found);
  else if (/\.jsonl?$/i.test(file)) fieldsOf(object(documentHead(text)), found);
}

function readDocument(file: string, text: string, adapter: WholeAdapter, sink: RecordSink, found: Peek): void {
  if (typeof adapter.form === 'function') found.loads = true;
  const value = adapter.form === 'log' ? text.split('\n').flatMap((line) => recordIn(line) ?? []) : documentHead(text);
  if (value === undefined) return;
  attempt(() => adapter.read(value as Json, file, sink));
  fieldsOf(object(value as Json), found);
}

/** An adapter is written for whole values: a cut one may be less than it expects, a hostile one nested deeper than the stack. */
function attempt(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
  }
}

/** A document's own words for itself, where its adapter needs more than one file. */
function fieldsOf(document: JsonObject | undefined, { facts }: Peek): void {
  if (document === undefined) return;
  const { title, id, sessionId, parentID } = document;
  mergeFacts(facts, { title: facts.title ?? word(title) ?? '', uuid: word(sessionId) ?? word(id) ?? '', parent_session: word(parentID) ?? '' });
}

function sinkFor(found: Peek): RecordSink & { isSure(): boolean } {
  let isSure = false;
  return {
    isSure: () => isSure,
    turn({ class: name, meta, text }) {
      if (name === 'OTHER' && meta === 'task') found.task ??= text;
      if (name !== 'USER' || isSure) return;
      isSure = !isClientCommand(text) && !isGreeting(text);
      if (isSure || found.prompt === undefined) found.prompt = text;
    },
    facts: (facts) => mergeFacts(found.facts, facts),
    usage: () => {},
    usageTotal: () => {},
    unknown: () => {},
  };
}

/** Names that a client gives a session before it has one. */
const NO_TITLE = /^(?:Untitled Session|New session\b.*)$/i;

/** What a session is called, else what was asked of it first. */
export function titleOf({ facts, prompt, task }: Peek): string {
  const title = facts.title !== undefined && NO_TITLE.test(facts.title) ? undefined : facts.title;
  return title ?? prompt ?? task ?? facts.title ?? '';
}

/** `text` as one line of at most `widest` characters; control characters are shown and not obeyed. */
export function oneLine(text: string, widest: number): string {
  const flat = shown(head(text, widest * 8).replace(/\s+/g, ' ').trim());
  return flat.length <= widest ? flat : `${head(flat, widest - 1)}…`;
}

const CWD_KEY = /"(?:cwd|workspaceDirectory|directory)"\s*:\s*("(?:[^"\\]|\\.)*")/;

/** The first working directory that a head names, by the keys that harnesses have for it. */
export function cwdIn(start: Buffer): string | undefined {
  const found = CWD_KEY.exec(start.toString('utf8'))?.[1];
  if (found === undefined) return undefined;
  try {
    return JSON.parse(found) as string;
  } catch {
    return undefined;
  }
}
