/** The quick look at a shape gives what the look with every adapter gives, for every file of the samples. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { detectShape } from '../../src/transcript/detect.mts';
import { shapeOf } from '../../src/transcript/shape.mts';
import { transcriptsFolder } from '../helpers/truth.ts';

const folder = transcriptsFolder();

function filesIn(dir: string): string[] {
  return fs.readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(dir, entry.name);
    return entry.isDirectory() ? filesIn(file) : entry.isFile() ? [file] : [];
  });
}

function headOf(file: string): Buffer {
  const fd = fs.openSync(file, 'r');
  try {
    const head = Buffer.alloc(256 * 1024);
    return head.subarray(0, fs.readSync(fd, head, 0, head.length, 0));
  } finally {
    fs.closeSync(fd);
  }
}

const name = (shape: Awaited<ReturnType<typeof shapeOf>>) => [shape.kind, shape.kind === 'lines' || shape.kind === 'whole' ? shape.adapter.id : undefined, shape.kind === 'lines' ? shape.records.length : 0];

describe('the shape of a file', () => {
  it.skipIf(folder === undefined)('is the same with few adapters loaded as with all, for every recorded file (skipped where the recorded sessions are not there)', async () => {
    let quick = 0;
    for (const file of filesIn(folder ?? '')) {
      const head = headOf(file);
      const shape = await shapeOf(head, file);
      expect(name(shape), file).toEqual(name(detectShape(head, file)));
      if (shape.kind === 'lines' && ['claude-code', 'codex'].includes(shape.adapter.id)) quick += 1;
    }
    expect(quick).toBeGreaterThan(100);
  });

  it('is told by all adapters where one line of the head is of another kind', async () => {
    const claude = JSON.stringify({ type: 'user', uuid: 'u1', parentUuid: null, sessionId: 's', message: { role: 'user', content: 'hi' } });
    for (const other of ['{"role":"user","text":"hi"}', 'not JSON', '[1]']) {
      const head = Buffer.from(`${claude}\n${other}\n${claude}\n`);
      expect(name(await shapeOf(head, '/x/a.jsonl'))).toEqual(name(detectShape(head, '/x/a.jsonl')));
    }
  });
});
