/**
 * Where harnesses keep their sessions, one row each. A glob has a fixed depth: a star stands for one name, and nothing
 * below is looked at. A new harness is one row here.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';

export interface Place {
  harness: string;
  /** The harness's folder below the user's home, and the variable that names it instead, with what lies below that. */
  home: string;
  moved?: { by: string; below: string };
  globs: readonly Glob[];
  /** Whether a folder at the first star may be that of a working directory; a name may stand for several of them. */
  folder?: (name: string, cwd: string) => boolean;
  /** Of a session's file the ending that another file has instead which tells the working directory. */
  beside?: readonly [ending: string, instead: string];
}

export interface Glob {
  /** `/` between names. The names before the first star may be links. */
  path: string;
  /** Names at the last star that are no session. */
  not?: RegExp;
  /** A database of many sessions, which only a build opens. */
  database?: true;
}

/** Clients cut what would be too long for a name, and put a hash behind it. */
const LONGEST_FOLDER = 200;

function dashed(name: string, cwd: string): boolean {
  const whole = cwd.replace(/[^A-Za-z0-9]/g, '-');
  return name === whole || (whole.length > LONGEST_FOLDER && name.startsWith(whole.slice(0, LONGEST_FOLDER)));
}

function betweenDashes(name: string, cwd: string): boolean {
  return name === `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
}

export const PLACES: readonly Place[] = [
  {
    harness: 'claude-code',
    home: '.claude',
    moved: { by: 'CLAUDE_CONFIG_DIR', below: '' },
    // 2.0.x keeps the files of sub-agents beside those of their sessions.
    globs: [{ path: 'projects/*/*.jsonl', not: /^agent-/ }],
    folder: dashed,
  },
  {
    harness: 'codex',
    home: '.codex',
    moved: { by: 'CODEX_HOME', below: '' },
    globs: [{ path: 'sessions/*/*/*/rollout-*.jsonl' }, { path: 'archived_sessions/rollout-*.jsonl' }],
  },
  { harness: 'gemini', home: '.gemini', globs: [{ path: 'tmp/*/chats/session-*.jsonl' }, { path: 'tmp/*/chats/session-*.json' }] },
  { harness: 'qwen', home: '.qwen', globs: [{ path: 'projects/*/chats/*.jsonl' }], folder: dashed },
  {
    harness: 'opencode',
    home: '.local/share/opencode',
    moved: { by: 'XDG_DATA_HOME', below: 'opencode' },
    globs: [{ path: 'opencode*.db', database: true }, { path: 'storage/session/*/ses_*.json' }],
  },
  { harness: 'kilo', home: '.local/share/kilo', moved: { by: 'XDG_DATA_HOME', below: 'kilo' }, globs: [{ path: 'kilo*.db', database: true }] },
  { harness: 'pi', home: '.pi/agent', globs: [{ path: 'sessions/*/*.jsonl' }], folder: betweenDashes },
  { harness: 'copilot', home: '.copilot', globs: [{ path: 'session-state/*/events.jsonl' }] },
  { harness: 'cline', home: '.cline/data', globs: [{ path: 'sessions/*/*.messages.json', not: /^agent_/ }], beside: ['.messages.json', '.json'] },
  { harness: 'continue', home: '.continue', globs: [{ path: 'sessions/*.json', not: /^sessions\.json$/ }] },
];

/**
 * Where the transcripts of a session's sub-agents lie, seen from the folder of its own; `{name}` is its name without the
 * ending. Whose they are stands in them. (Rollouts of Codex lie among all others.)
 */
export const SUBAGENTS: readonly Glob[] = [
  { path: '{name}/subagents/agent-*.jsonl' },
  { path: '{name}/subagents/workflows/*/agent-*.jsonl' },
  { path: 'agent-*.jsonl' },
  { path: '../subagents/{name}/agent-*.jsonl' },
  { path: 'agent_*.messages.json' },
];

/** The row's folder here; undefined where it lies below a home and there is none. */
export function folderOf(place: Place, env: Readonly<Record<string, string | undefined>>, home: string | undefined): string | undefined {
  const moved = place.moved === undefined ? undefined : env[place.moved.by];
  if (place.moved !== undefined && moved !== undefined && moved !== '') return path.resolve(moved, place.moved.below);
  return home === undefined ? undefined : path.join(home, place.home);
}

/** The user's home as the environment names it. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env['HOME'] || env['USERPROFILE'] || undefined;
}

/** The name under which Gemini CLI keeps what belongs to a working directory, until 0.20. */
export function sha256Folder(cwd: string): string {
  return createHash('sha256').update(cwd).digest('hex');
}
