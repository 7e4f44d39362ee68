/**
 * Runs a built entry point as a user would: `node tools/<entry>.mjs …` in a bare environment, so that nothing of
 * the machine that runs the tests (its HOME, its store, its colours) can reach the command.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAMS, runWarm } from './warm.ts';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

export interface Result { status: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export interface RunOptions {
  /** A fresh empty folder where absent. */
  cwd?: string;
  /** A fresh empty folder where absent. */
  home?: string;
  /** Added to PATH, NO_COLOR and HOME; `undefined` takes one of them away. */
  env?: Record<string, string | undefined>;
  input?: string | Buffer;
  /** Another copy of the product than this one: the folder that holds its tools/. */
  product?: string;
  /** Words for node itself, before the entry. */
  node?: string[];
}

/**
 * A new folder, in memory where the machine has such a place: tests look at what was written, not at whether it would
 * outlive a power cut, and a build waits for the disk at every commit.
 */
export function freshFolder(name = 'handoff-test-'): string {
  const roots = ['/dev/shm', tmpdir()];
  for (const root of roots.slice(0, -1)) {
    try {
      return realpathSync(mkdtempSync(join(root, name)));
    } catch {
      // Not on this system.
    }
  }
  return realpathSync(mkdtempSync(join(tmpdir(), name)));
}

/**
 * `run('handoff', ['list'])`: waits for the end. An entry is a name in tools/, or an absolute path. The built program
 * runs in a thread that has it loaded, unless a test has words for Node, or HANDOFF_SPAWN is set.
 */
export function run(entry: string, argv: readonly string[], options: RunOptions = {}): Result {
  const program = PROGRAMS[entry];
  if (program === undefined || options.node !== undefined || process.env['HANDOFF_SPAWN'] === '1') return runProcess(entry, argv, options);
  return inFolders(options, (cwd, home) => {
    const asked = { program, argv, cwd: realpathSync(cwd), env: bareEnv(home, options.env), input: Buffer.from(options.input ?? '') };
    return { signal: null, ...runWarm((options.product ?? REPOSITORY).replace(/\/$/, ''), asked) };
  });
}

/** The same in a process of its own. */
export function runProcess(entry: string, argv: readonly string[], options: RunOptions = {}): Result {
  return inFolders(options, (cwd, home) => {
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, words(entry, argv, options), {
      cwd,
      env: bareEnv(home, options.env),
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      input: options.input ?? '',
    });
    return { status, signal, stdout, stderr };
  });
}

/** The same without waiting, for a test that streams stdin, closes a pipe or sends a signal. Folders must be given. */
export function start(entry: string, argv: readonly string[], options: RunOptions & { cwd: string; home: string }): { child: ChildProcess; done: Promise<Result> } {
  const child = spawn(process.execPath, words(entry, argv, options), { cwd: options.cwd, env: bareEnv(options.home, options.env) });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => { stdout += piece; });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => { stderr += piece; });
  // A command that ends without reading its input is no failure of the test.
  child.stdin.on('error', () => {});
  if (options.input !== undefined) child.stdin.end(options.input);
  const done = new Promise<Result>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr }));
  });
  return { child, done };
}

function words(entry: string, argv: readonly string[], { product = REPOSITORY, node = [] }: RunOptions): string[] {
  return [...node, isAbsolute(entry) ? entry : join(product, 'tools', `${entry}.mjs`), ...argv];
}

function bareEnv(home: string, more: RunOptions['env'] = {}): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], NO_COLOR: '1', HOME: home, ...more };
  for (const [name, value] of Object.entries(env)) if (value === undefined) delete env[name];
  return env;
}

function inFolders<T>({ cwd, home }: RunOptions, body: (cwd: string, home: string) => T): T {
  const made: string[] = [];
  const fresh = (): string => {
    const folder = freshFolder();
    made.push(folder);
    return folder;
  };
  try {
    return body(cwd ?? fresh(), home ?? fresh());
  } finally {
    for (const folder of made) rmSync(folder, { recursive: true, force: true });
  }
}
