/**
 * The installer's commands that change a copy, struck at any system call. After each: the store in the copy and what the
 * user wrote are there to the byte; the copy is the old one, the new one, or says that it is interrupted; and the same
 * command once more ends where an undisturbed one does.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { checkCopy, readCopy } from '../../src/install/copy.mts';
import { sha256 } from '../helpers/desk.ts';
import { LATER, PENDING, RECORD, SMALL, product, put } from '../helpers/home.ts';
import { REPOSITORY } from '../helpers/run.ts';
import { callsOffMain, countCalls, failAt, killAt, strike, type Call, type Child, type Ended } from '../helpers/strace.ts';
import { MISSED, type Held, type Point, type Struck } from './points.ts';
import { explains, listing } from './workshop.ts';

const COPY = '.claude/skills/agents-handoff';
const SHARED = '.agents/skills/agents-handoff';

/** What no run may touch: a store, a configuration, notes. */
const THEIRS: Readonly<Record<string, string>> = {
  'projects/p/s/manifest.json': '{"session":"s"}', 'projects/p/s/HANDOFF.md': 'a handoff\n', 'INDEX.json': '[]', 'links/p.md': 'x\n',
  'handoff.config.json': '{}', 'docs/notes.md': 'my notes\n', '.agents-handoff/executions/1.json': '{}',
};
const STRAY = '.agents/handoffs';
const MOVED: Readonly<Record<string, string>> = { 'projects/p/s/manifest.json': '{"session":"s"}', 'projects/q/t/manifest.json': '{"session":"t"}', 'links/p.md': 'x\n' };
const EDITED = 'edited by hand\n';

export interface Installing {
  name: string;
  /** Where the copy is that is looked at. */
  copy: string;
  /** Commands that prepare the home, from the small package. */
  before: readonly (readonly string[])[];
  /** Whether a store lies in the home that the copy takes in, in the place of one in the copy. */
  stray?: true;
  /** Whether docs/GUIDE.md was edited since. */
  edited?: true;
  /** The command that is struck, from the later package. */
  argv: readonly string[];
  /** Kills that command at this share of its way first: what is struck then is the run that finishes it. */
  interrupted?: number;
}

export const INSTALLINGS: readonly Installing[] = [
  { name: 'install', copy: COPY, before: [], argv: ['install', '--claude'] },
  { name: 'install with a link and hooks', copy: SHARED, before: [], argv: ['install', '--harness', 'claude,codex', '--hooks'] },
  { name: 'install that takes a store in', copy: COPY, before: [], stray: true, argv: ['install', '--claude'] },
  { name: 'update', copy: COPY, before: [['install', '--claude']], edited: true, argv: ['update'] },
  { name: 'update by force', copy: COPY, before: [['install', '--claude']], edited: true, argv: ['update', '--force'] },
  { name: 'remove', copy: COPY, before: [['install', '--claude', '--hooks']], edited: true, argv: ['remove', '--claude', '-f'] },
  { name: 'remove of a link', copy: SHARED, before: [['install', '--harness', 'claude,codex']], argv: ['remove', '--claude', '-f'] },
  { name: 'update after a killed update', copy: COPY, before: [['install', '--claude']], edited: true, argv: ['update'], interrupted: 0.7 },
  { name: 'remove after a killed remove', copy: COPY, before: [['install', '--claude', '--hooks']], argv: ['remove', '--claude', '-f'], interrupted: 0.7 },
];

/** Two packages with the real installer in them, and a home. */
export class Bench {
  readonly scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'handoff-installing-')));
  readonly home = path.join(this.scratch, 'home');
  readonly small = this.#product('small', SMALL);
  readonly later = this.#product('later', LATER);

  #product(name: string, files: Readonly<Record<string, string>>): string {
    const folder = path.join(this.scratch, name);
    fs.cpSync(path.join(REPOSITORY, 'tools'), path.join(folder, 'tools'), { recursive: true });
    return product(folder, files);
  }

  child(from: string, argv: readonly string[]): Child {
    return { argv: [path.join(from, 'tools/install/install.mjs'), ...argv], env: { HOME: this.home }, cwd: this.scratch, store: this.home };
  }

  run(from: string, argv: readonly string[]): { status: number | null; stdout: string; stderr: string } {
    const { argv: words } = this.child(from, argv);
    return spawnSync(process.execPath, [...words], { cwd: this.scratch, env: { PATH: process.env['PATH'] ?? '', HOME: this.home, NO_COLOR: '1' }, encoding: 'utf8', timeout: 60_000 });
  }

  keep(name: string): void {
    copyTree(this.home, path.join(this.scratch, name));
  }

  restore(name: string): void {
    copyTree(path.join(this.scratch, name), this.home);
  }

  remove(): void {
    fs.rmSync(this.scratch, { recursive: true, force: true });
  }
}

function copyTree(from: string, to: string): void {
  fs.rmSync(to, { recursive: true, force: true });
  fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}

/** One command with its home prepared and its undisturbed end known. */
export class InstallScene implements Struck {
  readonly scenario: Installing;
  readonly calls: Call[];
  readonly #bench: Bench;
  readonly #prepared: string;
  readonly #end: string[];

