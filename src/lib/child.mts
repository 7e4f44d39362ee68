/** A program with a process group of its own: no shell, nothing on its standard input, all of it ended in time. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { endGroup } from './cli/this-node.mts';

/** How long output is waited for after the end: what was started may hold the pipe open. */
const LAST_WORDS_MS = 500;

export interface Child {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** Told when a signal ends this program: the child is ended first. Gives what takes that back. */
  onSignal(undo: () => void): () => void;
  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void;
}

export type Ended =
  | { readonly started: false; readonly missing: boolean; readonly error: string }
  | { readonly started: true; readonly code: number | null; readonly signal: string | null; readonly timedOut: boolean; readonly ms: number };

/** Those of the variables that have these names: what else is set is nobody's business. */
export function only(names: readonly string[], env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** Runs it to its end, or ends it. Never rejects. */
export function runChild({ program, args, cwd, env, limitMs, onSignal, onOutput }: Child): Promise<Ended> {
  return new Promise((resolve) => {
    const began = performance.now();
    let child: ChildProcessByStdio<null, Readable, Readable>;
    let pid: number | undefined;
    const end = (): void => {
      if (pid !== undefined) endGroup(pid);
    };
    // Before it starts: a signal in between would end this program alone, and leave the group behind.
    const takeBack = onSignal(end);
    try {
      // Detached: it leads a group of its own, so that all of it can be ended at once.
      child = spawn(program, [...args], { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true, shell: false, windowsHide: true });
    } catch (error) {
      // Words that are too long for the system, for one.
      takeBack();
      return resolve({ started: false, missing: false, error: (error as Error).message });
    }
    pid = child.pid;
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk: Buffer) => onOutput(name, chunk)).on('error', () => {});
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, limitMs);
    const settle = (ended: Ended): void => {
      clearTimeout(timer);
      takeBack();
      resolve(ended);
    };
    child.on('error', (error) => {
      if (pid === undefined) settle({ started: false, missing: (error as NodeJS.ErrnoException).code === 'ENOENT', error: error.message });
    });
    child.on('exit', () => {
      // What it left behind in its group ends with it.
      end();
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, LAST_WORDS_MS).unref();
    });
    child.on('close', (code, signal) => settle({ started: true, code, signal, timedOut, ms: Math.round(performance.now() - began) }));
  });
}
