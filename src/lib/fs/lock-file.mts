/** What a lock file says: who holds it, whether that process lives, and the work under it. Nothing here writes. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError, errnoOf } from '../errors.mts';
import { namesIn, openPlain, readText } from './files.mts';
import { lifeOf, lifeOfNumber, type Holder, type Life } from './holder.mts';

/** What a lock file says. Keys beside these belong to the operation that holds it. */
export interface LockRecord extends Holder {
  token: string;
  key: string;
  operation: string;
  at: string;
  /** Dead holders whose work was not yet settled when this lock was taken. */
  left?: LockRecord[];
  [fact: string]: unknown;
}

export interface Held {
  record: LockRecord | undefined;
  life: Life;
  /** The sentence that names the holder. */
  who: string;
}

/** An empty or unreadable lock was left by a crash, after this many ms at the latest. */
const UNREADABLE_DEAD_MS = 2000;

export function lockFile(folder: string, key: string): string {
  return path.join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 24)}.lock`);
}

/** Who holds the lock of `key`; undefined where nobody does. Never writes. */
export function holderOf(folder: string, key: string): Held | undefined {
  return look(lockFile(folder, key));
}

/** Every lock in the folder that can be read; for look-ups and `unlock`. Never writes. */
export function allLocks(folder: string): Held[] {
  return namesIn(folder).filter((name) => name.endsWith('.lock')).flatMap((name) => look(path.join(folder, name)) ?? []);
}

/** The holder's record behind those of the dead whose work it has not settled yet. */
export function recordsOf({ record }: Held): LockRecord[] {
  return record === undefined ? [] : [...(record.left ?? []), record];
}

/** The lock in this file; undefined where there is none. Throws IO for a folder of its name. */
export function look(file: string): Held | undefined {
  let text: string;
  let made: number;
  try {
    const fd = openPlain(file);
    try {
      made = fs.fstatSync(fd).mtimeMs;
      text = fs.readFileSync(fd, 'utf8');
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    if (error instanceof HandoffError) throw new HandoffError('IO', `${file} is ${fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true ? 'a folder' : 'no file'} where a lock file belongs: remove it`, { cause: error });
    throw error;
  }
  const name = path.basename(file);
  const record = parse(text);
  if (record !== undefined) {
    const life = lifeOf(record);
    const advice = life === 'elsewhere' ? '; if that host is gone, `agents-handoff unlock <prefix> --force` removes the lock' : '';
    return { record, life, who: `the lock is held by process ${record.pid} on ${record.host} (${record.operation}, since ${record.at})${advice}` };
  }
  if (/^\d{1,10}$/.test(text.trim())) {
    const pid = Number(text);
    return { record: undefined, life: lifeOfNumber(pid, made), who: `the lock ${name} is held by process ${pid}` };
  }
  // Of a time that is still to come where the clock was set back: it is no younger for that.
  const life = Math.abs(Date.now() - made) > UNREADABLE_DEAD_MS ? 'dead' : 'alive';
  return { record: undefined, life, who: `the lock ${name} does not say who holds it yet; what never does is taken over after ${UNREADABLE_DEAD_MS / 1000} seconds: try again then` };
}

/** The record that the text of a lock is; undefined where it is none of ours. */
export function parse(text: string): LockRecord | undefined {
  try {
    const value = JSON.parse(text) as LockRecord;
    const whole = isMarked(value) && Number.isInteger(value.pid)
      && [value.host, value.key, value.operation, value.at].every((fact) => typeof fact === 'string');
    if (!whole) return undefined;
    if (Array.isArray(value.left)) value.left = value.left.filter(isMarked);
    else delete value.left;
    return { ...value, started: typeof value.started === 'string' ? value.started : '' };
  } catch {
    return undefined;
  }
}

/** A token becomes part of file names: one that could lead out of a folder is not ours. */
function isMarked(value: unknown): value is LockRecord {
  const token = (value as Partial<LockRecord> | null)?.token;
  return typeof token === 'string' && /^[\w-]{1,64}$/.test(token);
}

/** A lock that cannot be read now, for want of descriptors say, was not taken away. */
export function readOr(file: string): string {
  return readText(file) ?? '';
}
