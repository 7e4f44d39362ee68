/**
 * Kills a process at a chosen system call, or makes that call fail, with strace's injection.
 *
 * How a call is chosen. strace counts `when=n` apart for every thread it follows, and a path given with -P must
 * match whole, which names with a random token in them cannot. So for a call of the main thread only that is followed
 * (no -f): an uninjected run numbers its calls by name, the numbers of those that change the store are the points, and
 * the same numbers hold in the injected run, because it does the same up to there. After it the log is asked whether
 * the call that was hit is the one that was meant (`hit`).
 * What other threads do is seen by `callsOffMain`, which follows all. libuv gets one worker only, so that its calls have
 * numbers as well; the injection then follows all threads too, and may strike the main thread's call of that number besides.
 * Lines about signals are left out, since a child that ends would count as a call.
 * UV_USE_IO_URING=0 keeps libuv from a way around system calls; MALLOC_ARENA_MAX=1 keeps the C library from opening
 * /proc/sys/vm/overcommit_memory now and then, which would shift the numbers of openat; two flags keep the collector of
 * garbage from waking the main thread by writes, which would shift those of write. What is left is met by `strike`.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Calls that change a file system, or promise that it was changed. `?`: no error where the machine has no such call. */
const MUTATING = ['open', 'openat', 'creat', 'write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'rename', 'renameat', 'renameat2', 'link', 'linkat',
  'unlink', 'unlinkat', 'mkdir', 'mkdirat', 'rmdir', 'symlink', 'symlinkat', 'ftruncate', 'truncate', 'fallocate', 'fsync', 'fdatasync', 'chmod', 'fchmod',
  'fchmodat', 'utimensat', 'copy_file_range', 'sendfile'];
const TRACE = `trace=${MUTATING.map((name) => `?${name}`).join(',')}`;

export interface Child {
  /** Arguments after `node`. */
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** Real path of the folder whose changes count. */
  store: string;
}

export interface Call {
  name: string;
  /** Which call of this name, counted over the whole life of the main thread, from 1. */
  ordinal: number;
  /** Which of those that change the store, from 1. */
  nth: number;
  /** The paths it touches, relative to the store, random parts as `*`. */
  where: string;
  /** Paths as they were in this run. */
  paths: readonly string[];
  /**
   * Made by another thread than the main one; `alone`: the main thread makes fewer calls of this name, `first`: it has made
   * fewer when this one comes.
   */
  off?: true;
  /** It changes nothing: a file or folder that is opened to be read. */
  reads?: true;
  alone?: boolean;
  first?: boolean;
}

export interface Ended {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** True where the injection struck the very call that was asked for. */
  hit: boolean;
  /** The number that the call had in this run, or is likely to have had. */
  ordinal: number;
}

const QUIET = ['--no-minor-gc-task', '--no-memory-reducer'];
let quiet: readonly string[] | undefined;

/** V8 may drop a flag in any version; without them there are only more tries. */
function quietFlags(): readonly string[] {
  quiet ??= spawnSync(process.execPath, [...QUIET, '-e', '0']).status === 0 ? QUIET : [];
  return quiet;
}

let available: boolean | undefined;

/** Whether strace is here and may trace. */
export function hasStrace(): boolean {
  available ??= process.platform === 'linux' && spawnSync('strace', ['-o', '/dev/null', '-e', 'trace=none', 'true']).status === 0;
  return available;
}

/** For `describe.skipIf`: true where strace is missing, unless REQUIRE_TOOLS=1 wants that to be a failure. */
export function skipWithoutStrace(): boolean {
  return !hasStrace() && process.env['REQUIRE_TOOLS'] !== '1';
}

/**
 * A fault may strike a write by which libuv wakes itself or gives a lock of its own back: that fails on no disk, and the process
 * then waits for ever. It ends here, as a strike that missed; a command that hangs where it was meant to be struck is told by its end.
 */
const LONGEST_MS = 60_000;

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All of it is gone.
  }
}

