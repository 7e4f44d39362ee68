/** One confined Node process: no shell, a short environment, a time limit on it and all that it started. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { endGroup } from '../lib/cli/this-node.mts';
import { createCapture, type Output } from './capture-output.mts';

/** How long a child may run, in ms. */
export const TIME_LIMIT_MS = 15_000;
/** How long its output is waited for after its end: somebody else may hold the pipe open. */
const LAST_WORDS_MS = 500;

/** Variables that a child gets. None of them can load code into Node or widen what confines it. */
const ENVIRONMENT = ['PATH', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TERM', 'NO_COLOR', 'CI', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'SystemDrive', 'windir', 'PATHEXT'];

export interface Child {
  readonly node: string;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitMs: number;
  /** Told when a signal ends this program: the child is ended first. Gives what takes that back. */
  onSignal(undo: () => void): () => void;
}

export type Ended =
  | { readonly started: false; readonly error: string }
  | { readonly started: true; readonly exit_code: number | null; readonly signal: string | null; readonly timed_out: boolean; readonly ms: number; readonly stdout: Output; readonly stderr: Output };

export function environmentOf(env: Child['env']): Record<string, string> {
  return Object.fromEntries(ENVIRONMENT.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** Runs it to its end. Never rejects. */
export function runChild({ node, words, cwd, env, limitMs, onSignal }: Child): Promise<Ended> {
  return new Promise((resolve) => {
    const began = performance.now();
    // Detached: it leads a group of its own, so that all of it can be ended at once.
    let child: ChildProcessByStdio<null, Readable, Readable>;
    try {
      child = spawn(node, words, { cwd, env: environmentOf(env), stdio: ['ignore', 'pipe', 'pipe'], detached: true, shell: false, windowsHide: true });
    } catch (error) {
      // Words that are too long for the system, for one.
      return resolve({ started: false, error: (error as Error).message });
    }
    const { pid } = child;
    const captures = { stdout: createCapture(), stderr: createCapture() };
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk: Buffer) => captures[name].add(chunk)).on('error', () => {});
    let timedOut = false;
    const end = (): void => {
      if (pid !== undefined) endGroup(pid);
    };
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, limitMs);
    const takeBack = onSignal(end);
    const settle = (ended: Ended): void => {
      clearTimeout(timer);
      takeBack();
      resolve(ended);
    };
    child.on('error', (error) => {
      if (pid === undefined) settle({ started: false, error: error.message });
    });
    child.on('exit', () => {
      // What it left behind in its group ends with it.
      end();
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, LAST_WORDS_MS).unref();
    });
    child.on('close', (code, signal) => settle({
      started: true, exit_code: code, signal, timed_out: timedOut, ms: Math.round(performance.now() - began),
      stdout: captures.stdout.result(), stderr: captures.stderr.result(),
    }));
  });
}
