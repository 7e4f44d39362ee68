/** A small repository for bounded execution to act in, and its verbs run in this process: what they answered, and what they left. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { program } from '../../../src/commands/execution/table.mts';
import { run as runProgram } from '../../../src/lib/cli/runner.mts';
import { fakeHost } from '../../helpers/host.ts';
import { freshFolder, REPOSITORY } from '../../helpers/run.ts';

export const SHIPPED = fs.readFileSync(path.join(REPOSITORY, 'permission-policy.json'));

export const PLAN = { schema_version: '1.0-execution-plan', title: 'look and act', steps: [
  { op: 'read', risk: 'R0', target: 'src/a.txt', title: 'look' }, { op: 'spawn', risk: 'R1', args: ['-e', 'two'] }, { op: 'read', risk: 'R1', target: 'b.txt' },
  { op: 'spawn', risk: 'R2', args: ['-e', 'four'] }, { op: 'spawn', risk: 'R1', args: ['-e', 'five'] },
] };

/** Notes its words instead of running them: they may be anything. Where `.keep` is there, keeps the state as a death would leave it. */
const STAND_IN = `#!/bin/sh
printf '%s\\037' "$@" >> "$0.ran"
printf '\\036' >> "$0.ran"
if [ -e "$0.keep" ] && ! [ -e "$0.kept" ]; then cp -R .agents-handoff "$0.kept"; fi
`;

export interface Answer {
  status: number;
  out: string;
  err: string;
}

export class Executor {
  readonly dir = freshFolder('handoff-fuzz-executor-');
  readonly repo = path.join(this.dir, 'repo');
  readonly home = path.join(this.dir, 'home');
  readonly state = path.join(this.repo, '.agents-handoff');
  /** Not in memory: a system may run no program from there. */
  readonly #programs = fs.mkdtempSync(path.join(os.tmpdir(), 'handoff-fuzz-node-'));
  readonly node = path.join(this.#programs, 'node');
  /** A file for a target to write and to name, beside what is looked at for changes. */
  readonly given = path.join(this.#programs, 'given.json');
  readonly plan = path.join(this.dir, 'plan.json');
  #outside: string;

  /** `door`: with a link out of the repository, so that no process may start. */
  constructor({ door = false } = {}) {
    for (const name of ['repo/src/a.txt', 'repo/b.txt', 'repo/secret/key', 'home/.ssh/id', 'home/notes', 'outside/x']) {
      fs.mkdirSync(path.dirname(path.join(this.dir, name)), { recursive: true });
      fs.writeFileSync(path.join(this.dir, name), name);
    }
    fs.writeFileSync(path.join(this.repo, 'permission-policy.json'), SHIPPED);
    if (door) fs.symlinkSync('../outside', path.join(this.repo, 'door'));
    fs.writeFileSync(this.plan, JSON.stringify(PLAN));
    fs.writeFileSync(this.node, STAND_IN, { mode: 0o700 });
    this.#outside = this.#contents();
  }

  env(): Record<string, string> {
    return { HOME: this.home, PATH: process.env['PATH'] ?? '' };
  }

  /** Runs a verb. Throws where it was told with a stack, in more than a sentence, with a status that it does not have, or wrote elsewhere. */
  async verb(argv: readonly string[]): Promise<Answer> {
    const host = { ...fakeHost({ cwd: this.repo, env: this.env() }), home: this.repo, node: this.node };
    const status = await runProgram(program, argv, host);
    const [out, err] = [host.out(), host.err()];
    const told = `${JSON.stringify(argv)} exit ${status}\n${out}${err}`;
    const { exits } = await program.verbs.find(({ name }) => name === argv[0])!.load();
    if (/\n {4}at |is a bug/.test(err)) throw new Error(`a stack trace: ${told}`);
    if (exits[status] === undefined) throw new Error(`an exit status that is not documented: ${told}`);
    if (out !== '') JSON.parse(out);
    if (out === '' ? !/^runtime-engine: [^\n]+\n$/.test(err) : err !== '') throw new Error(`not one sentence, or not one answer: ${told}`);
    const before = this.#outside;
    this.#outside = this.#contents();
    if (this.#outside !== before) throw new Error(`wrote outside of the state directory: ${told}`);
    return { status, out, err };
  }

  /** The words of every process since the last call, behind those that confine it. */
  ran(): string[][] {
    const file = `${this.node}.ran`;
    const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
    fs.rmSync(file, { force: true });
    return text.split('\u001e').slice(0, -1).map((words) => words.split('\u001f').slice(0, -1).filter((word) => !/^--(experimental-permission|permission|allow-fs-(read|write)=)/.test(word)));
  }

  /** The state as it is while a process runs. */
  async stateWhile(act: () => Promise<unknown>): Promise<Map<string, Buffer>> {
    fs.writeFileSync(`${this.node}.keep`, '');
    await act();
    fs.rmSync(`${this.node}.keep`);
    const kept = filesBelow(`${this.node}.kept`);
    fs.rmSync(`${this.node}.kept`, { recursive: true });
    return kept;
  }

  remove(): void {
    for (const folder of [this.dir, this.#programs]) fs.rmSync(folder, { recursive: true, force: true });
  }

  #contents(): string {
    return fs.readdirSync(this.dir, { recursive: true, withFileTypes: true })
      .map((entry) => ({ file: path.join(entry.parentPath, entry.name), entry }))
      .filter(({ file }) => file !== this.state && !file.startsWith(`${this.state}/`))
      .map(({ file, entry }) => `${file} ${entry.isFile() ? fs.readFileSync(file, 'latin1') : ''}`).sort().join('\n');
  }
}

/** The files below a folder by their names in it. */
export function filesBelow(folder: string): Map<string, Buffer> {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(entries.map((entry) => path.join(entry.parentPath, entry.name)).sort().map((file) => [path.relative(folder, file), fs.readFileSync(file)]));
}
