import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importBuilt } from '../helpers/built.ts';
import { REPOSITORY, freshFolder, runProcess as run, start } from '../helpers/run.ts';

const VERSION = (JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string }).version;
const ENTRIES = ['handoff', 'agents-handoff', 'agent-handoff', 'runtime-engine', 'capability-registry', 'cli', 'install/install'];

let cwd: string;
beforeEach(() => { cwd = freshFolder(); });
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

describe('a program whose own files are taken away while it runs', () => {
  it('says what it misses in a line, and ends', async () => {
    const product = join(cwd, 'product');
    cpSync(join(REPOSITORY, 'tools'), join(product, 'tools'), { recursive: true });
    const { child, done } = start('handoff', ['build', '-', '--session', 's'], { cwd, home: cwd, product, env: { HANDOFFS_ROOT: join(cwd, 'store') } });
    // Also where an expectation fails: nobody else would end it.
    const timer = setTimeout(() => child.kill('SIGKILL'), 8_000);
    // It makes this folder right before it waits for its input.
    const waiting = () => existsSync(join(cwd, 'store/.locks'));
    for (let tries = 0; tries < 300 && !waiting(); tries += 1) await new Promise((later) => setTimeout(later, 10));
    expect(waiting()).toBe(true);
    rmSync(product, { recursive: true });
    child.stdin!.end('{"session":"s","role":"user","text":"hello"}\n');
    const { status, signal, stderr } = await done;
    clearTimeout(timer);
    expect({ status, signal, stderr }).toEqual({ status: 1, signal: null, stderr: expect.stringMatching(/^handoff: ENOENT: no such file .*parts.*\n$/) });
  });
});

describe.each(ENTRIES)('%s', (entry) => {
  it('has --help, --version and refuses an unknown verb', () => {
    expect(run(entry, ['--help'])).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('usage:') });
    expect(run(entry, ['--version'])).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
    expect(run(entry, ['no-such-verb'])).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('unknown verb "no-such-verb"') });
    expect(JSON.parse(run(entry, ['no-such-verb', '--json']).stdout)).toMatchObject({ error: { code: 'USAGE' } });
  });

  it('tells an old Node in one sentence that it is too old', () => {
    const old = "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.19.1'}})";
    const { status, stdout, stderr } = run(entry, ['--version'], { node: ['--import', old] });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^agents-handoff needs Node\.js 20 or newer; this is 18\.19\.1\.\n$/);
    if (entry === 'agents-handoff') expect(run(entry, ['auto', '--hook'], { node: ['--import', old] })).toMatchObject({ status: 0, stdout: '', stderr });
  });
});

describe('the umbrella', () => {
  it("reaches the engine's verbs, and shows them", () => {
    expect(run('cli', ['config'], { cwd })).toEqual(run('handoff', ['config'], { cwd }));
    expect(run('cli', ['--help']).stdout).toMatch(/ +config +\w/);
  });
});

describe('install/install.mjs', () => {
  it('starts the built installer', () => {
    const started = spawnSync(process.execPath, [join(REPOSITORY, 'install/install.mjs'), '--help'], { encoding: 'utf8', cwd });
    expect(started).toMatchObject({ status: 0, stdout: run('install/install', ['--help']).stdout });
  });

  it('says what to run where it is not built', () => {
    mkdirSync(join(cwd, 'install'));
    copyFileSync(join(REPOSITORY, 'install/install.mjs'), join(cwd, 'install/install.mjs'));
    const started = spawnSync(process.execPath, [join(cwd, 'install/install.mjs')], { encoding: 'utf8', cwd });
    expect(started).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^install: .*"npm ci".*\n$/) });
  });
});

