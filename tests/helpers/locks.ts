/** Locks as other processes leave them: of a living one, a dead one, another host, and broken ones. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from '../../src/lib/fs/lock-file.mts';

let dead: number | undefined;

/** The number of a process that has ended. */
export function deadPid(): number {
  return (dead ??= spawnSync(process.execPath, ['-e', '0']).pid);
}

/** Writes a lock of ours for the key; a process of another host holds it unless `holder` says otherwise. Gives its path. */
export function leaveLock(root: string, key: string, holder: { pid?: number; host?: string; operation?: string; started?: string } & Record<string, unknown> = {}): string {
  const record = { pid: process.pid, host: 'elsewhere.example', started: '', token: '0'.repeat(24), key, operation: 'build', at: new Date().toISOString(), ...holder };
  return leaveLockText(root, key, JSON.stringify(record));
}

/** The same with any text, as 2.0.x or a crash leaves it; `ageSeconds` ago. */
export function leaveLockText(root: string, key: string, text: string, ageSeconds = 0): string {
  const folder = join(root, '.locks');
  mkdirSync(folder, { recursive: true });
  const file = lockFile(folder, key);
  writeFileSync(file, text);
  const then = Date.now() / 1000 - ageSeconds;
  utimesSync(file, then, then);
  return file;
}
