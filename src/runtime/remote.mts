/**
 * A store elsewhere, which may be anybody's: on a disk of another user, in a checkout, half written or made to do harm. No
 * link in it is followed, nothing but plain files is opened, no more is read of one than it has when it is opened, and
 * nothing that it says is a path here.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError, errnoOf } from '../lib/errors.mts';
import { FILE_MODE, sync, writeAll } from '../lib/fs/files.mts';
import { readBytes } from '../lib/fs/lines.mts';
import { lockFile } from '../lib/fs/lock-file.mts';
import { manifestHash } from '../lib/hash-chain.mts';
import { byBytes } from '../store/index-file.mts';
import { SEAL_FORMAT, sessionDir, sessionKey, sessionPaths, storePaths, type SessionPaths } from '../store/layout.mts';
import { isSealed, type Manifest } from '../store/manifest.mts';
import { misshapen } from '../store/manifest-shape.mts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
const MB = 1 << 20;
/** Of files whose size nothing else bounds. */
const MOST_SMALL = 64 * MB;
/** Of a timeline without a seal: 2.0.x cannot read one that is longer than a string. */
const MOST_UNSEALED = 4096 * MB;
/** A payload and TOOLS.md hold what the timeline has, at most so many times. */
const TIMES = 8;

export interface RemotePlace {
  root: string;
  project: string;
  folder: string;
}

export interface RemoteSession extends RemotePlace {
  paths: SessionPaths;
  manifest: Manifest;
  text: string;
}

/** The real folder of a remote root. Throws SOURCE where it holds no store. */
export function openRemote(given: string, cwd: string): string {
  let root: string;
  try {
    root = fs.realpathSync(path.resolve(cwd, given));
  } catch (error) {
    throw new HandoffError('SOURCE', `${given} is not there or cannot be read (${errnoOf(error) ?? 'unknown'})`, { cause: error });
  }
  if (fs.statSync(root).isDirectory() === false) throw new HandoffError('SOURCE', `${given} is a file; a store is the folder that holds projects/`);
  const projects = fs.lstatSync(storePaths(root).projects, { throwIfNoEntry: false });
  if (projects?.isSymbolicLink() === true) throw new HandoffError('SOURCE', `${given} has a link for projects/, which is not followed; name the store that it leads to`);
  if (projects?.isDirectory() !== true) {
    // A person names the project whose store is meant, or what lies in the store.
    const near = [path.join(given, 'handoffs'), path.join(given, '..'), path.join(given, '../..')]
      .find((one) => fs.lstatSync(storePaths(path.resolve(cwd, one)).projects, { throwIfNoEntry: false })?.isDirectory() === true);
    throw new HandoffError('SOURCE', `${given} has no folder projects/: it is no store${near === undefined ? '' : `, but ${near} is one`}`);
  }
  return root;
}

/**
 * The folders that may hold a session. Those beside another (`<session>~…`) come first: what lies in them is then known when
 * the other is looked at. `refused` is told of a project that cannot be read, `linked` of a name under projects/ that is passed over.
 */
export function remotePlaces(root: string, refused: (project: string, error: unknown) => void, linked: (name: string) => void): RemotePlace[] {
  const { projects } = storePaths(root);
  const places = foldersIn(projects, linked).flatMap((project) => {
    try {
      return foldersIn(path.join(projects, project), (name) => linked(`${project}/${name}`)).map((folder) => ({ root, project, folder }));
    } catch (error) {
      refused(project, error);
      return [];
    }
  });
  const isBeside = ({ folder }: RemotePlace): boolean => /~[0-9a-f]{8}$/.test(folder);
  return [...places.filter(isBeside), ...places.filter((place) => !isBeside(place))];
}

/** A link to a folder is none; where it leads is not looked at. */
function foldersIn(dir: string, linked: (name: string) => void): string[] {
  const entries = fs.readdirSync(dir, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  for (const entry of entries) if (entry.isSymbolicLink()) linked(entry.name);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name).sort(byBytes);
}

/** Undefined where there is no manifest. Throws DAMAGED for one that cannot be gone by, NEWER for a later format. */
export function readRemote(place: RemotePlace): RemoteSession | undefined {
  const paths = sessionPaths(sessionDir(place.root, place.project, place.folder));
  const text = readRegular(paths.manifest, MOST_SMALL)?.toString('utf8');
  if (text === undefined) return undefined;
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text) as Manifest;
  } catch (error) {
    throw new HandoffError('DAMAGED', 'manifest.json is not JSON', { cause: error });
  }
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest)) throw new HandoffError('DAMAGED', 'manifest.json is not an object');
  const odd = misshapen(manifest);
  if (odd !== undefined) throw new HandoffError('DAMAGED', `manifest.json is not one of a handoff: its "${odd}" is missing or of another kind`);
  if (manifestHash(manifest) !== manifest.manifest_sha256) throw new HandoffError('DAMAGED', 'manifest tampered (sha mismatch)');
  if (manifest.seal !== undefined && manifest.seal.format > SEAL_FORMAT) throw new HandoffError('NEWER', `it was sealed by a newer version (format ${manifest.seal.format})`);
  return { ...place, paths, manifest, text };
}

