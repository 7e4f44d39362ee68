/** What the last checks found, in capability-state.json. It can be made anew at any time, so one that is damaged is as good as none. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { makeFolder, readText, replaceFile } from '../lib/fs/files.mts';
import type { Result } from './check.mts';
import type { Verdict } from './probe.mts';

const STATE_VERSION = '1.0-capability-state';

export interface State {
  readonly schema_version: typeof STATE_VERSION;
  readonly generated_at: string;
  /** The registry that was checked, absolute. */
  readonly registry: string;
  /** `checked_at` is missing in states that 2.0.x wrote. */
  readonly results: readonly (Omit<Result, 'checked_at'> & { readonly checked_at?: string })[];
}

export function stateFile(folder: string): string {
  return path.join(folder, 'capability-state.json');
}

/** Undefined where there is none that can be read. */
export function readState(file: string): State | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readText(file) ?? 'null');
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { schema_version, generated_at, registry, results } = value as Partial<State>;
  if (schema_version !== STATE_VERSION || !isTime(generated_at) || typeof registry !== 'string' || !Array.isArray(results)) return undefined;
  return { schema_version, generated_at, registry, results: results.filter(isResult) };
}

function isResult(value: unknown): value is Result {
  const { id, verdict, checked_at } = (value ?? {}) as Partial<Result>;
  return typeof id === 'string' && VERDICTS.includes(verdict as Verdict) && (checked_at === undefined || isTime(checked_at));
}

/** Both stand in a line of `list`, and the file may have come with a repository. */
const VERDICTS: readonly Verdict[] = ['healthy', 'unhealthy', 'unknown'];

function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^[\w:.+-]+$/.test(value);
}

/** Writes `results`, and keeps those of other ids of the same registry that `declared` still names. Throws as fs does. */
export function writeState(file: string, registry: string, results: readonly Result[], declared: readonly string[]): State {
  const before = readState(file);
  const fresh = new Map(results.map((result) => [result.id, result]));
  const old = new Map(before?.registry === registry ? before.results.map((result) => [result.id, result]) : []);
  const kept = declared.flatMap((id) => fresh.get(id) ?? old.get(id) ?? []);
  const state: State = { schema_version: STATE_VERSION, generated_at: new Date().toISOString(), registry, results: kept };
  makeFolder(path.dirname(file));
  replaceFile(file, `${JSON.stringify(state, null, 2)}\n`, randomBytes(6).toString('hex'));
  return state;
}
