/** Hooks by way of the installer: what `install --hooks` records is what `remove` takes out. */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../helpers/desk.ts';
import { Home, PENDING, RECORD, put } from '../../helpers/home.ts';

let desk: Home;
beforeEach(() => { desk = new Home().clients('.claude', '.codex', '.gemini'); });
afterEach(() => desk.remove());

const settings = (): string => readFileSync(desk.path('.claude/settings.json'), 'utf8');

describe('install --hooks', () => {
  it('in a repository goes with a clone of it, and not with a copy of the copy', async () => {
    const [one, two] = [join(desk.dir, 'one'), join(desk.dir, 'two')];
    mkdirSync(join(one, '.git'), { recursive: true });
    await desk.say(['--project', '--harness', 'claude,codex', '--hooks'], { cwd: one });
    cpSync(one, two, { recursive: true, verbatimSymlinks: true });
    const wired = (repo: string): string => readFileSync(join(repo, '.claude/settings.json'), 'utf8');
    const [before, shared] = [wired(one), join(two, '.agents/skills/agents-handoff')];
    expect((await desk.say(['verify', '--project'], { cwd: two })).status).toBe(0);

    // Wired here, the entry that starts the other place is replaced.
    await desk.say(['--project', '--claude', '--hooks'], { cwd: two });
    expect(wired(two).replaceAll(two, one)).toBe(before);
    expect(desk.record(shared)).toMatchObject({ target: shared, links: [join(two, '.claude/skills/agents-handoff')] });

    cpSync(shared, join(two, '.agents/skills/other'), { recursive: true });
    expect((await desk.say(['remove', '--path', join(two, '.agents/skills/other'), '-f'])).out).not.toContain('hooks in');
    expect(wired(two)).toContain(shared);

    const removed = await desk.say(['remove', '--project', '-f'], { cwd: two });
    expect(removed.out.match(/^ {2}hooks in .*/gm)).toEqual(['.claude/settings.json', '.codex/hooks.json'].map((name) => `  hooks in ${join(two, name)}: removed`));
    expect([existsSync(join(two, '.claude/settings.json')), existsSync(join(two, '.codex/hooks.json')), existsSync(join(two, '.claude/skills/agents-handoff'))]).toEqual([false, false, false]);
    expect(wired(one)).toBe(before);
  });

  it('is undone only where all of it can be: a removal that would stop in between does not begin, and a dry run tells', async () => {
    writeFileSync(desk.path('.claude/settings.json'), '{"a": 1}\n');
    await desk.say(['--claude', '--hooks']);
    chmodSync(desk.path('.claude/settings.json'), 0o444);
    expect(await desk.say(['remove', '-f'])).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/settings\.json is read-only/) });
    expect((await desk.say(['verify'])).out).toMatch(/^install: PASS/);
    chmodSync(desk.path('.claude/settings.json'), 0o644);
    expect((await desk.say(['remove', '--dry-run'])).out).toMatch(/\n {2}hooks in .*settings\.json: would be removed\n/);
    expect((await desk.say(['update', '--dry-run'])).out).toMatch(/\n {2}hooks in .*settings\.json \(/);
    expect(settings()).toContain('auto --hook');
    await desk.say(['remove', '-f']);
    expect(settings()).toBe('{"a": 1}\n');
  });

  it('that was killed before the hooks is finished by an update, and a repository cannot ask for hooks elsewhere in that way', async () => {
    await desk.say(['--claude', '--hooks']);
    const [record, wired] = [desk.record(), settings()];
    const interrupt = (copy: string): void => {
      put(join(copy, PENDING), JSON.stringify({ operation: 'install', known: {}, record: { ...record, target: copy } }));
      put(join(copy, RECORD), JSON.stringify({ ...desk.record(copy), hooks: [] }));
      rmSync(desk.path('.claude/settings.json'), { force: true });
    };
    interrupt(desk.copy());
    expect((await desk.say(['update'])).out).toMatch(/finished what was interrupted/);
    expect([settings(), desk.record().hooks, (await desk.say(['verify'])).status]).toEqual([wired, record.hooks, 0]);

    mkdirSync(join(desk.cwd, '.git'));
    await desk.say(['--project', '--claude']);
    interrupt(join(desk.cwd, '.claude/skills/agents-handoff'));
    expect((await desk.say(['update', '--project', '--claude'])).status).toBe(0);
    expect(existsSync(desk.path('.claude/settings.json'))).toBe(false);
  });

  it('recorded by somebody else names no entry of the user\'s', async () => {
    await desk.say(['--claude', '--hooks']);
    const entry = { type: 'command', command: 'say done' };
    const mine = JSON.stringify({ hooks: { Stop: [{ hooks: [entry] }] } });
    put(desk.path('.claude/settings.json'), mine);
    const [hook] = desk.record().hooks;
    put(join(desk.copy(), RECORD), JSON.stringify({ ...desk.record(), hooks: [{ ...hook, command: entry.command, entry_sha256: sha256(JSON.stringify(entry)) }] }));
    await desk.say(['remove', '-f']);
    expect(settings()).toBe(mine);
  });

  it('wires each harness of the line that has some, once, and remove takes exactly that out', async () => {
    const mine = '{\n  // mine\n  "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ] },\n}\n';
    writeFileSync(desk.path('.claude/settings.json'), mine);
    const { status, out, err } = await desk.say(['--harness', 'claude,codex,gemini,pi', '--hooks']);
    expect([status, out, err]).toEqual([0, expect.stringMatching(/hooks in .*\.claude\/settings\.json \(PreCompact, Stop, SubagentStop, SessionEnd\)/), expect.stringMatching(/no hooks are wired for pi.*\n(.*\n)*.*Codex runs a hook only after it was trusted/)]);
    const copy = desk.copy('.agents/skills');
    const { hooks } = desk.record(copy);
    expect(hooks.map(({ harness, settings: file }) => [harness, file])).toEqual([['claude-code', desk.path('.claude/settings.json')], ['codex', desk.path('.codex/hooks.json')], ['gemini', desk.path('.gemini/settings.json')]]);
    expect(settings()).toContain(`node '${copy}/tools/agents-handoff.mjs' auto --hook`);
    const wired = settings();
    await desk.say(['--harness', 'claude,codex,gemini,pi', '--hooks']);
    await desk.say(['update'], { source: desk.later });
    expect([settings(), desk.record(copy).hooks]).toEqual([wired, hooks]);

    // One harness goes, with its hooks; the others keep theirs.
    expect((await desk.say(['remove', '--codex', '-f'])).out).toMatch(/stays, since it serves others.*\n {2}hooks in .*\.codex\/hooks\.json: removed\n/);
    expect(existsSync(desk.path('.codex/hooks.json'))).toBe(false);
    expect((await desk.say(['remove', '--claude', '-f'])).out).toMatch(/removed the link from .*\.claude.*\n {2}hooks in .*: removed\n/);
    expect(settings()).toBe(mine);
    expect((await desk.say(['remove', '--agents', '-f'])).out).toMatch(/hooks in .*\.gemini\/settings\.json: removed/);
    expect([readdirSync(desk.path('.claude')).sort(), existsSync(desk.path('.gemini/settings.json')), existsSync(copy)]).toEqual([['settings.json', 'skills'], false, false]);
  });

  it('adds to a copy that is there', async () => {
    await desk.say(['--claude']);
    expect((await desk.say(['--claude', '--hooks'])).out).toMatch(/already .*\n {2}hooks in/);
    expect(desk.record().hooks).toHaveLength(1);
    expect((await desk.say(['verify'])).status).toBe(0);
  });

  it('installs nothing where the settings cannot be kept as they are', async () => {
    writeFileSync(desk.path('.claude/settings.json'), '{ "hooks": 7, ');
    const before = desk.tree();
    expect(await desk.say(['--claude', '--hooks'])).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/settings\.json was not changed/) });
    expect(desk.tree()).toEqual(before);
  });

  it('writes nothing in a dry run, and into the repository with --project', async () => {
    mkdirSync(join(desk.cwd, '.git'));
    const before = desk.tree(desk.dir);
    expect((await desk.say(['--claude', '--hooks', '--dry-run'])).out).toMatch(/would wire hooks in .*\.claude\/settings\.json/);
    const { small: _small, ...rest } = desk.tree(desk.dir);
    expect(Object.keys(rest).filter((name) => !name.startsWith('small'))).toEqual(Object.keys(before));
    await desk.say(['--claude', '--hooks', '--project']);
    expect(existsSync(join(desk.cwd, '.claude/settings.json'))).toBe(true);
    expect(existsSync(desk.path('.claude/settings.json'))).toBe(false);
  });

  it('needs a harness that has some', async () => {
    for (const line of [['--hooks'], ['--path', 'x', '--hooks'], ['--harness', 'pi', '--hooks']]) expect(await desk.say(line), line.join(' ')).toMatchObject({ status: 2, err: expect.stringMatching(/claude-code, codex, gemini, qwen/) });
  });

  it('leaves an entry that was changed since, and says so', async () => {
    await desk.say(['--claude', '--hooks']);
    put(desk.path('.claude/settings.json'), settings().replaceAll('"timeout": 30', '"timeout": 5').replaceAll('"timeout":30', '"timeout":5'));
    const changed = settings();
    expect((await desk.say(['remove', '--claude', '-f'])).out).toMatch(/hooks in .*: changed since, left as they are/);
    expect(settings()).toBe(changed);
    // Words behind our own are a change too, of all of them or of one.
    await desk.say(['--codex', '--hooks']);
    const wired = readFileSync(desk.path('.codex/hooks.json'), 'utf8');
    put(desk.path('.codex/hooks.json'), wired.replaceAll('auto --hook', 'auto --hook --more'));
    expect((await desk.say(['remove', '--codex', '-f'])).out).toMatch(/hooks in .*: changed since, left as they are/);
    await desk.say(['--codex', '--hooks']);
    put(desk.path('.codex/hooks.json'), wired.replace('auto --hook', 'auto --hook --more'));
    expect((await desk.say(['remove', '--codex', '-f'])).out).toMatch(/hooks in .*: changed since, left as they are/);
    expect(readFileSync(desk.path('.codex/hooks.json'), 'utf8').match(/auto --hook/g)).toHaveLength(1);
  });
});
