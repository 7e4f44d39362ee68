/**
 * The intent of an installer at work, in the copy itself: from the moment that it stands there until it is gone the copy is
 * `interrupted` for everybody who looks, and the next run knows which files are an installer's and may be replaced. Whatever
 * that next run is, it plans anew: it needs nothing of what the one before had staged.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../lib/errors.mts';
import { readText, replaceFile } from '../lib/fs/files.mts';
import { isThere } from '../lib/look.mts';
import { REFUSED, foundRecord, mayOwn, type FoundRecord, type InstallRecord } from './record.mts';

export const PENDING_NAME = '.agents-handoff-install.pending.json';

/** Of names that are being written. It is always the same, so that what a killed run left is written over by the next. */
export const MARK = 'new';

export type Operation = 'install' | 'update' | 'remove';

export interface Pending {
  operation: Operation;
  /** Every file that the record before, or an interrupted run, put there or was about to: the hashes that it may have. */
  known: Record<string, string[]>;
  /** The record that will stand in the end; of a removal the one that stood before. */
  record: InstallRecord;
}

export interface FoundPending {
  readonly operation: string;
  readonly known: ReadonlyMap<string, readonly string[]>;
  readonly record: FoundRecord | undefined;
}

const UNKNOWN: FoundPending = { operation: 'install', known: new Map(), record: undefined };

/** Undefined where nobody is at work and nobody was interrupted. One that cannot be read knows of no files. */
export function readPending(copy: string): FoundPending | undefined {
  let text: string | undefined;
  try {
    text = readText(path.join(copy, PENDING_NAME));
  } catch (error) {
    if (!REFUSED.includes(errnoOf(error) ?? '')) throw error;
    // Of a folder that may not be searched nobody knows whether it is there; its record says so.
    return isThere(path.join(copy, PENDING_NAME)) ? UNKNOWN : undefined;
  }
  if (text === undefined) return undefined;
  try {
    const { operation, known, record } = JSON.parse(text) as Partial<Pending>;
    return {
      operation: String(operation),
      known: new Map(Object.entries(known ?? {}).filter(([name, hashes]) => mayOwn(name) && Array.isArray(hashes))),
      record: typeof record === 'object' && record !== null ? foundRecord(record as unknown as Record<string, unknown>) : undefined,
    };
  } catch {
    return UNKNOWN;
  }
}

/** Says in the copy what is being done to it, in one rename. Throws as the file system does. */
export function writePending(copy: string, pending: Pending): void {
  replaceFile(path.join(copy, PENDING_NAME), `${JSON.stringify(pending)}\n`, MARK);
}

/** The work is done; nothing happens where nothing said that it was begun. */
export function removePending(copy: string): void {
  fs.rmSync(path.join(copy, PENDING_NAME), { force: true });
}
