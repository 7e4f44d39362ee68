/** One confined Node process: a short environment, its output hashed and bounded. */
import { only, runChild } from '../lib/child.mts';
import { createCapture, type Output } from './capture-output.mts';

/** How long a child may run, in ms. */
export const TIME_LIMIT_MS = 15_000;

/** Variables that a child gets. None of them can load code into Node or widen what confines it. */
const ENVIRONMENT = ['PATH', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TERM', 'NO_COLOR', 'CI', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'SystemDrive', 'windir', 'PATHEXT'];

export interface Confined {
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

export function environmentOf(env: Confined['env']): Record<string, string> {
  return only(ENVIRONMENT, env);
}

/** Runs it to its end. Never rejects. */
export async function runConfined({ node, words, cwd, env, limitMs, onSignal }: Confined): Promise<Ended> {
  const captures = { stdout: createCapture(), stderr: createCapture() };
  const ended = await runChild({ program: node, args: words, cwd, env: environmentOf(env), limitMs, onSignal, onOutput: (stream, chunk) => captures[stream].add(chunk) });
  if (!ended.started) return { started: false, error: ended.error };
  const { code, signal, timedOut, ms } = ended;
  return { started: true, exit_code: code, signal, timed_out: timedOut, ms, stdout: captures.stdout.result(), stderr: captures.stderr.result() };
}