  constructor(bench: Bench, scenario: Installing) {
    this.scenario = scenario;
    this.#bench = bench;
    this.#prepared = `prepared ${scenario.name}`;
    fs.rmSync(bench.home, { recursive: true, force: true });
    for (const folder of ['.claude', '.codex']) fs.mkdirSync(path.join(bench.home, folder), { recursive: true });
    put(path.join(bench.home, '.claude/settings.json'), '{ "mine": true }\n');
    for (const argv of scenario.before) this.#must(bench.small, argv);
    for (const [name, content] of Object.entries(this.#kept)) put(path.join(bench.home, scenario.stray ? STRAY : scenario.copy, name), content);
    if (scenario.edited) put(path.join(bench.home, scenario.copy, 'docs/GUIDE.md'), EDITED);
    bench.keep(this.#prepared);
    if (scenario.interrupted !== undefined) this.#interrupt(scenario.interrupted);
    this.calls = countCalls(bench.child(bench.later, scenario.argv));
    this.#end = this.#now();
  }

  /** What must be there at any time. An index can be made anew. */
  get #kept(): Readonly<Record<string, string>> {
    return this.scenario.stray ? MOVED : THEIRS;
  }

  #must(from: string, argv: readonly string[]): void {
    const said = this.#bench.run(from, argv);
    if (said.status !== 0) throw new Error(`${argv.join(' ')} ended with ${said.status}: ${said.stderr}`);
  }

  #interrupt(share: number): void {
    const calls = countCalls(this.fresh());
    strike(() => this.fresh(), calls[Math.floor(calls.length * share)]!, killAt);
    if (!fs.existsSync(path.join(this.#bench.home, this.scenario.copy, PENDING))) throw new Error('the run that was to be interrupted left no sign of it');
    this.#bench.keep(this.#prepared);
  }

  fresh(): Child {
    this.#bench.restore(this.#prepared);
    return this.#bench.child(this.#bench.later, this.scenario.argv);
  }

  /** Syncs happen beside the main thread. */
  callsOff(): Call[] {
    return callsOffMain(this.fresh());
  }

  try({ call, fault }: Point): Held {
    const ended = strike(() => this.fresh(), call, (child, aim) => (fault.kind === 'kill' ? killAt(child, aim) : failAt(child, aim, fault.errno, fault.lasting)));
    const problems = ended.hit ? [] : [MISSED];
    if (fault.kind === 'kill' && ended.signal !== 'SIGKILL') problems.push(`ended with ${ended.status ?? ended.signal} where it should have been killed`);
    if (fault.kind === 'error') problems.push(...afterError(ended));
    problems.push(...this.#theirs('right after it'), ...this.#copyProblems());
    const again = this.#bench.run(this.#bench.later, this.scenario.argv);
    if (again.status !== 0) problems.push(`the same once more: exit ${again.status}: ${again.stderr}`);
    problems.push(...this.#theirs('in the end'));
    const now = this.#now();
    if (now.join('\n') !== this.#end.join('\n')) problems.push(`not what an undisturbed run leaves: ${difference(now, this.#end)}`);
    return { ended: ended.signal === 'SIGKILL' ? 'killed' : `exit ${ended.status}`, problems };
  }

  /** The old copy, the new one, none, or one that says that it is interrupted. */
  #copyProblems(): string[] {
    const copy = path.join(this.#bench.home, this.scenario.copy);
    const { state, changed, missing, problems } = checkCopy(readCopy(copy));
    if (['absent', 'interrupted', 'ok'].includes(state)) return [];
    if (state === 'differs' && missing.length === 0 && changed.every((name) => name === 'docs/GUIDE.md') && this.scenario.edited && problems.length === 0) return [];
    // The one that takes a link away writes the record first: until the link goes too, nothing is wrong with the copy.
    return [`right after it the copy is ${state}: ${[...changed, ...missing, ...problems].join(', ')}`];
  }

  /** The user's files in the copy, the edited one under its own name or as `.orig`, and the settings' own keys. */
  #theirs(when: string): string[] {
    const copy = path.join(this.#bench.home, this.scenario.copy);
    const places = this.scenario.stray ? [copy, path.join(this.#bench.home, STRAY)] : [copy];
    const lost = Object.entries(this.#kept).filter(([name, content]) => !places.some((place) => read(path.join(place, name)) === content)).map(([name]) => name);
    const guide = ['docs/GUIDE.md', 'docs/GUIDE.md.orig'].map((name) => read(path.join(copy, name)));
    if (this.scenario.edited && !guide.includes(EDITED)) lost.push('docs/GUIDE.md');
    if (read(path.join(this.#bench.home, '.claude/settings.json'))?.includes('"mine": true') !== true) lost.push('settings.json');
    return lost.map((name) => `${when} ${name} is lost or changed`);
  }

  /** Every name, and every content but those that hold a time. */
  #now(): string[] {
    const { home } = this.#bench;
    return listing(home).filter((name) => !name.includes('.agents-handoff-install/')).map((name) => {
      const file = path.join(home, name);
      const stat = fs.lstatSync(file);
      if (stat.isSymbolicLink()) return `${name} -> ${fs.readlinkSync(file)}`;
      return name.endsWith(RECORD) || !stat.isFile() ? name : `${name} ${sha256(fs.readFileSync(file))}`;
    });
  }
}

function afterError({ status, stderr }: Ended): string[] {
  if (status === 0) return [];
  if (status !== 1) return [`exit ${status}: ${stderr}`];
  return explains(stderr) ? [] : [`exit 1 without one plain sentence: ${JSON.stringify(stderr)}`];
}

function read(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function difference(now: readonly string[], end: readonly string[]): string {
  return [...now.filter((name) => !end.includes(name)).map((name) => `+${name}`), ...end.filter((name) => !now.includes(name)).map((name) => `-${name}`)].join(' ');
}
