/** What a build must append, worked out from the rules of docs/FORMAT.md ("Which turns are new") and nothing of the product. */
import fs from 'node:fs';
import type { DocumentShape, LineShape, Message } from './shapes.ts';
import { wordIn } from './shapes.ts';
import type { Line } from './holds.ts';

export interface Entry {
  said: string;
  /** What two readings of a source are compared by. */
  key: string;
  line: number;
  own?: number;
}

interface Row {
  path: string;
  first: string;
  bytes: Buffer;
  /** The turns of its newest form. */
  newest: Entry[];
}

/** A session as it should be: what it was built from, and what its timeline says. */
export interface Session {
  id: string;
  rows: Row[];
  said: string[];
  /** Of documents: what is known of each identity. */
  known: Map<string, string>;
}

export interface Answer {
  /** `same`: nothing is written. `refused`: neither, and the build throws. `nothing`: one of these two. */
  kind: 'built' | 'same' | 'refused' | 'nothing';
  appended: Entry[];
}

const REFUSED: Answer = { kind: 'refused', appended: [] };
const NOTHING: Answer = { kind: 'nothing', appended: [] };
const SAME: Answer = { kind: 'same', appended: [] };
export const REWRITTEN = 'OTHER rewritten';
const squeezed = (text: string): string => text.trim().replace(/\s+/g, ' ');

export function saidBy(line: Line, shape: string): string {
  if (line.meta === 'source-rewritten') return REWRITTEN;
  return shape === 'text' ? `${line.class} ${squeezed(line.text)}` : `${line.class} ${wordIn(line.text)}`;
}

interface Reading {
  entries: Entry[];
  /** Lines that are not JSON, among those that are read. */
  bad: number;
  /** Up to where it can be read now. */
  to: number;
}

/** `isHalf`: whether a last line without an end is the beginning of a record. */
function readRecords(shape: LineShape, bytes: Buffer, from: number, isHalf: (piece: string) => boolean): Reading {
  const entries: Entry[] = [];
  let [bad, to] = [0, bytes.length];
  const before = bytes.subarray(0, from).toString('utf8');
  // The rest of a captured line without an end has that line's number.
  let line = before.split('\n').length - 1;
  const pieces = bytes.subarray(from).toString('utf8').split('\n');
  pieces.forEach((piece, at) => {
    const content = piece.replace(/\r$/, '').replace(/^\ufeff/, '');
    const isLast = at === pieces.length - 1;
    if (content.trim() !== '') {
      try {
        // All but what is said in blocks, which are turns of their own.
        const record = JSON.stringify(JSON.parse(content), (name, value: unknown) => (name === 'content' && Array.isArray(value) ? undefined : value));
        shape.read(content).forEach(({ said, own }) => entries.push({ said, key: `${said} of ${record}`, line, ...(own === undefined ? {} : { own }) }));
      } catch {
        if (isLast && isHalf(content)) to = bytes.length - Buffer.byteLength(piece);
        else bad += 1;
      }
    }
    line += 1;
  });
  return { entries, bad, to };
}

const MARKER = /^## (User|Assistant|Tool): /;
const CLASSES: Record<string, string> = { User: 'USER', Assistant: 'AGENT', Tool: 'TOOL' };

function readText(bytes: Buffer, from: number, last: string): Reading {
  const entries: Entry[] = [];
  let open = { name: last, line: 0, text: '', isContinued: true };
  const close = () => {
    const said = `${open.name} ${squeezed(open.text)}`;
    if (squeezed(open.text) !== '') entries.push({ said, key: `${open.isContinued ? 'continued ' : ''}${open.name} ${open.text.trim()}`, line: open.line });
  };
  const before = bytes.subarray(0, from).toString('utf8');
  let line = before.split('\n').length - 1;
  let isRest = before !== '' && !before.endsWith('\n');
  open.line = line;
  for (const piece of bytes.subarray(from).toString('utf8').split('\n')) {
    const marker = isRest ? null : MARKER.exec(piece);
    if (marker === null) {
      if (squeezed(open.text) === '' && open.isContinued && squeezed(piece) !== '') open.line = line;
      open.text += `${isRest ? '' : '\n'}${piece}`;
    } else {
      close();
      open = { name: CLASSES[marker[1] ?? ''] ?? '', line, text: piece.slice(marker[0].length), isContinued: false };
    }
    isRest = false;
    line += 1;
  }
  close();
  return { entries, bad: 0, to: bytes.length };
}

