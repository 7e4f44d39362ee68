/** One copy over its life: installed, installed again, updated, verified, removed. */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileSetHash } from '../../../src/lib/hash-chain.mts';
import { VERSION } from '../../../src/lib/version.mts';
import { sha256 } from '../../helpers/desk.ts';
import { Home, LATER, PENDING, RECORD, SMALL, older, product, put } from '../../helpers/home.ts';

let desk: Home;
beforeEach(() => { desk = new Home().clients('.claude'); });
afterEach(() => desk.remove());

const read = (...parts: string[]): string => readFileSync(join(desk.copy(), ...parts), 'utf8');
const install = (...flags: string[]) => desk.say(['install', '--claude', ...flags]);
const update = (...flags: string[]) => desk.say(['update', '--claude', ...flags], { source: desk.later });
const remove = (...flags: string[]) => desk.say(['remove', '--claude', ...flags]);

describe('install', () => {
  it('puts every file there, and a record of them', async () => {
    const { status, out, err } = await install();
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(new RegExp(`^install: installed ${VERSION} -> ${desk.copy()} \\(5 files\\)\ninstall: next: .*"hand this over".*tools/handoff\\.mjs sources\n$`));
    for (const [name, content] of Object.entries(SMALL)) expect(read(name)).toBe(content);
    const record = desk.record();
    const files = Object.keys(desk.tree(desk.copy())).filter((name) => statSync(desk.copy() + '/' + name).isFile() && name !== RECORD).sort();
    expect(record.files.map(({ path }) => path).sort()).toEqual(files);
    expect(record).toMatchObject({ schema_version: '1.0-install-provenance', version: VERSION, installer_version: VERSION, harness: 'claude-code', target: desk.copy(), source: { kind: 'tree', path: desk.small }, file_count: 5, links: [], hooks: [] });
    expect(record.files_sha256).toBe(fileSetHash(files.map((name) => [name, sha256(readFileSync(join(desk.copy(), name)))])));
    expect(Object.keys(desk.tree())).not.toContainEqual(expect.stringMatching(/\.tmp|\.agents-handoff-install(\/|$)/));
    expect([statSync(desk.copy()).mode & 0o777, statSync(join(desk.copy(), 'SKILL.md')).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('of the same version does nothing without --force, and says what was edited', async () => {
    await install();
    writeFileSync(join(desk.copy(), 'docs/GUIDE.md'), 'mine\n');
    const before = desk.tree();
    const again = await install();
    expect([again.status, again.out]).toEqual([0, expect.stringMatching(/^install: already .*--force copies it again.*\n {2}edited, kept as it is: docs\/GUIDE\.md\n/)]);
    expect(desk.tree()).toEqual(before);
    const forced = await install('--force');
    expect(forced.out).toMatch(/ {2}edited: docs\/GUIDE\.md, kept as docs\/GUIDE\.md\.orig\n/);
    expect([read('docs/GUIDE.md'), read('docs/GUIDE.md.orig')]).toEqual([SMALL['docs/GUIDE.md'], 'mine\n']);
    writeFileSync(join(desk.copy(), 'docs/GUIDE.md'), 'mine again\n');
    await install('-f');
    expect([read('docs/GUIDE.md.orig'), read('docs/GUIDE.md.orig.2')]).toEqual(['mine\n', 'mine again\n']);
  });

  it('says in a dry run what it would do, and writes nothing', async () => {
    const before = desk.tree();
    const { status, out } = await install('--dry-run');
    expect([status, out]).toEqual([0, expect.stringMatching(/^install: would install .*\n {2}add SKILL\.md\n(.*\n)* {2}add tools\/handoff\.mjs\n$/)]);
    expect(desk.tree()).toEqual(before);
    expect(JSON.parse((await install('--dry-run', '--json')).out)).toMatchObject({ ok: true, dry_run: true, results: [{ steps: expect.arrayContaining([{ path: 'SKILL.md', action: 'add' }]) }] });
  });

  it('of a tree that misses a file fails, and leaves the target as it was', async () => {
    await install();
    const before = desk.tree();
    unlinkSync(join(desk.later, 'docs/NEW.md'));
    const failed = await desk.say(['install', '--claude', '--force'], { source: desk.later });
    expect([failed.status, failed.out, failed.err]).toEqual([1, '', expect.stringMatching(/is no whole package: docs\/NEW\.md is missing; nothing was installed\n$/)]);
    expect((await desk.say(['update'], { source: desk.later })).status).toBe(1);
    unlinkSync(join(desk.later, 'tools/files.json'));
    expect((await desk.say(['update'], { source: desk.later })).err).toMatch(/tools\/files\.json cannot be read/);
    product(desk.later, { ...LATER, 'projects/p/s.md': 'x' });
    expect((await desk.say(['update'], { source: desk.later })).err).toMatch(/"projects\/p\/s\.md", which may not be part of a copy/);
    expect(desk.tree()).toEqual(before);
  });

  it('leaves files alone that are in the way and nobody\'s it knows, until it is forced', async () => {
    put(join(desk.copy(), 'docs/GUIDE.md'), 'a note of mine\n');
    put(join(desk.copy(), 'notes.txt'), 'more\n');
    const before = desk.tree();
    const refused = await install();
    expect([refused.status, refused.err]).toEqual([1, expect.stringMatching(/1 file in .* would be replaced, and they are not the installer's: docs\/GUIDE\.md; --force keeps each as \.orig\n$/)]);
    expect(desk.tree()).toEqual(before);
    expect((await install('--force')).status).toBe(0);
    expect([read('docs/GUIDE.md.orig'), read('notes.txt')]).toEqual(['a note of mine\n', 'more\n']);
  });

  it('writes through no link: not the copy\'s own name, not a folder in it, not a file', async () => {
    const elsewhere = join(desk.dir, 'elsewhere');
    put(join(elsewhere, 'SKILL.md'), 'a checkout\n');
    mkdirSync(desk.path('.claude/skills'), { recursive: true });
    symlinkSync(elsewhere, desk.copy());
    for (const argv of [['install', '--claude', '--force'], ['install', '--path', desk.copy(), '--force'], ['update', '--claude', '--force'], ['remove', '--claude', '--force']]) {
      expect(await desk.say(argv), argv.join(' ')).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/is a link/) });
    }
    expect(readdirSync(elsewhere)).toEqual(['SKILL.md']);
    unlinkSync(desk.copy());

    await install();
    rmSync(join(desk.copy(), 'docs'), { recursive: true });
    symlinkSync(elsewhere, join(desk.copy(), 'docs'));
    expect(await install('--force')).toMatchObject({ status: 1, err: expect.stringMatching(/a link or a file is in the place of a folder/) });
    expect(await remove('--force')).toMatchObject({ status: 0, out: expect.stringMatching(/edited, kept: docs\/GUIDE\.md, docs\/OLD\.md/) });
    expect(readdirSync(elsewhere)).toEqual(['SKILL.md']);
    rmSync(desk.copy(), { recursive: true });

    await install();
    put(join(elsewhere, 'outside.md'), 'outside\n');
    unlinkSync(join(desk.copy(), 'SKILL.md'));
    symlinkSync(join(elsewhere, 'outside.md'), join(desk.copy(), 'SKILL.md'));
    expect(await install('--force')).toMatchObject({ status: 0 });
    expect([readFileSync(join(elsewhere, 'outside.md'), 'utf8'), read('SKILL.md')]).toEqual(['outside\n', SMALL['SKILL.md']]);
  });

  it('from a copy that was installed takes it as it was installed, or not at all', async () => {
    await install();
    expect((await desk.say(['install', '--agents'], { source: desk.copy() })).status).toBe(0);
    put(join(desk.copy(), 'SKILL.md'), 'mine\n');
    expect(await desk.say(['update', '--force'], { source: desk.copy() })).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/is an installed copy in which was changed since: SKILL\.md; .*npx agents-handoff@latest/) });
    expect(readFileSync(join(desk.copy('.agents/skills'), 'SKILL.md'), 'utf8')).toBe(SMALL['SKILL.md']);
  });

  it('follows links in the path', async () => {
    const dotfiles = join(desk.dir, 'dotfiles');
    mkdirSync(dotfiles);
    symlinkSync(dotfiles, desk.path('.claude/skills'));
    expect((await install()).status).toBe(0);
    expect(existsSync(join(dotfiles, 'agents-handoff/SKILL.md'))).toBe(true);
    expect(desk.record().target).toBe(join(dotfiles, 'agents-handoff'));
  });

  it('refuses to copy a folder onto itself, or into a folder that holds it', async () => {
    await install();
    const own = { source: desk.copy() };
    const before = desk.tree();
    for (const argv of [['install', '--claude', '--force'], ['install', '--path', desk.copy()], ['update'], ['install', '--path', desk.path('.claude')]]) {
      expect(await desk.say(argv, own), argv.join(' ')).toMatchObject({ status: 1, err: expect.stringMatching(/same folder|holds the folder/) });
    }
    expect(desk.tree()).toEqual(before);
    // Another copy from an installed one is whole all the same.
    expect((await desk.say(['install', '--codex'], own)).status).toBe(0);
    expect(await desk.say(['update'], own)).toMatchObject({ status: 0, err: expect.stringMatching(/is the copy that runs/), out: expect.stringMatching(/up to date.*\.codex/) });
  });
});

describe('update', () => {
  it('replaces what is as it was, brings what is new, deletes what is gone, and keeps everything else', async () => {
    await install();
    put(join(desk.copy(), 'projects/p/s/HANDOFF.md'), 'a handoff\n');
    put(join(desk.copy(), 'INDEX.json'), '[]');
    put(join(desk.copy(), 'handoff.config.json'), '{}');
    put(join(desk.copy(), 'docs/mine.md'), 'mine\n');
    const { status, out } = await update();
    expect([status, out]).toEqual([0, `install: updated to ${VERSION} -> ${desk.copy()} (5 files)\n`]);
    for (const [name, content] of Object.entries(LATER)) expect(read(name)).toBe(content);
    expect(existsSync(join(desk.copy(), 'docs/OLD.md'))).toBe(false);
    for (const name of ['projects/p/s/HANDOFF.md', 'INDEX.json', 'handoff.config.json', 'docs/mine.md']) expect(existsSync(join(desk.copy(), name)), name).toBe(true);
    expect((await update()).out).toBe(`install: up to date: ${VERSION} at ${desk.copy()}\n`);
  });

  it('leaves an edited file and names it; with --force it goes to .orig', async () => {
    await install();
    writeFileSync(join(desk.copy(), 'docs/GUIDE.md'), 'mine\n');
    writeFileSync(join(desk.copy(), 'docs/OLD.md'), 'mine too\n');
    expect((await update()).out).toMatch(/edited, kept as it is: docs\/GUIDE\.md\n {2}edited, no longer part of the copy: docs\/OLD\.md\n/);
    expect([read('docs/GUIDE.md'), read('docs/OLD.md'), read('SKILL.md')]).toEqual(['mine\n', 'mine too\n', LATER['SKILL.md']]);
    expect(await desk.say(['verify'])).toMatchObject({ status: 1, out: expect.stringMatching(/FAIL .*\n {2}changed: docs\/GUIDE\.md\n$/) });
    expect((await update('--force')).out).toMatch(/edited: docs\/GUIDE\.md, kept as docs\/GUIDE\.md\.orig/);
    expect([read('docs/GUIDE.md'), read('docs/GUIDE.md.orig'), read('docs/OLD.md')]).toEqual([LATER['docs/GUIDE.md'], 'mine\n', 'mine too\n']);
    expect((await desk.say(['verify'])).status).toBe(0);
  });

  it('is refused while somebody works in the store of the copy, and by no dead holder', async () => {
    await install();
    const lock = join(desk.copy(), '.locks/0123456789abcdef01234567.lock');
    const holder = (pid: number, host: string) => JSON.stringify({ pid, host, started: '', token: 'a'.repeat(24), key: 'session:s', operation: 'build', at: '2026-01-01T00:00:00.000Z' });
    const before = read('SKILL.md');
    for (const content of [holder(process.pid, hostname()), holder(1, 'another-host'), String(process.pid)]) {
      put(lock, content);
      for (const said of [await update(), await remove('--force'), await install('--force')]) expect(said).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/is at work/) });
    }
    expect(read('SKILL.md')).toBe(before);
    put(lock, holder(2 ** 22 + 1, hostname()));
    expect((await update()).status).toBe(0);
  });

  it('to an older version that nobody asked for is said to be one', async () => {
    await desk.say(['--claude']);
    put(join(desk.copy(), RECORD), JSON.stringify({ ...desk.record(), version: '99.1.0' }));
    expect(await desk.say(['update'])).toMatchObject({ status: 0, err: expect.stringMatching(/was 99\.1\.0, which is newer than \d.*npx agents-handoff@99\.1\.0 update/) });
    put(join(desk.copy(), RECORD), JSON.stringify({ ...desk.record(), version: '2.0.5' }));
    expect(await desk.say(['update'])).toMatchObject({ status: 0, err: '' });
  });

  it('without a target brings up every installation that can be found, and none is an error', async () => {
    expect(await desk.say(['update'])).toMatchObject({ status: 1, err: expect.stringMatching(/nothing is installed/) });
    expect(await update()).toMatchObject({ status: 1, err: expect.stringMatching(new RegExp(`nothing is installed at ${desk.copy()}`)) });
    await install();
    await desk.say(['install', '--harness', 'gemini']);
    await desk.say(['install', '--project', '--agents']);
    expect((await desk.say(['update'], { source: desk.later })).out.match(/updated to/g)).toHaveLength(3);
  });
});

