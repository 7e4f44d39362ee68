/** The built installer as a user starts it: its verbs and flag forms, by itself and through the umbrella, in homes of all kinds. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { program } from '../../../src/commands/install/table.mts';
import { Home, put } from '../../helpers/home.ts';
import { REPOSITORY, run } from '../../helpers/run.ts';

const VERSION = (JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string }).version;
const FILES = (JSON.parse(readFileSync(join(REPOSITORY, 'tools/files.json'), 'utf8')) as { files: string[] }).files;

let desk: Home;
beforeEach(() => { desk = new Home().clients('.claude'); });
afterEach(() => desk.remove());

const umbrella = (...argv: string[]) => run('cli', argv, { cwd: desk.cwd, home: desk.home });

describe('the built installer', () => {
  it('goes through the life of a copy, with each verb in one of its forms', () => {
    const entry = join(REPOSITORY, 'install/install.mjs');
    const start = (...argv: string[]) => run(entry, argv, { cwd: desk.cwd, home: desk.home });
    const planned = start('i', '--claude', '--dry-run').stdout;
    expect(planned).toMatch(/\n {2}add SKILL\.md\n(.*\n)* {2}add tools\/ \(\d+ files\)\n/);
    expect(planned).toMatch(new RegExp(`would install ${VERSION}.*\\(${FILES.length} files\\)`));
    expect(start('--harness=claude')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(new RegExp(`installed ${VERSION} .*\\(${FILES.length} files\\)`)) });
    expect(Object.keys(desk.tree(desk.copy())).filter((name) => FILES.includes(name)).sort()).toEqual([...FILES].sort());
    expect(start('--claude', '--verify')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^install: PASS /) });
    expect(JSON.parse(start('ls', '--json').stdout)).toMatchObject([{ version: VERSION, state: 'ok', files: FILES.length }]);
    expect(start('u').stdout).toMatch(/up to date/);
    expect(start('--doctor').status).toBe(0);
    expect(start('--where').stdout).toMatch(/rule=installed/);
    expect(start('version').stdout).toBe(`${VERSION}\n`);
    expect(start('rm')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^install: nothing was removed: nobody confirmed it/) });
    expect(start('--remove', '-f')).toMatchObject({ status: 0, stdout: expect.stringMatching(/removed/) });
    expect(start('v')).toMatchObject({ status: 1, stderr: 'install: nothing is installed; `npx agents-handoff install` puts a copy where clients look for skills\n' });
    expect(start('uninstall', '-f')).toMatchObject({ status: 0, stdout: 'install: nothing is installed; nothing was removed\n' });
    // A registry that nobody answers: the words were understood.
    expect(start('--verify-package', '--registry', 'http://127.0.0.1:9/')).toMatchObject({ status: 1, stderr: expect.stringMatching(/^install: http:\/\/127\.0\.0\.1:9 could not be asked/) });
  });

  it('is reached through the umbrella, without taking the store\'s verbs', () => {
    expect(umbrella('install', '--harness', 'claude')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^install: installed/) });
    for (const line of [['--list'], ['install', 'list'], ['install', 'ls'], ['--claude', '--list']]) expect(umbrella(...line).stdout, line.join(' ')).toMatch(/^install: \d.* ok /);
    for (const line of [['--verify'], ['install', 'verify']]) expect(umbrella(...line).stdout, line.join(' ')).toMatch(/^install: PASS/);
    expect(JSON.parse(umbrella('--json', 'install', 'list').stdout)).toHaveLength(1);
    expect(umbrella('list')).toMatchObject({ status: 4, stderr: expect.stringMatching(/^handoff: no handoffs yet/) });
    expect(umbrella('verify')).toMatchObject({ status: 2, stderr: expect.stringMatching(/^handoff: /) });
    expect(umbrella('--help').stdout).toMatch(/installs, updates, verifies and removes the skill:\n {2}install .*\n(.*\n)* {2}verify-package .*\n(.*\n)*.*--verify and\n--list, or `install verify`/);
    for (const [line, typed] of [['install', 'install'], ['install verify', 'install verify'], ['--verify', 'install verify'], ['verify', 'verify'], ['doctor', 'doctor'], ['capabilities list', 'capabilities list'], ['policy', 'policy']] as const) {
      expect(umbrella(...line.split(' '), '--help').stdout, line).toMatch(new RegExp(`^usage: agents-handoff ${typed} (?:\\S+ )?\\[flags\\]\\n`));
      expect(umbrella(...line.split(' '), '--wrong').stderr, line).toContain(`(see agents-handoff ${typed} --help)`);
    }
    expect(umbrella('remove', '--claude', '--force').status).toBe(0);
  });

  it('runs from the copy: its own program, its own store, another copy', () => {
    desk.install(['--claude']);
    const copy = desk.copy();
    const said = run('handoff', ['build', join(REPOSITORY, 'examples/transcript.jsonl')], { product: copy, cwd: desk.cwd, home: desk.home });
    expect(said).toMatchObject({ status: 0, stdout: expect.stringContaining(`${copy}/projects/`) });
    expect(run('install/install', ['--codex'], { product: copy, cwd: desk.cwd, home: desk.home })).toMatchObject({ status: 0 });
    expect(run('install/install', ['update', '--claude'], { product: copy, cwd: desk.cwd, home: desk.home })).toMatchObject({ status: 1, stderr: expect.stringMatching(/same folder/) });
    expect(desk.install(['update']).status).toBe(0);
    expect(desk.install(['--verify']).status).toBe(0);
    expect(run('handoff', ['verify', '--all'], { product: copy, cwd: desk.cwd, home: desk.home })).toMatchObject({ status: 0, stdout: expect.stringContaining('PASS') });
    expect(desk.install(['remove', '--claude', '-f']).stdout).toMatch(/handoffs are kept there/);
    expect(readdirSync(copy).sort()).toEqual(['.locks', 'INDEX.json', 'projects'].filter((name) => existsSync(join(copy, name))));
  });
});

describe('mistaken words', () => {
  it('are exit 2, with what was meant', () => {
    for (const [line, says] of [
      [['instal'], /unknown verb "instal", did you mean "install"/], [['install', '--claud'], /unknown flag --claud, did you mean --claude/], [['update', 'x'], /"x" is one word too many/],
      [['--version', '--claude', '--path'], /--path needs a value/], [['--harness', 'nobody'], /unknown harness "nobody"/],
    ] as const) {
      expect(desk.install(line), line.join(' ')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(says) });
    }
    expect(JSON.parse(desk.install(['install', '--nope', '--json']).stdout)).toMatchObject({ error: { code: 'USAGE' } });
    expect(Object.keys(desk.tree())).toEqual(['.claude']);
  });

  it('are few: every verb has help with its exit codes', async () => {
    for (const { name, load } of program.verbs) {
      const { exits } = await load();
      expect(Object.keys(exits), name).toEqual(expect.arrayContaining(['0', '2']));
    }
    expect(desk.install(['remove', '--help'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/Exit codes:\n {2}0 /) });
    expect(desk.install(['--help', 'update']).stdout).toMatch(/^usage: npx agents-handoff update/);
  });
});

describe('a home', () => {
  it('with blanks, quotes and all that a shell would read works, also where a shell runs what was printed and what was wired', () => {
    const odd = new Home('x');
    const home = join(odd.dir, 'Jo Smith/ü \'q\' "d" $x `id`; *');
    mkdirSync(join(home, '.claude'), { recursive: true });
    put(join(home, '.claude/projects/w/s.jsonl'), '');
    const env = { HOME: home };
    const installed = odd.install(['--claude', '--hooks'], { env });
    expect(installed).toMatchObject({ status: 0, stderr: '' });
    const shell = (command: string, input = '') => spawnSync('sh', ['-c', command], { cwd: odd.cwd, encoding: 'utf8', input, env: { PATH: process.env['PATH'], HOME: home } });
    const next = /or run: (.*)\n/.exec(installed.stdout)?.[1] ?? '';
    expect(shell(next)).toMatchObject({ status: 0 });
    const settings = JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8')) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
    const transcript = join(REPOSITORY, 'examples/transcript.jsonl');
    const hook = shell(settings.hooks['Stop']?.at(-1)?.hooks[0]?.command ?? 'false', JSON.stringify({ hook_event_name: 'Stop', transcript_path: transcript, cwd: odd.cwd, session_id: 's' }));
    expect([hook.status, hook.stdout]).toEqual([0, '']);
    // What the hook captured is what a command of the copy shows, and what stands behind `npx` too.
    const copy = join(home, '.claude/skills/agents-handoff');
    expect(run('handoff', ['list'], { product: copy, cwd: odd.cwd, home: odd.home, env })).toMatchObject({ status: 0 });
    expect(odd.install(['--verify'], { env }).status).toBe(0);
    expect(odd.install(['remove', '--claude', '--force'], { env }).status).toBe(0);
    expect(existsSync(join(home, '.claude/settings.json'))).toBe(false);
    odd.remove();
  });

  it('that may not be written is an error that names the place, and reading it still works', () => {
    // Root may write everywhere: the command is started as somebody else there.
    const root = process.getuid?.() === 0;
    const uid = 65534;
    if (root) for (const folder of [desk.dir, desk.home, desk.cwd]) chownSync(folder, uid, uid);
    chmodSync(desk.home, 0o555);
    const start = (...argv: string[]) => spawnSync(process.execPath, [join(REPOSITORY, 'tools/install/install.mjs'), ...argv], {
      cwd: desk.cwd, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: desk.home }, ...(root ? { uid, gid: uid } : {}),
    });
    const refused = start('--codex');
    expect([refused.status, refused.stdout, refused.stderr]).toEqual([1, '', expect.stringMatching(/^install: EACCES: permission denied, mkdir '.*\/home\/\.codex.*'\n$/)]);
    expect(start('list').status).toBe(0);
    expect(start('install', '--path', join(desk.cwd, 'here')).status).toBe(0);
    chmodSync(desk.home, 0o755);
    expect(Object.keys(desk.tree())).toEqual(['.claude']);
  });

  it('that is not there is an error, and a folder that was named needs none', () => {
    expect(desk.install(['--claude'], { env: { HOME: join(desk.dir, 'nowhere') } })).toMatchObject({ status: 1, stderr: expect.stringMatching(/the home directory .*nowhere is not there; name the folder with --skills-dir or --path/) });
    expect(desk.install(['--claude'], { env: { HOME: undefined } })).toMatchObject({ status: 1, stderr: expect.stringMatching(/HOME is not set/) });
    expect(existsSync(join(dirname(desk.home), 'nowhere'))).toBe(false);
  });
});
