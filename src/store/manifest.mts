/**
 * manifest.json: the record that everything else is verified against. Keys keep the place they were stored in,
 * since the hash is over that order; docs/FORMAT.md lists them.
 */
import { HandoffError } from '../lib/errors.mts';
import { readText } from '../lib/fs/files.mts';
import { manifestHash } from '../lib/hash-chain.mts';
import { isObject } from '../lib/json.mts';
import type { Tokens } from '../transcript/turn.mts';
import type { RunningTotal } from '../transcript/usage.mts';
import { SEAL_FORMAT } from './layout.mts';
import { oddKey } from './manifest-shape.mts';

/** One source ever merged into a session. */
export interface SourceRow {
  path: string;
  first_line_sha256: string;
  /** What was captured of it: the first `bytes` bytes, their hash, and how many lines end in them. */
  bytes: number;
  raw_sha256: string;
  lines: number;
  /** Pairs [line, seq]: line i has seq + (i - line) of the last pair at or before it. */
  runs: [number, number][];
  /** Pairs [from, to) of lines of the timeline, from 0: what it says in its newest form. Absent where 2.0.x captured of it. */
  turns?: [number, number][];
}

export interface Seal {
  format: number;
  revision: number;
  timeline_bytes: number;
  chain_head: string;
  tools_sha256: string;
  /** These two are hashed with the manifest's hash in them as zeros. */
  summary_sha256: string;
  payload_sha256: string;
}

/** A transcript that began as a copy of another session, or that goes on from one. */
export interface Fork {
  of: string;
  by: string;
  /** Turns up to this one are copies. */
  until_seq?: number;
  /** The copies are another thread's work, not the same conversation. */
  apart?: true;
  /** Nothing was copied: what went before stands in the other session's transcript only. */
  elsewhere?: true;
}

/** A sub-agent with a transcript of its own. */
export interface SubagentRow {
  /** The id of its handoff, once it is captured. */
  id: string;
  path: string;
  /** What it was for, in a line. */
  title: string;
}

export interface Manifest {
  session: string;
  project: string;
  harness: string;
  model: string;
  created_at: string;
  source_paths: string[];
  watermark: number;
  raw_sha256: string;
  revisions: number;
  updated_at: string;
  turn_count: number;
  counts: Record<string, number>;
  manifest_sha256: string;
  evidence_contract_sha256?: string;
  promoted_at?: string;
  promoted_by?: string;
  promoted_gate?: string;
  promoted_revision?: number;
  prev_project?: string;
  titled_from?: string[];
  merged_from?: string[];
  federated_from?: string;
  federated_at?: string;
  objective?: string;
  /** Which of harness and model a person gave, rather than the source. */
  pinned?: string[];
  uuid?: string;
  title?: string;
  cwd?: string;
  git?: { branch?: string; commit?: string };
  adapter?: { id: string; version: number };
  sources?: SourceRow[];
  seal?: Seal;
  parent_session?: string;
  fork?: Fork;
  /** Transcripts of its sub-agents, as the last build found them. */
  subagents?: SubagentRow[];
  skipped?: number;
  bad_lines?: number;
  unknown?: Record<string, number>;
  /** `older_lines`: the timeline holds lines that 2.0.x wrote, which were never redacted. */
  redaction?: { on: boolean; counts: Record<string, number>; older_lines?: true };
  usage?: Tokens;
  /** Where the source gives running totals: what is needed to go on with them. */
  usage_running?: RunningTotal;
  /** Tokens of the last few messages, so that one that is said again counts once. */
  usage_recent?: Record<string, Tokens>;
  [key: string]: unknown;
}

export type ManifestRead =
  | { state: 'missing' }
  | { state: 'unreadable'; reason: string }
  /** `text` is the file as it stands, `manifest` what it says; `hash` is its right one, if it has any, `sound` whether it names that. */
  | { state: 'read'; manifest: Manifest; text: string; readonly hash: string | undefined; readonly sound: boolean };