/** How many turns are the same from the start on. Of a text those that were captured in pieces are one turn. */
function sameTurns(stood: readonly Entry[], read: readonly Entry[]): { stood: number; read: number } {
  let [at, count] = [0, 0];
  for (const entry of read) {
    let end = at + 1;
    let said = stood[at]?.key;
    const isLast = count === read.length - 1;
    const next = () => stood[end]?.key.startsWith('continued ') === true;
    while (next() && !(isLast && bare(said) === bare(entry.said))) {
      said = `${said ?? ''} ${stood[end]?.said.split(' ').slice(1).join(' ') ?? ''}`;
      end += 1;
    }
    if (end === at + 1 ? said !== entry.key : bare(said) !== bare(entry.said)) break;
    [at, count] = [end, count + 1];
  }
  return { stood: at, read: count };
}

const bare = (text: string | undefined): string => (text ?? '').replace(/\s+/g, '');

interface Given {
  shape: LineShape;
  path: string;
  bytes: Buffer;
  watermark: number;
  allowBadLines: boolean;
  isHalf: (piece: string) => boolean;
}

const firstLine = (bytes: Buffer): string => bytes.toString('utf8').split('\n')[0]?.replace(/\r$/, '') ?? '';

/** What a build of these lines does to the session, which is changed to what it must be then. */
export function takeLines(session: Session, given: Given): Answer {
  const { shape, path, bytes, watermark, allowBadLines, isHalf } = given;
  const read = (from: number, last = ''): Reading => (shape.name === 'text' ? readText(bytes, from, last) : readRecords(shape, bytes, from, isHalf));
  const put = (old: Row | undefined, reading: Reading, newest: Entry[], appended: Entry[]): Answer => {
    const row = { path, first: firstLine(bytes), bytes: bytes.subarray(0, reading.to), newest };
    if (old === undefined) session.rows.push(row);
    else session.rows[session.rows.indexOf(old)] = row;
    session.said.push(...appended.map(({ said }) => said));
    return { kind: 'built', appended };
  };
  const isRefused = (reading: Reading) => reading.bad > 0 && !allowBadLines;

  const [grown] = session.rows.filter((row) => row.bytes.length <= bytes.length && bytes.subarray(0, row.bytes.length).equals(row.bytes)).sort((a, b) => b.bytes.length - a.bytes.length);
  if (grown !== undefined) {
    if (grown.bytes.length === bytes.length) return SAME;
    const reading = read(grown.bytes.length, grown.newest.at(-1)?.said.split(' ')[0]);
    if (reading.to <= grown.bytes.length) return SAME;
    if (isRefused(reading)) return REFUSED;
    return put(grown, reading, [...grown.newest, ...reading.entries], reading.entries);
  }
  const reading = read(0);
  if (reading.entries.length === 0) return NOTHING;
  const row = session.rows.find((one) => one.path === path) ?? session.rows.find((one) => one.first === firstLine(bytes));
  if (row !== undefined) {
    const isMoved = row.path !== path;
    // An older copy, where that of which it is one still shows it; else its turns tell.
    if (isMoved && row.bytes.subarray(0, bytes.length).equals(bytes) && fs.existsSync(row.path) && fs.readFileSync(row.path).subarray(0, row.bytes.length).equals(row.bytes)) return SAME;
    if (isRefused(reading)) return REFUSED;
    const same = sameTurns(row.newest, reading.entries);
    const rest = reading.entries.slice(same.read);
    const isShorter = rest.length === 0 && row.newest.length > same.stood;
    if (isMoved && isShorter) return SAME;
    const marker = rest.length > 0 || isShorter ? [{ said: REWRITTEN, key: '', line: -1 }] : [];
    return put(row, reading, [...row.newest.slice(0, same.stood), ...rest], [...marker, ...rest]);
  }
  if (isRefused(reading)) return REFUSED;
  const isSecond = session.rows.length > 0;
  const taken = reading.entries.filter(({ own }) => !isSecond || own === undefined || own > watermark);
  return put(undefined, reading, taken, taken);
}

/** The same of a document, which is known by the identities in it. */
export function takeDocument(session: Session, shape: DocumentShape, messages: readonly Message[], bytes: Buffer, path: string): Answer {
  if (session.rows.some((row) => row.bytes.equals(bytes))) return SAME;
  if (messages.length === 0) return REFUSED;
  const appended: Entry[] = [];
  const times = new Map<string, number>();
  messages.forEach(({ id, role, text }, position) => {
    const nth = times.get(id) ?? 0;
    times.set(id, nth + 1);
    const key = shape.hasIds ? `${role} ${id} ${nth}` : `${role} ${position}`;
    if (session.known.get(key) === text) return;
    session.known.set(key, text);
    appended.push({ said: `${role === 'user' ? 'USER' : 'AGENT'} ${wordIn(text)}`, key, line: -1 });
  });
  const old = session.rows.findIndex((row) => row.path === path);
  const row = { path, first: '', bytes, newest: [] };
  if (old < 0) session.rows.push(row);
  else session.rows[old] = row;
  session.said.push(...appended.map(({ said }) => said));
  return { kind: 'built', appended };
}
