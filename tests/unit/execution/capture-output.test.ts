import { expect, it } from 'vitest';
import { createCapture } from '../../../src/execution/capture-output.mts';
import { sha256 } from '../../helpers/desk.ts';

const KEPT = 32 << 10;
const KEY = `sk-ant-api03-${'Q'.repeat(90)}`;
const captured = (text: string) => {
  const capture = createCapture();
  for (let at = 0; at < text.length; at += 10_007) capture.add(Buffer.from(text.slice(at, at + 10_007)));
  return capture.result();
};

it.each([
  ['lines', '\n', 'x'.repeat(79) + '\n'],
  ['words of one line', ' ', '"x",'],
])('an output that is too long is cut where no secret is halved, in %s', (_, around, filling) => {
  const fill = (bytes: number): string => filling.repeat(Math.ceil(bytes / filling.length)).slice(0, bytes - 1) + around;
  // Half of a key before the first cut, half of one behind the second.
  const text = fill(KEPT - 50) + KEY + around + fill(100_000) + KEY + around + fill(KEPT - 50);
  const { bytes, sha256: hash, text: kept, left_out_bytes: left } = captured(text);
  expect([bytes, hash]).toEqual([text.length, sha256(text)]);
  expect(kept).not.toMatch(/sk-ant|QQQ/);
  const [first, last] = kept.split(`\n[${left} bytes left out]\n`);
  expect(text.startsWith(first!) && text.endsWith(last!)).toBe(true);
  expect(first!.length + last!.length + left).toBe(bytes);
  expect(left).toBeLessThan(bytes - 2 * KEPT + 400);
});

it('an output that fits is kept whole, without its secrets', () => {
  expect(captured(`a ${KEY} b\n`)).toMatchObject({ left_out_bytes: 0, text: expect.stringMatching(/^a \[redacted:anthropic-key:\w+\] b\n$/) });
  expect(captured('y'.repeat(2 * KEPT))).toMatchObject({ left_out_bytes: 0, text: 'y'.repeat(2 * KEPT) });
});
