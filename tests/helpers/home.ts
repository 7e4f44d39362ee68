/** A home of its own for tests of the installer: clients' folders, a small package to install from, and ways to look at what is there. */
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { program } from '../../src/commands/install/table.mts';
import { run as runLine } from '../../src/lib/cli/runner.mts';
import { fileSetHash } from '../../src/lib/hash-chain.mts';
import type { InstallRecord } from '../../src/install/record.mts';
import { sha256 } from './desk.ts';
import { fakeHost } from './host.ts';
import { freshFolder, run, type Result, type RunOptions } from './run.ts';

export const RECORD = '.agents-handoff-install.json';
export const PENDING = '.agents-handoff-install.pending.json';

export interface Said { status: number; out: string; err: string }

export class Home {
  readonly dir = freshFolder('handoff-home-');
  readonly home: string;
  readonly cwd: string;

  /** `name`: the home's own name, for those with blanks and quotes. */
  constructor(name = 'home') {
    this.home = join(this.dir, name);
    this.cwd = join(this.dir, 'work');
    mkdirSync(this.home);
    mkdirSync(this.cwd);
  }

  path(...parts: string[]): string {
    return join(this.home, ...parts);
  }

  /** Makes the folders by which clients are known to be here. */
  clients(...folders: string[]): this {
    for (const folder of folders) mkdirSync(this.path(folder), { recursive: true });
    return this;
  }

  /** A line for the installer in this process, from a small package: SMALL, or another one made by `product`. */
  async say(argv: readonly string[], options: { source?: string; env?: Record<string, string | undefined>; cwd?: string } = {}): Promise<Said> {
    const host = { ...fakeHost({ cwd: options.cwd ?? this.cwd, env: { PATH: process.env['PATH'], HOME: this.home, ...options.env } }), home: options.source ?? this.small };
    const status = await runLine(program, argv, host);
    return { status, out: host.out(), err: host.err() };
  }

  /** The small package, made when it is first asked for. */
  get small(): string {
    const folder = join(this.dir, 'small');
    return existsSync(folder) ? folder : product(folder);
  }

  get later(): string {
    const folder = join(this.dir, 'later');
    return existsSync(folder) ? folder : product(folder, LATER);
  }

  /** A line for the built installer of this repository, in a process of its own. */
  install(argv: readonly string[], options: RunOptions = {}): Result {
    return run('install/install', argv, { cwd: this.cwd, home: this.home, ...options });
  }

  copy(folder = '.claude/skills'): string {
    return this.path(folder, 'agents-handoff');
  }

  record(copy = this.copy()): InstallRecord {
    return JSON.parse(readFileSync(join(copy, RECORD), 'utf8')) as InstallRecord;
  }

  /** Everything below a folder, relative to the home: files with hash, links with target, folders. */
  tree(folder = this.home): Record<string, string> {
    const found: Record<string, string> = {};
    if (!existsSync(folder)) return found;
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      found[relative(folder, file)] = entry.isFile() ? sha256(readFileSync(file)) : entry.isSymbolicLink() ? 'link' : 'folder';
    }
    return found;
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** What a small package holds; its program says what the check of an installed copy wants to hear. */
export const SMALL: Readonly<Record<string, string>> = {
  'SKILL.md': '---\nname: agents-handoff\n---\none\n',
  'docs/GUIDE.md': 'guide one\n',
  'docs/OLD.md': 'only in one\n',
  'tools/handoff.mjs': 'console.log(`handoff: config root=${process.cwd()}`);\n',
};
/** The same a version later: one file is other, one is gone, one is new. */
export const LATER: Readonly<Record<string, string>> = {
  'SKILL.md': '---\nname: agents-handoff\n---\ntwo\n',
  'docs/GUIDE.md': 'guide two\n',
  'docs/NEW.md': 'only in two\n',
  'tools/handoff.mjs': SMALL['tools/handoff.mjs'] ?? '',
};

/** A tree to install from, with the list of its files that a build makes. */
export function product(folder: string, files: Readonly<Record<string, string>> = SMALL): string {
  for (const [name, content] of Object.entries(files)) put(join(folder, name), content);
  put(join(folder, 'tools/files.json'), JSON.stringify({ files: [...Object.keys(files), 'tools/files.json'].sort() }));
  return folder;
}

export function put(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** A copy as an installer of 2.0.x left it; `files` in the form that the test wants to see read. */
export function older(copy: string, contents: Readonly<Record<string, string>>, form: 'names' | 'rows' | 'map' | 'none'): void {
  for (const [name, content] of Object.entries(contents)) put(join(copy, name), content);
  if (form === 'none') return;
  const hashes = Object.entries(contents).map(([name, content]): [string, string] => [name, sha256(content)]);
  const files = form === 'names' ? hashes.map(([name]) => name) : form === 'rows' ? hashes.map(([path, hash]) => ({ path, sha256: hash })) : Object.fromEntries(hashes);
  put(join(copy, RECORD), JSON.stringify({
    schema_version: '1.0-install-provenance', product: 'agents-handoff', version: '2.0.5', installer_version: '2.0.5', installed_at: '2026-01-01T00:00:00.000Z',
    harness: 'claude', target: copy, source: { kind: 'tree', path: '/somewhere' }, package: {}, file_count: hashes.length, files_sha256: fileSetHash(hashes), files,
  }, null, 2));
}

export function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
