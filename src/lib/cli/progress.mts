import { escapeControl, type Terminal } from './io.mts';

const QUIET_MS = 1000;
const EVERY_MS = 100;
const CLEAR = '\r\u001b[2K';

/**
 * One line on a terminal that each message overwrites; nothing where it is no terminal, and nothing in the first
 * second after `began` (milliseconds, of the same clock as `now`).
 */
export function createProgress(stream: Terminal, now: () => number, began: number): { show(message: string): void; clear(): void } {
  let last = -Infinity;
  let shown = false;
  return {
    show(message) {
      const time = now();
      if (!stream.isTTY || time - began < QUIET_MS || time - last < EVERY_MS) return;
      last = time;
      shown = true;
      // A line that wraps could not be overwritten.
      const line = escapeControl(message).replaceAll('\n', ' ').slice(0, Math.max(1, (stream.columns ?? 80) - 1));
      stream.write(CLEAR + line);
    },
    clear() {
      if (shown) stream.write(CLEAR);
      shown = false;
    },
  };
}
