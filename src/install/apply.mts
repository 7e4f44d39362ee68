/**
 * Brings staged files into a copy, one rename each, under an intent that stands in the copy from before the first to after
 * the last:
 *
 *   intent → files (SKILL.md last) → links → hooks → every file read again → record → intent away
 *
 * Killed before the intent: the old copy. After it: `interrupted`, until the next run. An error leaves the same.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError, errnoOf } from '../lib/errors.mts';
import { makeFolder, rename, replaceFile, syncFolder } from '../lib/fs/files.mts';
import { isFolder } from '../lib/look.mts';
import { statesOf } from './copy.mts';
import { makeLink } from './links.mts';
import { MARK, removePending, writePending, type Operation } from './pending.mts';
import { pathsOf, type Step } from './plan.mts';
import { RECORD_NAME, type InstallRecord } from './record.mts';
import type { HookRecord } from './hooks/wire.mts';
import { removeEmpty, removeEmptyUpTo } from './stage.mts';

export interface Change {
  readonly target: string;
  readonly operation: Operation;
  readonly steps: readonly Step[];
  /** The hash of every path that is wanted. */
  readonly wanted: ReadonlyMap<string, string>;
  /** The staged file of every path that is added, replaced or set aside. */
  readonly staged: ReadonlyMap<string, string>;
  /** What is an installer's from now on, whatever happens. */
  readonly known: ReadonlyMap<string, readonly string[]>;
  readonly record: InstallRecord;
  readonly relativeLinks: boolean;
  /** Wires the hooks, and gives how they were wired. */
  wire(): HookRecord[];
}

export interface Applied {
  /** Edited files, and where they lie now. */
  setAside: { path: string; orig: string }[];
  /** Links that could not be made. */
  unlinked: string[];
  record: InstallRecord;
}

/**
 * Brings what was staged into the copy, its record last. Whatever stops it leaves the copy `interrupted`, for the next run. Throws
 * HandoffError, and as the file system does.
 */
export function applyChange(change: Change): Applied {
  const { target, operation, steps, staged, known } = change;
  const made = makeFolder(target);
  try {
    writePending(target, { operation, known: Object.fromEntries([...known].map(([name, hashes]) => [name, [...hashes]])), record: change.record });
  } catch (error) {
    if (made !== undefined) removeEmptyUpTo(target, made);
    throw error;
  }
  const setAside = bringIn(target, steps, staged);
  // Of all that is known, and not of what was deleted now: a run that was killed may have deleted a file and not yet its folder.
  removeEmptyFolders(target, known.keys());
  const links = change.record.links.filter((link) => makeLink(link, target, change.relativeLinks));
  const record = { ...change.record, links, hooks: change.wire() };
  mustBeWhole(target, pathsOf(steps, 'add', 'replace', 'set-aside', 'same'), change.wanted);
  writeRecord(target, record);
  removePending(target);
  syncFolder(target);
  return { setAside, unlinked: change.record.links.filter((link) => !links.includes(link)), record };
}

/** Writes the record of the copy at `target` in one rename. Throws as the file system does. */
export function writeRecord(target: string, record: object): void {
  replaceFile(path.join(target, RECORD_NAME), `${JSON.stringify(record, null, 2)}\n`, MARK);
}

function bringIn(target: string, steps: readonly Step[], staged: ReadonlyMap<string, string>): Applied['setAside'] {
  const setAside: Applied['setAside'] = [];
  // A client that looks in between must not find a skill whose files are still to come.
  const inOrder = [...steps].sort((a, b) => Number(a.path === 'SKILL.md') - Number(b.path === 'SKILL.md'));
  for (const { path: name, action } of inOrder) {
    const file = path.join(target, name);
    if (action === 'delete') {
      fs.unlinkSync(file);
    }
    if (action === 'set-aside') {
      const orig = freeName(file);
      rename(file, orig);
      setAside.push({ path: name, orig: path.relative(target, orig) });
    }
    const from = staged.get(name);
    if (from === undefined) continue;
    makeFolder(path.dirname(file));
    moveIn(from, file);
  }
  for (const folder of new Set([...staged.keys()].map((name) => path.dirname(path.join(target, name))))) syncFolder(folder);
  return setAside;
}

/** The copy may be a file system of its own; then the rename happens inside it. */
function moveIn(from: string, file: string): void {
  try {
    rename(from, file);
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
    replaceFile(file, fs.readFileSync(from), MARK);
  }
}

/** The folders of these files, where nothing is left in them; the copy's own stays. */
export function removeEmptyFolders(target: string, names: Iterable<string>): void {
  const folders = new Set<string>();
  for (const name of names) for (let at = path.dirname(name); at !== '.'; at = path.dirname(at)) folders.add(at);
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    // Behind a link it is somebody else's folder.
    const [parent, name] = [path.join(target, path.dirname(folder)), path.basename(folder)];
    if (isFolder(parent) && fs.realpathSync(parent) === path.join(fs.realpathSync(target), path.dirname(folder))) removeEmpty(path.join(parent, name));
  }
}

function freeName(file: string): string {
  for (let number = 1; ; number += 1) {
    const name = `${file}.orig${number === 1 ? '' : `.${number}`}`;
    if (fs.lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}

/** Every file is read once more, where it stands now. */
function mustBeWhole(target: string, names: readonly string[], wanted: ReadonlyMap<string, string>): void {
  const wrong = [...statesOf(target, names)].filter(([name, state]) => !(state.is === 'file' && state.sha256 === wanted.get(name))).map(([name]) => name);
  if (wrong.length > 0) throw new HandoffError('DAMAGED', `${target} does not hold what was written: ${wrong.join(', ')}; the copy is interrupted until this is run again`);
}
