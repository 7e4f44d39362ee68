/**
 * What has moved since a handoff was captured: the files that the session changed, the branch, the commits, the working
 * tree, the transcript. It looks and reads, and writes nothing. Paths come from a transcript, so none is followed out of the
 * session's own folder, and of a file in it only its entry is looked at.
 */
import fs from 'node:fs';
import path from 'node:path';
import { below } from '../lib/below.mts';
import type { Git } from '../lib/git.mts';
import { counted } from '../lib/plural.mts';
import type { FileRow } from '../render/digest.mts';
import type { Manifest } from '../store/manifest.mts';
import { movedSources } from './moved-sources.mts';

export interface Moved {
  what: 'folder' | 'file' | 'branch' | 'commit' | 'tree' | 'source';
  text: string;
  path?: string;
}

export interface Comparison {
  /** The time that everything is compared with: ISO 8601. */
  since: string;
  moved: Moved[];
  /** What could not be compared, or need not be. */
  notes: string[];
}

/** Clocks of file systems are coarse, and a tool's result is noted a moment after its write. */
const SLACK_MS = 2_000;
const PATHS_SHOWN = 10;

export interface Recorded {
  manifest: Manifest;
  files: readonly FileRow[];
  /** The session's last time as its record has it. */
  lastTs: string;
  /** The store: what is written there is no work. */
  root: string;
}

/** `gitAt` asks git in a folder. */
export function whatMoved({ manifest, files, lastTs, root }: Recorded, gitAt: (folder: string) => Git): Comparison {
  const captured = Date.parse(manifest.updated_at);
  const last = Date.parse(lastTs);
  // A record may claim any time; none is later than its capture.
  const told = [last, captured].filter((time) => !Number.isNaN(time));
  // Where no time is told, all that is there may be younger.
  const since = told.length === 0 ? 0 : Math.min(...told);
  const found: Comparison = { since: new Date(since).toISOString(), moved: [], notes: [] };
  const cwd = folderOf(manifest, found);
  if (cwd !== undefined) {
    // What is compared otherwise, or is ours.
    const known = new Set([root, ...manifest.source_paths].map(realPath));
    compareFiles(cwd, lastOf(files, cwd, path.resolve(manifest.cwd ?? cwd)), since + SLACK_MS, found, known);
    compareGit(cwd, manifest, gitAt(cwd), since, found, known);
  }
  const sources = movedSources(manifest);
  found.moved.push(...sources.moved);
  found.notes.push(...sources.notes);
  return found;
}

/** The session's folder by its real path; undefined where it cannot be compared. */
function folderOf({ cwd }: Manifest, found: Comparison): string | undefined {
  if (cwd === undefined || !path.isAbsolute(cwd)) {
    found.notes.push('the record names no folder: files and git were not compared');
    return undefined;
  }
  try {
    if (fs.statSync(cwd).isDirectory()) return fs.realpathSync(cwd);
  } catch {
    // It is told below.
  }
  found.moved.push({ what: 'folder', text: `the session's folder is not here: ${cwd}`, path: cwd });
  return undefined;
}

/** What the session left behind of each path: the last that it did to it. */
function lastOf(files: readonly FileRow[], cwd: string, named: string): Map<string, FileRow['how']> {
  const last = new Map<string, FileRow['how']>();
  const absolute = (file: string): string => {
    const full = path.resolve(named, file);
    // The folder may be named by a link to it.
    const rest = below(named, full);
    return rest === undefined ? full : path.join(cwd, rest);
  };
  for (const { path: file, how, from } of [...files].sort((a, b) => a.seq - b.seq)) {
    if (from !== undefined) last.set(absolute(from), 'deleted');
    last.set(absolute(file), how);
  }
  return last;
}

function compareFiles(cwd: string, files: ReadonlyMap<string, FileRow['how']>, after: number, found: Comparison, known: Set<string>): void {
  let outside = 0;
  for (const [file, how] of files) {
    if (!isInside(cwd, file)) {
      outside++;
      continue;
    }
    known.add(file);
    const shown = path.relative(cwd, file);
    const stat = entryOf(file);
    if (how === 'deleted') {
      if (stat !== undefined) found.moved.push({ what: 'file', text: `${shown} is there again: the session had deleted it`, path: file });
    } else if (stat === undefined) found.moved.push({ what: 'file', text: `${shown} is gone`, path: file });
    else if (stat.mtimeMs > after) found.moved.push({ what: 'file', text: `${shown} was written after the session`, path: file });
  }
  if (outside > 0) found.notes.push(`${counted(outside, 'changed file lies', 'changed files lie')} outside the session's folder and ${outside === 1 ? 'was' : 'were'} not looked at`);
}

