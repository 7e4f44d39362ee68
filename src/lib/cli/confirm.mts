import { createInterface } from 'node:readline';
import { escapeControl, type Host } from './io.mts';

/** Asks on the terminal, with "no" as the answer to anything but yes, to its end, and where there is no terminal. */
export function confirm(host: Host, question: string): Promise<boolean> {
  if (!host.stdin.isTTY || !host.stderr.isTTY) return Promise.resolve(false);
  // stdout is the answer's, so that it can be piped while the question is asked.
  const lines = createInterface({ input: host.stdin, output: host.stderr });
  return new Promise((answer) => {
    lines.on('close', () => answer(false));
    lines.question(`${escapeControl(question)} [y/N] `, (typed) => {
      answer(/^y(es)?$/i.test(typed.trim()));
      lines.close();
    });
  });
}
