/** The arrays of HANDOFF.llm.json hold the lines of the timeline, byte for byte, however the lines lie in what is read at a time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyLines, copyToolLines } from '../../../src/capture/renders/elements.mts';
import { createToolsWriter } from '../../../src/render/tools.mts';

let folder: string;
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'handoff-elements-')); });
afterEach(() => rmSync(folder, { recursive: true }));

function copied(text: string, copy: (file: string, bytes: number, to: { bytes(chunk: Buffer): void; text(piece: string): void }) => void): string {
  const file = join(folder, 'timeline.jsonl');
  writeFileSync(file, text);
  const out: Buffer[] = [];
  copy(file, Buffer.byteLength(text), { bytes: (chunk) => void out.push(Buffer.from(chunk)), text: (piece) => void out.push(Buffer.from(piece)) });
  return Buffer.concat(out).toString();
}
const all = (text: string): string => copied(text, copyLines);
const tools = (text: string): string => copied(text, (file, bytes, to) => copyToolLines(file, bytes, to, createToolsWriter()));
const expected = (text: string): string => {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, '')).filter((line) => line !== '');
  return lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`;
};

describe('the elements of the payload', () => {
  it.each(['', '\n', '\r\n', '{}', '{}\n', '{}\r\n', '{}\r', '\n\n{"a":1}\n\r\n{"b":"\\r"}\r\n\r\r\n', '{"a":"x\ry"}\n', '\r{}\n'])('are its lines: %j', (text) => expect(all(text)).toBe(expected(text)));

  it('are whole where a line, a line end or a CR lies across the border of two reads', () => {
    const border = 1 << 20;
    for (const end of ['\n', '\r\n', '\r\r\n', '\rx\n', '\n\n', '\n\r\n']) {
      for (let before = border - 4; before <= border + 1; before++) {
        const text = `"${'a'.repeat(before - 2)}"${end}{"b":2}${end}`;
        expect(all(text) === expected(text), JSON.stringify({ end, before })).toBe(true);
      }
    }
    const long = `"${'b'.repeat(5 * border + 7)}"\n{}\n`;
    expect(all(long) === expected(long)).toBe(true);
  });

  it('of the tools are those of class TOOL, whatever a text says of a class', () => {
    const line = (name: string, text: string): string => JSON.stringify({ seq: 1, ts: '', class: name, text });
    const lines = [line('USER', '"class":"TOOL"'), line('TOOL', 'one'), line('OTHER', ''), line('TOOL', 'b'.repeat(3 << 20)), line('TOOL', '"class":"USER"')];
    expect(tools(`${lines.join('\n')}\n`) === expected([lines[1], lines[3], lines[4]].join('\n'))).toBe(true);
  });
});
