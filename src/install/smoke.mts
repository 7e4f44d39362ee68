/** Whether an installed copy starts: one command of it that writes nothing, in an environment with nothing in it. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const TIMEOUT_MS = 20_000;

/** Of a stack the error's own line; Node puts its version behind it. */
function tellingLine(stderr: string): string | undefined {
  const lines = stderr.trim().split('\n').filter((line) => !/^Node\.js v\d/.test(line) && line.trim() !== '');
  return lines.find((line) => /^(?:Uncaught )?\w*Error\b.*: /.test(line)) ?? lines.at(-1);
}

/** A sentence where the copy does not start; undefined where it does. Call it only for a copy in which every hash is right. */
export function startProblem(copy: string, node: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const bare: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'USERPROFILE', 'SystemRoot']) {
    const value = env[name];
    if (value !== undefined) bare[name] = value;
  }
  // At the root no configuration of a user is in force: it is the copy that is tried.
  const { status, signal, stdout, stderr, error } = spawnSync(node, [path.join(copy, 'tools', 'handoff.mjs'), 'config'], {
    cwd: path.parse(copy).root, env: bare, encoding: 'utf8', timeout: TIMEOUT_MS, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error === undefined && status === 0 && stdout.startsWith('handoff: config root=')) return undefined;
  const said = (error?.message ?? tellingLine(stderr)) || 'it said nothing that was expected';
  return `tools/handoff.mjs config ended with ${status ?? signal ?? 'an error'}: ${said}`;
}
