/** Which folders a line means, and what several clients find. */
import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HARNESSES } from '../../../src/install/harnesses.mts';
import { Home, RECORD, SMALL, isLink, product, put } from '../../helpers/home.ts';

let desk: Home;
beforeEach(() => { desk = new Home(); });
afterEach(() => desk.remove());

const copies = (): string[] => Object.keys(desk.tree()).filter((name) => name.endsWith('agents-handoff/SKILL.md') || (name.endsWith('/agents-handoff') && isLink(desk.path(name)))).sort();

describe('one harness', () => {
  it.each(HARNESSES.map(({ id, user, project }) => ({ id, user: user[0]!, project: project[0]! })))('$id gets a copy in its own folder, in the home and in a repository', async ({ id, user, project }) => {
    mkdirSync(join(desk.cwd, '.git'));
    mkdirSync(join(desk.cwd, 'src'));
    expect((await desk.say(['--harness', id])).status).toBe(0);
    expect(copies()).toEqual([`${user}/agents-handoff/SKILL.md`]);
    expect((await desk.say(['--harness', id, '--project'], { cwd: join(desk.cwd, 'src') })).status).toBe(0);
    expect(existsSync(join(desk.cwd, project, 'agents-handoff/SKILL.md'))).toBe(true);
    expect((await desk.say(['remove', '--harness', id, '-f'])).status).toBe(0);
    expect(copies()).toEqual([]);
  });

  it('is found where its own variable says', async () => {
    const env = { CLAUDE_CONFIG_DIR: desk.path('claude here'), CODEX_HOME: desk.path('codex') };
    mkdirSync(env.CODEX_HOME);
    await desk.say(['--claude'], { env });
    await desk.say(['--all'], { env });
    expect(copies()).toEqual(['claude here/skills/agents-handoff/SKILL.md', 'codex/skills/agents-handoff']);
    expect((await desk.say(['list'], { env })).out).toMatch(/^install: .*claude here.*\(also .*codex.*\)\n$/);
    expect((await desk.say(['list'])).out).toMatch(/^install: nothing is installed; `npx agents-handoff install` [^\n]+\n$/);
  });

  it('that reads the shared folder is linked to a copy there, when it is asked for by name', async () => {
    await desk.say(['--agents']);
    expect((await desk.say(['--codex'])).out).toMatch(/already .*\.agents.*\n {2}link .*\.codex\/skills\/agents-handoff\n/);
    expect(readlinkSync(desk.path('.codex/skills/agents-handoff'))).toBe(desk.copy('.agents/skills'));
    expect((await desk.say(['verify'])).status).toBe(0);
  });

  it('is not known by any word', async () => {
    expect(await desk.say(['--harness', 'cluade'])).toMatchObject({ status: 2, err: expect.stringMatching(/unknown harness "cluade", did you mean "claude"\?/) });
    expect((await desk.say(['--harness', ','])).status).toBe(2);
  });
});

