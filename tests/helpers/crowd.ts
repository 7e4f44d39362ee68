/** A store that many commands use at once: each is started, perhaps killed, and written down with what it said. */
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { run, start, type Result } from './run.ts';

export interface Said extends Result { entry: string; argv: readonly string[]; killed: boolean; after: number }

/** A new folder `dir` with a store in it. */
export function openCrowd(dir: string) {
  const root = path.join(dir, 'store');
  fs.mkdirSync(dir);
  const log: Said[] = [];
  const began = Date.now();
  const running = new Map<number, ChildProcess>();
  /** A command of this program that has to work. */
  const mustBy = (entry: string, ...argv: string[]): string => {
    const result = run(entry, argv, { cwd: dir, env: { HANDOFFS_ROOT: root } });
    if (result.status !== 0) throw new Error(`${entry} ${argv.join(' ')} ended with ${result.status}: ${result.stdout}${result.stderr}`);
    return result.stdout;
  };
  return {
    dir, root, log,
    /** Kills the command after `killMs`, where given and it still runs. */
    async say(argv: readonly string[], killMs?: number, entry = 'handoff'): Promise<Said> {
      const { child, done } = start(entry, argv, { cwd: dir, home: dir, env: { HANDOFFS_ROOT: root }, input: '' });
      if (child.pid !== undefined) running.set(child.pid, child);
      const timer = killMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killMs);
      const result = await done;
      clearTimeout(timer);
      if (child.pid !== undefined) running.delete(child.pid);
      const said = { ...result, entry, argv, killed: result.signal === 'SIGKILL', after: Date.now() - began };
      log.push(said);
      return said;
    },
    /** Kills the command that holds a lock now and is in the middle of its work, where `chosen` says so; asked once a command. */
    killHolder(chosen: () => boolean): void {
      const locks = path.join(root, '.locks');
      for (const name of fs.readdirSync(locks).filter((file) => file.endsWith('.lock'))) {
        const pid = Number(/"pid":(\d+)/.exec(quietly(path.join(locks, name)))?.[1]);
        const child = running.get(pid);
        running.delete(pid);
        if (child !== undefined && chosen()) child.kill('SIGKILL');
      }
    },
    mustBy,
    must: (...argv: string[]): string => mustBy('handoff', ...argv),
    /** Everything that a crash could leave behind. */
    leftOvers: (): string[] => fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(?:lock|tmp|taking|gone)$/.test(file)).sort(),
  };
}

/** A canonical line of the session, the same for the same number. */
export const record = (session: string, at: number): string => `${JSON.stringify({ session, seq: at, ts: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(), role: at % 2 === 0 ? 'user' : 'assistant', text: `turn ${at} of ${session} ${'·'.repeat(at % 50)}` })}\n`;

/** What a test tells of the commands that did something which none may do. */
export function told(log: readonly Said[]): string[] {
  return log.map(({ entry, argv, status, signal, stdout, stderr, after }) => `${after} ms: ${entry} ${argv.join(' ')}: ${status ?? signal}\n${stdout.slice(0, 2000)}${stderr.slice(0, 4000)}`);
}

export const isHeld = ({ status, stderr }: Result): boolean => status === 3 && stderr.includes('lock');
export const isChanging = ({ status, stderr }: Result): boolean => status === 3 && stderr.includes('changed each time');

function quietly(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return ''; // released in between
  }
}

/** In ms. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