describe('an installation of 2.0.x', () => {
  const OLD = { 'SKILL.md': 'old skill\n', 'tools/handoff.mjs': 'old\n', 'refs/a.md': 'ref\n' };

  it.each(['names', 'rows', 'map'] as const)('whose record lists %s is found, verified, updated and removed by it', async (form) => {
    older(desk.copy(), OLD, form);
    put(join(desk.copy(), 'package.json'), '{"private":true,"type":"module"}');
    put(join(desk.copy(), 'projects/p/s/manifest.json'), '{}');
    expect((await desk.say(['list'])).out).toBe(`install: 2.0.5  3 files  ok  ${desk.copy()}\n`);
    // Its program is none: the hashes fit, the start does not.
    expect((await desk.say(['verify'])).out).toMatch(/FAIL .*\n {2}tools\/handoff\.mjs config ended with 1: ReferenceError: old is not defined/);
    writeFileSync(join(desk.copy(), 'refs/a.md'), 'edited\n');
    expect((await desk.say(['verify'])).out).toMatch(form === 'names' ? /changed: SKILL\.md, tools\/handoff\.mjs, refs\/a\.md/ : /changed: refs\/a\.md\n/);
    writeFileSync(join(desk.copy(), 'refs/a.md'), OLD['refs/a.md']);

    expect((await desk.say(['update', '--dry-run'], { source: desk.later })).out).toMatch(/would update.*\n(.*\n)* {2}delete refs\/a\.md\n/);
    expect(await update()).toMatchObject({ status: 0, out: expect.stringMatching(/updated to .* from 2\.0\.5/) });
    expect(existsSync(join(desk.copy(), 'refs'))).toBe(false);
    expect((await desk.say(['verify'])).status).toBe(0);
    expect(await remove('-f')).toMatchObject({ status: 0 });
    expect(Object.keys(desk.tree(desk.copy()))).toEqual(['projects', 'projects/p', 'projects/p/s', 'projects/p/s/manifest.json'].sort());
  });

  it('can be removed as it is, with the private package.json', async () => {
    older(desk.copy(), OLD, 'rows');
    put(join(desk.copy(), 'package.json'), '{"private":true}');
    expect((await remove('-f')).status).toBe(0);
    expect(existsSync(desk.copy())).toBe(false);
    older(desk.copy(), OLD, 'rows');
    put(join(desk.copy(), 'package.json'), '{"private":true,"scripts":{"mine":"x"}}');
    expect((await remove('-f')).out).toMatch(/kept: .*package\.json/);
  });

  it('whose record has names only keeps what cannot be told', async () => {
    older(desk.copy(), OLD, 'names');
    writeFileSync(join(desk.copy(), 'SKILL.md'), 'edited\n');
    expect(await remove('-f')).toMatchObject({ status: 1, err: expect.stringMatching(/`update` keeps what differs as \.orig, then remove/) });
    expect((await update()).status).toBe(0);
    expect([read('SKILL.md'), read('SKILL.md.orig')]).toEqual([LATER['SKILL.md'], 'edited\n']);
    expect((await remove('-f')).status).toBe(0);
  });

  it('without a record is neither a pass nor a failure, and is replaced only by force', async () => {
    older(desk.copy(), OLD, 'none');
    expect(await desk.say(['verify'])).toMatchObject({ status: 0, out: expect.stringMatching(/no record .*neither pass nor fail/) });
    expect((await desk.say(['list'])).out).toMatch(/unknown .* no-record/);
    expect(await update()).toMatchObject({ status: 1, err: expect.stringMatching(/installed without a record/) });
    expect(await remove('-f')).toMatchObject({ status: 1, err: expect.stringMatching(/has no record/) });
    // Each of several is told once, with what helps it.
    older(desk.copy('.gemini/skills'), OLD, 'none');
    const { err } = await desk.say(['remove', '--all', '-f']);
    expect(err.match(/has no record/g)).toHaveLength(2);
    expect((await desk.say(['verify'])).out).toContain(`\`npx agents-handoff install --force --path ${desk.copy('.gemini/skills')}\` writes one`);
    expect((await update('--force')).status).toBe(0);
    expect([read('SKILL.md'), read('SKILL.md.orig')]).toEqual([LATER['SKILL.md'], OLD['SKILL.md']]);
    expect((await desk.say(['remove', '--all', '-f'])).status).toBe(1);
    expect([existsSync(join(desk.copy(), RECORD)), existsSync(join(desk.copy('.gemini/skills'), 'SKILL.md'))]).toEqual([false, true]);
  });

  it('whose record names files outside of the copy touches none of them', async () => {
    put(desk.path('.bashrc'), 'mine\n');
    older(desk.copy(), OLD, 'rows');
    const record = { ...desk.record(), files: [...desk.record().files, { path: '../../../.bashrc', sha256: sha256('mine\n') }] };
    put(join(desk.copy(), RECORD), JSON.stringify(record));
    expect((await desk.say(['verify'])).out).toMatch(/names "\.\.\/\.\.\/\.\.\/\.bashrc", which no installer puts there/);
    await update();
    await remove('-f');
    expect(readFileSync(desk.path('.bashrc'), 'utf8')).toBe('mine\n');
  });

  it('whose record cannot be read is replaced only by force', async () => {
    older(desk.copy(), OLD, 'rows');
    writeFileSync(join(desk.copy(), RECORD), '{');
    expect(await desk.say(['verify'])).toMatchObject({ status: 1, out: expect.stringMatching(/is not JSON/) });
    expect((await update()).err).toMatch(/is not JSON; --force/);
    expect((await desk.say(['list'])).out).toMatch(/ {2}differs \(.*is not JSON\) {2}/);
    expect((await remove('-f')).status).toBe(1);
    expect((await update('-f')).status).toBe(0);
    expect((await desk.say(['verify'])).status).toBe(0);
  });
});

