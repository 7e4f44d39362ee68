/** A scratch folder with a store in it, two transcripts, and ways to look at what is there. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';
import { PROGRAMS, runWarm } from '../helpers/warm.ts';
import type { Child } from '../helpers/strace.ts';

/** A program of the product; `handoff` where none is named. */
export type Entry = 'handoff' | 'agents-handoff';
const program = (entry: Entry): string => fileURLToPath(new URL(`../../tools/${entry}.mjs`, import.meta.url));

/** What the author of a handoff wrote by hand; no fault may cost it. */
export const EVIDENCE = 'RESULT: PARTIAL\nWHAT_CHANGED: the parser\nVALIDATION: npm test\nEVIDENCE: 12 tests pass\nBLOCKERS: none\nRISKS: none known\nFOLLOW_UP: coupons\n';

const isPath = (entry: Entry | `/${string}`): entry is `/${string}` => entry.startsWith('/');

const LINE_TIME = Date.UTC(2026, 0, 1);

/** Records of a small Claude Code session; `padding` megabytes of text are spread over the results of its last part. */
export function records(session: string, to: number, padding = 0): string {
  const lines: string[] = [];
  const padded = (i: number): boolean => padding > 0 && i % 4 === 3 && i > 0.6 * to;
  const many = Array.from({ length: to }, (_, i) => i).filter(padded).length;
  for (let i = 0; i < to; i++) {
    const common = { uuid: `${session}-${i}`, parentUuid: i === 0 ? null : `${session}-${i - 1}`, isSidechain: false, sessionId: session, cwd: '/w', gitBranch: 'main', timestamp: new Date(LINE_TIME + i * 1000).toISOString() };
    const text = `${session} step ${i}: the discount parser keeps every coupon of the invoice`;
    const call = `call-${i - (i % 4)}`;
    const assistant = (block: object): object => ({ type: 'assistant', ...common, message: { id: `m-${session}-${i}`, role: 'assistant', content: [block], usage: { input_tokens: 1, output_tokens: 2 } } });
    const shapes = [
      () => ({ type: 'user', ...common, message: { role: 'user', content: text } }),
      () => assistant({ type: 'text', text }),
      () => assistant({ type: 'tool_use', id: call, name: 'Edit', input: { file_path: `/w/src/${i}.ts`, old_string: 'a', new_string: text } }),
      () => ({ type: 'user', ...common, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `call-${i - (i % 4)}`, content: padded(i) ? `${text}\n`.repeat(Math.ceil((padding * (1 << 20)) / many / (text.length + 1))) : text }] } }),
    ];
    lines.push(`${JSON.stringify(shapes[i % 4]!())}\n`);
  }
  return lines.join('');
}

export interface Said {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export class Workshop {
  readonly scratch: string;
  /** The store is always at this one place, so that calls on it are the same from run to run. */
  readonly root: string;
  readonly env: Record<'HANDOFFS_ROOT' | 'HOME', string>;
  readonly #warm: boolean;

  /** `warm`: commands run in a thread that has the built program loaded, on a folder in memory; `child` is always a process. */
  constructor({ warm = false } = {}) {
    this.#warm = warm;
    this.scratch = warm ? freshFolder('handoff-fault-') : fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'handoff-fault-')));
    this.root = path.join(this.scratch, 'store');
    this.env = { HANDOFFS_ROOT: this.root, HOME: path.join(this.scratch, 'home') };
  }

  path(name: string): string {
    return path.join(this.scratch, name);
  }

  /** The transcript of a session with so many records; the path is the same whatever the number. */
  transcript(session: string, count: number, padding = 0): string {
    const file = this.path(`${session}.jsonl`);
    fs.writeFileSync(file, records(session, count, padding));
    return file;
  }

  child(argv: readonly string[], entry: Entry = 'handoff'): Child {
    return { argv: [program(entry), ...argv], env: this.env, cwd: this.scratch, store: this.root };
  }

  handoff(...argv: string[]): Said {
    return this.run('handoff', argv);
  }

  /** `entry`: a program of this product, or an absolute path. */
  run(entry: Entry | `/${string}`, argv: readonly string[]): Said {
    const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...this.env };
    const known = PROGRAMS[entry];
    if (this.#warm && known !== undefined) return { signal: null, ...runWarm(REPOSITORY.replace(/\/$/, ''), { program: known, argv, cwd: this.scratch, env, input: Buffer.alloc(0) }) };
    return spawnSync(process.execPath, [isPath(entry) ? entry : program(entry), ...argv], { cwd: this.scratch, env, encoding: 'utf8', timeout: 120_000 });
  }

  /** The same, for steps that must work. */
  must(...argv: string[]): string {
    const said = this.handoff(...argv);
    if (said.status !== 0) throw new Error(`handoff ${argv.join(' ')} ended with ${said.status}: ${said.stderr}`);
    return said.stdout;
  }

  keep(name: string): void {
    copy(this.root, this.path(name));
  }

  restore(name: string): void {
    copy(this.path(name), this.root);
  }

  remove(): void {
    fs.rmSync(this.scratch, { recursive: true, force: true });
  }
}

function copy(from: string, to: string): void {
  fs.rmSync(to, { recursive: true, force: true });
  fs.cpSync(from, to, { recursive: true });
}

/** Everything below a folder, relative, folders with a `/` behind them. */
export function listing(root: string): string[] {
  if (!fs.existsSync(root)) return [];
  return fs.readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)) + (entry.isDirectory() ? '/' : ''))
    .sort();
}

/** Every file of a folder with its hash. */
export function contents(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of listing(folder)) {
    if (!name.endsWith('/')) found[name] = createHash('sha256').update(fs.readFileSync(path.join(folder, name))).digest('hex');
  }
  return found;
}

export interface Found {
  folder: string;
  session: string;
  revisions: number;
  manifest_sha256: string;
}

/** Every session in the store, by its manifest and not by INDEX.json; what is on its way out is none. */
export function manifests(root: string): Found[] {
  return listing(root)
    .filter((name) => name.startsWith('projects/') && name.endsWith('/manifest.json'))
    .map((name) => ({ ...JSON.parse(fs.readFileSync(path.join(root, name), 'utf8')), folder: path.dirname(name) }) as Found);
}

/** A failure that a person can act on: a sentence of the program at the end, no stack, no talk of a bug. */
export function explains(stderr: string): boolean {
  const lines = stderr.trimEnd().split('\n');
  return /^(?:(?:agents-)?handoff|install): \S/.test(lines.at(-1) ?? '') && !/^\s+at /m.test(stderr) && !/\bbug\b/i.test(stderr);
}
