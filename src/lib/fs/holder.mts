/**
 * Who holds a lock, and whether that process still lives. Apart from the runner this is the one place
 * that looks at a process: at our own number, and at the number a lock names.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { hostname, uptime } from 'node:os';
import { kill, pid as ownPid, platform, uptime as ownUptime } from 'node:process';

export interface Holder {
  pid: number;
  host: string;
  /** When the process started, in a form that only this host needs to compare; '' where it cannot be told. */
  started: string;
}

let self: Holder | undefined;

/** This process, as its own locks name it. */
export function ownHolder(): Holder {
  self ??= { pid: ownPid, host: hostname(), started: platform === 'linux' ? linuxStart(ownPid) : `~${Math.round(Date.now() / 1000 - ownUptime())}` };
  return self;
}

export type Life = 'alive' | 'dead' | 'elsewhere';

/** A number that another process took over after a crash is told from the holder by its start. */
export function lifeOf(holder: Holder): Life {
  if (holder.host !== hostname()) return 'elsewhere';
  if (!exists(holder.pid)) return 'dead';
  if (holder.started === '') return 'alive';
  const now = startOf(holder.pid);
  if (now === '') return 'alive';
  if (!holder.started.startsWith('~')) return now === holder.started ? 'alive' : 'dead';
  // Seconds since 1970, told by two clocks: a few of them apart is the same process.
  return Math.abs(Number(now.slice(1)) - Number(holder.started.slice(1))) <= 3 ? 'alive' : 'dead';
}

/** For a lock that holds a bare number (2.0.x): dead, or started after the lock was made. `made` in ms since 1970. */
export function lifeOfNumber(pid: number, made: number): Life {
  if (!exists(pid)) return 'dead';
  const began = startedMs(pid);
  return began !== undefined && began > made + 2000 ? 'dead' : 'alive';
}

/** Whether a process of this number runs, whoever's it is. */
export function exists(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  // A zombie answers the signal but does nothing any more.
  return platform !== 'linux' || !/^\d+ \(.*\) Z/s.test(statOf(pid));
}

function statOf(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
}

let boot: string | undefined;

/** Clock ticks since the boot that is named before them; the name of a program may hold blanks and brackets. */
function linuxStart(pid: number): string {
  const stat = statOf(pid);
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  if (ticks === undefined) return '';
  try {
    boot ??= fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
  } catch {
    boot = '';
  }
  return `${boot}:${ticks}`;
}

function startOf(pid: number): string {
  if (platform === 'linux') return linuxStart(pid);
  const ms = startedMs(pid);
  return ms === undefined ? '' : `~${Math.round(ms / 1000)}`;
}

function startedMs(pid: number): number | undefined {
  if (platform === 'win32') return undefined;
  if (platform === 'linux') {
    const ticks = Number(linuxStart(pid).split(':')[1]);
    // 100 ticks a second is fixed for what /proc shows.
    return Number.isFinite(ticks) ? Date.now() - uptime() * 1000 + ticks * 10 : undefined;
  }
  try {
    // It prints no zone: that of this process may be another than the system's.
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', timeout: 2000, env: { LC_ALL: 'C', TZ: 'UTC' } });
    const ms = Date.parse(`${text.trim()} UTC`);
    return Number.isNaN(ms) ? undefined : ms;
  } catch {
    return undefined;
  }
}
