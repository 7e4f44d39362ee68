/** Where the bounded executor and the probes are at home: the repository that they act in, and their state. */
import { existsSync } from 'node:fs';
import path from 'node:path';

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The folder that holds `tools/`. A copy inside a `node_modules` belongs to a package manager: there it is that of
 * `repositoryOf`.
 */
export function findRepo({ cwd, home }: Pick<Place, 'cwd' | 'home'>): string {
  return home.split(/[\\/]/).includes('node_modules') ? repositoryOf(cwd) : home;
}

/** The nearest folder with `.git` from the current one up, else the current one. */
export function repositoryOf(cwd: string): string {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.git'))) return folder;
    if (path.dirname(folder) === folder) return path.resolve(cwd);
  }
}

/** `AGENT_HANDOFF_STATE_DIR`, relative to the current folder, else `<repo>/.agents-handoff`. Need not exist. */
export function stateFolder({ cwd, env }: Pick<Place, 'cwd' | 'env'>, repo: string): string {
  const named = env['AGENT_HANDOFF_STATE_DIR'];
  return named ? path.resolve(cwd, named) : path.join(repo, '.agents-handoff');
}
