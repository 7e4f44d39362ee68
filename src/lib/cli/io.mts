/**
 * The process as the runner sees it, and the Io that a command gets. Every command loads this file and the start
 * of a command is measured, so what few of them use (questions) is loaded when it is used.
 */
import { fstatSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HandoffError, errnoOf } from '../errors.mts';
import type { Io, Outcome } from './command.mts';
import { onSignal } from './signals.mts';

const CHUNK = 1 << 16;

/** A stream that may be a terminal. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** What the runner needs of a process; tests give their own. */
export interface Host {
  readonly stdin: Io['stdin'];
  readonly stdout: NodeJS.WritableStream & Terminal;
  readonly stderr: NodeJS.WritableStream & Terminal;
  readonly env: Io['env'];
  readonly home: string;
  readonly node: string;
  cwd(): string;
  /** Writes to stdout without its stream, where that is as good; gives what is left for the stream to write. Throws as fs does. */
  writeDirect?(chunk: string): Uint8Array | string;
}

/** The real process. Streams are made when they are first asked for: a stdin that was opened keeps a process alive. */
export const processHost: Host = {
  get stdin() { return process.stdin; },
  get stdout() { return process.stdout; },
  get stderr() { return process.stderr; },
  env: process.env,
  node: process.execPath,
  // From tools/lib/cli/, decoded: a URL's own path would show blanks and non-ASCII letters as `%20`.
  get home() { return dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))); },
  cwd: () => process.cwd(),
  writeDirect,
};

let direct: boolean | undefined;

/**
 * Making `process.stdout` over a pipe costs as much as a small command takes. A terminal needs it (its text is
 * escaped), and so does a pipe that says "not now".
 */
function writeDirect(chunk: string): Uint8Array | string {
  direct ??= !fstatSync(1).isCharacterDevice();
  if (!direct) return chunk;
  const bytes = Buffer.from(chunk);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(1, bytes, done);
  } catch (error) {
    if (errnoOf(error) !== 'EAGAIN') throw error;
    direct = false;
  }
  return bytes.subarray(done);
}

// C0 but for tab and newline, DEL, C1, and the marks that reorder text: a transcript can hold any of them,
// and a terminal would obey.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text that is safe on a terminal. The form is JSON's own, so a JSON document stays one and means the same. */
export function escapeControl(text: string): string {
  return text.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A sentence about data, in one line: a line end in a file's or a session's name must not begin a line that says something else. */
export function oneLine(text: string): string {
  return escapeControl(text).replaceAll('\n', '\\u000a');
}

/**
 * Writes to stdout until the text ends or the reader goes away; the latter is no error.
 * Throws HandoffError IO where the bytes could not be written for another reason (a full disk).
 */
export async function writeOut(host: Host, text: NonNullable<Outcome['text']>): Promise<void> {
  const pieces = typeof text === 'string' ? [text] : text;
  let failure: Error | undefined;
  const onError = (error: unknown): void => { failure ??= error as Error; };
  let stream: Host['stdout'] | undefined;
  const put = async (chunk: string): Promise<void> => {
    let rest: Uint8Array | string = chunk;
    try {
      if (host.writeDirect !== undefined) rest = host.writeDirect(chunk);
    } catch (error) {
      return onError(error);
    }
    if (rest.length === 0) return;
    // The listener stays: an error that is reported late must not be one that nobody listens to.
    stream ??= host.stdout.on('error', onError);
    const { stdout } = host;
    if (stdout.isTTY && typeof rest === 'string') rest = escapeControl(rest);
    await new Promise<void>((done) => {
      stdout.write(rest, (error) => {
        if (error) onError(error);
        done();
      });
    });
  };
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

const QUIET_MS = 1000;
const EVERY_MS = 100;
const CLEAR = '\r\u001b[2K';

/**
 * One line on a terminal that each message overwrites; nothing where it is no terminal, and nothing in the first
 * second after `began` (milliseconds, of the same clock as `now`). Most work is one loop that nothing interrupts, so
 * this is not loaded late.
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
      // A line that wraps could not be overwritten. A terminal without a size says 0.
      const line = escapeControl(message).replaceAll('\n', ' ').slice(0, Math.max(1, (stream.columns || 80) - 1));
      stream.write(CLEAR + line);
    },
    clear() {
      if (shown) stream.write(CLEAR);
      shown = false;
    },
  };
}

/** The Io of one command, and how the runner takes a line of progress away when the command has ended. */
export function createIo(host: Host, program: string, json: boolean): { io: Io; clear(): void } {
  const began = Date.now();
  let line: ReturnType<typeof createProgress> | undefined;
  const clear = (): void => line?.clear();
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
    get home() { return host.home; },
    node: host.node,
    note(message) {
      clear();
      writeErr(host, `${program}: ${oneLine(message)}`);
    },
    progress(message) {
      line ??= createProgress(host.stderr, Date.now, began);
      line.show(message);
    },
    async confirm(question) {
      clear();
      return (await import('./confirm.mts')).confirm(host, question);
    },
    onSignal,
  };
  return { io, clear };
}
