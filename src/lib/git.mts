/**
 * The few questions that are put to git. A repository may be anybody's: nothing that it configures is run, and a question
 * that git does not answer in time is one without an answer.
 */
import { execFileSync } from 'node:child_process';

const TIMEOUT_MS = 5000;
/** Words before the question: nothing that the repository configures is run. */
export const QUIET = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.pager=cat'];
/** What git is told by its environment: to change nothing, to ask nobody, and to speak as it is parsed. */
export const ALONE = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };

/**
 * What git prints, without the last line end; undefined where there is no git, no repository or no answer. `nothing`: the
 * status with which git says that there is nothing to print.
 */
function ask(cwd: string, path: string | undefined, args: readonly string[], { env = {}, nothing }: { env?: Readonly<Record<string, string>>; nothing?: number } = {}): string | undefined {
  try {
    return execFileSync('git', [...QUIET, ...args], {
      cwd, encoding: 'utf8', timeout: TIMEOUT_MS, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 16 << 20,
      env: { ...(path === undefined ? {} : { PATH: path }), ...ALONE, ...env },
    }).replace(/\n$/, '');
  } catch (error) {
    return nothing !== undefined && (error as { status?: unknown }).status === nothing ? '' : undefined;
  }
}

export interface Git {
  /** False where `cwd` lies in no repository, or there is no git. */
  isRepository(): boolean;
  /** The current branch; undefined where HEAD is detached. */
  branch(): string | undefined;
  /** The full name of a commit that `name` stands for. */
  commit(name: string): string | undefined;
  /** The repository's own folder. */
  top(): string | undefined;
  /** Paths that differ from the last commit, from the repository's folder on; a folder that git does not know ends in `/`. Undefined where git does not tell. */
  changes(): string[] | undefined;
  /** How many commits lie between two. */
  distance(from: string, to: string): number | undefined;
  /** How many commits on the current branch are younger than `time`, in ms. */
  commitsSince(time: number): number | undefined;
}

/** `path` is the PATH to look for git in. */
export function gitOf(cwd: string, path: string | undefined): Git {
  return {
    isRepository: () => ask(cwd, path, ['rev-parse', '--is-inside-work-tree']) === 'true',
    branch: () => ask(cwd, path, ['symbolic-ref', '--short', '-q', 'HEAD']),
    // A name that begins with a dash would be an option.
    commit: (name) => (name.startsWith('-') ? undefined : ask(cwd, path, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`])),
    top: () => ask(cwd, path, ['rev-parse', '--show-toplevel']),
    changes() {
      const filters = ask(cwd, path, ['config', '--name-only', '-z', '--get-regexp', '^filter\\.'], { nothing: 1 });
      if (filters === undefined) return undefined;
      const status = ask(cwd, path, ['status', '--porcelain=v1', '-z', '--untracked-files=normal', '--ignore-submodules=dirty'], { env: withoutFilters(filters) });
      return status === undefined ? undefined : changedPaths(status);
    },
    distance(from, to) {
      const count = ask(cwd, path, ['rev-list', '--count', '--end-of-options', `${from}..${to}`]);
      return count === undefined ? undefined : Number(count);
    },
    commitsSince(time) {
      const count = ask(cwd, path, ['rev-list', '--count', `--since=${new Date(time).toISOString()}`, 'HEAD']);
      return count === undefined ? undefined : Number(count);
    },
  };
}

/** A status runs the programs that a repository names to clean files: emptied, by way of the environment, they are none. */
function withoutFilters(names: string): Record<string, string> {
  const programs = [...new Set(names.split('\0'))].filter((name) => /\.(?:clean|process|smudge|required)$/.test(name));
  const pairs = programs.flatMap((name, at) => [[`GIT_CONFIG_KEY_${at}`, name], [`GIT_CONFIG_VALUE_${at}`, name.endsWith('.required') ? 'false' : '']]);
  return { GIT_CONFIG_COUNT: String(programs.length), ...Object.fromEntries(pairs) };
}

/** Entries of `git status -z`: two letters, a blank, the path; behind a renamed or copied one stands the path before. */
function changedPaths(status: string): string[] {
  const entries = status.split('\0');
  const paths: string[] = [];
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at] ?? '';
    if (entry === '') continue;
    paths.push(entry.slice(3));
    if (/[RC]/.test(entry.slice(0, 2))) at++;
  }
  return paths;
}
