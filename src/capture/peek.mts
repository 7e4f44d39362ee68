/**
 * What a transcript is about, from its first bytes and its last ones: enough to choose among thousands of sessions
 * without reading them. Nothing here throws for what a file holds.
 */
import fs from 'node:fs';
import type { RecordSink } from '../transcript/adapter.mts';
import { documentHead } from '../transcript/adapters/chat/head.mts';
import { object, word } from '../transcript/adapters/fields.mts';
import { detectShape } from '../transcript/detect.mts';
import type { Json, JsonObject, SessionFacts } from '../transcript/turn.mts';
import { isClientCommand, isGreeting } from '../render/prompts.mts';
import { head, shown } from '../render/text.mts';
import { mergeFacts } from './records.mts';

export const HEAD_BYTES = 64 * 1024;
/** Titles are written again and again; the last one stands near the end. */
const TAIL_BYTES = 16 * 1024;

export interface Peek {
  /** What the head, and for titles the tail, tells. */
  facts: SessionFacts;
  /** The first thing that was typed and is no command and no greeting, else the first that was typed; as it stands there. */
  prompt: string | undefined;
  /** For a sub-agent: what it was told to do. */
  task: string | undefined;
}

/** The first `want` bytes of a file. Never waits on a pipe that took the file's place. Throws as fs does. */
export function headOf(file: string, want = HEAD_BYTES): Buffer {
  return pieceOf(file, () => 0, want);
}

function pieceOf(file: string, from: (size: number) => number, want: number): Buffer {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) return Buffer.alloc(0);
    const start = from(stat.size);
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(want, stat.size - start)));
    return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, start));
  } finally {
    fs.closeSync(fd);
  }
}

/** `start`: the file's first bytes, as many as headOf gives. Throws as fs does. */
export function peek(file: string, start: Buffer): Peek {
  const found: Peek = { facts: {}, prompt: undefined, task: undefined };
  readHead(file, start, found);
  if (start.length >= HEAD_BYTES && found.facts.uuid !== undefined) readTail(file, found);
  const cwd = cwdIn(start);
  if (cwd !== undefined) found.facts.cwd ??= cwd;
  return found;
}

/** The session of a transcript as a build would name it, from its head alone. */
function readHead(file: string, start: Buffer, found: Peek): void {
  const sink = sinkFor(found);
  const shape = detectShape(start, file);
  if (shape.kind === 'lines') {
    mergeFacts(found.facts, shape.adapter.identify({ path: file, records: shape.records }));
    for (const record of shape.records) shape.adapter.read(record, sink);
  } else if (shape.kind === 'whole') {
    const text = start.toString('utf8');
    const value = shape.adapter.form === 'log' ? recordsIn(text) : documentHead(text);
    if (value === undefined) return;
    attempt(() => shape.adapter.read(value, file, sink));
    fieldsOf(object(value), found);
  } else if (/\.json(l?)$/i.test(file)) fieldsOf(object(documentHead(start.toString('utf8'))), found);
}

/** An adapter is written for whole values: a cut one may be more than it expects. */
function attempt(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** A document's own words for itself, where its adapter needs more than one file. */
function fieldsOf(document: JsonObject | undefined, { facts }: Peek): void {
  if (document === undefined) return;
  const { title, id, sessionId, parentID } = document;
  mergeFacts(facts, {
    ...(word(title) === undefined || facts.title !== undefined ? {} : { title: word(title) as string }),
    ...((word(sessionId) ?? word(id)) === undefined ? {} : { uuid: (word(sessionId) ?? word(id)) as string }),
    ...(word(parentID) === undefined ? {} : { parent_session: word(parentID) as string }),
  });
}

function sinkFor(found: Peek): RecordSink {
  let isSure = false;
  return {
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

function recordsIn(text: string): Json[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line.replace(/^\ufeff/, '')) as Json];
    } catch {
      return [];
    }
  });
}

function readTail(file: string, { facts }: Peek): void {
  const tail = pieceOf(file, (size) => Math.max(HEAD_BYTES, size - TAIL_BYTES), TAIL_BYTES);
  const shape = detectShape(tail, file);
  if (shape.kind !== 'lines') return;
  const told: SessionFacts = {};
  const deaf = { turn: () => {}, usage: () => {}, usageTotal: () => {}, unknown: () => {} };
  for (const record of shape.records) shape.adapter.read(record, { ...deaf, facts: (more) => mergeFacts(told, more) });
  if (told.title !== undefined) facts.title = told.title;
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
