/** A program run to learn something of it. */
import { only, runChild, type Ended } from '../lib/child.mts';
import type { Ground } from './probe.mts';

/** Output that is kept; evidence is a line of it. */
const KEPT_BYTES = 16 * 1024;

/** What a program needs to find itself and its user. Keys to services are no part of that. */
const ENVIRONMENT = ['PATH', 'HOME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TEMP', 'TMP',
  'SystemRoot', 'SystemDrive', 'windir', 'PATHEXT', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME'];

export type Ran = Extract<Ended, { started: false }> | (Extract<Ended, { started: true }> & { readonly stdout: string; readonly stderr: string });

/** Runs it to its end, or ends it. Never rejects. */
export async function runProgram(program: string, args: readonly string[], ground: Ground, limitMs: number, more: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const kept = { stdout: '', stderr: '' };
  const ended = await runChild({
    program, args, cwd: ground.folder, env: { ...only(ENVIRONMENT, ground.env), NO_COLOR: '1', ...more }, limitMs, onSignal: ground.onSignal,
    onOutput(stream, chunk) {
      if (kept[stream].length < KEPT_BYTES) kept[stream] += chunk.toString('utf8', 0, KEPT_BYTES);
    },
  });
  return ended.started ? { ...ended, ...kept } : ended;
}

/** Whether it did what it was asked, and one sentence of how it ended. */
export function endOf(ran: Ran, limitMs: number): { well: boolean; how: string } {
  if (!ran.started) return { well: false, how: ran.missing ? 'there is no such program' : `it could not be started (${ran.error})` };
  if (ran.timedOut) return { well: false, how: `it did not end within ${limitMs} ms, and was ended with all that it had started` };
  if (ran.code === null) return { well: false, how: `it was ended by ${ran.signal ?? 'a signal'}` };
  const said = firstLine(ran.stdout) ?? firstLine(ran.stderr);
  return { well: ran.code === 0, how: `exit ${ran.code} in ${ran.ms} ms${said === undefined ? '' : `: ${said}`}` };
}

/** The first line that says anything, without the blanks around it; undefined where there is none. */
export function firstLine(output: string): string | undefined {
  return output.split(/\r?\n/).map((line) => line.trim()).find((line) => line !== '');
}
