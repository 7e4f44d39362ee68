/** Runs child processes and says how long they took and how much memory they held. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Work {
  /** Node where absent. */
  program?: string;
  /** Arguments after the program. */
  argv: readonly string[];
  env?: Readonly<Record<string, string>>;
  cwd: string;
  /** Its output goes nowhere, as with `> /dev/null`: to read it would cost the measured time. */
  unread?: true;
  /** Not timed: puts things where the run expects them. */
  before?: () => void;
  /** Not timed: throws where the run did not do its work. */
  after?: (stdout: string) => void;
}

/** Only what a run needs: settings of the person who measures must not reach the measured. */
const BARE: Record<string, string> = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', NO_COLOR: '1' };
const PEAK = fileURLToPath(new URL('./peak.mjs', import.meta.url));

/** Runs it once; seconds from spawn to exit. A run that fails ends the bench: a fast failure is no result. */
export function run(work: Work): number {
  work.before?.();
  const { program = process.execPath } = work;
  const start = process.hrtime.bigint();
  const child = spawnSync(program, work.argv, { cwd: work.cwd, env: { ...BARE, ...work.env }, encoding: 'utf8', maxBuffer: 1 << 28, ...(work.unread ? { stdio: ['pipe', 'ignore', 'pipe'] } : {}) });
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  if (child.status !== 0) throw new Error(`${program} ${work.argv.join(' ')} ended with ${child.status ?? child.signal}:\n${child.stderr}`);
  work.after?.(child.stdout);
  return seconds;
}

/** Peak resident memory of one run, in bytes. A run of its own: the look at memory must not cost time in the others. */
export function peakOf(work: Work, scratch: string): number {
  const target = path.join(scratch, 'peak');
  fs.rmSync(target, { force: true });
  run({ ...work, argv: ['--import', PEAK, ...work.argv], env: { ...work.env, BENCH_PEAK_FILE: target } });
  return Number(fs.readFileSync(target, 'utf8')) * 1024;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

export interface Pairs {
  /** Medians, in seconds. */
  floor: number;
  ours: number;
  /** Median of the ratios within a pair: the two runs of a pair met the same weather. */
  ratio: number;
  low: number;
  high: number;
}

/** Floor, ours, floor, ours: `count` pairs after one of each that is thrown away. */
export function inPairs(floor: () => number, ours: () => number, count: number): Pairs {
  const floors: number[] = [];
  const times: number[] = [];
  for (let i = 0; i <= count; i++) {
    const a = floor();
    const b = ours();
    if (i === 0) continue;
    floors.push(a);
    times.push(b);
  }
  const ratios = times.map((time, i) => time / (floors[i] as number));
  return { floor: median(floors), ours: median(times), ratio: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) };
}

/** Lets the disk finish what earlier runs left to it, so that no run pays for another's bytes. */
export function settle(): void {
  if (process.platform !== 'win32') spawnSync('sync');
}
