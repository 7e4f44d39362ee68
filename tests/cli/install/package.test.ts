/** The package as npm makes it: what is in it, and that it works from there, in an empty home and without a network. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Home } from '../../helpers/home.ts';
import { REPOSITORY } from '../../helpers/run.ts';

let desk: Home;
let packed: { filename: string; files: { path: string }[] };
const bin = (name: string): string => join(desk.cwd, 'node_modules/.bin', name);

/** npm with nothing of this machine's settings; a registry that nobody answers. */
function npm(cwd: string, ...argv: string[]) {
  const env = { PATH: process.env['PATH'], HOME: desk.home, npm_config_registry: 'http://127.0.0.1:9/', npm_config_cache: join(desk.dir, 'cache'), npm_config_update_notifier: 'false' };
  return spawnSync('npm', argv, { cwd, encoding: 'utf8', env });
}

function user(command: string, ...argv: string[]) {
  return spawnSync(command, argv, { cwd: desk.cwd, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: desk.home, NO_COLOR: '1' } });
}

beforeAll(() => {
  desk = new Home().clients('.claude');
  // The build is done before the tests, by npm test.
  const said = npm(REPOSITORY, 'pack', '--ignore-scripts', '--json', '--pack-destination', desk.dir);
  packed = (JSON.parse(said.stdout) as [typeof packed])[0];
  writeFileSync(join(desk.cwd, 'package.json'), '{"private":true}');
  const installed = npm(desk.cwd, 'install', '--offline', '--no-audit', '--no-fund', join(desk.dir, packed.filename));
  expect(installed.status, installed.stderr).toBe(0);
}, 120_000);
afterAll(() => desk.remove());

it('holds the files that its own list names, and so does what is built, and nothing that belongs to development', () => {
  const names = packed.files.map(({ path }) => path).sort();
  const { files } = JSON.parse(readFileSync(join(REPOSITORY, 'tools/files.json'), 'utf8')) as { files: string[] };
  expect(names).toEqual([...files].sort());
  const tops = new Set(names.map((name) => name.split('/')[0]));
  for (const top of ['SKILL.md', 'tools', 'install', 'docs', 'templates', 'schemas', 'package.json', 'README.md', 'LICENSE']) expect(tops, top).toContain(top);
  expect(names.filter((name) => /^(src|tests|scripts|node_modules|\.)|\.(mts|ts|tgz|orig)$|self-improve-candidates/.test(name))).toEqual([]);
  const built = (folder: string): string[] => readdirSync(join(REPOSITORY, folder), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? built(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]));
  expect(names.filter((name) => name.startsWith('tools/'))).toEqual(built('tools').sort());
});

it('goes from an empty home to a handoff, and away again', () => {
  expect(user(bin('agents-handoff'), 'install', '--harness', 'claude')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^install: installed .*\ninstall: next: /) });
  const built = user(bin('agents-handoff'), 'build', join(REPOSITORY, 'examples/transcript.jsonl'));
  expect(built).toMatchObject({ status: 0, stdout: expect.stringMatching(/^handoff: built /) });
  // One store, whether it is reached through npm or through the copy.
  expect(built.stdout).toContain(`-> ${desk.copy()}/projects/`);
  expect(user(process.execPath, join(desk.copy(), 'tools/handoff.mjs'), 'list').stdout).toBe(user(bin('handoff'), 'list').stdout);
  expect(user(bin('agents-handoff'), '--verify')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^install: PASS/) });
  expect(user(bin('agents-handoff'), 'update')).toMatchObject({ status: 0, stdout: expect.stringMatching(/up to date/) });
  expect(user(bin('agents-handoff'), 'remove', '--force')).toMatchObject({ status: 0 });
  expect(existsSync(join(desk.copy(), 'SKILL.md'))).toBe(false);
  expect(existsSync(join(desk.copy(), 'projects'))).toBe(true);
});

it('keeps handoffs that were made before there was a copy, and hands them to the copy', () => {
  const home = join(desk.dir, 'another');
  mkdirSync(join(home, '.claude'), { recursive: true });
  const start = (command: string, ...argv: string[]) => spawnSync(command, argv, { cwd: desk.cwd, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: home } });
  expect(start(bin('handoff'), 'build', join(REPOSITORY, 'examples/transcript.jsonl')).stdout).toContain(`-> ${home}/.agents/handoffs/projects/`);
  expect(start(bin('agents-handoff'), 'install', '--claude').stdout).toMatch(/moved the handoffs of .*\.agents\/handoffs into .*\.claude\/skills\/agents-handoff/);
  expect(start(bin('handoff'), 'verify', '--all')).toMatchObject({ status: 0, stdout: expect.stringContaining('PASS') });
  expect(existsSync(join(home, '.agents/handoffs'))).toBe(false);
});
