import { describe, expect, it } from 'vitest';
import { parseFlags } from '../../../../src/lib/cli/flags.mts';
import { explainMistake } from '../../../../src/lib/cli/help.mts';

const command = {
  name: 'build',
  args: '<file>',
  positionals: { min: 0, max: 1 },
  flags: {
    session: { type: 'value', summary: '' },
    source: { type: 'value', summary: '' },
    from: { type: 'values', summary: '' },
    steps: { type: 'number', summary: '' },
    force: { type: 'boolean', short: 'f', summary: '' },
    secret: { type: 'boolean', hidden: true, summary: '' },
  },
} as const;
const parse = (...argv: string[]) => parseFlags(command, argv);
const told = (...argv: string[]) => {
  const { problem, unknown } = parse(...argv);
  return problem === undefined ? undefined : explainMistake({ name: 'handoff' }, command, problem, unknown);
};

describe('values', () => {
  it.each([
    [['--session', 'a'], 'a'],
    [['--session=a'], 'a'],
    [['--session', '--x'], '--x'],
    [['--session', '--help'], '--help'],
    [['--session', '--'], '--'],
    [['--session='], ''],
    [['--session=a=b'], 'a=b'],
    [['--session', 'a', '--session', 'b'], 'b'],
  ])('%j gives %j', (argv, value) => {
    const parsed = parse(...argv);
    expect(parsed.problem).toBeUndefined();
    expect(parsed.options).toEqual({ session: value });
    expect(parsed.help).toBe(false);
  });

  it('takes a single dash as a value and as a word', () => {
    expect(parse('--source', '-').options).toEqual({ source: '-' });
    expect(parse('-').words).toEqual(['-']);
  });

  it('collects a flag that may be repeated', () => {
    expect(parse('--from', 'a', '--from=b').options).toEqual({ from: ['a', 'b'] });
  });

  it.each([['3', 3], ['-3', -3], ['1e3', 1000], ['.5', 0.5]])('reads %s as a number', (word, value) => {
    expect(parse('--steps', word).options).toEqual({ steps: value });
  });

  it.each(['', 'x', '3x', 'Infinity', 'NaN', '1e999', '0x10', ' 1'])('refuses "%s" as a number', (word) => {
    expect(parse('--steps', word).problem).toMatchObject({ code: 'USAGE', message: expect.stringContaining('--steps') });
  });

  it('knows a short flag', () => {
    expect(parse('-f').options).toEqual({ force: true });
  });
});

describe('mistakes', () => {
  it('names the nearest flag for an unknown one', () => {
    expect(told('--sesion', 'x')).toMatchObject({
      code: 'USAGE', message: expect.stringMatching(/^build: unknown flag --sesion, did you mean --session\? \(see handoff build --help\)$/), data: { flag: '--sesion', nearest: '--session' },
    });
  });

  it.each([
    ['a missing value', ['--session']],
    ['a boolean with a value', ['--force=yes']],
    ['a boolean with an empty value', ['--force=']],
    ['an unknown short flag', ['-z']],
    ['a negation that no flag has', ['--no-force']],
    ['the name of an inherited property', ['--constructor']],
    ['the name of the prototype', ['--__proto__=x']],
    ['a word too many', ['a', 'b']],
  ])('refuses %s', (_what, argv) => {
    expect(parse(...argv).problem?.code).toBe('USAGE');
  });

  it('refuses too few words and says which are wanted', () => {
    expect(parseFlags({ ...command, positionals: { min: 1, max: 1 } }, []).problem?.message).toContain('<file>');
  });

  it('does not suggest a hidden flag', () => {
    expect(told('--secrt')?.message).not.toContain('secret');
    expect(parse('--secret').problem).toBeUndefined();
  });

  it('still sees --json and --help beside a mistake', () => {
    expect(parse('--nope', '--json', '--help')).toMatchObject({ json: true, help: true, problem: { code: 'USAGE' } });
  });
});

it('takes nothing as a flag after --', () => {
  expect(parse('--force', '--', '--session')).toMatchObject({ options: { force: true }, words: ['--session'], problem: undefined });
});

it("leaves a command's own --help to the command", () => {
  const own = { ...command, flags: { help: { type: 'value', summary: '' } } } as const;
  expect(parseFlags(own, ['--help', 'x'])).toMatchObject({ help: false, options: { help: 'x' } });
});