describe('several harnesses', () => {
  it('share one real copy, and a link leads to it from where somebody does not read it', async () => {
    const { status, out } = await desk.say(['--harness', 'claude,codex', '--harness', 'windsurf']);
    expect(status).toBe(0);
    expect(copies()).toEqual(['.agents/skills/agents-handoff/SKILL.md', '.claude/skills/agents-handoff', '.codeium/windsurf/skills/agents-handoff']);
    expect(out).toMatch(/ {2}skipped, reads .*\.agents\/skills\/agents-handoff itself: codex\n/);
    expect(desk.record(desk.copy('.agents/skills'))).toMatchObject({ harness: 'claude-code,codex,windsurf', links: [desk.copy(), desk.copy('.codeium/windsurf/skills')] });
    expect(realpathSync(desk.copy())).toBe(desk.copy('.agents/skills'));

    const again = await desk.say(['--harness', 'claude,codex,windsurf']);
    expect(again.out).toMatch(/^install: already/);
    // One of them goes, the others stay.
    expect((await desk.say(['remove', '--claude', '-f'])).out).toMatch(/removed the link from .*\.claude/);
    expect(copies()).toEqual(['.agents/skills/agents-handoff/SKILL.md', '.codeium/windsurf/skills/agents-handoff']);
    expect((await desk.say(['verify'])).status).toBe(0);
    // A link that is missing is a finding, and update makes it again.
    rmSync(desk.copy('.codeium/windsurf/skills'));
    expect(await desk.say(['verify'])).toMatchObject({ status: 1, out: expect.stringMatching(/the link .*windsurf.* is missing, or leads elsewhere/) });
    expect((await desk.say(['update'])).status).toBe(0);
    expect((await desk.say(['verify'])).status).toBe(0);
    expect((await desk.say(['remove', '--agents', '-f'])).status).toBe(0);
    expect(copies()).toEqual([]);
  });

  it('have links that an update makes again only where the copy was put: a copy that was moved, or came with a repository, makes none elsewhere', async () => {
    const [one, two] = [join(desk.dir, 'one'), join(desk.dir, 'two')];
    mkdirSync(join(one, '.git'), { recursive: true });
    const shared = (repo: string): string => join(repo, '.agents/skills/agents-handoff');
    await desk.say(['--project', '--harness', 'claude,codex'], { cwd: one });
    renameSync(one, two);
    expect((await desk.say(['update', '--project'], { cwd: two })).status).toBe(0);
    expect(existsSync(one)).toBe(false);
    expect(desk.record(shared(two))).toMatchObject({ target: shared(two), links: [join(two, '.claude/skills/agents-handoff')] });
    expect((await desk.say(['verify', '--project'], { cwd: two })).status).toBe(0);

    // The record is the repository's word, also where it guesses the place right.
    put(join(shared(two), RECORD), JSON.stringify({ ...desk.record(shared(two)), links: [desk.copy(), join(two, '.claude/skills/agents-handoff')] }));
    rmSync(join(two, '.claude'), { recursive: true });
    expect((await desk.say(['update'], { cwd: two })).status).toBe(0);
    expect(existsSync(desk.path('.claude'))).toBe(false);
    expect(desk.record(shared(two)).links).toEqual([join(two, '.claude/skills/agents-handoff')]);
    expect(existsSync(join(two, '.claude/skills/agents-handoff/SKILL.md'))).toBe(true);
  });

  it('are told of a copy in a repository without running it: whoever wrote the repository wrote its record too', async () => {
    const mark = desk.path('ran');
    const evil = product(join(desk.dir, 'evil'), { ...SMALL, 'tools/handoff.mjs': `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, '');\nconsole.log('handoff: config root=x');\n` });
    mkdirSync(join(desk.cwd, '.git'));
    await desk.say(['--project', '--agents'], { source: evil });
    for (const line of [['verify'], ['doctor'], ['verify', '--project'], ['list']]) expect((await desk.say(line)).status, line.join(' ')).toBe(0);
    expect(existsSync(mark)).toBe(false);
    // Named by a person it is started.
    expect((await desk.say(['verify', '--path', join(desk.cwd, '.agents/skills/agents-handoff')])).out).toMatch(/^install: PASS/);
    expect(existsSync(mark)).toBe(true);
  });

  it('are linked to a real copy that one of them has already', async () => {
    await desk.say(['--claude']);
    expect((await desk.say(['--harness', 'claude,codex'])).status).toBe(0);
    expect(copies()).toEqual(['.claude/skills/agents-handoff/SKILL.md', '.codex/skills/agents-handoff']);
    expect(desk.record().harness).toBe('claude-code,codex');
  });

  it('in a repository are linked by paths that hold in another checkout too', async () => {
    mkdirSync(join(desk.cwd, '.git'));
    await desk.say(['--project', '--harness', 'claude,gemini']);
    expect(readlinkSync(join(desk.cwd, '.claude/skills/agents-handoff'))).toBe('../../.agents/skills/agents-handoff');
  });

  it('are not linked where a file is in the place of a folder, and nothing is begun', async () => {
    put(desk.path('.claude'), 'x');
    expect(await desk.say(['--harness', 'claude,codex'])).toMatchObject({ status: 1, err: expect.stringMatching(/cannot be linked to .*\.agents.*: \S+\.claude is there and is no folder\n$/) });
    expect(desk.tree()).toMatchObject({ '.claude': expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(copies()).toEqual([]);
    // Neither does one that came there later stop an update.
    rmSync(desk.path('.claude'));
    await desk.say(['--harness', 'claude,codex']);
    rmSync(desk.path('.claude'), { recursive: true });
    put(desk.path('.claude'), 'x');
    expect((await desk.say(['update'], { source: desk.later })).status).toBe(0);
    expect(desk.record(desk.copy('.agents/skills')).links).toEqual([]);
    expect((await desk.say(['verify'])).status).toBe(0);
  });

  it('whose skills folders are one folder keep the copy when one of them goes', async () => {
    desk.clients('.agents/skills', '.claude', '.codex');
    symlinkSync('../.agents/skills', desk.path('.claude/skills'));
    await desk.say(['--all', '--hooks']);
    expect((await desk.say(['remove', '--claude', '-f'])).out).toMatch(/stays, since it serves others.*\n {2}hooks in .*\.claude\/settings\.json: removed\n$/);
    expect(desk.record(desk.copy('.agents/skills'))).toMatchObject({ harness: 'codex,agents', hooks: [{ harness: 'codex' }] });
    expect((await desk.say(['verify'])).status).toBe(0);
  });

  it('are not linked over something else of that name', async () => {
    put(desk.path('elsewhere/agents-handoff/x'), 'x');
    mkdirSync(desk.path('.claude/skills'), { recursive: true });
    symlinkSync(desk.path('elsewhere/agents-handoff'), desk.copy());
    expect(await desk.say(['--harness', 'claude,codex'])).toMatchObject({ status: 1, err: expect.stringMatching(/is a link to .*elsewhere.* cannot be linked/) });
    expect(copies()).toEqual(['.claude/skills/agents-handoff']);
    rmSync(desk.copy());
    // The store of a copy that was removed stays where it is, and the copy comes back to it.
    put(join(desk.copy(), 'projects/p/s/manifest.json'), '{}');
    expect((await desk.say(['--harness', 'claude,codex'])).status).toBe(0);
    expect(copies()).toEqual(['.agents/skills/agents-handoff/SKILL.md', '.claude/skills/agents-handoff/SKILL.md']);
  });
});

describe('--all', () => {
  it('takes what is here only: one client, its own folder', async () => {
    desk.clients('.claude');
    const { status, out } = await desk.say(['install', '--all']);
    expect(status).toBe(0);
    expect(copies()).toEqual(['.claude/skills/agents-handoff/SKILL.md']);
    expect(out).toMatch(/ {2}skipped, not here: codex, gemini, /);
  });

  it('writes a folder that several read once', async () => {
    desk.clients('.codex', '.gemini', '.pi');
    const said = await desk.say(['install', '--all', '--json']);
    const { results, skipped } = JSON.parse(said.out) as { results: { target: string; action: string }[]; skipped: { harness: string; why: string }[] };
    expect(results.map(({ target, action }) => [target, action])).toEqual([[desk.copy('.agents/skills'), 'installed']]);
    expect(skipped.filter(({ why }) => why !== 'not here').map(({ harness }) => harness)).toEqual(['codex', 'gemini', 'pi']);
    expect(copies()).toEqual(['.agents/skills/agents-handoff/SKILL.md']);
  });

  it('fails where no client is here', async () => {
    expect(await desk.say(['install', '--all'])).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/no harness is here/) });
    expect(desk.tree()).toEqual({});
  });

  it('goes on past one that fails, and fails as a whole', async () => {
    desk.clients('.claude', '.gemini');
    await desk.say(['--claude']);
    await desk.say(['--harness', 'gemini']);
    writeFileSync(join(desk.copy('.gemini/skills'), '.agents-handoff-install.json'), '{');
    const { status, out, err } = await desk.say(['install', '--all'], { source: desk.later });
    expect([status, out, err]).toEqual([1, expect.stringMatching(/already .*\.claude/), expect.stringMatching(/\.gemini.* is not JSON/)]);
  });
});