describe('remove', () => {
  it('takes away what was put there, twice without harm, and asks first', async () => {
    await install();
    const before = desk.tree();
    expect(await remove()).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/nobody confirmed it \(--force/) });
    expect((await remove('--dry-run')).out).toMatch(/would remove/);
    expect(desk.tree()).toEqual(before);
    expect(await remove('--force')).toMatchObject({ status: 0, out: expect.stringMatching(/removed .* \(5 files\)/) });
    expect(Object.keys(desk.tree())).toEqual(['.claude', '.claude/skills']);
    expect(await remove('--force')).toMatchObject({ status: 0, out: expect.stringMatching(/nothing was removed/) });
    expect(await remove()).toMatchObject({ status: 0 });
    expect(await desk.say(['remove'])).toMatchObject({ status: 0, out: 'install: nothing is installed; nothing was removed\n' });
  });

  it('keeps an edited file, a store and everything that is not recorded, and says so', async () => {
    await install();
    writeFileSync(join(desk.copy(), 'SKILL.md'), 'mine\n');
    put(join(desk.copy(), 'projects/p/s/manifest.json'), '{}');
    put(join(desk.copy(), 'docs/notes.md'), 'notes\n');
    const { status, out } = await remove('--force');
    expect(status).toBe(0);
    expect(out).toMatch(/edited, kept: SKILL\.md\n {2}kept: .*SKILL\.md, .*docs, .*projects\n.*handoffs are kept there: HANDOFFS_ROOT=/);
    expect(Object.keys(desk.tree(desk.copy())).filter((name) => name.includes('.'))).toEqual(['SKILL.md', 'docs/notes.md', 'projects/p/s/manifest.json'].sort());
    expect((await remove('--force')).status).toBe(1);
    rmSync(join(desk.copy(), 'SKILL.md'));
    expect((await remove('--force')).out).toMatch(/nothing was removed/);
    // The store is used again by a copy that comes back.
    expect((await install()).status).toBe(0);
    expect(existsSync(join(desk.copy(), 'projects/p/s/manifest.json'))).toBe(true);
  });

  it('without a target takes the only one there is, and does not choose among several', async () => {
    await install();
    await desk.say(['install', '--harness', 'gemini']);
    expect(await desk.say(['remove', '--force'])).toMatchObject({ status: 2, err: expect.stringMatching(/there are 2 installations, so name one, or --all/) });
    expect((await desk.say(['remove', '--all', '--force'])).out.match(/removed/g)).toHaveLength(2);
    await install();
    expect((await desk.say(['remove', '-f'])).status).toBe(0);
    expect(existsSync(desk.copy())).toBe(false);
  });
});

