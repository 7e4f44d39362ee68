/**
 * The few questions that are put to git. A repository may be anybody's: nothing that it configures is run, and a question
 * that git does not answer in time is one without an answer.
 */
import { execFileSync } from 'node:child_process';

const TIMEOUT_MS = 5000;
const QUIET = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.pager=cat'];

/** What git prints, without the last line end; undefined where there is no git, no repository or no answer. */
function ask(cwd: string, path: string | undefined, args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', [...QUIET, ...args], {
      cwd, encoding: 'utf8', timeout: TIMEOUT_MS, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 16 << 20,
      env: { ...(path === undefined ? {} : { PATH: path }), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    }).replace(/\n$/, '');
  } catch {
    return undefined;
  }
}

export interface Git {
  /** False where `cwd` lies in no repository, or there is no git. */
  isRepository(): boolean;
  /** The current branch; undefined where HEAD is detached. */
  branch(): string | undefined;
  /** The full name of a commit that `name` stands for. */
  commit(name: string): string | undefined;
  /** Paths that differ from the last commit, as `git status` names them. */
  changes(): string[];
  /** How many commits lie between two. */
  distance(from: string, to: string): number | undefined;
}

/** `path` is the PATH to look for git in. */
export function gitOf(cwd: string, path: string | undefined): Git {
  return {
    isRepository: () => ask(cwd, path, ['rev-parse', '--is-inside-work-tree']) === 'true',
    branch: () => ask(cwd, path, ['symbolic-ref', '--short', '-q', 'HEAD']),
    // A name that begins with a dash would be an option.
    commit: (name) => (name.startsWith('-') ? undefined : ask(cwd, path, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`])),
    changes: () => (ask(cwd, path, ['status', '--porcelain=v1', '-z', '--untracked-files=normal']) ?? '').split('\0').filter((entry) => entry !== '').map((entry) => entry.slice(3)),
    distance(from, to) {
      const count = ask(cwd, path, ['rev-list', '--count', '--end-of-options', `${from}..${to}`]);
      return count === undefined ? undefined : Number(count);
    },
  };
}
