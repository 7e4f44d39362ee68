/** Copies of another published version, from a registry on loopback. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../helpers/desk.ts';
import { Home, SMALL } from '../../helpers/home.ts';
import { Registry } from '../../helpers/registry.ts';
import { packageOf } from '../../helpers/tarball.ts';

const OLD = { 'package.json': '{"name":"agents-handoff","version":"2.0.5"}', 'SKILL.md': 'published\n', 'docs/GUIDE.md': 'guide\n', 'tools/handoff.mjs': SMALL['tools/handoff.mjs'] ?? '' };

let desk: Home;
let registry: Registry;
let url: string;
beforeEach(async () => {
  desk = new Home().clients('.claude');
  registry = new Registry();
  url = (await registry.start()).url;
});
afterEach(async () => {
  await registry.stop();
  desk.remove();
});

const say = (...argv: string[]) => desk.say([...argv, '--registry', url]);
const left = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('agents-handoff-archive-'));

describe('--version', () => {
  it('that is not the one that runs is fetched, checked, and recorded with its address and hash', async () => {
    const archive = packageOf(OLD);
    registry.publish('agents-handoff', '2.0.5', archive);
    const before = left();
    const { status, out } = await say('install', '--claude', '--version', '2.0.5');
    expect([status, out]).toEqual([0, expect.stringMatching(/^install: installed 2\.0\.5 -> .* \(4 files\)\n/)]);
    expect(desk.record()).toMatchObject({ version: '2.0.5', source: { kind: 'archive', ref: '2.0.5', label: 'agents-handoff@2.0.5', archive_sha256: sha256(archive), archive_url: expect.stringMatching(/^http:.*\.tgz$/) } });
    expect(left()).toEqual(before);
    expect((await desk.say(['list'])).out).toMatch(/2\.0\.5 {2}4 files {2}ok/);

    expect(await say('verify-package')).toMatchObject({ status: 0, out: expect.stringMatching(/^install: PASS .*agents-handoff@2\.0\.5\n(.*\n)* {2}record: archive_sha256 is that of the published archive\n$/) });
    writeFileSync(join(desk.copy(), 'SKILL.md'), 'edited\n');
    expect(await say('vp', '--claude')).toMatchObject({ status: 1, out: expect.stringMatching(/FAIL .*\n(.*\n)* {2}SKILL\.md: changed/) });
    writeFileSync(join(desk.copy(), 'SKILL.md'), OLD['SKILL.md']);
    expect((await say('vp', '--version', 'v2.0.5')).status).toBe(0);
    // The version that runs needs no registry, with the letter of a git tag before it either.
    registry.asked.length = 0;
    expect((await desk.say(['update', '--version', 'v3.0.0'])).out).toMatch(/updated to 3\.0\.0 from 2\.0\.5/);
    expect(registry.asked).toEqual([]);
  });

  it('whose archive is not what the registry says, or that is not there, changes nothing', async () => {
    registry.publish('agents-handoff', '2.0.5', packageOf(OLD));
    const name = [...registry.routes.keys()].find((path) => path.endsWith('.tgz'))!;
    registry.routes.set(name, packageOf({ ...OLD, 'SKILL.md': 'another\n' }));
    expect(await say('install', '--claude', '--version', '2.0.5')).toMatchObject({ status: 1, out: '' });
    expect(await say('install', '--claude', '--version', '9.9.9')).toMatchObject({ status: 1, out: '' });
    expect(await say('install', '--claude', '--version', '../x')).toMatchObject({ status: 2, out: '' });
    expect(existsSync(desk.path('.claude/skills'))).toBe(false);
  });

  it('whose archive holds what may not be in a copy, or no skill, is refused', async () => {
    registry.publish('agents-handoff', '2.0.6', packageOf({ ...OLD, 'projects/p/s/manifest.json': '{}' }));
    registry.publish('agents-handoff', '2.0.7', packageOf({ 'package.json': '{}' }));
    expect((await say('install', '--claude', '--version', '2.0.6')).err).toMatch(/"projects\/p\/s\/manifest\.json", which may not be part of a copy/);
    expect((await say('install', '--claude', '--version', '2.0.7')).err).toMatch(/agents-handoff@2\.0\.7 holds no skill: SKILL\.md is missing/);
    expect(existsSync(desk.path('.claude/skills'))).toBe(false);
  });
});

describe('verify-package', () => {
  it('holds the tree that runs against its own version where nothing is installed', async () => {
    const tree = Object.fromEntries(Object.keys({ ...SMALL, 'tools/files.json': '' }).map((name) => [name, readFileSync(join(desk.small, name))]));
    registry.publish('agents-handoff', '3.0.0', packageOf(tree));
    expect(await say('verify-package')).toMatchObject({ status: 0, out: expect.stringMatching(/PASS .*small: agents-handoff@3\.0\.0/) });
    writeFileSync(join(desk.small, 'docs/OLD.md'), 'x');
    expect((await say('verify-package')).status).toBe(1);
  });
});