describe('a copy that a killed run left', () => {
  /** What stands after a kill in the middle: the intent, half of the files, no record or the old one. */
  function halfInstalled(): void {
    const known = Object.fromEntries([...Object.entries(SMALL), ...Object.entries(LATER)].reduce((all, [name, content]) => all.set(name, [...(all.get(name) ?? []), sha256(content)]), new Map<string, string[]>()));
    put(join(desk.copy(), PENDING), JSON.stringify({ operation: 'update', known, record: { version: VERSION, files: [], links: [], hooks: [] } }));
    put(join(desk.copy(), 'docs/GUIDE.md'), LATER['docs/GUIDE.md'] ?? '');
    put(join(desk.copy(), 'docs/NEW.md'), LATER['docs/NEW.md'] ?? '');
  }

  it('says so, and the next run finishes it, whichever that is', async () => {
    await install();
    halfInstalled();
    expect(await desk.say(['verify'])).toMatchObject({ status: 1, out: expect.stringMatching(/interrupted: update did not come to its end/) });
    expect((await desk.say(['list'])).out).toMatch(/interrupted/);
    expect((await desk.say(['doctor'])).status).toBe(1);
    expect(await install()).toMatchObject({ status: 0, out: expect.stringMatching(/finished what was interrupted/) });
    expect(await desk.say(['verify'])).toMatchObject({ status: 0 });
    expect(existsSync(join(desk.copy(), 'docs/NEW.md'))).toBe(false);
    halfInstalled();
    expect(await update()).toMatchObject({ status: 0, out: expect.stringMatching(/finished/) });
    expect(read('docs/GUIDE.md')).toBe(LATER['docs/GUIDE.md']);
    halfInstalled();
    expect((await remove('-f')).status).toBe(0);
    expect(existsSync(desk.copy())).toBe(false);
    halfInstalled();
    expect((await install()).status).toBe(0);
    expect((await desk.say(['verify'])).status).toBe(0);
  });

  it('is finished where the intent itself cannot be read', async () => {
    await install();
    put(join(desk.copy(), PENDING), '{');
    expect((await desk.say(['verify'])).status).toBe(1);
    expect((await update()).status).toBe(0);
    expect((await desk.say(['verify'])).status).toBe(0);
  });
});

