/**
 * A harness's settings file, which is the user's: read whole, refused with a reason where it cannot be kept as it is, and
 * replaced in one step with its mode and owner, through a link where the path is one.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError, errnoOf } from '../../lib/errors.mts';
import { makeFolder, replaceFile } from '../../lib/fs/files.mts';

const MOST_BYTES = 16 << 20;
const BOM = '\ufeff';
/** Always the same, so that what a killed run was writing is written over by the next. */
const MARK = 'agents-handoff';

export interface Settings {
  /** The file itself, behind all links. */
  file: string;
  bytes: Buffer;
  /** Without the mark of byte order. */
  text: string;
  stat: fs.Stats;
}

/** Undefined where there is none. Throws HandoffError SHAPE or IO for what is not to be touched. */
export function readSettings(settings: string): Settings | undefined {
  let file: string;
  try {
    file = fs.realpathSync(settings);
  } catch (cause) {
    if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(cause) ?? '')) throw cause;
    if (fs.lstatSync(settings, { throwIfNoEntry: false }) !== undefined) throw refused(settings, 'it is a link to a file that is not there');
    return undefined;
  }
  const stat = fs.statSync(file);
  if (!stat.isFile()) throw refused(settings, 'it is not a file');
  if (stat.size > MOST_BYTES) throw refused(settings, `it has ${stat.size} bytes`);
  const bytes = fs.readFileSync(file);
  try {
    return { file, bytes, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), stat };
  } catch (cause) {
    throw refused(settings, 'it is not UTF-8', cause);
  }
}

/** Writes `text` in the place of `before`, or as a new file. Throws HandoffError, and then the file is as it was. */
export function writeSettings(settings: string, before: Settings | undefined, text: string): void {
  if (before === undefined) {
    makeFolder(path.dirname(settings));
    replaceFile(settings, text, MARK);
    return;
  }
  // The harness may have written it meanwhile.
  if (!fs.readFileSync(before.file).equals(before.bytes)) throw refused(settings, 'it changed while it was read; try again');
  replaceFile(before.file, (before.bytes.subarray(0, 3).toString('utf8') === BOM ? BOM : '') + text, MARK, true, before.stat);
}

/** A rename asks the folder only; who made the file read-only meant the file. Root is let through by the system, not by us. */
export function mustBeWritable(settings: string, { file, stat }: Settings): void {
  try {
    fs.accessSync(path.dirname(file), fs.constants.W_OK | fs.constants.X_OK);
  } catch (cause) {
    throw new HandoffError('IO', `${settings} was not changed: nothing can be written in ${path.dirname(file)}`, { cause });
  }
  try {
    if ((stat.mode & 0o222) !== 0) return fs.accessSync(file, fs.constants.W_OK);
  } catch (cause) {
    throw readOnly(settings, cause);
  }
  throw readOnly(settings);
}

function readOnly(settings: string, cause?: unknown): HandoffError {
  return new HandoffError('IO', `${settings} is read-only; it was not changed`, { cause });
}

/** Keeps what stands there beside it, and gives the copy's path; one that holds the same already is that copy. */
export function backUp(settings: string, bytes: Buffer): string {
  for (let number = 1; ; number += 1) {
    const backup = `${settings}.agents-handoff${number === 1 ? '' : `.${number}`}.bak`;
    if (holds(backup, bytes)) return backup;
    if (fs.lstatSync(backup, { throwIfNoEntry: false }) !== undefined) continue;
    // Settings may hold keys: private, whatever the settings are.
    replaceFile(backup, bytes, MARK);
    return backup;
  }
}

/** Whether a file has a name of ours for a backup of these settings. */
export function isBackupOf(settings: string, file: string): boolean {
  return file.startsWith(settings) && /^\.agents-handoff(?:\.[1-9]\d*)?\.bak$/.test(file.slice(settings.length));
}

/** The backups that there are, the oldest first. */
export function backupsOf(settings: string): string[] {
  const found: string[] = [];
  for (let number = 1; ; number += 1) {
    const backup = `${settings}.agents-handoff${number === 1 ? '' : `.${number}`}.bak`;
    if (!fs.existsSync(backup)) return found;
    found.push(backup);
  }
}

function holds(file: string, bytes: Buffer): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size === bytes.length && fs.readFileSync(file).equals(bytes);
}

function refused(settings: string, why: string, cause?: unknown): HandoffError {
  return new HandoffError('SHAPE', `${settings} was not changed: ${why}`, { cause });
}
