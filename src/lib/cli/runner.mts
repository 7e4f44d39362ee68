/**
 * From a line of words to an exit status: which program and verb, which flags, run, print. Help and the telling
 * of errors are loaded only when needed, so that a command starts fast.
 */
import type { Command, FlagTable, Options, Outcome, Program, Verb } from './command.mts';
import { parseFlags } from './flags.mts';
import { createIo, processHost, writeErr, writeOut, type Host } from './io.mts';
import { undoAll } from './signals.mts';
import { VERSION } from '../version.mts';

type Route = { readonly program: Program; readonly json: boolean } & (
  | { readonly ask: 'help' | 'version' }
  | { readonly verb: Verb; readonly argv: readonly string[] }
);

/** What an entry file calls. Sets `process.exitCode`; nothing ends the process while output is on its way. */
export async function runMain(program: Program): Promise<void> {
  process.on('uncaughtException', (error) => void crash(program, error));
  process.exitCode = await run(program, process.argv.slice(2), processHost);
}

/** Runs one line and gives its exit status. Never throws. */
export async function run(program: Program, argv: readonly string[], host: Host): Promise<number> {
  // Where the line fails before its flags are known, a bare --json on it decides how that is told.
  let json = argv.includes('--json');
  let owner = program;
  let mayFail = true;
  let clear = (): void => {};
  try {
    const route = await findRoute(program, argv);
    owner = route.program;
    if ('ask' in route) {
      json = route.json;
      return await print(host, json, route.ask === 'version' ? { json: { name: owner.name, version: VERSION }, text: VERSION } : (await import('./help.mts')).programHelp(owner));
    }
    const command: Command = await route.verb.load();
    const parsed = parseFlags(command, route.argv);
    // The parser read them by this command's own table, so they are what it declares.
    const options = parsed.options as Options<FlagTable>;
    mayFail = command.neverFails?.(options) !== true;
    json = route.json || parsed.json;
    if (parsed.help) return await print(host, json, (await import('./help.mts')).commandHelp(asTyped(program, owner, command.name), command));
    if (parsed.problem !== undefined) throw (await import('./help.mts')).explainMistake(asTyped(program, owner, command.name), command, parsed.problem, parsed.unknown);
    const made = createIo(host, owner.name, json);
    clear = made.clear;
    const outcome = await command.run(options, parsed.words, made.io);
    clear();
    // Whoever starts such a line may take any document for an answer.
    return mayFail ? await print(host, json, outcome) : outcome.exit ?? 0;
  } catch (error) {
    clear();
    const status = await tell(error, owner, json && mayFail, host);
    return mayFail ? status : 0;
  }
}

/** `behind`: the word before the program's verbs, where it is reached through another program. */
async function findRoute(program: Program, argv: readonly string[], behind?: string): Promise<Route> {
  const words = program.rewrite?.(argv) ?? argv;
  const before = new Set<string>();
  let at = 0;
  while (at < words.length && ['--json', '--help', '-h', '--version'].includes(words[at]!)) before.add(words[at++]!);
  const json = before.has('--json');
  const help = before.has('--help') || before.has('-h');
  const name = words[at];
  const rest = words.slice(at + 1);

  if (before.has('--version')) return { program, json, ask: 'version' };
  if (name === undefined) {
    if (help) return { program, json, ask: 'help' };
    throw (await import('./help.mts')).noVerb(program, undefined, behind);
  }
  const verb = findVerb(program, name);
  if (verb !== undefined) return { program, json, verb, argv: help ? ['--help', ...rest] : rest };
  for (const group of program.groups ?? []) {
    if (group.prefix === name) return findRoute(group, [...before, ...rest], group.prefix);
    if (group.prefix === undefined && findVerb(group, name) !== undefined) return findRoute(group, [...before, name, ...rest]);
  }
  if (name === 'help') return findRoute(program, ['--help', ...before, ...rest], behind);
  throw (await import('./help.mts')).noVerb(program, name, behind);
}

/**
 * What stands before a verb on the line. Through a program of several that is its name; a verb that another of them has too is
 * reached behind its own program's name.
 */
function asTyped(program: Program, owner: Program, verb: string): Pick<Program, 'name' | 'called'> {
  if (owner === program) return owner;
  const first = program.groups?.find((group) => group.prefix === undefined && findVerb(group, verb) !== undefined);
  const between = owner.prefix ?? (first === owner ? undefined : owner.name);
  return { name: between === undefined ? program.name : `${program.name} ${between}` };
}

function findVerb(program: Program, name: string): Verb | undefined {
  return program.verbs.find((verb) => verb.name === name || verb.aliases?.includes(name));
}

async function print(host: Host, json: boolean, outcome: Outcome): Promise<number> {
  await writeOut(host, json ? JSON.stringify(outcome.json ?? null, null, 2) : outcome.text ?? '');
  return outcome.exit ?? 0;
}

/** Prints the error and gives its exit status. Never throws. */
async function tell(error: unknown, program: Program, json: boolean, host: Host): Promise<number> {
  try {
    return await (await import('./report.mts')).report(error, program, json, host);
  } catch {
    // The program's own files are gone, taken away or exchanged while it ran: these words need none of them.
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    writeErr(host, `${program.name}: ${line}`);
    return 1;
  }
}

/** An error that no command caught, from a callback: undo what is armed, tell it as the bug it is, and end. */
async function crash(program: Program, error: unknown): Promise<void> {
  undoAll();
  process.exit(await tell(error, program, false, processHost));
}
