/**
 * What a copy says of itself: `.agents-handoff-install.json`, the record of what an installer put there. It is written last and
 * removed last. A record of 2.0.x is read too, in whatever form it lists its files; what it says is judged before it is used,
 * since names in it become files that are replaced and deleted.
 */
import path from 'node:path';
import { fileSetHash } from '../lib/hash-chain.mts';
import { errnoOf } from '../lib/errors.mts';
import { readText } from '../lib/fs/files.mts';
import { isObject } from '../lib/json.mts';
import type { HookRecord } from './hooks/wire.mts';

export const RECORD_NAME = '.agents-handoff-install.json';

/** What the system says where a file is there and is not to be read. */
export const REFUSED: readonly string[] = ['EACCES', 'EPERM', 'ELOOP'];

const RECORD_SCHEMA = '1.0-install-provenance';

/** Where the files came from. */
export type SourceNote =
  | { kind: 'tree'; path: string }
  | { kind: 'archive'; ref: string; label: string; archive_url: string; archive_sha256: string };

export interface InstallRecord {
  schema_version: typeof RECORD_SCHEMA;
  product: string;
  version: string;
  installer_version: string;
  installed_at: string;
  harness: string;
  target: string;
  source: SourceNote;
  package: { name: string; version: string };
  file_count: number;
  files_sha256: string;
  files: { path: string; sha256: string }[];
  links: string[];
  hooks: HookRecord[];
}

/** A record as it was found. */
export interface FoundRecord {
  /** The whole document, as it stands in the file. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly version: string;
  readonly harness: string;
  /** By path; the hash is missing where the record gives names only. */
  readonly files: ReadonlyMap<string, string | undefined>;
  /** Names that could lead out of the copy or into a store: they are never touched. */
  readonly refused: readonly string[];
  readonly filesSha256: string | undefined;
  readonly links: readonly string[];
  readonly hooks: readonly HookRecord[];
}

/** The record in a copy; undefined where there is none; a sentence where it cannot be read as one. */
export function readRecord(copy: string): FoundRecord | string | undefined {
  const file = path.join(copy, RECORD_NAME);
  let text: string | undefined;
  try {
    text = readText(file);
  } catch (error) {
    // One copy that may not be looked at must not hide the others.
    if (REFUSED.includes(errnoOf(error) ?? '')) return `${file} cannot be read (${errnoOf(error)})`;
    throw error;
  }
  if (text === undefined) return undefined;
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return `${file} is not JSON`;
  }
  if (!isObject(document)) return `${file} holds no JSON object`;
  const found = foundRecord(document);
  // Every hash of no files is right: it would pass for a whole copy.
  return found.files.size + found.refused.length === 0 ? `${file} lists no files` : found;
}

/** What a record says, as far as it may be believed: names that lead out of the copy, or to what is the user's, are refused. */
export function foundRecord(document: Record<string, unknown>): FoundRecord {
  const files = new Map<string, string | undefined>();
  const refused: string[] = [];
  for (const [name, hash] of listedFiles(document['files'])) {
    const plain = name.replaceAll('\\', '/').replace(/^\.\//, '');
    if (mayOwn(plain)) files.set(plain, hash);
    else refused.push(name);
  }
  return {
    document,
    version: text(document['version']) || 'unknown',
    harness: text(document['harness']),
    files,
    refused,
    filesSha256: hashIn(document['files_sha256']),
    links: Array.isArray(document['links']) ? document['links'].filter((link): link is string => typeof link === 'string' && path.isAbsolute(link)) : [],
    hooks: Array.isArray(document['hooks']) ? document['hooks'].filter(isHook) : [],
  };
}

/** The record with all that follows from the files; `files`: path to hash. */
export function makeRecord(facts: Omit<InstallRecord, 'schema_version' | 'product' | 'file_count' | 'files_sha256' | 'files'> & { files: ReadonlyMap<string, string> }): InstallRecord {
  const { files, links, hooks, ...rest } = facts;
  return {
    schema_version: RECORD_SCHEMA,
    product: 'agents-handoff',
    ...rest,
    file_count: files.size,
    files_sha256: fileSetHash(files),
    files: [...files].map(([name, sha256]) => ({ path: name, sha256 })),
    links,
    hooks,
  };
}

/** What belongs to the user wherever it lies in a copy: a store, its configuration, state, an installer's own files. */
const NEVER = new Set(['projects', 'links', '.locks', '.backups', 'INDEX.json', 'handoff.config.json', '.agents-handoff', RECORD_NAME]);

/** True for a relative path with `/` that stays in the copy and is not the user's. */
export function mayOwn(name: string): boolean {
  const parts = name.split('/');
  return name !== '' && !/[\u0000-\u001f:\\]/.test(name) && parts.every((part) => part !== '' && part !== '.' && part !== '..') && !NEVER.has(parts[0] ?? '');
}

/** An array of names, an array of objects with a name and a hash, or an object from names to either. */
function listedFiles(value: unknown): [name: string, hash: string | undefined][] {
  if (Array.isArray(value)) {
    return value.flatMap((row): [string, string | undefined][] => {
      if (typeof row === 'string') return [[row, undefined]];
      if (!isObject(row)) return [];
      const name = text(row['path']) || text(row['file']) || text(row['name']);
      return name === '' ? [] : [[name, hashIn(row['sha256'] ?? row['hash'])]];
    });
  }
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, row]) => [name, hashIn(isObject(row) ? row['sha256'] ?? row['hash'] : row)]);
}

function hashIn(value: unknown): string | undefined {
  return typeof value === 'string' ? /^(?:sha256[:-])?([0-9a-f]{64})$/i.exec(value)?.[1]?.toLowerCase() : undefined;
}

/** A hook starts our program, and nothing else: a record from elsewhere must not take out what is the user's. */
function isHook(value: unknown): value is HookRecord {
  return isObject(value) && /\/tools\/agents-handoff\.mjs' auto --hook\b/.test(String(value['command'])) && ['harness', 'settings', 'command', 'entry_sha256'].every((key) => typeof value[key] === 'string') && Array.isArray(value['events']);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
