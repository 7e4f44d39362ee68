import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REPOSITORY, freshFolder, run } from '../helpers/run.ts';
import { canonical, lines } from '../helpers/transcripts.ts';

let cwd: string;
beforeEach(() => { cwd = freshFolder(); });
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const config = (argv: string[] = [], options: Parameters<typeof run>[2] = {}) => run('handoff', ['config', ...argv], { cwd, ...options });

describe('handoff config', () => {
  it('prints six lines where nothing is configured', () => {
    const product = REPOSITORY.replace(/\/$/, '');
    expect(config()).toEqual({
      status: 0, signal: null, stderr: '', stdout: [
        `handoff: config root=${product}`, 'handoff: config source=default', 'handoff: config file=none',
        `handoff: config schema=${product}/handoff.config.schema.json`, 'handoff: config project=auto-detected', 'handoff: config linking=enabled', '',
      ].join('\n'),
    });
  });

  it('prints what a configuration says', () => {
    const file = join(cwd, 'handoff.config.json');
    writeFileSync(file, '\ufeff{"storage":{"path":"s"},"project_name":"Größe","linking":{"enabled":false}}');
    const { stdout } = config();
    expect(stdout.split('\n')).toEqual(expect.arrayContaining([
      `handoff: config root=${join(cwd, 's')}`, 'handoff: config source=config', `handoff: config file=${file}`,
      'handoff: config project=Größe', 'handoff: config linking=disabled',
    ]));
    expect(JSON.parse(config(['--json']).stdout)).toMatchObject({ root: join(cwd, 's'), source: 'config', file, project: 'Größe', linking: false });
    expect(existsSync(join(cwd, 's'))).toBe(false);
  });

  it('prints six lines whatever a name holds', () => {
    writeFileSync(join(cwd, 'handoff.config.json'), JSON.stringify({ project_name: 'a\nhandoff: config root=/elsewhere' }));
    const { stdout } = config([], { env: { HANDOFFS_ROOT: 'two\nlines' } });
    expect(stdout.split('\n')).toHaveLength(7);
    expect(stdout).toContain('\nhandoff: config project=a\\u000ahandoff: config root=/elsewhere\n');
  });

  it.each(['relative/place', '/abs/place'])('takes HANDOFFS_ROOT=%s', (place) => {
    const { stdout } = config([], { env: { HANDOFFS_ROOT: place } });
    expect(stdout).toContain(`handoff: config root=${place.startsWith('/') ? place : join(cwd, place)}\nhandoff: config source=env\n`);
  });

  it('stops with one sentence that names the file and the key of an invalid configuration', () => {
    writeFileSync(join(cwd, 'handoff.config.json'), '{"capture":{"redact":true}}');
    const { status, stdout, stderr } = config();
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^handoff: .*handoff\.config\.json: unknown key "capture\.redact".*\n$/);
    const json = config(['--json']);
    expect([json.status, JSON.parse(json.stdout)]).toMatchObject([2, { error: { code: 'CONFIG', key: 'capture.redact' } }]);
  });

  it.skipIf(process.platform === 'win32')('takes a pipe, a folder or a link to nowhere of its name for what it is, and waits for nobody', () => {
    for (const [kind, make, why] of [
      ['pipe', (name: string) => void execFileSync('mkfifo', [name]), 'it is no file'],
      ['folder', (name: string) => mkdirSync(name), 'it is no file'],
      ['link', (name: string) => symlinkSync('nowhere', name), 'a link that leads nowhere'],
    ] as const) {
      const here = join(cwd, kind);
      mkdirSync(here);
      make(join(here, 'handoff.config.json'));
      const { status, stderr } = config([], { cwd: here });
      expect([kind, status, stderr]).toEqual([kind, 2, `handoff: ${join(here, 'handoff.config.json')} is there but cannot be read (${why})\n`]);
    }
  });

  it('notes keys that do nothing, on stderr', () => {
    writeFileSync(join(cwd, 'handoff.config.json'), '{"auto_capture":true}');
    const { status, stdout, stderr } = config();
    expect([status, stdout.split('\n').length]).toEqual([0, 7]);
    expect(stderr).toMatch(/^handoff: .*"auto_capture".*\n$/);
  });

  it('has keys that do nothing named by every verb that goes by it, once', () => {
    writeFileSync(join(cwd, 'handoff.config.json'), '{"auto_capture":true,"handoff_dir":"h"}');
    writeFileSync(join(cwd, 't.jsonl'), lines(canonical(0, 'user', 'go', { session: 's' })));
    const told = (program: string, ...argv: string[]): number => run(program, argv, { cwd }).stderr.split('\n').filter((line) => line.includes('"auto_capture" is accepted from 2.0.x and does nothing')).length;
    for (const line of [['build', 't.jsonl'], ['list'], ['show', 's'], ['verify', 's'], ['verify', '--all'], ['check', 's'], ['render', 's'], ['sources'], ['forget', 's', '--force']]) expect([line, told('handoff', ...line)]).toEqual([line, 1]);
    for (const line of [['auto', '--source', 't.jsonl'], ['index'], ['verify-gate', 's'], ['validate', 's'], ['promote', 's'], ['unlock', 's'], ['dispatch', 's', '--task', 'x'], ['federated-merge']]) expect([line, told('agents-handoff', ...line)]).toEqual([line, 1]);
  });

  it('works without HOME', () => {
    expect(config([], { env: { HOME: undefined } }).status).toBe(0);
  });

  it('works in folders with blanks and letters outside ASCII, its own and the current one', () => {
    const product = join(cwd, 'ein Ordner für 手 100%41#?');
    mkdirSync(product);
    cpSync(join(REPOSITORY, 'tools'), join(product, 'tools'), { recursive: true });
    const { status, stdout, stderr } = config([], { product });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`handoff: config root=${product}\n`);
    expect(stdout).toContain(`handoff: config schema=${product}/handoff.config.schema.json\n`);
    mkdirSync(join(product, 'handoffs'));
    expect(config([], { cwd: product }).stdout).toContain(`handoff: config root=${join(product, 'handoffs')}\nhandoff: config source=discover\n`);
  });

  it("shows an npx copy the user's own folder", () => {
    const product = join(cwd, 'node_modules/agents-handoff');
    const home = join(cwd, 'home');
    mkdirSync(home);
    cpSync(join(REPOSITORY, 'tools'), join(product, 'tools'), { recursive: true });
    expect(config([], { product, home }).stdout).toContain(`root=${home}/.agents/handoffs\nhandoff: config source=default\n`);
  });
});

