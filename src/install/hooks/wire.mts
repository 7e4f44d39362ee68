/**
 * A harness's hooks wired to a copy of ours, and unwired by the record of it. The settings are the user's: what is not our
 * entry stays, to the byte, or nothing is written.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { HandoffError } from '../../lib/errors.mts';
import { entryFor, entryHash, type HookEntry } from './entry.mts';
import { HOOKS, type HookHarness } from './harnesses.mts';
import { backUp, backupsOf, isBackupOf, mustBeWritable, readSettings, writeSettings } from './settings-file.mts';
import { withEntry, withoutEntry } from './settings-text.mts';

/** What was wired, for the record of an installation; enough to take exactly that out again. */
export interface HookRecord {
  harness: HookHarness;
  /** Absolute, as it was given; a link stays one. */
  settings: string;
  events: string[];
  command: string;
  entry_sha256: string;
  /** The settings as they were, where there were any. */
  backup?: string;
}

export interface WireRequest {
  harness: HookHarness;
  /** The file that the harness reads; made where it is missing. */
  settings: string;
  /** The folder of the copy that the hooks start. */
  copy: string;
  /** Judge all and write nothing. */
  dryRun?: boolean;
}

/**
 * Writes one entry under each of the harness's events that does not have it, after a backup. Throws HandoffError: SHAPE where
 * the settings cannot be kept as they are, IO where they may not be written, DENIED where no hook can be wired; nothing was changed then.
 */
export function wireHooks({ harness, settings: given, copy, dryRun = false }: WireRequest): HookRecord {
  if (os.platform() === 'win32') throw new HandoffError('DENIED', 'hooks are commands for a POSIX shell and are not wired on Windows');
  const settings = path.resolve(given);
  const entry = entryFor(harness, path.resolve(copy));
  const { events } = HOOKS[harness];
  const before = readSettings(settings);
  const text = judged(settings, () => withEntry(before?.text, events, entry));
  let backup = backupsOf(settings).findLast((file) => isOriginal(file, text, events, entry));
  if (text !== before?.text) {
    if (before !== undefined) mustBeWritable(settings, before);
    if (!dryRun) {
      backup = before === undefined ? undefined : backUp(settings, before.bytes);
      writeSettings(settings, before, text);
    }
  }
  return { harness, settings, events: [...events], command: entry.command, entry_sha256: entryHash(entry), ...(backup === undefined ? {} : { backup }) };
}

/**
 * Takes out what the record names: `removed`; `absent` where nothing of it is there (any more); `changed` where an entry with our
 * command, or one that still starts our program, is another one than was written, which then stays. `dryRun`: judges all and writes nothing.
 * Throws HandoffError as wireHooks does.
 */
export function unwireHooks(record: HookRecord, dryRun = false): 'removed' | 'absent' | 'changed' {
  const { harness, settings, events, command, entry_sha256: hash } = record;
  if (!Object.hasOwn(HOOKS, harness)) return 'absent';
  // A record may come from anywhere, and what it calls a backup is deleted: only a name that we give is one.
  const backup = record.backup !== undefined && isBackupOf(settings, record.backup) ? record.backup : undefined;
  const before = readSettings(settings);
  // Settings that cannot be read any more and do not have our command are nobody's concern here.
  if (before === undefined || !before.text.includes(JSON.stringify(command).slice(1, -1))) {
    // A run that was killed may have taken the entry out and not yet the backup away.
    if (!dryRun) dropBackup(backup, before?.bytes);
    return before !== undefined && startsStill(before.text, command) ? 'changed' : 'absent';
  }
  const less = judged(settings, () => withoutEntry(before.text, events, command, hash));
  if (less.removed > 0) mustBeWritable(settings, before);
  if (less.removed > 0 && !dryRun) {
    const entry = { type: 'command', command, ...HOOKS[harness].fields } as const;
    // Taking out cannot tell an empty list that was there from one that was made; where nothing else happened since, the backup can.
    const untouched = backup !== undefined && less.changed === 0 && isOriginal(backup, before.text, events, entry);
    const text = untouched ? readSettings(backup)?.text ?? less.text : less.text;
    // Made by us, and nothing else is in it: as before there is none.
    if (backup === undefined && text.trim() === '{}') fs.unlinkSync(before.file);
    else writeSettings(settings, before, text);
    dropBackup(backup, fs.existsSync(before.file) ? fs.readFileSync(before.file) : undefined);
  }
  return less.changed > 0 || startsStill(less.text, command) ? 'changed' : less.removed > 0 ? 'removed' : 'absent';
}

/** Whether a command that somebody changed still starts the program that `command` starts. One as it was written, elsewhere, is a person's own. */
function startsStill(settings: string, command: string): boolean {
  const inJson = (words: string): string => JSON.stringify(words).slice(1, -1);
  const program = /^\[ -f (.+) \] && node /.exec(command)?.[1];
  return program !== undefined && settings.replaceAll(inJson(command), '').includes(inJson(`node ${program}`));
}

/** A backup that holds what stands in the settings is one of nothing. */
function dropBackup(backup: string | undefined, settings: Buffer | undefined): void {
  if (backup !== undefined && settings !== undefined && readSettings(backup)?.bytes.equals(settings) === true) fs.rmSync(backup, { force: true });
}

/** Whether wiring `backup` gives `text`: then nobody else has written since. */
function isOriginal(backup: string, text: string, events: readonly string[], entry: HookEntry): boolean {
  try {
    const before = readSettings(backup);
    return before !== undefined && withEntry(before.text, events, entry) === text;
  } catch (error) {
    if (error instanceof HandoffError) return false;
    throw error;
  }
}

/** The work on a text, with the file's name in what it refuses. */
function judged<T>(settings: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    throw new HandoffError(error.code, `${settings} was not changed: ${error.message}`, { cause: error });
  }
}
