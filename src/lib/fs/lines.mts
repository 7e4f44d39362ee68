/**
 * Lines of a file as bytes. A line ends at byte 0x0A and nowhere else (a transcript holds raw U+2028 inside strings);
 * one 0x0D before it is dropped. Memory holds one chunk, or one line where that is longer.
 */
import fs from 'node:fs';

export interface Line {
  /** Without its end; valid until the next line is asked for. */
  bytes: Buffer;
  /** Offset of the first byte, and of the first byte after the line's end. */
  start: number;
  end: number;
  /** False for a last line that no LF ended. */
  ended: boolean;
  /** True where the line is longer than the limit: `bytes` is empty then. */
  tooLong: boolean;
}

export interface LineReader {
  /** The next line, or undefined at the end. The object is reused. */
  next(): Line | undefined;
}

export interface LineOptions {
  /** First byte, and the byte to stop before. */
  from: number;
  to: number;
  maxLineBytes: number;
  /** Sees every byte once, in order, before the lines that it completes. */
  onBytes?: (chunk: Buffer) => void;
  /** How much is read at a time. */
  chunkBytes?: number;
}

const CHUNK = 1 << 20;
const EMPTY = Buffer.alloc(0);

export function readLines(fd: number, { from, to, maxLineBytes, onBytes, chunkBytes = CHUNK }: LineOptions): LineReader {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(chunkBytes, to - from)));
  let chunk = EMPTY;
  let at = 0; // in chunk
  let base = from; // offset of chunk[0]
  let parts: Buffer[] = []; // what earlier chunks held of the line at work
  let held = 0;
  let tooLong = false;
  const line: Line = { bytes: EMPTY, start: from, end: from, ended: true, tooLong: false };

  const finish = (tail: Buffer, end: number, ended: boolean): Line => {
    let bytes = tail;
    if (held + tail.length > maxLineBytes) tooLong = true;
    if (tooLong) bytes = EMPTY;
    else if (parts.length > 0) bytes = Buffer.concat([...parts, tail], held + tail.length);
    if (bytes.length > 0 && bytes[bytes.length - 1] === 13) bytes = bytes.subarray(0, -1);
    line.bytes = bytes;
    line.start = line.end;
    line.end = end;
    line.ended = ended;
    line.tooLong = tooLong;
    parts = [];
    held = 0;
    tooLong = false;
    return line;
  };

  return {
    next() {
      for (;;) {
        if (at < chunk.length) {
          const lf = chunk.indexOf(10, at);
          if (lf >= 0) {
            const tail = chunk.subarray(at, lf);
            at = lf + 1;
            return finish(tail, base + at, true);
          }
          const rest = chunk.subarray(at);
          held += rest.length;
          if (held > maxLineBytes) {
            tooLong = true;
            parts = [];
          } else parts.push(Buffer.from(rest));
          at = chunk.length;
        }
        base += chunk.length;
        const want = Math.min(buffer.length, to - base);
        const got = want > 0 ? fs.readSync(fd, buffer, 0, want, base) : 0;
        if (got === 0) {
          chunk = EMPTY;
          at = 0;
          return held > 0 || tooLong ? finish(EMPTY, base, false) : undefined;
        }
        chunk = buffer.subarray(0, got);
        at = 0;
        onBytes?.(chunk);
      }
    },
  };
}

/** Calls `use` with every byte of [from, to) in order; gives how many there were (fewer, where the file is shorter). */
export function readBytes(fd: number, from: number, to: number, use: (chunk: Buffer) => void): number {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, to - from)));
  let at = from;
  while (at < to) {
    const got = fs.readSync(fd, buffer, 0, Math.min(buffer.length, to - at), at);
    if (got === 0) break;
    use(buffer.subarray(0, got));
    at += got;
  }
  return at - from;
}
