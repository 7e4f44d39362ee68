/** Help, made from the same tables that the runner and the flag parser read. */
import { HandoffError } from '../errors.mts';
import { VERSION } from '../version.mts';
import type { Command, Flag, Outcome, Program, Verb } from './command.mts';
import { COMMON_FLAGS } from './flags.mts';
import { nearest } from './nearest.mts';

const COLUMNS = 80;

/** `--help` of an entry point. */
export function programHelp(program: Program): Outcome {
  const groups = groupsOf(program);
  const verbs = groups.flatMap(({ verbs }) => verbs.map(({ name, summary }) => ({ name, summary })));
  return {
    json: { name: program.name, summary: program.summary, version: VERSION, verbs },
    text: [
      ...wrapped(`${program.name}: ${program.summary}`),
      '',
      programListing(program),
      'Every verb takes --json and --help; --version prints the version.',
      ...wrapped('Exit codes: 0 is success; 1 a failure, 2 a mistake in the words or the configuration; each verb\'s --help has its own.'),
      ...(verbs.length === 0 ? [] : [`Example: ${typed(program, verbs[0]!.name)} --help`]),
    ].join('\n'),
  };
}

/** `--help` of one command. */
export function commandHelp(program: Pick<Program, 'name' | 'called'>, command: Command): Outcome {
  const flags = Object.entries({ ...command.flags, ...withoutKeys(COMMON_FLAGS, command.flags) }).filter(([, flag]) => flag.hidden !== true);
  const usage = [typed(program, command.name), command.args ?? '', '[flags]'].filter((word) => word !== '').join(' ');
  const lines = [
    `usage: ${usage}`,
    '',
    ...wrapped(command.summary),
    ...(command.details === undefined ? [] : ['', ...command.details.split('\n').flatMap((line) => wrapped(line))]),
    '',
    'Flags:',
    ...columns(flags.map(([name, flag]) => [flagForm(name, flag), flag.summary])),
    '',
    'Exit codes:',
    ...columns(Object.entries(command.exits)),
    '',
    'Example:',
    `  ${command.example}`,
  ];
  return {
    json: {
      name: command.name,
      summary: command.summary,
      usage,
      flags: flags.map(([name, flag]) => ({ name: `--${name}`, type: flag.type, summary: flag.summary, ...(flag.short === undefined ? {} : { short: `-${flag.short}` }) })),
      exits: command.exits,
      example: command.example,
    },
    text: lines.join('\n'),
  };
}

/** The verbs of a program, under its groups' names where it has groups. */
export function programListing(program: Program): string {
  const lines = [`usage: ${typed(program, '<verb>')} [flags]`, ''];
  const groups = groupsOf(program);
  if (groups.length === 0) lines.push('No verbs yet.', '');
  const width = Math.max(0, ...groups.flatMap(({ verbs }) => verbs.map(({ name }) => name.length)));
  for (const { title, verbs } of groups) {
    lines.push(title, ...columns(verbs.map(({ name, summary }) => [name, summary]), width), '');
  }
  if (program.footnote !== undefined) lines.push(...wrapped(program.footnote), '');
  return lines.join('\n');
}

/** The verbs by name only, so that the sentence about a mistaken one stays in sight. */
export function shortListing(program: Program): string {
  const names = groupsOf(program).flatMap(({ verbs }) => verbs.map(({ name }) => name));
  // A verb of two words stays in one line, so that the second is not taken for a verb.
  const list = wrapped(`Verbs: ${names.map((name) => name.replaceAll(' ', '\u00a0')).join(', ')}`).join('\n').replaceAll('\u00a0', ' ');
  return `${list}\n\`${program.name} --help\` says what each of them does.`;
}

