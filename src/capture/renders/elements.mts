/** The timeline's lines as elements of the payload's arrays, each on a line of its own. They are copied as bytes. */
import fs from 'node:fs';
import { readBytes, readLines, type Line } from '../../lib/fs/lines.mts';
import type { ToolsWriter } from '../../render/tools.mts';
import { MAX_LINE, parseTurn } from '../../store/timeline.mts';
import type { StagedFile } from './staged-file.mts';

type Target = Pick<StagedFile, 'bytes' | 'text'>;

const OUT_BYTES = 1 << 20;
const LF = 10;
const CR = 13;
const COMMA = 44;
const CR_BYTE = Buffer.from('\r');
const CLASS_KEY = Buffer.from('"class":"');
const TOOL_CLASS = Buffer.from('"class":"TOOL"');

function createElements(to: Target) {
  let out = Buffer.allocUnsafe(OUT_BYTES);
  let held = 0;
  let first = true;
  /** Bytes [from, end) of `chunk`; they begin an element, or go on with the one before. */
  const put = (chunk: Buffer, from: number, end: number, begins: boolean): void => {
    const need = end - from + 2;
    if (held + need > out.length) {
      flush();
      if (need > out.length) out = Buffer.allocUnsafe(need);
    }
    if (begins) {
      if (!first) out[held++] = COMMA;
      out[held++] = LF;
      first = false;
    }
    held += chunk.copy(out, held, from, end);
  };
  const flush = (): void => {
    if (held > 0) to.bytes(out.subarray(0, held));
    held = 0;
  };
  return {
    put,
    end() {
      flush();
      if (!first) to.text('\n');
    },
  };
}

/** The timeline's lines as elements of an array, byte for byte: what is between two line ends and is not empty, without one CR at its end. */
export function copyLines(timeline: string, bytes: number, to: Target): void {
  const elements = createElements(to);
  let inside = false;
  /** The last chunk ended in a CR, which may belong to a line's end. */
  let cr = false;
  const fd = fs.openSync(timeline, 'r');
  try {
    readBytes(fd, 0, bytes, (chunk) => {
      if (cr && chunk[0] !== LF) {
        elements.put(CR_BYTE, 0, 1, !inside);
        inside = true;
      }
      cr = chunk[chunk.length - 1] === CR;
      for (let at = 0; at < chunk.length;) {
        const lf = chunk.indexOf(LF, at);
        let end = lf < 0 ? chunk.length : lf;
        if (end > at && chunk[end - 1] === CR) end -= 1;
        if (end > at) {
          elements.put(chunk, at, end, !inside);
          inside = true;
        }
        if (lf < 0) return;
        inside = false;
        at = lf + 1;
      }
    });
  } finally {
    fs.closeSync(fd);
  }
  elements.end();
}

/**
 * The same of those of class TOOL, through the rules for outputs. The class stands before the text, so the first such key in
 * a line is the line's own.
 */
export function copyToolLines(timeline: string, bytes: number, to: Target, rules: ToolsWriter): void {
  const elements = createElements(to);
  const fd = fs.openSync(timeline, 'r');
  try {
    const lines = readLines(fd, { from: 0, to: bytes, maxLineBytes: MAX_LINE });
    for (let line: Line | undefined = lines.next(); line !== undefined; line = lines.next()) {
      const at = line.bytes.indexOf(CLASS_KEY);
      if (at < 0 || line.bytes.compare(TOOL_CLASS, 0, TOOL_CLASS.length, at, Math.min(at + TOOL_CLASS.length, line.bytes.length)) !== 0) continue;
      let element = line.bytes;
      if (!rules.isIdentity) {
        const turn = parseTurn(line.bytes.toString('utf8'));
        if (turn === undefined) continue;
        element = Buffer.from(JSON.stringify(rules.filteredTool(turn)));
      }
      elements.put(element, 0, element.length, true);
    }
  } finally {
    fs.closeSync(fd);
  }
  elements.end();
}
