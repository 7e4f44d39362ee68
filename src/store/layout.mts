/**
 * Every path in a store, and the formats' versions. docs/FORMAT.md draws the tree.
 */
import path from 'node:path';

/** `seal.format` that this program writes; a higher one is refused. */
export const SEAL_FORMAT = 1;

export interface StorePaths {
  root: string;
  index: string;
  projects: string;
  links: string;
  locks: string;
  /** Sessions from before they were replaced. */
  backups: string;
}

/** The names in a store; nothing is looked at. */
export function storePaths(root: string): StorePaths {
  return {
    root,
    index: path.join(root, 'INDEX.json'),
    projects: path.join(root, 'projects'),
    links: path.join(root, 'links'),
    locks: path.join(root, '.locks'),
    backups: path.join(root, '.backups'),
  };
}

export interface SessionPaths {
  dir: string;
  manifest: string;
  timeline: string;
  chain: string;
  brief: string;
  summary: string;
  payload: string;
  tools: string;
}

/** The names in the folder of a session; nothing is looked at. */
export function sessionPaths(dir: string): SessionPaths {
  const inside = path.join(dir, path.sep);
  return {
    dir,
    manifest: `${inside}manifest.json`,
    timeline: `${inside}timeline.jsonl`,
    chain: `${inside}chain.jsonl`,
    brief: `${inside}HANDOFF.md`,
    summary: `${inside}HANDOFF.summary.json`,
    payload: `${inside}HANDOFF.llm.json`,
    tools: `${inside}TOOLS.md`,
  };
}

/** The folder of a session. */
export function sessionDir(root: string, project: string, folder: string): string {
  return path.join(root, 'projects', project, folder);
}

/** Where a session lies, `project/folder`, in its parts. */
export function placeParts(place: string): { project: string; folder: string } {
  const [project = '', folder = ''] = place.split('/');
  return { project, folder };
}

/** The page of a project. */
export function projectPage(root: string, project: string): string {
  return path.join(root, 'projects', project, 'PROJECT.md');
}

/** The name of a file that is written beside its target until a revision is committed. */
export function stagedName(target: string, token: string): string {
  return `${target}.${token}.tmp`;
}

/** Locks: a session's by its id, wherever it lies; the store's own short ones by name. */
export const sessionKey = (id: string): string => `session:${id}`;
export const INDEX_KEY = 'index';
