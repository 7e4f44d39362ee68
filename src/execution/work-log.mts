/** A job's work log: one line a step that is done, `step <n> at <time>`, appended and synced before the checkpoint says so. */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError } from '../lib/errors.mts';
import type { Rollback } from '../lib/fs/rollback.mts';
import { FILE_MODE, makeFolder, readText, sync, syncFolder, writeAll } from '../lib/fs/files.mts';

export interface WorkLog {
  /** Steps that have a line. */
  readonly steps: number;
  /** Bytes behind the last whole line: an append that a death cut short. */
  readonly torn: number;
  readonly bytes: number;
}

/** Throws DAMAGED where the lines are not those of steps 1 to n, each once. */
export function readWorkLog(file: string): WorkLog {
  const text = readText(file) ?? '';
  const end = text.lastIndexOf('\n') + 1;
  const lines = text.slice(0, end).split('\n').slice(0, -1);
  lines.forEach((line, at) => {
    if (!line.startsWith(`step ${at + 1} at `)) throw new HandoffError('DAMAGED', `line ${at + 1} of ${file} is not the one of step ${at + 1}`, { data: { file } });
  });
  return { steps: lines.length, torn: Buffer.byteLength(text.slice(end)), bytes: Buffer.byteLength(text.slice(0, end)) };
}

/** Takes away what a death left of a line. */
export function mendWorkLog(file: string, { torn, bytes }: WorkLog): void {
  if (torn > 0) fs.truncateSync(file, bytes);
}

/** Appends the line of a step, durably, and pushes what takes it back. `words` follow the time. */
export function appendStep(file: string, step: number, at: string, words: string, rollback: Rollback): void {
  if (makeFolder(path.dirname(file)) !== undefined) syncFolder(path.dirname(path.dirname(file)));
  const fd = fs.openSync(file, 'a', FILE_MODE);
  try {
    const before = fs.fstatSync(fd).size;
    rollback.push(() => fs.truncateSync(file, before));
    writeAll(fd, Buffer.from(`step ${step} at ${at}${words}\n`));
    sync(fd);
    if (before === 0) syncFolder(path.dirname(file));
  } finally {
    fs.closeSync(fd);
  }
}
