import { describe, expect, it } from 'vitest';
import type { Command, Program, Verb } from '../../../../src/lib/cli/command.mts';
import { run } from '../../../../src/lib/cli/runner.mts';
import { HandoffError } from '../../../../src/lib/errors.mts';
import { VERSION } from '../../../../src/lib/version.mts';
import { fakeHost } from '../../../helpers/host.ts';

function verb(name: string, body: Command['run'] = () => ({ json: { ran: name }, text: `ran ${name}` }), more: Partial<Command> = {}): Verb {
  const command: Command = {
    name, summary: `does ${name}`, positionals: { min: 0, max: 1 }, exits: { 0: 'done', 7: 'odd' }, example: `prog ${name} x`,
    flags: { to: { type: 'value', value: '<place>', summary: 'where to' }, quiet: { type: 'boolean', hidden: true, summary: 'never shown' } },
    ...more, run: body,
  };
  return { name, summary: command.summary, load: async () => command };
}

function programOf(...verbs: Verb[]): Program {
  return { name: 'prog', summary: 'a program', verbs };
}

async function of(program: Program, argv: string[], options: Parameters<typeof fakeHost>[0] = {}) {
  const host = fakeHost(options);
  const status = await run(program, argv, host);
  return { status, out: host.out(), err: host.err() };
}

const plain = programOf(verb('build'), verb('list'));

describe('which verb', () => {
  it('runs it and prints its text', async () => {
    expect(await of(plain, ['list'])).toEqual({ status: 0, out: 'ran list\n', err: '' });
  });

  it.each([[['list', '--json']], [['--json', 'list']]])('prints its document alone for %j', async (argv) => {
    expect(await of(plain, argv)).toEqual({ status: 0, out: '{\n  "ran": "list"\n}\n', err: '' });
  });

  it('gives the status that the command gave', async () => {
    expect(await of(programOf(verb('x', () => ({ json: 1, exit: 7 }))), ['x'])).toEqual({ status: 7, out: '', err: '' });
  });

  it('shows the verbs on stderr without one', async () => {
    const { status, out, err } = await of(plain, []);
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(/build +does build/);
  });

  it('names the nearest for an unknown one', async () => {
    const { status, out, err } = await of(plain, ['biuld', 'x']);
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(/^prog: unknown verb "biuld", did you mean "build"\?\n/);
    expect(err).toMatch(/list +does list/);
  });

  it.each([['version'], ['-v'], ['-V']])('takes %s for --version', async (word) => {
    expect((await of(plain, [word])).err).toMatch(/, did you mean "--version"\?\n/);
  });

  it('answers an unknown one in JSON where that is asked for', async () => {
    expect(JSON.parse((await of(plain, ['biuld', '--json'])).out)).toMatchObject({ error: { code: 'USAGE', nearest: 'build' } });
    expect(JSON.parse((await of(plain, ['--json'])).out)).toMatchObject({ error: { code: 'USAGE', verbs: ['build', 'list'] } });
  });

  it('refuses a flag before the verb', async () => {
    expect((await of(plain, ['--to', 'x', 'list'])).status).toBe(2);
  });

  it('takes an alias', async () => {
    const program = programOf({ ...verb('remove'), aliases: ['rm'] });
    expect((await of(program, ['rm'])).out).toBe('ran remove\n');
  });

  it('looks for the verb in the line that a program has rewritten', async () => {
    const program: Program = { ...plain, rewrite: (argv) => argv[0] === '--old' ? ['build', ...argv.slice(1)] : argv };
    expect((await of(program, ['--old', 'x'])).out).toBe('ran build\n');
  });
});

describe('groups', () => {
  const engine = { ...programOf(verb('list'), verb('build')), name: 'engine', summary: 'the engine' };
  const probes: Program = { ...programOf(verb('list', () => ({ json: 0, text: 'probes' }))), name: 'probes', summary: 'the probes', prefix: 'capabilities' };
  const installer: Program = {
    name: 'install', summary: 'the installer', layer: 'install',
    verbs: [verb('list', () => ({ json: 0, text: 'never' })), verb('where', () => { throw new HandoffError('NO_MATCH', 'nowhere'); })],
  };
  const empty = { ...programOf(), name: 'later', summary: 'not built' };
  const umbrella: Program = { ...programOf(), groups: [engine, empty, probes, installer] };

  it('reach every verb, the first program that has it', async () => {
    expect((await of(umbrella, ['list'])).out).toBe('ran list\n');
    expect((await of(umbrella, ['capabilities', 'list'])).out).toBe('probes\n');
    expect(JSON.parse((await of(umbrella, ['--json', 'build'])).out)).toEqual({ ran: 'build' });
  });

  it("speak with the reached program's name and exit codes", async () => {
    expect(await of(umbrella, ['where'])).toEqual({ status: 1, out: '', err: 'install: nowhere\n' });
  });

  it('leave a wrong word to the program that was called', async () => {
    expect((await of(umbrella, ['capabilities', 'lits'])).err).toMatch(/^prog: unknown verb "capabilities lits", did you mean "capabilities list"\?\n/);
    expect((await of(umbrella, ['capabilities', '-v'])).err).toMatch(/, did you mean "--version"\?\n/);
    expect(await of(umbrella, ['capabilities'])).toMatchObject({ status: 2, err: expect.stringMatching(/^prog: capabilities needs a verb: capabilities list\n\nVerbs: /) });
  });

  it('tell a wrong word in a few lines, with the names of the verbs', async () => {
    const { err } = await of(umbrella, ['biuld']);
    expect(err).toMatch(/^prog: unknown verb "biuld", did you mean "build"\?\n\nVerbs: .*capabilities list.*\n`prog --help` says/);
    expect(err).not.toContain('does build');
    expect((await of(umbrella, [])).err).toMatch(/build +does build/);
  });

  it('send on who asks for the verb of another program', async () => {
    const engine: Program = { ...plain, elsewhere: { name: 'other', verbs: ['stamp'] } };
    expect(await of(engine, ['stamp', 'x'])).toEqual({ status: 2, out: '', err: 'prog: stamp is a verb of other, not of this program: `other stamp`, or node tools/cli.mjs stamp\n' });
  });

  it('are listed in help under their names, without what cannot be reached and without empty ones', async () => {
    const { out } = await of(umbrella, ['--help']);
    expect(out).toMatch(/the engine:\n +list .*\n +build .*\n\nthe probes:\n +capabilities list .*\n\nthe installer:\n +where .*\n/);
    expect(out).not.toContain('not built');
  });
});

