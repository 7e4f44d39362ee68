import { describe, expect, it } from 'vitest';
import { program } from '../../src/commands/umbrella.mts';
import { exitCodeOf } from '../../src/lib/cli/exit-codes.mts';
import type { Command } from '../../src/lib/cli/command.mts';
import type { ErrorCode } from '../../src/lib/errors.mts';
import { FINDINGS } from '../../src/store/findings.mts';
import { read, section, table } from '../helpers/markdown.ts';

const CLI = read('docs/CLI.md');
const programs = program.groups ?? [];
const verbs = programs.flatMap((one) => one.verbs.map((verb) => ({ heading: `### ${one.name} ${verb.name}`, verb })));

function flagRows({ flags }: Command): string[][] {
  return Object.entries(flags).filter(([, flag]) => flag.hidden !== true).map(([name, flag]) => {
    const value = flag.type === 'boolean' ? '' : ` ${flag.value ?? (flag.type === 'number' ? '<n>' : '<value>')}`;
    return [`\`${flag.short === undefined ? '' : `-${flag.short}, `}--${name}${value}${flag.type === 'values' ? ' …' : ''}\``, flag.summary];
  });
}

describe('docs/CLI.md', () => {
  it.each(verbs)('has the flags and exit codes of $heading as the program has them', async ({ heading, verb }) => {
    const command = await verb.load();
    const text = section(CLI, heading);
    expect(text, `docs/CLI.md has no section "${heading}"`).toBeDefined();
    expect(table(text ?? '', 'flag')).toEqual(flagRows(command));
    expect(table(text ?? '', 'exit')).toEqual(Object.entries(command.exits));
  });

  it('describes no verb that does not exist', () => {
    const described = CLI.split('\n').filter((line) => programs.some(({ name }) => line.startsWith(`### ${name} `)));
    expect(described).toEqual(verbs.map(({ heading }) => heading));
  });

  it('has a row for every finding, with its level', () => {
    const rows = table(section(CLI, '## Findings') ?? '', 'finding').map(([id, level]) => [id, level]);
    expect(rows).toEqual(Object.entries(FINDINGS).map(([id, level]) => [`\`${id}\``, level]));
  });

  it('has every error code with its exit status', () => {
    const codes = [...read('src/lib/errors.mts').matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(([, code]) => code as ErrorCode);
    expect(codes.length).toBeGreaterThan(15);
    const rows = table(section(CLI, '## Exit codes') ?? '', 'code').map(([code, exit]) => [code, exit]);
    expect(rows).toEqual(codes.map((code) => [`\`${code}\``, String(exitCodeOf(code))]));
  });
});
