import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstLineHash } from '../../../../src/capture/source/source.mts';
import { sha256 } from '../../../../src/lib/hash-chain.mts';
import { freshFolder } from '../../../helpers/run.ts';

describe('the hash of the first line', () => {
  const long = 'x'.repeat((1 << 20) + 7);
  it.each(['', 'a', 'a\n', 'a\r\n', '\nb', '\r', 'a\r', long, `${long}\n`, `${long}\r\nb\n`, `${long}\r`, `${long}\r\r\nb`])('is that of its bytes without its end, and without one CR before it (%#)', (text) => {
    const folder = freshFolder();
    const file = path.join(folder, 't');
    fs.writeFileSync(file, text);
    const fd = fs.openSync(file, 'r');
    try {
      expect(firstLineHash({ fd, size: text.length })).toBe(sha256((text.split('\n')[0] ?? '').replace(/\r$/, '')));
    } finally {
      fs.closeSync(fd);
      fs.rmSync(folder, { recursive: true });
    }
  });
});
