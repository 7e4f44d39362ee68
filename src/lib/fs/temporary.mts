/**
 * Names for what its maker removes again. They say whose it is, so that the next one tells what a crash left from what is
 * in use: also in a folder that several hosts share, where the number of a process says nothing by itself.
 */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { exists, ownHolder } from './holder.mts';

/** What another host made and did not remove is nobody's after this long. */
const ELSEWHERE_DEAD_MS = 24 * 60 * 60 * 1000;
const NAME = /\.(\d+)\.([0-9a-f]{8})[0-9a-f]{16}\.tmp$/;

let host: string | undefined;

function ownHost(): string {
  host ??= createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  return host;
}

/** 24 hexadecimal digits: 8 that are this host's, the others by chance. */
export function newToken(): string {
  return ownHost() + randomBytes(8).toString('hex');
}

/** `<what>.<pid>.<token>.tmp` */
export function temporaryName(what: string, token = newToken()): string {
  return `${what}.${ownHolder().pid}.${token}.tmp`;
}

/** Whether whoever made the temporary file or folder is gone; false for any other name. */
export function isLeftBehind(file: string): boolean {
  const [, pid, madeAt] = NAME.exec(path.basename(file)) ?? [];
  if (pid === undefined) return false;
  return madeAt === ownHost() ? !exists(Number(pid)) : ageMs(file) > ELSEWHERE_DEAD_MS;
}

/** Milliseconds since the file was written; 0 where it is gone. */
export function ageMs(file: string): number {
  try {
    return Date.now() - fs.statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}
