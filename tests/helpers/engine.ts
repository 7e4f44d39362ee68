/**
 * A repository for bounded execution to act in, with a home, a place outside of both, and the product as a package
 * manager installs it: so the repository is the nearest folder with `.git`, and every test has its own.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { platform, userInfo } from 'node:os';
import type { ExecutionRecord } from '../../src/execution/records.mts';
import type { Policy } from '../../src/execution/policy-shape.mts';
import { openSetting, type Setting } from '../../src/execution/setting.mts';
import type { Io } from '../../src/lib/cli/command.mts';
import { freshFolder, REPOSITORY, run, type Result, type RunOptions } from './run.ts';

let product: string | undefined;

/** One copy for a test file; removed with the worker's other folders by removeProduct. */
export function installed(): string {
  if (product === undefined) {
    product = join(freshFolder('handoff-product-'), 'node_modules', 'agents-handoff');
    mkdirSync(product, { recursive: true });
    for (const name of ['tools', 'package.json', 'permission-policy.json', 'schemas']) cpSync(join(REPOSITORY, name), join(product, name), { recursive: true });
  }
  return product;
}

export function removeProduct(): void {
  if (product !== undefined) rmSync(dirname(dirname(product)), { recursive: true, force: true });
  product = undefined;
}

export const shippedPolicy = (): Policy & { schema_version: string } => JSON.parse(readFileSync(join(REPOSITORY, 'permission-policy.json'), 'utf8')) as Policy & { schema_version: string };

export class Ground {
  readonly dir = freshFolder('handoff-engine-');
  readonly repo = join(this.dir, 'repo');
  readonly home = join(this.dir, 'home');
  readonly outside = join(this.dir, 'outside');

  constructor() {
    for (const folder of [join(this.repo, '.git'), this.home, this.outside]) mkdirSync(folder, { recursive: true });
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** Writes a file, relative to the whole ground, and gives its path. */
  file(name: string, content: string | Uint8Array = name): string {
    const path = join(this.dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** The shipped policy with these keys changed, as a file outside of the repository. */
  policy(changes: Record<string, unknown>, name = 'policy.json'): string {
    return this.file(name, JSON.stringify({ ...shippedPolicy(), ...changes }));
  }

  engine(argv: readonly string[], options: RunOptions & { entry?: string } = {}): Result {
    return run(options.entry ?? 'runtime-engine', argv, { cwd: this.repo, home: this.home, product: installed(), ...options });
  }

  /** The same; what it answers on stdout, which is JSON, or nothing where it is an error. */
  told(argv: readonly string[], options: RunOptions = {}): { status: number | null; said: Record<string, unknown>; stderr: string } {
    const { status, stdout, stderr } = this.engine(argv, options);
    return { status, said: (stdout === '' ? {} : JSON.parse(stdout)) as Record<string, unknown>, stderr };
  }

  record(place: unknown): ExecutionRecord {
    return JSON.parse(readFileSync(join(this.repo, String(place)), 'utf8')) as ExecutionRecord;
  }

  records(state = join(this.repo, '.agents-handoff')): ExecutionRecord[] {
    const folder = join(state, 'executions');
    if (!existsSync(folder)) return [];
    return readdirSync(folder).sort().map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ExecutionRecord);
  }

  /** What a verb judges by, in this process. */
  setting(policy?: string): Setting {
    return openSetting(this.io(), policy);
  }

  io(): Io {
    return {
      cwd: this.repo, env: { HOME: this.home, PATH: process.env['PATH'] }, json: false, stdin: process.stdin, home: installed(), node: process.execPath,
      note: () => {}, progress: () => {}, confirm: async () => false, onSignal: () => () => {},
    };
  }
}

/** The account's own home, which no variable moves. */
export const accountHome = userInfo().homedir;
export const onLinux = platform() === 'linux';