describe('what the copy says of itself', () => {
  it('is where its files come from, and the record as it stands', async () => {
    const { out } = await install('--provenance', '--record');
    expect(out).toMatch(new RegExp(` {2}provenance: kind=tree path=${desk.small} installer_version=${VERSION} installed_at=`));
    expect(out).toContain('"schema_version": "1.0-install-provenance"');
    expect((await desk.say(['list', '--provenance'])).out).toMatch(/provenance: kind=tree/);
    expect(JSON.parse((await desk.say(['verify', '--json'])).out)).toMatchObject({ ok: true, results: [{ verdict: 'pass', version: VERSION, record: { file_count: 5 } }] });
  });

  it('is a failure of verify where a file is missing, changed, or the record was', async () => {
    await install();
    unlinkSync(join(desk.copy(), 'docs/OLD.md'));
    writeFileSync(join(desk.copy(), 'docs/GUIDE.md'), 'x');
    expect(await desk.say(['verify'])).toMatchObject({ status: 1, out: expect.stringMatching(/changed: docs\/GUIDE\.md\n {2}missing: docs\/OLD\.md\n/) });
    const record = desk.record();
    const hash = (name: string): string => sha256(readFileSync(join(desk.copy(), name)));
    put(join(desk.copy(), RECORD), JSON.stringify({ ...record, files: record.files.filter(({ path }) => path !== 'docs/OLD.md').map((file) => ({ ...file, sha256: hash(file.path) })) }));
    expect(await desk.say(['verify'])).toMatchObject({ status: 1, out: expect.stringMatching(/does not agree with its own files_sha256\n {2}the record says 5 files and lists 4\n/) });
  });

  it('is heard of every other copy where one may not be looked at', async () => {
    await desk.say(['--claude']);
    await desk.say(['--agents']);
    const hidden = desk.copy('.agents/skills');
    rmSync(join(hidden, RECORD));
    // Who runs the tests may be one to whom nothing is denied: a link to itself can be read by nobody.
    symlinkSync(RECORD, join(hidden, RECORD));
    for (const verb of ['verify', 'doctor']) {
      const { status, out } = await desk.say([verb]);
      expect([status, out], verb).toEqual([1, expect.stringMatching(/install: FAIL [^\n]*\.agents[^\n]*\n {2}[^\n]*cannot be read \(ELOOP\)\n(.*\n)*?install: PASS [^\n]*\.claude/)]);
    }
    expect(JSON.parse((await desk.say(['list', '--json'])).out)).toMatchObject([{ target: hidden, state: 'differs' }, { target: desk.copy(), state: 'ok' }]);
    expect(await desk.say(['--codex', '--harness', 'windsurf'])).toMatchObject({ status: 1, err: expect.stringMatching(/cannot be read/) });
    expect(await desk.say(['--harness', 'windsurf', '--skills-dir', 'x'])).toMatchObject({ status: 2 });
    expect((await desk.say(['--skills-dir', 'x'])).status).toBe(0);
  });

  it.skipIf(process.getuid?.() === 0)('names a file that may not be read, apart from those that were changed', async () => {
    await desk.say(['--claude']);
    chmodSync(join(desk.copy(), 'SKILL.md'), 0);
    expect(await desk.say(['verify'])).toMatchObject({ status: 1, out: expect.stringMatching(/^install: FAIL [^\n]*\n {2}may not be read: SKILL\.md\n$/) });
  });

  it('is that it does not start, and only where every hash is right is that tried', async () => {
    const ran = join(desk.dir, 'ran');
    const source = product(join(desk.dir, 'broken'), { ...SMALL, 'tools/handoff.mjs': `import fs from 'node:fs'; fs.appendFileSync(${JSON.stringify(ran)}, 'x'); process.exit(3);\n` });
    await desk.say(['install', '--claude'], { source });
    expect(await desk.say(['verify'])).toMatchObject({ status: 1, out: expect.stringMatching(/tools\/handoff\.mjs config ended with 3/) });
    expect(readFileSync(ran, 'utf8')).toBe('x');
    writeFileSync(join(desk.copy(), 'docs/GUIDE.md'), 'x');
    expect((await desk.say(['verify'])).status).toBe(1);
    expect(readFileSync(ran, 'utf8')).toBe('x');
  });
});