/** Runs the command under strace; `log` is of the main thread where `options` have -ff, else of all that are followed. */
export function trace(child: Child, options: readonly string[]): { status: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string; log: string[]; others: string[][] } {
  if (!hasStrace()) throw new Error('strace is not installed, or may not trace here');
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'handoff-trace-'));
  try {
    const log = path.join(scratch, 'log');
    const run = spawnSync('strace', ['-y', '-s', '0', '-e', 'signal=none', '-o', log, ...options, process.execPath, ...quietFlags(), ...child.argv], {
      cwd: child.cwd,
      env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', UV_USE_IO_URING: '0', MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '1', ...child.env },
      encoding: 'utf8',
      timeout: LONGEST_MS,
      // strace keeps other signals waiting for as long as it follows somebody.
      killSignal: 'SIGKILL',
      detached: true,
    } as Parameters<typeof spawnSync>[2] & { encoding: 'utf8' });
    if ((run.error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT') endGroup(run.pid);
    else if (run.error) throw run.error;
    const lines = (file: string): string[] => fs.readFileSync(path.join(scratch, file), 'utf8').split('\n');
    // With -ff there is one file a thread, named for its id; the first that was made is the main thread's.
    const files = fs.readdirSync(scratch).sort((a, b) => Number(a.split('.')[1]) - Number(b.split('.')[1]));
    const [main, ...rest] = files.map(lines);
    return { status: run.status, signal: run.signal, stdout: run.stdout, stderr: run.stderr, log: main ?? [], others: rest };
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

/** What a line of the log says, where it changes something in the store. */
function storeCall(line: string, store: string, withReads = false): { where: string; paths: string[]; reads?: true } | undefined {
  const reads = /^(open|openat)\(/.test(line) && !/O_CREAT|O_TRUNC/.test(line);
  if (reads && !withReads) return undefined;
  const paths: string[] = [];
  // Paths stand in quotes, or in <> behind a descriptor; so does the descriptor that the call gave, behind the last ` = `.
  for (const [, found] of line.slice(0, line.lastIndexOf(' = ')).matchAll(/["<]([^"<>]*)[">]/g)) {
    if (found === store || found?.startsWith(`${store}/`)) paths.push(found);
  }
  if (paths.length === 0) return undefined;
  const where = paths.map((one) => path.relative(store, one).replace(/-[0-9a-z]{6}(?=\.json)/, '-*').replace(/[0-9a-f]{8,}(-[0-9a-f]+)*|\d{2,}/g, '*') || '.').join(' -> ');
  return { where, paths, ...(reads ? { reads } : {}) };
}

function numbered(lines: readonly string[], store: string, withReads = false): Call[] {
  const seen = new Map<string, number>();
  const calls: Call[] = [];
  for (const line of lines) {
    const name = /^([a-z0-9_]+)\(/.exec(line)?.[1];
    if (name === undefined) continue;
    const ordinal = (seen.get(name) ?? 0) + 1;
    seen.set(name, ordinal);
    const touched = storeCall(line, store, withReads);
    if (touched === undefined) continue;
    const nth = calls.filter((call) => call.name === name).length + 1;
    calls.push({ name, ordinal, nth, ...touched });
  }
  return calls;
}

/**
 * Runs the command undisturbed; the calls of its main thread that change the store, in order, `withReads` those that open
 * something of it to read it as well. Throws where it does not exit 0.
 */
export function countCalls(child: Child, withReads = false): Call[] {
  const run = trace(child, ['-e', TRACE]);
  if (run.status !== 0) throw new Error(`an undisturbed run ended with ${run.status ?? run.signal}: ${run.stderr}`);
  return numbered(run.log, child.store, withReads);
}

/**
 * Runs the command undisturbed and says which files it had written and not made durable when `committed` began. A sync
 * counts when it has returned, whatever thread made it.
 */
export function unsyncedAt(child: Child, committed: (call: Call) => boolean): string[] {
  const run = trace(child, ['-f', '-e', TRACE]);
  const dirty = new Set<string>();
  const begun = new Map<string, string>();
  for (const whole of run.log) {
    const [, thread = '', line = ''] = /^(\d+) +(.*)$/.exec(whole) ?? [];
    const [call] = numbered([line.replace(' <unfinished ...>', ' = ?')], child.store);
    if (call !== undefined && committed(call)) return [...dirty];
    const file = call?.paths.at(-1) ?? (line.startsWith('<... f') ? begun.get(thread) : undefined);
    if (file === undefined) continue;
    const name = call?.name ?? '';
    if (/^(p?writev?2?|pwrite64|ftruncate|copy_file_range|sendfile)$/.test(name)) dirty.add(file);
    else if (/^f(data)?sync$/.test(name) && line.endsWith('<unfinished ...>')) begun.set(thread, file);
    else if (name === '' || /^(f(data)?sync|unlink|unlinkat)$/.test(name)) dirty.delete(file);
    else if (name.startsWith('rename')) {
      const [from = '', to = ''] = call?.paths ?? [];
      if (dirty.delete(from)) dirty.add(to);
    }
  }
  throw new Error('the call that commits was not seen');
}

/** Runs the command undisturbed with every thread followed; the calls on the store that `countCalls` cannot see. */
export function callsOffMain(child: Child): Call[] {
  const run = trace(child, ['-ff', '-ttt', '-e', TRACE]);
  const timed = (lines: readonly string[]) => lines.map((line) => ({ at: Number.parseFloat(line), line: line.replace(/^\d+\.\d+ /, '') }));
  const main = timed(run.log);
  return run.others.map(timed).flatMap((lines) => numbered(lines.map(({ line }) => line), child.store).map((call) => {
    const isOfName = ({ line }: { line: string }): boolean => line.startsWith(`${call.name}(`);
    const began = lines.filter(isOfName)[call.ordinal - 1]?.at ?? 0;
    const onMain = main.filter(isOfName);
    return { ...call, off: true as const, alone: onMain.length < call.ordinal, first: onMain.filter(({ at }) => at < began).length < call.ordinal };
  }));
}

/** A name without a random part: the call can be told by its path, whatever other threads do. */
export const hasFixedPath = ({ where }: Call): boolean => !where.includes('*');

function inject(child: Child, call: Call, what: string, struck: (line: string) => boolean): Ended {
  const options = ['-e', `trace=${call.name}`, '-e', `inject=${call.name}:${what}`];
  if (call.off) {
    const run = trace(child, ['-ff', ...options, ...(hasFixedPath(call) ? ['-P', call.paths.at(-1) ?? ''] : [])]);
    const hit = run.others.some((lines) => lines.some((line) => struck(line) && storeCall(line, child.store)?.where === call.where));
    return { status: run.status, signal: run.signal, stdout: run.stdout, stderr: run.stderr, hit, ordinal: call.ordinal };
  }
  const run = trace(child, options);
  const at = run.log.findIndex(struck) + 1;
  const seen = numbered(run.log.slice(0, at), child.store, call.reads);
  const last = seen.at(-1);
  const hit = last?.ordinal === at && last.nth === call.nth && last.where === call.where;
  const ordinal = seen[call.nth - 1]?.ordinal ?? at + call.nth - seen.length;
  return { status: run.status, signal: run.signal, stdout: run.stdout, stderr: run.stderr, hit, ordinal };
}

/** Kills the process on entering the call: nothing of it happens, everything before it has. */
export function killAt(child: Child, call: Call): Ended {
  return inject(child, call, `signal=KILL:when=${call.ordinal}`, (line) => line.endsWith('= ?'));
}

/** Makes the call fail; with `lasting` every later call of its name too. */
export function failAt(child: Child, call: Call, errno: string, lasting = false): Ended {
  return inject(child, call, `error=${errno}:when=${call.off && hasFixedPath(call) ? 1 : call.ordinal}${lasting ? '+' : ''}`, (line) => line.endsWith('(INJECTED)'));
}

/**
 * Strikes until the call that was meant is the one that is struck. Node's main thread wakes itself by a write now and
 * then, which shifts the numbers of the writes behind it: each try aims where the one before saw the call. `fresh` makes
 * the store new for each.
 */
export function strike(fresh: () => Child, call: Call, how: (child: Child, call: Call) => Ended, most = 120): Ended {
  let ended: Ended | undefined;
  for (let tries = 0; tries < most; tries++) {
    ended = how(fresh(), { ...call, ordinal: Math.max(1, ended?.ordinal ?? call.ordinal) });
    if (ended.hit) break;
  }
  return ended!;
}