/** The error for no verb, or for one that this program does not have. `behind`: what stands before its verbs on the line. */
export function noVerb(program: Program, name: string | undefined, behind?: string): HandoffError {
  const whole = (verb: string): string => (behind === undefined ? verb : `${behind} ${verb}`);
  const names = groupsOf(program).flatMap((group) => group.verbs.map((verb) => verb.name));
  const verbs = names.map(whole);
  if (name === undefined) return new HandoffError('USAGE', behind === undefined ? 'no verb was given' : `${behind} needs a verb: ${verbs.join(' or ')}`, { data: { verbs, ...(behind === undefined ? {} : { unknown: behind }) } });
  if (program.elsewhere?.verbs.includes(name) === true) {
    const other = program.elsewhere.name;
    return new HandoffError('USAGE', `${name} is a verb of ${other}, not of this program: \`${other} ${name}\`, or node tools/cli.mjs ${name}`);
  }
  const isFlag = name.startsWith('-');
  const near = /^-*v(?:ersion)?$/i.test(name) ? '--version' : nearest(name, isFlag ? ['--json', '--help', '--version'] : names);
  const meant = near === undefined || near.startsWith('-') ? near : whole(near);
  const problem = isFlag ? `${name} stands before any verb` : `unknown verb "${whole(name)}"`;
  return new HandoffError('USAGE', meant === undefined ? problem : `${problem}, did you mean "${meant}"?`, {
    data: { verbs, unknown: name, ...(meant === undefined ? {} : { nearest: meant }) },
  });
}

/** The error of a mistaken line for a person: with the flag that an unknown one was most likely meant to be, and where to look. */
export function explainMistake(program: Pick<Program, 'name' | 'called'>, command: Pick<Command, 'name' | 'flags'>, problem: HandoffError, unknown?: string): HandoffError {
  const visible = Object.entries({ ...COMMON_FLAGS, ...command.flags }).filter(([, flag]) => flag.hidden !== true);
  const meant = unknown === undefined ? undefined : nearest(unknown, visible.map(([name]) => name));
  const guess = meant === undefined ? '' : `, did you mean --${meant}?`;
  const data = meant === undefined ? problem.data : { ...problem.data, nearest: `--${meant}` };
  return new HandoffError('USAGE', `${problem.message}${guess} (see ${typed(program, command.name)} --help)`, { data });
}

function typed(program: Pick<Program, 'name' | 'called'>, verb: string): string {
  return program.called?.(verb) ?? `${program.name} ${verb}`;
}

interface Group {
  readonly title: string;
  readonly verbs: ReadonlyArray<{ readonly name: string; readonly summary: string }>;
}

/** What is reachable, in help order. A verb that an earlier group took is left out, and so is a group without verbs. */
function groupsOf(program: Program): Group[] {
  const taken = new Set<string>();
  const reachable = (verbs: readonly Verb[], prefix?: string): Group['verbs'] => verbs.flatMap(({ name, summary }) => {
    const full = prefix === undefined ? name : `${prefix} ${name}`;
    if (taken.has(full)) return [];
    taken.add(full);
    return [{ name: full, summary }];
  });
  return [
    { title: 'Verbs:', verbs: reachable(program.verbs) },
    ...(program.groups ?? []).map((group) => ({ title: `${group.summary}:`, verbs: reachable(group.verbs, group.prefix) })),
  ].filter(({ verbs }) => verbs.length > 0);
}

function flagForm(name: string, flag: Flag): string {
  const value = flag.type === 'boolean' ? '' : ` ${flag.value ?? (flag.type === 'number' ? '<n>' : '<value>')}`;
  return `${flag.short === undefined ? '' : `-${flag.short}, `}--${name}${value}${flag.type === 'values' ? ' …' : ''}`;
}

function columns(rows: ReadonlyArray<readonly [string, string]>, atLeast = 0): string[] {
  const width = Math.max(atLeast, ...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) => wrapped(right, width + 4).map((line, at) => (at === 0 ? `  ${left.padEnd(width)}  ${line}` : `${' '.repeat(width + 4)}${line}`)));
}

/** `text` in lines that fit a terminal of 80 columns beside an indent of `indent`; a word that is longer is not cut. */
function wrapped(text: string, indent = 0): string[] {
  const lines: string[] = [];
  let line = '';
  // Only blanks are places to break: what holds no-break spaces is one word.
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > COLUMNS - indent) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function withoutKeys<T>(table: Readonly<Record<string, T>>, keys: object): Record<string, T> {
  return Object.fromEntries(Object.entries(table).filter(([name]) => !Object.hasOwn(keys, name)));
}
