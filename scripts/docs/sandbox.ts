/**
 * Where blocks of documents are run: an empty home, and a copy of what a checkout has, so that nothing of the machine
 * reaches a command and no command reaches the checkout.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** A transcript as a page names it, in the folder in which its blocks run. */
const TRANSCRIPT = 'examples/transcript.jsonl';

export interface Sandbox {
  checkout: string;
  home: string;
  /** A project with a transcript in it: where the blocks of a page begin. */
  project: string;
  env: NodeJS.ProcessEnv;
  remove(): void;
}

/** `commands`: whether `handoff` and `agents-handoff` are on the PATH, as after an installation from a registry. */
export function makeSandbox({ commands }: { commands: boolean }): Sandbox {
  const root = realpathSync(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'handoff-docs-')));
  const [checkout, home, bin, tmp] = ['checkout', 'home', 'bin', 'tmp'].map((name) => {
    mkdirSync(join(root, name));
    return join(root, name);
  }) as [string, string, string, string];
  const shipped = (JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { files: string[] }).files;
  for (const name of [...new Set([...shipped, 'package.json', 'examples', 'scripts/demo.mjs'])]) {
    if (existsSync(join(REPOSITORY, name))) cpSync(join(REPOSITORY, name), join(checkout, name), { recursive: true });
  }
  const program = (name: string, text: string): void => writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  // `npm ci` would fetch what is installed already and build what is built already.
  program('npm', 'case "$1" in ci) exit 0 ;; run) exec node "scripts/$2.mjs" ;; *) echo "npm $*: not here" >&2; exit 1 ;; esac');
  if (commands) {
    program('handoff', `exec node '${checkout}/tools/handoff.mjs' "$@"`);
    program('agents-handoff', `exec node '${checkout}/tools/cli.mjs' "$@"`);
  }
  const project = join(home, 'tidebook');
  if (commands) {
    mkdirSync(project);
    cpSync(join(REPOSITORY, TRANSCRIPT), join(project, 'session.jsonl'));
  }
  const path = [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  const env = { PATH: path, HOME: home, TMPDIR: tmp, NO_COLOR: '1', LC_ALL: 'C.UTF-8', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return { checkout, home, project, env, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** The output as every run prints it: folders and the time of day are those of a reader. `since`: when the run began. */
export function settled(output: string, { home, checkout, env }: Sandbox, since: Date): string {
  const work = new RegExp(`${env['TMPDIR']?.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/tmp\\.\\w+`, 'g');
  const now = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
  return output.replace(work, '/tmp/tidebook').replaceAll(home, '/home/you').replaceAll(checkout, '/home/you/agents-handoff')
    .replace(now, (time) => (Date.parse(time) >= since.getTime() - 1000 ? '2026-03-02T18:30:00.000Z' : time)).trimEnd();
}
