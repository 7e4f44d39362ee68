/** A folder with a store of its own in it, for one test: transcripts are written here, commands run here. */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { ChainRow } from '../../src/lib/hash-chain.mts';
import type { Seal, Manifest } from '../../src/store/manifest.mts';
import type { IndexRow } from '../../src/store/index-file.mts';
import type { Turn } from '../../src/transcript/turn.mts';
import { freshFolder, run, type Result, type RunOptions } from './run.ts';

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

export class Desk {
  readonly dir = freshFolder('handoff-desk-');
  readonly root = join(this.dir, 'store');
  readonly home = join(this.dir, 'home');

  constructor() {
    mkdirSync(this.home);
  }

  /** Writes a file and gives its path. */
  file(name: string, content: string | Uint8Array): string {
    const path = join(this.dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  handoff(argv: readonly string[], options: RunOptions = {}): Result {
    return run('handoff', argv, { cwd: this.dir, home: this.home, ...options, env: { HANDOFFS_ROOT: this.root, ...options.env } });
  }

  /** A build that has to work; gives its first line without the folder. */
  build(...argv: string[]): string {
    const result = this.handoff(['build', ...argv]);
    if (result.status !== 0) throw new Error(`build ${argv.join(' ')} ended with ${result.status ?? result.signal}: ${result.stderr}`);
    return result.stdout.replace(/ -> .*/s, '').trimEnd();
  }

  /** A build of these bytes under this name, which has to work. */
  capture(name: string, content: string | Uint8Array, ...flags: string[]): string {
    return this.build(this.file(name, content), ...flags);
  }

  session(place = 'w/s'): SessionFolder {
    return new SessionFolder(join(this.root, 'projects', place));
  }

  index(): IndexRow[] {
    return JSON.parse(readFileSync(join(this.root, 'INDEX.json'), 'utf8')) as IndexRow[];
  }

  page(project = 'w'): string {
    return readFileSync(join(this.root, 'projects', project, 'PROJECT.md'), 'utf8');
  }

  /** Sessions' places, by their folders. */
  places(): string[] {
    return this.tree().filter((name) => name.endsWith('/manifest.json')).map((name) => name.replace(/^projects\/(.*)\/manifest\.json$/, '$1'));
  }

  /** Every file of the store, relative. */
  tree(): string[] {
    if (!existsSync(this.root)) return [];
    return readdirSync(this.root, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
      .map((entry) => relative(this.root, join(entry.parentPath, entry.name))).sort();
  }

  /** What would show that something was written: every name with kind, size, times and content. */
  snapshot(folder = this.root): Record<string, string> {
    const found: Record<string, string> = {};
    if (!existsSync(folder)) return found;
    for (const entry of [...readdirSync(folder, { recursive: true, encoding: 'utf8' }), '.']) {
      const path = join(folder, entry);
      const stat = lstatSync(path);
      found[entry] = `${stat.mode} ${stat.size} ${stat.mtimeMs} ${stat.ino} ${stat.isFile() ? sha256(readFileSync(path)) : ''}`;
    }
    return found;
  }

  /** The hash of every file below a folder. */
  contents(folder = this.root): Record<string, string> {
    if (!existsSync(folder)) return {};
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return Object.fromEntries(files.map((path) => [relative(folder, path), sha256(readFileSync(path))]));
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export class SessionFolder {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  text(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  bytes(name: string): Buffer {
    return readFileSync(this.path(name));
  }

  write(name: string, content: string | Uint8Array): void {
    writeFileSync(this.path(name), content);
  }

  get manifest(): Manifest & { seal: Seal } {
    return JSON.parse(this.text('manifest.json')) as Manifest & { seal: Seal };
  }

  get turns(): Turn[] {
    return this.text('timeline.jsonl').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Turn);
  }

  get chain(): ChainRow[] {
    return this.text('chain.jsonl').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as ChainRow);
  }

  get summary(): Record<string, any> {
    return JSON.parse(this.text('HANDOFF.summary.json')) as Record<string, any>;
  }

  get payload(): Record<string, any> {
    return JSON.parse(this.text('HANDOFF.llm.json')) as Record<string, any>;
  }

  /** The turns as `CLASS text`. */
  get said(): string[] {
    return this.turns.map((turn) => `${turn.class} ${turn.text}`);
  }

  /** The turns as `seq` or `seq.part`. */
  get numbers(): string[] {
    return this.turns.map((turn) => `${turn.seq}${turn.part === undefined ? '' : `.${turn.part}`}`);
  }

  /** Appends below the marker, as the author of a handoff does. */
  author(block: string | Uint8Array): void {
    writeFileSync(this.path('HANDOFF.md'), Buffer.concat([this.bytes('HANDOFF.md'), Buffer.from(block as string)]));
  }

  /** What stands below the marker, byte for byte. */
  get block(): Buffer {
    const bytes = this.bytes('HANDOFF.md');
    const at = bytes.indexOf('<!-- agents-handoff:evidence sha256=');
    return bytes.subarray(bytes.indexOf('\n', at) + 1);
  }
}
