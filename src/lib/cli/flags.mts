/**
 * Strict arguments from a command's flag table. node:util splits the words; what it would let pass, or would
 * refuse although it is meant (`--session --x`), is decided here from its tokens.
 */
import { parseArgs } from 'node:util';
import { HandoffError } from '../errors.mts';
import type { Command, Flag, FlagTable } from './command.mts';

/** Every command has these, unless its own table has a flag of that name. */
export const COMMON_FLAGS: FlagTable = {
  json: { type: 'boolean', summary: 'print one JSON document' },
  help: { type: 'boolean', short: 'h', summary: 'print this and stop' },
};

export interface Parsed {
  options: Record<string, boolean | string | number | string[]>;
  words: string[];
  json: boolean;
  help: boolean;
  /** The first mistake. Not thrown, because `--json` and `--help` elsewhere on the line still count. */
  problem: HandoffError | undefined;
  /** The unknown flag that is the mistake, for explainMistake. */
  unknown?: string;
}

/** Reads the words after the verb by the command's table. */
export function parseFlags(command: Pick<Command, 'name' | 'args' | 'positionals' | 'flags'>, argv: readonly string[]): Parsed {
  const table = new Map<string, Flag>([...Object.entries(COMMON_FLAGS), ...Object.entries(command.flags)]);
  const parsed: Parsed = { options: {}, words: [], json: false, help: false, problem: undefined };
  const fail = (message: string, data: Record<string, unknown> = {}): void => {
    parsed.problem ??= new HandoffError('USAGE', `${command.name}: ${message}`, { data });
  };

  for (const token of tokensOf(table, argv)) {
    if (token.kind === 'positional') parsed.words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const flag = table.get(name);
    if (flag === undefined) {
      if (parsed.problem === undefined) parsed.unknown = name;
      fail(`unknown flag ${rawName}`, { flag: rawName });
    } else if (flag.type === 'boolean') {
      if (value !== undefined) fail(`${rawName} takes no value`, { flag: rawName });
      parsed.options[name] = true;
    } else if (value === undefined) {
      fail(`${rawName} needs a value`, { flag: rawName });
    } else if (flag.type === 'number') {
      if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(value) || !Number.isFinite(Number(value))) {
        fail(`${rawName} needs a number, not "${value}"`, { flag: rawName });
      }
      parsed.options[name] = Number(value);
    } else if (flag.type === 'values') {
      const list = parsed.options[name];
      if (Array.isArray(list)) list.push(value);
      else parsed.options[name] = [value];
    } else {
      parsed.options[name] = value;
    }
  }

  for (const name of ['json', 'help'] as const) {
    if (Object.hasOwn(command.flags, name)) continue;
    parsed[name] = parsed.options[name] === true;
    delete parsed.options[name];
  }
  const { min, max } = command.positionals;
  if (parsed.words.length < min) fail(`needs ${command.args ?? `${min} words`}`);
  if (parsed.words.length > max) fail(`"${parsed.words[max]}" is one word too many`);
  return parsed;
}

function tokensOf(table: ReadonlyMap<string, Flag>, argv: readonly string[]) {
  // The parser's own start is a good part of the time of a command without words.
  if (argv.length === 0) return [];
  const options = Object.fromEntries([...table].map(([name, flag]) => [name, {
    type: flag.type === 'boolean' ? 'boolean' as const : 'string' as const,
    ...(flag.short === undefined ? {} : { short: flag.short }),
  }]));
  // Not strict: strict refuses a value that begins with a dash.
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}