/** A line that git writes between two sides that it could not merge. */
const CONFLICT = /^<{7} /m;

const CONFLICT_REASON = 'git left a conflict in it: docs/RUNTIME.md, "A store in git", says how both sides are kept';

/** Throws DAMAGED where git left a conflict in this manifest of the session `id`. */
export function refuseConflict(file: string, id: string): void {
  const text = readText(file);
  if (text !== undefined && CONFLICT.test(text) && text.includes(`"session": ${JSON.stringify(id)}`)) throw unwritable(file, CONFLICT_REASON);
}

function unwritable(file: string, reason: string): HandoffError {
  return new HandoffError('DAMAGED', `${file} cannot be read: ${reason}; nothing was written`);
}

/** Reads without judging; only a file system that refuses throws. */
export function readManifest(file: string): ManifestRead {
  const text = readText(file);
  if (text === undefined) return { state: 'missing' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { state: 'unreadable', reason: CONFLICT.test(text) ? CONFLICT_REASON : 'it is not JSON' };
  }
  if (!isObject(value)) return { state: 'unreadable', reason: 'it is not an object' };
  const { session, manifest_sha256: named } = value;
  if (typeof session !== 'string' || typeof named !== 'string') return { state: 'unreadable', reason: 'it names no session or no hash' };
  const odd = oddKey(value);
  if (odd !== undefined) return { state: 'unreadable', reason: `${odd} is not of its kind` };
  const manifest = filled(value as Manifest, { source_paths: [], counts: {} });
  // A list of thousands does not ask for the hash.
  return { state: 'read', manifest, text, get hash() { return rightHash(value); }, get sound() { return rightHash(value) === named; } };
}

function rightHash(manifest: object): string | undefined {
  try {
    return manifestHash(manifest);
  } catch (error) {
    // Nested deeper than the stack: no program of ours wrote that.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The manifest of a session that is to be written to. Throws DAMAGED where it cannot be trusted, NEWER where a later
 * format sealed it; undefined where there is none.
 */
export function manifestForWriting(file: string): { manifest: Manifest; text: string } | undefined {
  const read = readManifest(file);
  if (read.state === 'missing') return undefined;
  if (read.state === 'unreadable') throw unwritable(file, read.reason);
  const { manifest, text } = read;
  if (!read.sound) {
    throw new HandoffError('DAMAGED', `the manifest of ${manifest.session} does not agree with its own hash (manifest_sha256); nothing was written`);
  }
  const format = manifest.seal?.format;
  if (format !== undefined && !(format <= SEAL_FORMAT)) {
    throw new HandoffError('NEWER', `${manifest.session} was sealed by a newer version (format ${String(format)}); nothing was written`);
  }
  return { manifest: completed(manifest), text };
}

/** With the words that every version writes and renders print, where another program left them out. */
export function completed(manifest: Manifest): Manifest {
  return filled(manifest, { project: '', harness: 'unknown', model: '', created_at: '', updated_at: '' });
}

/** The same object where nothing is missing; else what is stands behind all others, whose order the hash rests on. */
function filled(manifest: Manifest, usual: Partial<Manifest>): Manifest {
  let whole = manifest;
  for (const key in usual) if (manifest[key] === undefined) whole = { ...whole, [key]: usual[key] };
  return whole;
}

/** The manifest with its own hash, and the text that manifest.json holds. */
export function sealed(manifest: Manifest): { manifest: Manifest; text: string } {
  const whole = { ...manifest, manifest_sha256: '' };
  whole.manifest_sha256 = manifestHash(whole);
  return { manifest: whole, text: JSON.stringify(whole, null, 2) };
}

/** True where our seal covers the last revision: 2.0.x keeps the seal but raises `revisions`. */
export function isSealed(manifest: Manifest): manifest is Manifest & { seal: Seal } {
  return manifest.seal !== undefined && typeof manifest.seal === 'object' && manifest.seal.revision === manifest.revisions;
}
