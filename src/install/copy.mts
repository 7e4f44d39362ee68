/** What stands at a target: nothing, a copy with its record, what an interrupted run left, or something else. Reads only. */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../lib/errors.mts';
import { fileSetHash, sha256 } from '../lib/hash-chain.mts';
import { isFolder, isThere } from '../lib/look.mts';
import { readPending, type FoundPending } from './pending.mts';
import { REFUSED, readRecord, type FoundRecord } from './record.mts';

/** What a path of the copy is: a file by its hash; a folder, a link or something odd; a file that may not be read; missing, or behind a link. */
export type State = { readonly is: 'file'; readonly sha256: string } | { readonly is: 'other' | 'unreadable' | 'missing' | 'outside' };

export interface Copy {
  readonly path: string;
  /** False where nothing of that name is there. */
  readonly there: boolean;
  /** True where there is something that an installer made. */
  readonly installed: boolean;
  readonly record: FoundRecord | undefined;
  /** Why there is a record that cannot be read. */
  readonly unreadable: string | undefined;
  readonly pending: FoundPending | undefined;
  /** Every file that an installer put there, with the hashes that it may have; none where no record tells them. */
  readonly owned: ReadonlyMap<string, readonly string[]>;
}

/** Reads the record and the intent of the copy at `target`, and no other file of it but to tell whose it is. Throws as the file system does. */
export function readCopy(target: string): Copy {
  const found = readRecord(target);
  const record = typeof found === 'object' ? seenFrom(target, found) : undefined;
  const intent = readPending(target);
  const pending = intent?.record === undefined ? intent : { ...intent, record: seenFrom(target, intent.record) };
  return {
    path: target,
    there: isThere(target),
    installed: found !== undefined || pending !== undefined || isThere(path.join(target, 'SKILL.md')),
    record,
    unreadable: typeof found === 'string' ? found : undefined,
    pending,
    owned: ownedFiles(target, record, pending),
  };
}

/**
 * The record as it holds where the copy is now. One that was moved, or came with a repository, has the paths of another place: of its
 * links and hooks those count that went with it, and the hooks of a place where no copy is any more. What was copied from a copy
 * that stands has none.
 */
function seenFrom(target: string, found: FoundRecord): FoundRecord {
  const at = found.document['target'];
  const here = realCopy(target) ?? path.resolve(target);
  if (typeof at !== 'string' || path.resolve(at) === here || realCopy(at) === here) return found;
  const moved = (file: string): string => path.resolve(here, path.relative(at, file));
  const hooks = found.hooks.flatMap((hook) => {
    const settings = moved(hook.settings);
    if (settings !== path.resolve(hook.settings) && isThere(settings)) return [{ ...hook, settings, ...(hook.backup === undefined ? {} : { backup: moved(hook.backup) }) }];
    return isThere(path.join(at, 'SKILL.md')) ? [] : [hook];
  });
  return { ...found, links: found.links.map(moved).filter((link) => leadsTo(link, here)), hooks };
}

function ownedFiles(target: string, record: FoundRecord | undefined, pending: FoundPending | undefined): Map<string, readonly string[]> {
  const owned = new Map<string, readonly string[]>();
  for (const [name, hash] of record?.files ?? []) owned.set(name, hash === undefined ? [] : [hash]);
  if (record !== undefined && [...owned.values()].some((hashes) => hashes.length === 0)) {
    // Names only: where all of them together are what was recorded, each is what it was.
    const now = statesOf(target, owned.keys());
    const present = [...now].flatMap(([name, state]): [string, string][] => (state.is === 'file' ? [[name, state.sha256]] : []));
    if (fileSetHash(present) === record.filesSha256) for (const [name, hash] of present) owned.set(name, [hash]);
  }
  const own = owned.has('package.json') ? undefined : privatePackage(target);
  if (own !== undefined) owned.set('package.json', [own]);
  for (const [name, hashes] of pending?.known ?? []) owned.set(name, [...(owned.get(name) ?? []), ...hashes]);
  return owned;
}

/** The hash of the package.json that an older installer put beside the files without recording it: private, and with nothing of a user's in it. */
function privatePackage(target: string): string | undefined {
  const state = stateOf(path.join(target, 'package.json'));
  if (state.is !== 'file') return undefined;
  const bytes = fs.readFileSync(path.join(target, 'package.json'));
  try {
    const found = JSON.parse(bytes.toString()) as Record<string, unknown>;
    const plain = Object.keys(found).every((key) => ['name', 'version', 'private', 'type', 'description'].includes(key));
    return found['private'] === true && plain ? sha256(bytes) : undefined;
  } catch {
    return undefined;
  }
}

