import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinTimelines, type TimelineFile } from '../../../src/runtime/joined.mts';

describe('two timelines as one', () => {
  let folder: string;

  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'joined-'));
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  function timeline(name: string, turns: number, ts: (seq: number) => string): TimelineFile {
    const file = path.join(folder, name);
    const text = Array.from({ length: turns }, (_, at) => `${JSON.stringify({ seq: at + 1, ts: ts(at), class: 'USER', text: `${name} ${at}` })}\n`).join('');
    fs.writeFileSync(file, text);
    return { session: name, file, bytes: Buffer.byteLength(text) };
  }

  it('holds more turns than a call takes arguments', () => {
    const joined = joinTimelines([timeline('long', 150_000, () => '2026-01-01T00:00:00Z'), timeline('short', 1, () => '2025-01-01T00:00:00Z')]);
    expect(joined.turns).toBe(150_001);
    expect(joined.read().next().value?.turn.text).toBe('short 0');
  });
});