describe('the ends of a process', () => {
  /** A program with one verb whose body is given as text; run as an entry point would. */
  function program(body: string): string {
    const path = join(cwd, 'program.mjs');
    writeFileSync(path, `${importBuilt('lib/cli/runner', 'runMain')}
      import { appendFileSync } from 'node:fs';
      const log = (text) => appendFileSync(${JSON.stringify(join(cwd, 'log'))}, text + '\\n');
      const command = { name: 'go', summary: '', positionals: { min: 0, max: 0 }, flags: {}, exits: {}, example: '', run: async (options, words, io) => { ${body} } };
      await runMain({ name: 'prog', summary: '', verbs: [{ name: 'go', summary: '', load: async () => command }] });`);
    return path;
  }
  const log = () => readFileSync(join(cwd, 'log'), 'utf8');

  it.each([['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]] as const)('%s undoes in reverse, each once, and exits with %i', async (signal, status) => {
    const path = program(`
      io.onSignal(() => log('first'));
      const takeBack = io.onSignal(() => log('taken back'));
      io.onSignal(() => { log('second'); throw new Error('x'); });
      io.onSignal(() => log('third'));
      takeBack();
      io.note('ready');
      await new Promise((r) => setTimeout(r, 20000));
      return { json: 0 };`);
    const { child, done } = start(path, ['go'], { cwd, home: cwd });
    child.stderr!.once('data', () => child.kill(signal));
    expect(await done).toMatchObject({ status, signal: null });
    expect(log()).toBe('third\nsecond\nfirst\n');
  });

  it('a signal ends a command that has nothing to undo', async () => {
    const path = program(`io.onSignal(() => {})(); io.note('ready'); await new Promise((r) => setTimeout(r, 20000)); return { json: 0 };`);
    const { child, done } = start(path, ['go'], { cwd, home: cwd });
    child.stderr!.once('data', () => child.kill('SIGTERM'));
    expect(await done).toMatchObject({ signal: 'SIGTERM' });
  });

  it('an error that nobody caught undoes, is told as a bug, and exits with 1', () => {
    const path = program(`io.onSignal(() => log('undone')); setTimeout(() => { throw new TypeError('stray'); }, 5); await new Promise((r) => setTimeout(r, 20000)); return { json: 0 };`);
    const { status, stderr } = spawnSync(process.execPath, [path, 'go'], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/TypeError: stray[^]*this is a bug/);
    expect(log()).toBe('undone\n');
  });

  it('a reader that goes away is no error', () => {
    const path = program(`return { json: 0, text: (function* () { for (let i = 0; i < 1e6; i++) yield 'line ' + i + '\\n'; })() };`);
    const { stdout } = spawnSync('sh', ['-c', '("$0" "$1" go; echo status $? >&2) 2>err | head -n 1; cat err', process.execPath, path], { encoding: 'utf8', cwd });
    expect(stdout).toBe('line 0\nstatus 0\n');
  });

  it('prints megabytes to a slow reader whole', () => {
    const path = program(`return { json: 0, text: ('x'.repeat(99) + '\\n').repeat(1e5) };`);
    const { stdout } = spawnSync('sh', ['-c', '"$0" "$1" go | (sleep 0.3; wc -c)', process.execPath, path], { encoding: 'utf8', cwd });
    expect(stdout.trim()).toBe('10000000');
  });

  it.skipIf(!existsSync('/dev/full'))('a full disk behind stdout is an error (needs /dev/full)', () => {
    const path = program(`return { json: 0, text: 'x' };`);
    const { status, stderr } = spawnSync(process.execPath, [path, 'go'], { encoding: 'utf8', stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^prog: stdout could not be written: ENOSPC/)]);
  });

  it('a current directory that is gone is told in a sentence', () => {
    const gone = join(cwd, 'gone');
    mkdirSync(gone);
    const { status, stderr } = spawnSync('sh', ['-c', 'cd gone; rmdir ../gone; "$0" "$1" config', process.execPath, join(REPOSITORY, 'tools/handoff.mjs')], { encoding: 'utf8', cwd });
    expect([status, stderr]).toEqual([1, 'handoff: the current directory is gone or cannot be read\n']);
  });
});

it('the version that the product names is the one of its package', async () => {
  expect((await import('../../src/lib/version.mts')).VERSION).toBe(VERSION);
});