describe('help and version', () => {
  it.each([[['list', '--help']], [['--help', 'list']], [['list', '-h']], [['help', 'list']], [['list', '--nope', '--help', 'a', 'b', 'c']]])('%j shows flags, exit codes and an example', async (argv) => {
    const { status, out, err } = await of(plain, argv);
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(/--to <place> +where to/);
    expect(out).toMatch(/--json +/);
    expect(out).toMatch(/7 +odd/);
    expect(out).toContain('prog list x');
    expect(out).not.toContain('quiet');
  });

  it('fits 80 columns, with what does not fit in lines below', async () => {
    const many = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ');
    const long = verb('long', undefined, { summary: many, details: many, exits: { 0: many } });
    for (const argv of [['long', '--help'], ['--help']]) {
      const { out } = await of(programOf(long), argv);
      expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(out.replace(/\s+/g, ' ')).toContain(many);
    }
  });

  it('is one document with --json', async () => {
    expect(JSON.parse((await of(plain, ['list', '--help', '--json'])).out)).toMatchObject({ name: 'list', exits: { 7: 'odd' }, example: 'prog list x' });
    expect(JSON.parse((await of(plain, ['--json', '--help'])).out)).toMatchObject({ verbs: [{ name: 'build' }, { name: 'list' }] });
    expect(JSON.parse((await of(plain, ['--version', '--json'])).out)).toEqual({ name: 'prog', version: VERSION });
  });

  it('prints the version alone', async () => {
    expect(await of(plain, ['--version'])).toEqual({ status: 0, out: `${VERSION}\n`, err: '' });
  });
});

describe('errors', () => {
  const failing = (error: unknown): Program => programOf(verb('x', () => { throw error; }));

  it('tells one in one line, whatever the name in it holds', async () => {
    const odd = 'a\nprog: built b\u001b[31m';
    const { err } = await of(programOf(verb('list', (_options, _words, io) => {
      io.note(`left ${odd}`);
      throw new HandoffError('SOURCE', `not found: ${odd}`);
    })), ['list']);
    expect(err).toBe(['left', 'not found:'].map((what) => `prog: ${what} a\\u000aprog: built b\\u001b[31m\n`).join(''));
  });

  it("tells a user's mistake in one sentence, without a stack", async () => {
    expect(await of(failing(new HandoffError('EXISTS', 'it is there')), ['x'])).toEqual({ status: 4, out: '', err: 'prog: it is there\n' });
  });

  it('gives code, message and facts with --json, and its own words cannot be replaced by a fact', async () => {
    const { status, out } = await of(failing(new HandoffError('HELD', 'held', { data: { holder: 7, code: 'x' } })), ['x', '--json']);
    expect(status).toBe(3);
    expect(JSON.parse(out)).toEqual({ error: { code: 'HELD', message: 'held', holder: 7 } });
  });

  it('tells a refusal of the file system as one', async () => {
    const { status, out, err } = await of(failing(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })), ['x', '--json']);
    expect([status, err]).toEqual([1, 'prog: ENOSPC: no space left on device, write\n']);
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'IO', errno: 'ENOSPC' } });
  });

  it.each([[new TypeError('x is undefined')], ['a thrown string']])('tells everything else as a bug: %s', async (bug) => {
    const { status, out, err } = await of(failing(bug), ['x']);
    expect([status, out]).toEqual([1, '']);
    expect(err).toContain('this is a bug');
    expect(err).toContain('please report it');
    if (bug instanceof Error) expect(err).toMatch(/TypeError: x is undefined\n +at /);
  });

  it('are told and give 0 on a line that may stop nobody: a wrong word, a mistake and a bug', async () => {
    const program = programOf(verb('x', () => { throw new TypeError('x is undefined'); }, { neverFails: (options) => 'quiet' in options }));
    expect(await of(program, ['x', '--quiet', '--json', '--nope'])).toMatchObject({ status: 0, out: '', err: expect.stringMatching(/^prog: x: unknown flag --nope/) });
    expect(await of(program, ['x', '--quiet'])).toMatchObject({ status: 0, out: '', err: expect.stringContaining('this is a bug') });
    expect((await of(program, ['x'])).status).toBe(1);
  });

  it('fails with 1 where stdout could not be written', async () => {
    const { status, err } = await of(plain, ['list'], { stdoutError: Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' }) });
    expect([status, err]).toEqual([1, 'prog: stdout could not be written: write ENOSPC\n']);
  });

  it('uses colour on a terminal only, and never with NO_COLOR', async () => {
    const program = failing(new HandoffError('EXISTS', 'it is there'));
    expect((await of(program, ['x'], { tty: true })).err).toContain('\u001b[31m');
    expect((await of(program, ['x'], { tty: true, env: { NO_COLOR: '1' } })).err).toBe('prog: it is there\n');
    expect((await of(program, ['x'])).err).toBe('prog: it is there\n');
  });
});