/** The state of each of these paths (relative, with `/`). No link below the target is followed. */
export function statesOf(target: string, names: Iterable<string>): Map<string, State> {
  const folders = new Map<string, boolean>();
  const inside = (folder: string): boolean => {
    if (folder === '.') return true;
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const stat = lstat(path.join(target, folder));
    const answer = inside(path.dirname(folder)) && (stat === undefined || stat.isDirectory());
    folders.set(folder, answer);
    return answer;
  };
  return new Map([...names].map((name): [string, State] => [name, inside(path.dirname(name)) ? stateOf(path.join(target, name)) : { is: 'outside' }]));
}

function stateOf(file: string): State {
  try {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return { is: 'missing' };
    return stat.isFile() ? { is: 'file', sha256: sha256(fs.readFileSync(file)) } : { is: 'other' };
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    // Another installer may take a file away between the look and the reading.
    if (['ENOENT', 'ENOTDIR'].includes(errno)) return { is: 'missing' };
    if (REFUSED.includes(errno)) return { is: 'unreadable' };
    throw error;
  }
}

function lstat(file: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR' || REFUSED.includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

export interface Checked {
  /** `ok`, or what is not; a copy without a record can be neither. */
  readonly state: 'ok' | 'differs' | 'interrupted' | 'no-record' | 'absent';
  readonly changed: readonly string[];
  readonly missing: readonly string[];
  /** Sentences on what else is wrong. */
  readonly problems: readonly string[];
  readonly files: number;
}

/** Hashes every file again and holds it against the record. */
export function checkCopy(copy: Copy): Checked {
  const { path: target, record, pending, unreadable } = copy;
  const files = record?.files ?? new Map<string, string | undefined>();
  const states = statesOf(target, files.keys());
  const missing = [...states].filter(([, { is }]) => is === 'missing').map(([name]) => name);
  const hidden = [...states].filter(([, { is }]) => is === 'unreadable').map(([name]) => name);
  const changed = [...states].filter(([name, state]) => state.is !== 'missing' && state.is !== 'unreadable' && (state.is !== 'file' || !isAsRecorded(copy, name, state.sha256))).map(([name]) => name);
  const problems = unreadable === undefined ? [] : [unreadable];
  if (hidden.length > 0) problems.push(`may not be read: ${hidden.join(', ')}`);
  if (record !== undefined) problems.push(...recordProblems(record), ...linkProblems(record, target));
  if (pending !== undefined) problems.push(`interrupted: ${pending.operation} did not come to its end; running it again finishes it`);
  const state = pending !== undefined ? 'interrupted'
    : record === undefined && unreadable === undefined ? (copy.installed ? 'no-record' : 'absent')
    : changed.length + missing.length + problems.length > 0 ? 'differs' : 'ok';
  return { state, changed, missing, problems, files: files.size };
}

/** A record of names only has one hash for all: where that does not fit, it cannot be told which file it is. */
function isAsRecorded({ record, owned }: Copy, name: string, hash: string): boolean {
  const recorded = record?.files.get(name);
  if (recorded !== undefined) return recorded === hash;
  return record?.filesSha256 === undefined || owned.get(name)?.includes(hash) === true;
}

function recordProblems({ files, filesSha256, refused, document }: FoundRecord): string[] {
  const hashes = [...files].flatMap(([name, hash]): [string, string][] => (hash === undefined ? [] : [[name, hash]]));
  const problems = refused.map((name) => `the record names ${JSON.stringify(name)}, which no installer puts there; it is left alone`);
  if (hashes.length === files.size && refused.length === 0 && filesSha256 !== undefined && fileSetHash(hashes) !== filesSha256) {
    problems.push('the record does not agree with its own files_sha256');
  }
  const count = document['file_count'];
  if (typeof count === 'number' && count !== files.size + refused.length) problems.push(`the record says ${count} files and lists ${files.size + refused.length}`);
  return problems;
}

function linkProblems({ links }: FoundRecord, target: string): string[] {
  return links.filter((link) => !leadsTo(link, target)).map((link) => `the link ${link} is missing, or leads elsewhere`);
}

/** True where `link` is a link, and to this copy. */
export function leadsTo(link: string, target: string): boolean {
  try {
    return fs.lstatSync(link).isSymbolicLink() && path.resolve(fs.realpathSync(path.dirname(link)), fs.readlinkSync(link)) === path.resolve(target);
  } catch {
    return false;
  }
}

/** A link whatever it leads to. */
export function isLink(file: string): boolean {
  try {
    return fs.lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

/** The real path of what the copy's name leads to; undefined where it leads nowhere. */
export function realCopy(target: string): string | undefined {
  try {
    return isFolder(target) ? fs.realpathSync(target) : undefined;
  } catch {
    return undefined;
  }
}