/** Whether `file` lies below `cwd`, also when links on the way to it are followed. */
function isInside(cwd: string, file: string): boolean {
  const isBelow = (full: string): boolean => (below(cwd, full) ?? '') !== '';
  if (!isBelow(file)) return false;
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    try {
      const real = fs.realpathSync(folder);
      return real === cwd || isBelow(real);
    } catch {
      if (folder === path.dirname(folder)) return false;
    }
  }
}

function entryOf(file: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function compareGit(cwd: string, { git: before }: Manifest, git: Git, since: number, found: Comparison, known: ReadonlySet<string>): void {
  if (!git.isRepository()) {
    if (before === undefined) found.notes.push('the folder is no git repository');
    else found.moved.push({ what: 'branch', text: `git tells nothing here; the session was on ${before.branch ?? before.commit ?? 'a commit'}` });
    return;
  }
  const branch = git.branch();
  // Some clients write HEAD for a commit without a branch.
  const was = before?.branch === 'HEAD' ? undefined : before?.branch;
  if (before?.branch !== undefined && was !== branch) found.moved.push({ what: 'branch', text: `the branch was ${was ?? 'none'}, and is ${branch ?? 'none'}` });
  const commits = compareCommits(before?.commit, git, since);
  if (commits !== undefined) found.moved.push({ what: 'commit', text: commits });
  compareTree(cwd, git, since + SLACK_MS, found, known);
}

function compareCommits(before: string | undefined, git: Git, since: number): string | undefined {
  const now = git.commit('HEAD');
  if (before === undefined) {
    const count = now === undefined ? 0 : git.commitsSince(since) ?? 0;
    return count === 0 ? undefined : `${counted(count, 'commit')} since, now at ${now?.slice(0, 12)}`;
  }
  const then = git.commit(before);
  if (then === undefined) return `the session's commit ${before.slice(0, 12)} is not in this repository`;
  if (then === now || now === undefined) return undefined;
  const count = git.distance(then, now) ?? 0;
  return count === 0 ? `the commit was ${then.slice(0, 12)}, and is ${now.slice(0, 12)}` : `${counted(count, 'commit')} since ${then.slice(0, 12)}, now at ${now.slice(0, 12)}`;
}

/** A path that is known, lies in a known folder, or is a folder new to git with something known in it. */
function isKnown(file: string, known: ReadonlySet<string>): boolean {
  if (file.endsWith('/') && [...known].some((one) => `${one}/`.startsWith(file))) return true;
  for (let at = path.resolve(file); ; at = path.dirname(at)) {
    if (known.has(at)) return true;
    if (at === path.dirname(at)) return false;
  }
}

function realPath(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

/** Uncommitted work that is older than the session's end is what the handoff speaks of; newer work is not. */
function compareTree(cwd: string, git: Git, after: number, found: Comparison, known: ReadonlySet<string>): void {
  const top = git.top() ?? cwd;
  const all = git.changes();
  if (all === undefined) {
    found.notes.push('git does not tell what is uncommitted');
    return;
  }
  const changes = all.map((name) => ({ name, file: path.join(top, name) })).filter(({ file }) => !isKnown(file, known));
  const newer = changes.filter(({ file }) => (entryOf(file)?.mtimeMs ?? Infinity) > after).map(({ name }) => name);
  if (newer.length > 0) {
    const more = newer.length > PATHS_SHOWN ? `, and ${newer.length - PATHS_SHOWN} more` : '';
    found.moved.push({ what: 'tree', text: `${counted(newer.length, 'uncommitted path')} that the session did not leave so: ${newer.slice(0, PATHS_SHOWN).join(', ')}${more}` });
  } else if (changes.length > 0) found.notes.push(`${counted(changes.length, 'other uncommitted path')}, all older than the session's end`);
}