describe('two copies', () => {
  it('are warned of where a client would see both, with what it does then', async () => {
    desk.clients('.codex');
    await desk.say(['--codex']);
    const { err } = await desk.say(['--agents']);
    expect(err).toBe(`install: Codex finds 2 copies and lists both, and loads neither when the skill is named: ${desk.copy('.codex/skills')} and ${desk.copy('.agents/skills')}; remove one of them\n`);
    expect((await desk.say(['doctor'])).out).toContain('Codex finds 2 copies');
    expect((await desk.say(['doctor'])).status).toBe(0);
  });

  it('that are one by a link are one', async () => {
    desk.clients('.codex', '.claude');
    await desk.say(['--agents']);
    expect((await desk.say(['--codex'])).err).toBe('');
  });
});

describe('the other targets', () => {
  it('are a skills folder, exactly one folder, and the current folder or repository', async () => {
    const made = [
      [['--skills-dir', 'my skills'], 'my skills/agents-handoff'],
      [['--path', 'exactly'], 'exactly'],
      [['--location', 'local'], 'deep/.agents/skills/agents-handoff'],
      [['--location=project'], '.agents/skills/agents-handoff'],
      [['--project', '--claude', '--harness', 'codex'], '.agents/skills/agents-handoff'],
    ] as const;
    mkdirSync(join(desk.cwd, '.git'));
    mkdirSync(join(desk.cwd, 'deep'));
    for (const [flags, folder] of made) {
      const cwd = flags[0] === '--location' ? join(desk.cwd, 'deep') : desk.cwd;
      expect((await desk.say(['install', ...flags], { cwd })).status, flags.join(' ')).toBe(0);
      expect(existsSync(join(desk.cwd, folder, 'SKILL.md')), folder).toBe(true);
      expect((await desk.say(['verify', ...flags.slice(0, 2)], { cwd })).status, flags.join(' ')).toBe(0);
      expect((await desk.say(['remove', ...flags.slice(0, 2), '-f'], { cwd })).status, flags.join(' ')).toBe(0);
    }
    expect(desk.tree()).toEqual({});
  });

  it('contradict each other in some pairs', async () => {
    for (const flags of [['--path', 'x', '--claude'], ['--path', 'x', '--skills-dir', 'y'], ['--skills-dir', 'x', '--all'], ['--project', '--location', 'global'], ['--location', 'moon'], ['--path', ''], ['--path', 'x', '--project']]) {
      expect(await desk.say(['install', ...flags]), flags.join(' ')).toMatchObject({ status: 2, out: '' });
    }
    expect(desk.tree(desk.dir)).toEqual({ home: 'folder', work: 'folder', small: 'folder', ...Object.fromEntries(Object.entries(desk.tree(join(desk.dir, 'small'))).map(([name, kind]) => [`small/${name}`, kind])) });
  });

  it('name a file where a folder belongs', async () => {
    const file = join(desk.cwd, 'file');
    put(file, 'mine');
    for (const flags of [['--skills-dir', 'file'], ['--path', 'file'], ['--path', 'file/x'], ['--path', 'file/x/y/z'], ['--skills-dir', 'file/x']]) {
      expect(await desk.say(['install', ...flags]), flags.join(' ')).toMatchObject({ status: 1, out: '', err: `install: ${realpathSync(file)} is there and is no folder\n` });
    }
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('need no home where a folder is named', async () => {
    for (const env of [{ HOME: undefined }, { HOME: '/nonexistent/home' }, { HOME: '' }]) {
      const folder = join(desk.cwd, 'here');
      expect((await desk.say(['install', '--skills-dir', folder], { env })).status).toBe(0);
      for (const verb of ['verify', 'list', 'update']) expect((await desk.say([verb, '--skills-dir', folder], { env })).status, verb).toBe(0);
      expect((await desk.say(['remove', '--skills-dir', folder, '-f'], { env })).status).toBe(0);
      for (const line of [['install', '--claude'], ['install', '--all'], ['install'], ['where'], ['verify', '--claude']]) {
        expect(await desk.say(line, { env }), line.join(' ')).toMatchObject({ status: 1, out: '', err: expect.stringMatching(env.HOME ? /the home directory \/nonexistent\/home is not there/ : /HOME is not set/) });
      }
      expect(await desk.say(['list'], { env })).toMatchObject({ status: 0 });
    }
    expect(existsSync('/nonexistent')).toBe(false);
  });
});

describe('the global root', () => {
  const where = async (env = {}) => JSON.parse((await desk.say(['where', '--json'], { env })).out) as { root: string; rule: string };

  it('is what the variable says, an installation, the shared folder, or that one made', async () => {
    expect(await where()).toMatchObject({ root: desk.path('.agents/skills'), rule: 'created' });
    expect((await desk.say(['where'])).out).toMatch(/^install: version=none\ninstall: nothing is installed there; `npx agents-handoff install` .*\n {2}claude-code/m);
    mkdirSync(desk.path('.agents/skills'), { recursive: true });
    expect(await where()).toMatchObject({ root: desk.path('.agents/skills'), rule: 'exists' });
    await desk.say(['--harness', 'qwen']);
    expect(await where()).toMatchObject({ root: desk.path('.qwen/skills'), rule: 'installed', version: expect.any(String) });
    expect(await where({ AGENT_HANDOFF_GLOBAL_DIR: 'mine' })).toMatchObject({ root: join(desk.cwd, 'mine'), rule: 'env' });
    expect((await desk.say(['where'])).out).toMatch(/^install: root=.*\ninstall: rule=installed \(it holds an installation\)\ninstall: copy=.*\ninstall: version=.*\n {2}claude-code +not here/);
    expect((await desk.say(['where', '--harness', 'qwen'])).out).toMatch(/^install: .*\.qwen.* \(\d/);
  });

  it('is where an installation without a target goes, and clients that do not read it are named', async () => {
    desk.clients('.claude');
    expect((await desk.say([])).out).toMatch(/installed .*\.agents\/skills.*\ninstall: not read there by Claude Code: npx agents-handoff install --harness claude-code\n/);
    const named = await desk.say(['install'], { env: { AGENT_HANDOFF_GLOBAL_DIR: desk.path('global') } });
    expect(named.out).toMatch(/installed .*global\/agents-handoff/);
    expect((await desk.say(['list'], { env: { AGENT_HANDOFF_GLOBAL_DIR: desk.path('global') } })).out.split('\n')).toHaveLength(3);
  });
});

describe('the store of a user without a copy', () => {
  it('is moved into the copy that is the default from then on', async () => {
    put(desk.path('.agents/handoffs/projects/p/s/manifest.json'), '{"session":"s"}');
    put(desk.path('.agents/handoffs/INDEX.json'), '[]');
    put(desk.path('.agents/handoffs/links/p.md'), 'x');
    expect(await desk.say(['--claude', '--dry-run'])).toMatchObject({ status: 0, out: expect.stringMatching(/\ninstall: would move the handoffs of .*\.agents\/handoffs into the copy, which is the store then\n$/) });
    expect((await desk.say(['--path', 'x', '--dry-run'])).out).not.toContain('would move');
    expect(existsSync(desk.path('.agents/handoffs/INDEX.json'))).toBe(true);
    expect((await desk.say(['--claude'])).out).toMatch(/moved the handoffs of .*\.agents\/handoffs into .*\.claude\/skills\/agents-handoff, which is the store now/);
    expect(existsSync(desk.path('.agents/handoffs'))).toBe(false);
    for (const name of ['projects/p/s/manifest.json', 'INDEX.json', 'links/p.md']) expect(existsSync(join(desk.copy(), name)), name).toBe(true);
  });

  it('is joined with the one in the copy, and what is there twice stays behind and is named', async () => {
    await desk.say(['--claude']);
    put(join(desk.copy(), 'projects/p/s/manifest.json'), '{"here":1}');
    put(join(desk.copy(), 'INDEX.json'), '[]');
    put(desk.path('.agents/handoffs/projects/p/s/manifest.json'), '{"there":1}');
    put(desk.path('.agents/handoffs/projects/p/t/manifest.json'), '{}');
    put(desk.path('.agents/handoffs/INDEX.json'), '[]');
    expect((await desk.say(['--claude'])).out).toMatch(/left behind, since some of that name are there: projects\/p\/s \(HANDOFFS_ROOT=(\S+) node \1\/tools\/agents-handoff\.mjs federated-merge --from \S+\.agents\/handoffs compares them\)\n/);
    expect(existsSync(join(desk.copy(), 'projects/p/t/manifest.json'))).toBe(true);
    expect(readFileSync(join(desk.copy(), 'projects/p/s/manifest.json'), 'utf8')).toBe('{"here":1}');
    // Neither index tells the whole any more; without one the sessions themselves are looked at.
    expect([existsSync(join(desk.copy(), 'INDEX.json')), existsSync(desk.path('.agents/handoffs/INDEX.json'))]).toEqual([false, false]);
  });

  it('is another one after an installation that comes first, and the handoffs of the one before are named', async () => {
    await desk.say(['--claude']);
    expect((await desk.say(['--agents'])).err).not.toContain('default store');
    await desk.say(['remove', '--agents', '-f']);
    put(join(desk.copy(), 'projects/p/s/manifest.json'), '{}');
    expect((await desk.say(['--agents'])).err).toMatch(/\.agents\/skills\/agents-handoff is the default store now; the handoffs in .*\.claude\/skills\/agents-handoff stay there: HANDOFFS_ROOT=\S+ node \S+ federated-merge --from \S+\.claude\/skills\/agents-handoff brings them over\n/);
    expect((await desk.say(['--agents'])).err).not.toContain('default store');
  });

  it('stays where somebody works in it, or where it was named', async () => {
    put(desk.path('.agents/handoffs/projects/p/s/manifest.json'), '{}');
    put(desk.path('.agents/handoffs/.locks/a.lock'), String(process.pid));
    expect(await desk.say(['--claude'])).toMatchObject({ status: 1, err: expect.stringMatching(/is at work/) });
    expect(copies()).toEqual([]);
    rmSync(desk.path('.agents/handoffs/.locks'), { recursive: true });
    expect((await desk.say(['--claude'], { env: { HANDOFFS_ROOT: desk.path('.agents/handoffs') } })).out).not.toMatch(/moved/);
    expect(existsSync(desk.path('.agents/handoffs/projects'))).toBe(true);
  });
});

describe('doctor', () => {
  it('tells for every client here what it finds, and changes nothing', async () => {
    expect(await desk.say(['doctor'])).toMatchObject({ status: 0, out: expect.stringMatching(/^install: no harness is here and nothing is installed; `npx agents-handoff install` [^\n]+\n$/) });
    desk.clients('.claude', '.codex');
    expect(await desk.say(['doctor'])).toMatchObject({ status: 0, out: expect.stringMatching(/^install: nothing is installed; `npx agents-handoff install` .*\n {2}Claude Code: finds no copy\n {2}Codex: finds no copy\n/) });
    await desk.say(['--claude']);
    const before = desk.tree();
    expect((await desk.say(['doctor'])).out).toMatch(/PASS .*\n {2}Claude Code: finds .*\n {2}Codex: finds no copy\n/);
    expect(desk.tree()).toEqual(before);
    expect((await desk.say(['doctor', '--harness', 'zed'])).out).toBe('  Zed (not here): finds no copy\n');
    writeFileSync(join(desk.copy(), 'SKILL.md'), 'x');
    expect((await desk.say(['doctor'])).status).toBe(1);
    expect((await desk.say(['doctor', '--codex'])).status).toBe(0);
  });

  it('looks above the current folder of a repository for those clients only that do', async () => {
    desk.clients('.codex', '.gemini');
    mkdirSync(join(desk.cwd, '.git'));
    mkdirSync(join(desk.cwd, 'src'));
    await desk.say(['--project', '--agents']);
    expect((await desk.say(['doctor'])).out).toMatch(/Codex: finds \S+\n {2}Gemini CLI: finds \S+\n/);
    expect((await desk.say(['doctor'], { cwd: join(desk.cwd, 'src') })).out).toMatch(/Codex: finds \S+\n {2}Gemini CLI: finds no copy\n/);
  });

  it('finds a link that leads nowhere', async () => {
    desk.clients('.claude/skills');
    symlinkSync(desk.path('gone'), desk.copy());
    expect(await desk.say(['doctor'])).toMatchObject({ status: 1, out: expect.stringMatching(/a link that leads nowhere: .*\.claude/) });
    expect((await desk.say(['remove', '--claude', '-f'])).status).toBe(1);
  });
});

describe.skipIf(process.getuid?.() === 0)('a client\'s folder in which nothing can be written', () => {
  it('stops an installation and a removal before they begin', async () => {
    desk.clients('.claude', '.codex');
    chmodSync(desk.path('.claude'), 0o555);
    expect(await desk.say(['--all'])).toMatchObject({ status: 1, err: expect.stringMatching(/cannot be made: nothing can be written in \S+\.claude\n$/) });
    expect(copies()).toEqual([]);
    chmodSync(desk.path('.claude'), 0o755);
    await desk.say(['--all', '--hooks']);
    for (const folder of ['.claude', '.claude/skills']) {
      chmodSync(desk.path(folder), 0o555);
      for (const line of [['remove', '--all', '-f'], ['remove', '--claude', '-f']]) expect((await desk.say(line)).err, line.join(' ')).toMatch(/nothing can be written in/);
      expect((await desk.say(['verify'])).out).toMatch(/^install: PASS/);
      chmodSync(desk.path(folder), 0o755);
    }
    expect((await desk.say(['remove', '--all', '-f'])).status).toBe(0);
  });
});
