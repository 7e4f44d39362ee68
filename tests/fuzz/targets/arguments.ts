/** Words in any order for every program: a documented exit status, no stack trace, nothing written outside the store. */
import fs from 'node:fs';
import path from 'node:path';
import { run as runProgram } from '../../../src/lib/cli/runner.mts';
import type { Program, Verb } from '../../../src/lib/cli/command.mts';
import { program as capability } from '../../../src/commands/capability/table.mts';
import { program as execution } from '../../../src/commands/execution/table.mts';
import { program as handoff } from '../../../src/commands/handoff/table.mts';
import { program as runtime } from '../../../src/commands/runtime/table.mts';
import { program as umbrella } from '../../../src/commands/umbrella.mts';
import { fakeHost } from '../../helpers/host.ts';
import { freshFolder } from '../../helpers/run.ts';
import { claude, lines, talk } from '../../helpers/transcripts.ts';
import type { Target } from '../fuzz.ts';
import { below, pick, type Random } from '../mutate.ts';

const PROGRAMS: readonly Program[] = [handoff, runtime, execution, capability, umbrella];
const verbsOf = (program: Program): readonly Verb[] => [...program.verbs, ...(program.groups ?? []).flatMap(verbsOf)];

const VALUES = ['t.jsonl', 's', 'store', '.', '..', '', ' ', '-', '--', '-1', '0', '1e9', 'nowhere', '../../x', 'a/b', 'é', '{}', 'R0', 'R9', 'node', '*', '%s', '$HOME', '\u001b[31m', 'x'.repeat(300), '2026-01-01', 'VERIFIED', 'handoff:s'];
const FLAGS = ['--json', '--help', '-h', '--version', '--nonsense', '--json=1', '--session=', '---', '-xyz'];

/** A verb with words of its own table, and sometimes with words that are not. */
async function wordsFor(random: Random, program: Program): Promise<string[]> {
  if (random() < 0.05) return [];
  const verb = pick(random, verbsOf(program));
  if (verb === undefined) return ['none'];
  const { flags } = await verb.load();
  const words = [verb.name];
  for (let left = below(random, 5); left > 0; left -= 1) {
    const [name, flag] = pick(random, Object.entries(flags)) ?? ['json', undefined];
    if (random() < 0.4) words.push(pick(random, VALUES));
    else if (random() < 0.15) words.push(pick(random, FLAGS));
    else words.push(`--${name}`, ...(flag === undefined || flag.type === 'boolean' ? [] : [pick(random, VALUES)]));
  }
  return words;
}

let dir: string | undefined;

async function run(random: Random): Promise<string> {
  if (dir === undefined) {
    dir = freshFolder('handoff-fuzz-args-');
    fs.mkdirSync(path.join(dir, 'work/store'), { recursive: true });
    fs.mkdirSync(path.join(dir, 'home'));
  }
  const cwd = path.join(dir, 'work');
  fs.writeFileSync(path.join(cwd, 't.jsonl'), lines(...talk(3), claude('z').call('t1', 'Bash', { command: 'ls' })));
  const program = pick(random, PROGRAMS);
  const argv = await wordsFor(random, program);
  const host = fakeHost({ cwd, env: { HOME: path.join(dir, 'home'), HANDOFFS_ROOT: path.join(cwd, 'store'), AGENT_HANDOFF_STATE_DIR: path.join(cwd, 'state'), PATH: process.env['PATH'] ?? '' } });
  (host.stdin as unknown as { end(): void }).end();
  const status = await runProgram(program, argv, host);
  const told = `${argv.map((word) => JSON.stringify(word)).join(' ')} exit ${status}\n${host.err()}`;
  if (/\n {4}at |is a bug/.test(host.err())) throw new Error(`a stack trace: ${program.name} ${told}`);
  if (!Number.isInteger(status) || status < 0 || (status > 6 && status !== 137)) throw new Error(`an exit status that is not documented: ${program.name} ${told}`);
  if (argv.includes('--json') && host.out() !== '') JSON.parse(host.out());
  const strange = fs.readdirSync(dir).filter((name) => name !== 'work' && name !== 'home').concat(fs.readdirSync(path.join(dir, 'home')));
  if (strange.length > 0) throw new Error(`wrote ${strange.join(', ')}: ${program.name} ${told}`);
  return `exit ${status}`;
}

export const args: Target = { name: 'arguments', share: 10, run, end: () => { if (dir !== undefined) fs.rmSync(dir, { recursive: true, force: true }); dir = undefined; } };
