/**
 * What a copy is made from: the tree that this program runs from, or the published archive of another version. Either way the
 * list of its files and their hashes is complete before anything is written anywhere.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { HandoffError } from '../lib/errors.mts';
import { removeTree } from '../lib/fs/files.mts';
import { sha256 } from '../lib/hash-chain.mts';
import { VERSION } from '../lib/version.mts';
import { SKILL } from './places.mts';
import { mayOwn, type SourceNote } from './record.mts';

/** Written with the build: every file that belongs to a tree. */
const LIST = 'tools/files.json';

export interface Source {
  /** The folder that holds the files. */
  readonly root: string;
  readonly version: string;
  readonly note: SourceNote;
  /** Every file of a copy, by its path with `/`: its hash. */
  readonly files: ReadonlyMap<string, string>;
  /** Removes what was fetched. */
  dispose(): void;
}

/** The tree at `root`. Throws DAMAGED where it misses a file, or was never built. */
export function treeSource(root: string): Source {
  return { root, version: VERSION, note: { kind: 'tree', path: root }, files: hashesOf(root, listOf(root)), dispose() {} };
}

export interface Fetched { version: string; archiveUrl: string; sha256: string; bytes: Buffer }

/** How an archive is had; the registry and the unpacking are other files' work. */
export interface ArchiveReader {
  fetch(version: string): Promise<Fetched>;
  unpack(bytes: Buffer, into: string): Promise<string[]>;
}

/** The published archive of `ref`, a version or a tag, unpacked into a folder of its own. */
export async function archiveSource(ref: string, reader: ArchiveReader): Promise<Source> {
  const fetched = await reader.fetch(ref);
  const label = `${SKILL}@${fetched.version}`;
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'agents-handoff-archive-'));
  try {
    const names = await reader.unpack(fetched.bytes, root);
    return {
      root,
      version: fetched.version,
      note: { kind: 'archive', ref, label, archive_url: fetched.archiveUrl, archive_sha256: fetched.sha256 },
      // An older package has no list of its own; then its archive is the list.
      files: hashesOf(root, names.includes(LIST) ? listOf(root, label) : names, label),
      dispose: () => removeTree(root),
    };
  } catch (error) {
    removeTree(root);
    throw error;
  }
}

/** `name`: what a person calls the tree. */
function listOf(root: string, name = root): string[] {
  let list: { files?: unknown };
  try {
    list = JSON.parse(fs.readFileSync(path.join(root, LIST), 'utf8')) as { files?: unknown };
  } catch (cause) {
    throw new HandoffError('DAMAGED', `${name} is no whole package: ${LIST} cannot be read ("npm run build" makes it)`, { cause });
  }
  if (!Array.isArray(list.files) || !list.files.every((name) => typeof name === 'string')) throw new HandoffError('DAMAGED', `${name} is no whole package: ${LIST} lists no files`);
  return list.files;
}

function hashesOf(root: string, names: readonly string[], tree = root): Map<string, string> {
  const files = new Map<string, string>();
  for (const name of names) {
    if (!mayOwn(name)) throw new HandoffError('SHAPE', `the package names ${JSON.stringify(name)}, which may not be part of a copy; nothing was installed`);
    const file = path.join(root, name);
    if (fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
      throw new HandoffError('DAMAGED', `${tree} is no whole package: ${name} is missing; nothing was installed`, { data: { missing: name } });
    }
    files.set(name, sha256(fs.readFileSync(file)));
  }
  if (!files.has('SKILL.md')) throw new HandoffError('DAMAGED', `${tree} holds no skill: SKILL.md is missing; nothing was installed`);
  return files;
}
