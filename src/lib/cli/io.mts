/** The process as the runner sees it, and the Io that a command gets. */
import { HOME } from '../home.mts';
import { HandoffError, errnoOf } from '../errors.mts';
import type { Io, Outcome } from './command.mts';
import { escapeControl } from './escape.mts';
import { createProgress, type Terminal } from './progress.mts';
import { onSignal } from './signals.mts';

const CHUNK = 1 << 16;

/** What the runner needs of a process; tests give their own. */
export interface Host {
  readonly stdin: Io['stdin'];
  readonly stdout: NodeJS.WritableStream & Terminal;
  readonly stderr: NodeJS.WritableStream & Terminal;
  readonly env: Io['env'];
  readonly home: string;
  cwd(): string;
}

/** The real process. Streams are made when they are first asked for: a stdin that was opened keeps a process alive. */
export const processHost: Host = {
  get stdin() { return process.stdin; },
  get stdout() { return process.stdout; },
  get stderr() { return process.stderr; },
  env: process.env,
  home: HOME,
  cwd: () => process.cwd(),
};

/**
 * Writes to stdout until the text ends or the reader goes away; the latter is no error.
 * Throws HandoffError IO where the bytes could not be written for another reason (a full disk).
 */
export async function writeOut(host: Host, text: NonNullable<Outcome['text']>): Promise<void> {
  const { stdout } = host;
  const pieces = typeof text === 'string' ? [text] : text;
  let failure: Error | undefined;
  const onError = (error: Error): void => { failure ??= error; };
  stdout.on('error', onError);
  const put = (chunk: string): Promise<void> => new Promise((done) => {
    stdout.write(stdout.isTTY ? escapeControl(chunk) : chunk, (error) => {
      if (error) onError(error);
      done();
    });
  });
  let waiting = '';
  let last = '\n';
  for await (const piece of pieces) {
    if (piece === '') continue;
    waiting += piece;
    last = piece;
    if (waiting.length < CHUNK) continue;
    await put(waiting);
    waiting = '';
    if (failure !== undefined) break;
  }
  if (!last.endsWith('\n')) waiting += '\n';
  if (waiting !== '' && failure === undefined) await put(waiting);
  // The listener stays: an error that is reported late must not be one that nobody listens to.
  if (failure !== undefined && errnoOf(failure) !== 'EPIPE') {
    throw new HandoffError('IO', `stdout could not be written: ${failure.message}`, { cause: failure });
  }
}

/** Writes a line to stderr, after `prefix`, which may hold colour. There is nobody left to tell where that fails. */
export function writeErr(host: Host, line: string, prefix = ''): void {
  const { stderr } = host;
  if (stderr.listenerCount('error') === 0) stderr.on('error', () => {});
  stderr.write(`${prefix}${stderr.isTTY ? escapeControl(line) : line}\n`);
}

/** The Io of one command, and how the runner takes a line of progress away when the command has ended. */
export function createIo(host: Host, program: string, json: boolean): { io: Io; clear(): void } {
  // Made on first use: most commands end before there is progress to show.
  let progress: ReturnType<typeof createProgress> | undefined;
  const began = Date.now();
  const clear = (): void => progress?.clear();
  const io: Io = {
    get cwd() {
      try {
        return host.cwd();
      } catch (cause) {
        throw new HandoffError('IO', 'the current directory is gone or cannot be read', { cause });
      }
    },
    env: host.env,
    json,
    get stdin() { return host.stdin; },
    home: host.home,
    note(message) {
      clear();
      writeErr(host, `${program}: ${message}`);
    },
    progress(message) {
      progress ??= createProgress(host.stderr, Date.now, began);
      progress.show(message);
    },
    async confirm(question) {
      clear();
      return (await import('./confirm.mts')).confirm(host, question);
    },
    onSignal,
  };
  return { io, clear };
}
