/** A program run to learn something of it: no shell, nothing on its standard input, its whole process group ended in time. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { endGroup } from '../lib/cli/this-node.mts';
import type { Ground } from './probe.mts';

/** Output that is kept; evidence is a line of it. */
const KEPT_BYTES = 16 * 1024;
/** How long output is waited for after the end: what was started may hold the pipe open. */
const LAST_WORDS_MS = 200;

/** What a program needs to find itself and its user. Keys to services are no part of that. */
const ENVIRONMENT = ['PATH', 'HOME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TEMP', 'TMP',
  'SystemRoot', 'SystemDrive', 'windir', 'PATHEXT', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME'];

export type Ran =
  | { readonly started: false; readonly missing: boolean; readonly error: string }
  | { readonly started: true; readonly code: number | null; readonly signal: string | null; readonly timedOut: boolean; readonly ms: number; readonly stdout: string; readonly stderr: string };

/** Runs it to its end, or ends it. Never rejects. */
export function runProgram(program: string, args: readonly string[], ground: Ground, limitMs: number, more: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const began = performance.now();
    const env = Object.fromEntries(ENVIRONMENT.flatMap((name) => (ground.env[name] === undefined ? [] : [[name, ground.env[name]]])));
    let child: ChildProcessByStdio<null, Readable, Readable>;
    try {
      // Detached: it leads a group of its own, so that all of it can be ended at once.
      child = spawn(program, [...args], { cwd: ground.folder, env: { ...env, NO_COLOR: '1', ...more }, stdio: ['ignore', 'pipe', 'pipe'], detached: true, shell: false, windowsHide: true });
    } catch (error) {
      return resolve({ started: false, missing: false, error: (error as Error).message });
    }
    const { pid } = child;
    const kept = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk: Buffer) => {
        if (kept[name].length < KEPT_BYTES) kept[name] += chunk.toString('utf8', 0, KEPT_BYTES);
      }).on('error', () => {});
    }
    const end = (): void => {
      if (pid !== undefined) endGroup(pid);
    };
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, limitMs);
    const takeBack = ground.onSignal(end);
    const settle = (ran: Ran): void => {
      clearTimeout(timer);
      takeBack();
      resolve(ran);
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
    child.on('close', (code, signal) => settle({ started: true, code, signal, timedOut, ms: Math.round(performance.now() - began), ...kept }));
  });
}

/** Whether it did what it was asked, and one sentence of how it ended. */
export function endOf(ran: Ran, limitMs: number): { well: boolean; how: string } {
  if (!ran.started) return { well: false, how: ran.missing ? 'there is no such program' : `it could not be started (${ran.error})` };
  if (ran.timedOut) return { well: false, how: `it did not end within ${limitMs} ms, and was ended with all that it had started` };
  if (ran.code === null) return { well: false, how: `it was ended by ${ran.signal ?? 'a signal'}` };
  const said = firstLine(ran.stdout) ?? firstLine(ran.stderr);
  return { well: ran.code === 0, how: `exit ${ran.code} in ${ran.ms} ms${said === undefined ? '' : `: ${said}`}` };
}

export function firstLine(output: string): string | undefined {
  return output.split(/\r?\n/).map((line) => line.trim()).find((line) => line !== '');
}