describe('handoff config --init', () => {
  it('makes a private store here, says so, and does nothing the second time', () => {
    const store = join(cwd, 'handoffs');
    expect(config(['--init'])).toMatchObject({ status: 0, stdout: `handoff: config wrote ${store}\n`, stderr: '' });
    expect(statSync(store).mode & 0o777).toBe(0o700);
    expect(config().stdout).toContain(`root=${store}\nhandoff: config source=discover\n`);
    writeFileSync(join(store, 'kept'), '');
    expect(config(['--init'])).toMatchObject({ status: 0, stdout: expect.stringContaining('kept') });
    expect(existsSync(join(store, 'kept'))).toBe(true);
  });

  it('says when another rule still decides', () => {
    expect(config(['--init'], { env: { HANDOFFS_ROOT: '/other' } }).stderr).toContain('/other');
  });

  it('refuses where a file has the name', () => {
    writeFileSync(join(cwd, 'handoffs'), 'mine');
    expect(config(['--init']).status).toBe(4);
    expect(readFileSync(join(cwd, 'handoffs'), 'utf8')).toBe('mine');
  });
});

describe('handoff config --init-git', () => {
  const read = (name: string) => readFileSync(join(cwd, 'handoffs', name), 'utf8');

  it('writes both files into the store, once', () => {
    expect(config(['--init', '--init-git']).status).toBe(0);
    const first = [read('.gitattributes'), read('.gitignore')];
    expect(first).toEqual(['* -text\n', '.locks/\n.backups/\n*.tmp\n*.bak\n*.bak-federated\n']);
    expect(config(['--init-git']).status).toBe(0);
    expect([read('.gitattributes'), read('.gitignore')]).toEqual(first);
  });

  it("keeps a user's own lines and adds what is missing after them", () => {
    config(['--init']);
    writeFileSync(join(cwd, 'handoffs/.gitignore'), '# mine\n*.tmp\r\nlast');
    config(['--init-git']);
    expect(read('.gitignore')).toBe('# mine\n*.tmp\r\nlast\n.locks/\n.backups/\n*.bak\n*.bak-federated\n');
  });
});