/** Whether somebody there holds the session: then what does not fit may only be on its way. */
export function isHeldThere({ root, manifest }: RemoteSession): boolean {
  return fs.lstatSync(lockFile(storePaths(root).locks, sessionKey(manifest.session)), { throwIfNoEntry: false }) !== undefined;
}

/** Copies the session's own files, each as long as it is when it is opened. Throws DAMAGED where one is no plain file or longer than it may be. */
export function copyRemote(session: RemoteSession, to: SessionPaths): void {
  const bounds = boundsOf(session);
  for (const [key, most] of bounds) copyRegular(session.paths[key], to[key], most);
}

/**
 * Throws where one of the session's files, or its lock, is anything but a plain file of a size that it can have: for a look
 * without a copy.
 */
export function mustBePlain(session: RemoteSession): void {
  const { locks } = storePaths(session.root);
  for (const [key, most] of boundsOf(session)) mayRead(session.paths[key], most);
  mayRead(lockFile(locks, sessionKey(session.manifest.session)), MOST_SMALL);
  if (fs.lstatSync(locks, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw notPlain(locks);
}

type File = Exclude<keyof SessionPaths, 'dir' | 'manifest'>;

/** How many bytes each file may have: a file with a hole in it is large for nothing. */
function boundsOf({ paths, manifest }: RemoteSession): [File, number][] {
  const most = isSealed(manifest) ? manifest.seal.timeline_bytes + MOST_SMALL : MOST_UNSEALED;
  const timeline = Math.min(most, fs.lstatSync(paths.timeline, { throwIfNoEntry: false })?.size ?? 0);
  const derived = TIMES * timeline + MOST_SMALL;
  return [['timeline', most], ['chain', MOST_SMALL], ['brief', MOST_SMALL], ['summary', MOST_SMALL], ['tools', derived], ['payload', derived]];
}

function mayRead(file: string, most: number): void {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isFile()) throw notPlain(file);
  if (stat.size > most) throw tooLarge(file, stat.size);
}

/** An open plain file and its size; undefined where there is none. A pipe is not waited for. */
export function openRegular(file: string): { fd: number; size: number } | undefined {
  let fd: number;
  try {
    // Where the system has no such flag, what stands there is looked at first.
    if (O_NOFOLLOW === 0 && fs.lstatSync(file).isSymbolicLink()) throw notPlain(file);
    fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT') return undefined;
    if (errno === 'ELOOP' || errno === 'ENXIO' || errno === 'EMLINK') throw notPlain(file);
    throw error;
  }
  const stat = fs.fstatSync(fd);
  if (stat.isFile()) return { fd, size: stat.size };
  fs.closeSync(fd);
  throw notPlain(file);
}

function readRegular(file: string, most: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  return withRegular(file, most, (chunk) => chunks.push(Buffer.from(chunk))) === undefined ? undefined : Buffer.concat(chunks);
}

function copyRegular(from: string, to: string, most: number): number | undefined {
  let out: number | undefined;
  try {
    const size = withRegular(from, most, (chunk) => {
      out ??= fs.openSync(to, 'wx', FILE_MODE);
      writeAll(out, chunk);
    });
    if (size === 0) out ??= fs.openSync(to, 'wx', FILE_MODE);
    if (out !== undefined) sync(out);
    return size;
  } finally {
    if (out !== undefined) fs.closeSync(out);
  }
}

function withRegular(file: string, most: number, use: (chunk: Buffer) => void): number | undefined {
  const opened = openRegular(file);
  if (opened === undefined) return undefined;
  const { fd, size } = opened;
  try {
    if (size > most) throw tooLarge(file, size);
    if (readBytes(fd, 0, size, use) < size) throw new HandoffError('CHANGING', `${path.basename(file)} became shorter while it was read`);
    return size;
  } finally {
    fs.closeSync(fd);
  }
}

function tooLarge(file: string, size: number): HandoffError {
  return new HandoffError('DAMAGED', `${path.basename(file)} has ${size} bytes, more than it can have`);
}

function notPlain(file: string): HandoffError {
  return new HandoffError('DAMAGED', `${path.basename(file)} is not a plain file (a link, a pipe, a folder or a device)`);
}
