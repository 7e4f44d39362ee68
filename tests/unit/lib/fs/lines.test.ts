import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readBytes, readLines, type LineOptions } from '../../../../src/lib/fs/lines.mts';
import { freshFolder } from '../../../helpers/run.ts';

const scratch = freshFolder('handoff-lines-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

interface Seen { text: string; start: number; end: number; ended: boolean; tooLong: boolean }

function withFile<T>(bytes: Buffer, use: (fd: number) => T): T {
  const file = path.join(scratch, 'file');
  fs.writeFileSync(file, bytes);
  const fd = fs.openSync(file, 'r');
  try {
    return use(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function read(bytes: Buffer, options: Partial<LineOptions> = {}): Seen[] {
  return withFile(bytes, (fd) => {
    const reader = readLines(fd, { from: 0, to: bytes.length, maxLineBytes: 1000, ...options });
    const seen: Seen[] = [];
    for (let line = reader.next(); line !== undefined; line = reader.next()) {
      const { bytes: own, ...rest } = line;
      seen.push({ text: own.toString('latin1'), ...rest });
    }
    expect(reader.next()).toBeUndefined();
    return seen;
  });
}

/** What the lines of `text` are, said in the plainest way. */
function expected(text: string, from = 0): Seen[] {
  const seen: Seen[] = [];
  for (let start = from; start < text.length;) {
    const lf = text.indexOf('\n', start);
    const end = lf < 0 ? text.length : lf + 1;
    seen.push({ text: text.slice(start, lf < 0 ? end : lf).replace(/\r$/, ''), start, end, ended: lf >= 0, tooLong: false });
    start = end;
  }
  return seen;
}

const CHUNKS = [1, 2, 3, 4, 5, 7, 8, 13, 64];

describe('lines', () => {
  it.each(['', '\n', 'a', 'a\n', '\r\n', '\r', 'a\r', 'a\r\r\n', '\n\n\n', 'one\ntwo\r\n\r\nthree', 'abc\nde\n\nfghijkl\nm\n', `${'x'.repeat(40)}\n${'y'.repeat(7)}\r\n`, 'a\rb\nc'])('of %j are the same whatever is read at a time', (text) => {
    for (const chunkBytes of CHUNKS) expect(read(Buffer.from(text), { chunkBytes }), `chunks of ${chunkBytes}`).toEqual(expected(text));
  });

  it('end at LF and nowhere else: not at U+2028, NEL, form feed or NUL', () => {
    const text = Buffer.from('a\u2028b\u0085c\fd\0e\n').toString('latin1');
    for (const chunkBytes of CHUNKS) expect(read(Buffer.from(text, 'latin1'), { chunkBytes }).map((line) => line.text)).toEqual([text.slice(0, -1)]);
  });

  it('can be read from and to any byte', () => {
    const text = 'one\ntwo\r\n\nlast';
    for (let from = 0; from <= text.length; from += 1) {
      for (let to = from; to <= text.length; to += 1) expect(read(Buffer.from(text), { from, to, chunkBytes: 2 }), `${from} to ${to}`).toEqual(expected(text.slice(0, to), from));
    }
  });

  it('longer than the limit are told and passed over, and the next ones are whole', () => {
    const text = `ok\n${'x'.repeat(11)}\nnext\n${'y'.repeat(30)}`;
    for (const chunkBytes of CHUNKS) {
      expect(read(Buffer.from(text), { maxLineBytes: 10, chunkBytes }).map(({ text: own, tooLong, ended }) => [own, tooLong, ended]), `chunks of ${chunkBytes}`)
        .toEqual([['ok', false, true], ['', true, true], ['next', false, true], ['', true, false]]);
    }
  });

  it('as long as the limit are read', () => {
    for (const chunkBytes of CHUNKS) expect(read(Buffer.from(`${'x'.repeat(10)}\n`), { maxLineBytes: 10, chunkBytes })[0]).toMatchObject({ text: 'x'.repeat(10), tooLong: false });
  });

  it('longer than a chunk of the default size are whole', () => {
    const long = 'z'.repeat((1 << 20) * 2 + 5);
    expect(read(Buffer.from(`a\n${long}\nb\n`), { maxLineBytes: 1 << 30 }).map(({ text, end }) => [text.length, end])).toEqual([[1, 2], [long.length, long.length + 3], [1, long.length + 5]]);
  });

  it('of a file that became shorter end where it ends', () => {
    expect(read(Buffer.from('a\nb'), { to: 100 })).toEqual(expected('a\nb'));
  });

  it('are shown to onBytes before they are given, every byte once and in order', () => {
    const text = 'one\ntwo\r\n\nlast';
    for (const chunkBytes of CHUNKS) {
      let bytes = '';
      const ends: boolean[] = [];
      withFile(Buffer.from(text), (fd) => {
        const reader = readLines(fd, { from: 0, to: text.length, maxLineBytes: 100, chunkBytes, onBytes: (chunk) => { bytes += chunk.toString('latin1'); } });
        for (let line = reader.next(); line !== undefined; line = reader.next()) ends.push(bytes.length >= line.end);
      });
      expect(bytes).toBe(text);
      expect(ends).toEqual([true, true, true, true]);
    }
  });
});

it('readBytes gives the bytes of a part, and how many there were', () => {
  const bytes = Buffer.from('0123456789');
  withFile(bytes, (fd) => {
    for (const [from, to, text] of [[0, 10, '0123456789'], [3, 7, '3456'], [5, 5, ''], [8, 20, '89'], [10, 12, '']] as const) {
      let seen = '';
      expect(readBytes(fd, from, to, (chunk) => { seen += chunk.toString('latin1'); })).toBe(text.length);
      expect(seen).toBe(text);
    }
  });
});
