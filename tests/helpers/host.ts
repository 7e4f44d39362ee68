/** A process for the runner that keeps what was written, and can be a terminal. */
import { PassThrough, Writable } from 'node:stream';
import type { Host } from '../../src/lib/cli/io.mts';

export interface FakeHost extends Host { out(): string; err(): string }

export function fakeHost(options: { tty?: boolean; env?: Host['env']; cwd?: string; stdoutError?: NodeJS.ErrnoException } = {}): FakeHost {
  const written = { out: '', err: '' };
  const sink = (name: 'out' | 'err', error?: Error) => Object.assign(new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      if (error === undefined) written[name] += chunk;
      done(error);
    },
  }), { isTTY: options.tty === true });
  return {
    stdin: Object.assign(new PassThrough(), { isTTY: options.tty === true }),
    stdout: sink('out', options.stdoutError),
    stderr: sink('err'),
    env: options.env ?? {},
    home: '/skill',
    node: process.execPath,
    cwd: () => options.cwd ?? '/',
    out: () => written.out,
    err: () => written.err,
  };
}
