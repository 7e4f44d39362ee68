/**
 * Where the store is: the only answer to that question, for every layer.
 * `HANDOFFS_ROOT`; else the nearest of a configuration that names a folder and a `handoffs/` folder, from the
 * current directory up; else the skill directory.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CONFIG_NAME, fillConfig, mergeConfig, parseConfig, type Config, type ConfigFile } from './config.mts';
import { HandoffError, errnoOf } from './errors.mts';
import { isFolder, isThere } from './look.mts';

const PARENTS = 10;

/** Where harnesses look for skills, relative to the user's home: the shared two first, then harness by harness. */
export const SKILLS_FOLDERS: readonly string[] = [
  '.agents/skills', '.claude/skills', '.codex/skills', '.gemini/skills', '.config/opencode/skill',
  '.config/opencode/skills', '.opencode/skill', '.opencode/skills', '.pi/agent/skills', '.copilot/skills',
  '.qwen/skills', '.cline/skills', '.kilo/skills', '.kilocode/skills', '.config/kilo/skill', '.config/kilo/skills',
  '.continue/skills', '.cursor/skills', '.codeium/windsurf/skills', '.config/goose/skills', '.config/agents/skills',
  '.config/crush/skills', '.kimi/skills', '.roo/skills', '.kiro/skills', '.factory/skills', '.openhands/skills',
  '.augment/skills', '.junie/skills', '.trae/skills', '.qoder/skills', '.config/devin/skills', '.hermes/skills',
  '.gemini/antigravity/skills',
];

// The variable that moves a harness's folder; its place is looked at before the usual one.
const MOVED_BY: Readonly<Record<string, string>> = { '.claude/skills': 'CLAUDE_CONFIG_DIR', '.codex/skills': 'CODEX_HOME' };

export interface Surroundings {
  /** The current directory, absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The skill directory. */
  readonly home: string;
}

export interface Root {
  /** Absolute; need not exist yet. */
  readonly root: string;
  readonly source: 'env' | 'config' | 'discover' | 'default';
  /** The configuration that names the root, else the nearest one. */
  readonly configFile?: string;
  readonly config: Config;
  /** Sentences for stderr: keys that do nothing. */
  readonly notes: readonly string[];
}

/** Finds the store and the configuration in force. Reads only. Throws HandoffError CONFIG. */
export function findRoot({ cwd, env, home }: Surroundings): Root {
  let file: ConfigFile = {};
  let configFile: string | undefined;
  let found: Pick<Root, 'root' | 'source'> | undefined;
  const notes: string[] = [];

  let folder = resolve(cwd);
  for (let level = 0; level <= PARENTS && found === undefined; level++) {
    const path = join(folder, CONFIG_NAME);
    const source = readIfThere(path);
    if (source !== undefined) {
      const parsed = parseConfig(path, source);
      notes.push(...parsed.notes);
      file = mergeConfig(file, parsed.config);
      const named = parsed.config.storage?.path || parsed.config.handoff_dir;
      if (named) found = { root: resolve(folder, named), source: 'config' };
      if (named || configFile === undefined) configFile = path;
    }
    if (found === undefined && isFolder(join(folder, 'handoffs'))) found = { root: join(folder, 'handoffs'), source: 'discover' };
    const parent = dirname(folder);
    if (parent === folder) break;
    folder = parent;
  }

  // The walk is done all the same: its configuration holds wherever the store is.
  if (env['HANDOFFS_ROOT']) found = { root: resolve(cwd, env['HANDOFFS_ROOT']), source: 'env' };
  found ??= { root: defaultRoot(home, env), source: 'default' };
  const standing = nearestThere(found.root);
  if (!isFolder(standing)) {
    const by = { env: 'HANDOFFS_ROOT', config: configFile, discover: 'the walk', default: 'the default' }[found.source];
    const why = standing === found.root ? 'is none' : `lies below ${standing}, which is none`;
    throw new HandoffError('CONFIG', `the store has to be a folder, and ${found.root}, which ${by} names, ${why}`, { data: { root: found.root } });
  }
  return { ...found, ...(configFile === undefined ? {} : { configFile }), config: fillConfig(file), notes };
}

/**
 * The skill directory; for a copy inside a `node_modules`, which its package manager may replace at any time,
 * the user's installed copy, else `~/.agents/handoffs`.
 */
function defaultRoot(home: string, env: Surroundings['env']): string {
  if (!home.split(/[\\/]/).includes('node_modules')) return home;
  const userHome = userHomeOf(env);
  return installedCopy(userHome, env) ?? homeStore(userHome);
}

/** The copy whose store is the default where none is named: the first in the order of the skills folders. */
export function installedCopy(userHome: string, env: Surroundings['env']): string | undefined {
  for (const folder of skillsFolders(userHome, env)) {
    const copy = join(folder, 'agents-handoff');
    // The real folder, as a command that is started from there would name it.
    if (isThere(join(copy, 'SKILL.md'))) return realpathSync(copy);
  }
  return undefined;
}

/** The store of a user who has no installed copy. */
export function homeStore(userHome: string): string {
  return join(userHome, '.agents', 'handoffs');
}

function skillsFolders(userHome: string, env: Surroundings['env']): string[] {
  return SKILLS_FOLDERS.flatMap((folder) => {
    const moved = env[MOVED_BY[folder] ?? ''];
    return moved ? [`${moved}/skills`, `${userHome}/${folder}`] : [`${userHome}/${folder}`];
  });
}

function userHomeOf(env: Surroundings['env']): string {
  const named = env['HOME'] || env['USERPROFILE'];
  if (named) return resolve(named);
  try {
    // An empty HOME is none, and homedir() believes it.
    return homedir() || userInfo().homedir;
  } catch (cause) {
    throw new HandoffError('CONFIG', 'no store is named here and there is no home directory to keep one in: set HANDOFFS_ROOT or HOME', { cause });
  }
}

/** The path itself, or the nearest above it that is there. */
function nearestThere(path: string): string {
  let at = path;
  while (!isThere(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

function readIfThere(path: string): string | undefined {
  const unreadable = (why: string, cause?: unknown) => new HandoffError('CONFIG', `${path} is there but cannot be read (${why})`, { cause, data: { file: path } });
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    // Opening a pipe would wait for whoever writes into it.
    if (stats !== undefined && !stats.isFile()) throw unreadable('it is no file');
    if (stats === undefined && isThere(path)) throw unreadable('a link that leads nowhere');
    return stats === undefined ? undefined : readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof HandoffError) throw cause;
    // A parent that may not be searched hides its files: nothing there is known to be a configuration.
    if (!isThere(path)) return undefined;
    throw unreadable(errnoOf(cause) ?? (cause as Error).message, cause);
  }
}
