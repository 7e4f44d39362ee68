import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRoot } from '../../../src/lib/handoff-root.mts';
import { freshFolder } from '../../helpers/run.ts';

let top: string;
beforeEach(() => { top = freshFolder(); });
afterEach(() => rmSync(top, { recursive: true, force: true }));

function folder(...path: string[]): string {
  const made = join(top, ...path);
  mkdirSync(made, { recursive: true });
  return made;
}

function file(path: string, content: unknown = ''): string {
  const full = join(top, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, typeof content === 'string' ? content : JSON.stringify(content));
  return full;
}

const find = (cwd: string, env: Record<string, string> = {}, home = '/opt/skill') => findRoot({ cwd: folder(cwd), env: { HOME: join(top, 'user'), ...env }, home });

describe('HANDOFFS_ROOT', () => {
  it('comes before everything, against the current directory', () => {
    folder('a/handoffs');
    file('a/handoff.config.json', { handoff_dir: 'x', project_name: 'p' });
    expect(find('a', { HANDOFFS_ROOT: '../elsewhere' })).toMatchObject({
      root: join(top, 'elsewhere'), source: 'env', configFile: join(top, 'a/handoff.config.json'), config: { project_name: 'p' },
    });
  });

  it('counts as not set where it is empty', () => {
    folder('a/handoffs');
    expect(find('a', { HANDOFFS_ROOT: '' }).source).toBe('discover');
  });

  it('has to name a folder, or a place where one can be made; so has a configuration', () => {
    const no = (name: string) => ({ code: 'CONFIG', message: expect.stringContaining(name) as string });
    expect(() => find('a', { HANDOFFS_ROOT: file('a/t.jsonl') })).toThrowError(expect.objectContaining(no('a/t.jsonl, which HANDOFFS_ROOT names')));
    expect(() => find('a', { HANDOFFS_ROOT: 't.jsonl/below/it' })).toThrowError(expect.objectContaining(no('a/t.jsonl/below/it, which HANDOFFS_ROOT names, lies below ')));
    symlinkSync('nowhere', join(top, 'a/gone'));
    expect(() => find('a', { HANDOFFS_ROOT: 'gone/' })).toThrowError(expect.objectContaining(no('a/gone, ')));
    expect(find('a', { HANDOFFS_ROOT: 'new/deep/' }).root).toBe(join(top, 'a/new/deep'));
    const config = file('b/handoff.config.json', { storage: { path: '../a/t.jsonl' } });
    expect(() => find('b')).toThrowError(expect.objectContaining(no(`a/t.jsonl, which ${config} names`)));
    symlinkSync(folder('real'), join(top, 'a/link'));
    expect(find('a', { HANDOFFS_ROOT: 'link' }).root).toBe(join(top, 'a/link'));
  });

  it('does not hide an invalid configuration', () => {
    file('a/handoff.config.json', '{');
    expect(() => find('a', { HANDOFFS_ROOT: '/x' })).toThrowError(expect.objectContaining({ code: 'CONFIG' }));
  });
});

describe('the walk', () => {
  it('takes a configuration before a handoffs folder beside it', () => {
    folder('a/handoffs');
    file('a/handoff.config.json', { handoff_dir: 'mine' });
    expect(find('a')).toMatchObject({ root: join(top, 'a/mine'), source: 'config', configFile: join(top, 'a/handoff.config.json') });
  });

  it('resolves the folder from where the configuration is, and storage.path before handoff_dir', () => {
    file('a/handoff.config.json', { handoff_dir: 'one', storage: { path: '../two' } });
    expect(find('a/b/c').root).toBe(join(top, 'two'));
    file('d/handoff.config.json', { storage: { path: '/abs/three' } });
    expect(find('d').root).toBe('/abs/three');
  });

  it('takes the nearest of both kinds', () => {
    file('a/handoff.config.json', { handoff_dir: 'far' });
    folder('a/b/handoffs');
    expect(find('a/b/c')).toMatchObject({ root: join(top, 'a/b/handoffs'), source: 'discover' });
    expect(find('a/b/c')).not.toHaveProperty('configFile');
  });

  it('goes on past a configuration that names no folder, and keeps its keys', () => {
    folder('a/handoffs');
    const near = file('a/b/handoff.config.json', { project_name: 'near' });
    expect(find('a/b/c')).toMatchObject({ root: join(top, 'a/handoffs'), source: 'discover', configFile: near, config: { project_name: 'near' } });
  });

  it('fills what a nearer configuration leaves out from the one that names the folder', () => {
    const far = file('a/handoff.config.json', { handoff_dir: 'h', project_name: 'far', redaction: { patterns: ['x+'] } });
    file('a/b/handoff.config.json', { project_name: 'near' });
    expect(find('a/b')).toMatchObject({ root: join(top, 'a/h'), configFile: far, config: { project_name: 'near', redaction: { patterns: ['x+'] } } });
  });

  it('looks into ten parents and not into the eleventh', () => {
    folder('a/handoffs');
    expect(find('a/1/2/3/4/5/6/7/8/9/10').source).toBe('discover');
    expect(find('a/1/2/3/4/5/6/7/8/9/10/11').source).not.toBe('discover');
  });

  it('passes a file named handoffs and follows a link to a folder', () => {
    file('a/handoffs', 'text');
    expect(find('a').source).toBe('default');
    folder('b');
    symlinkSync(folder('real'), join(top, 'b/handoffs'));
    expect(find('b')).toMatchObject({ root: join(top, 'b/handoffs'), source: 'discover' });
  });

  it.each([
    ['no JSON', 'nope'],
    ['an unknown key', { handoff_dirs: 'x' }],
    ['a wrong type', { storage: { path: 1 } }],
  ])('stops at a configuration with %s, and never falls through', (_what, content) => {
    folder('a/handoffs');
    const path = file('a/b/handoff.config.json', content);
    expect(() => find('a/b')).toThrowError(expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(path) }));
  });

  it('stops at a configuration that is a folder', () => {
    folder('a/handoff.config.json');
    expect(() => find('a')).toThrowError(expect.objectContaining({ code: 'CONFIG' }));
  });

  it('hands on the notes of the configuration', () => {
    file('a/handoff.config.json', { auto_capture: true, handoff_dir: 'h' });
    expect(find('a').notes).toHaveLength(1);
  });
});

describe('without a store on the way', () => {
  it('is the skill directory', () => {
    expect(find('a', {}, '/opt/skill')).toMatchObject({ root: '/opt/skill', source: 'default' });
  });

  it('is a folder of the user for a copy inside a node_modules', () => {
    expect(find('a', {}, '/x/node_modules/agents-handoff').root).toBe(join(top, 'user/.agents/handoffs'));
    expect(find('a', {}, '/x/my_node_modules/agents-handoff').root).toBe('/x/my_node_modules/agents-handoff');
  });

  it('is the installed copy for one inside a node_modules, the shared folders first', () => {
    const home = '/x/node_modules/agents-handoff';
    file('user/.qwen/skills/agents-handoff/SKILL.md');
    expect(find('a', {}, home).root).toBe(join(top, 'user/.qwen/skills/agents-handoff'));
    file('user/.codex/skills/agents-handoff/SKILL.md');
    expect(find('a', {}, home).root).toBe(join(top, 'user/.codex/skills/agents-handoff'));
    file('user/.claude/skills/agents-handoff/SKILL.md');
    expect(find('a', {}, home).root).toBe(join(top, 'user/.claude/skills/agents-handoff'));
    folder('user/.agents/skills/agents-handoff');
    expect(find('a', {}, home).root).toBe(join(top, 'user/.claude/skills/agents-handoff'));
    file('user/.agents/skills/agents-handoff/SKILL.md');
    expect(find('a', {}, home).root).toBe(join(top, 'user/.agents/skills/agents-handoff'));
  });

  it('finds a harness whose folder a variable has moved, and names a linked copy by its real folder', () => {
    file('real/agents-handoff/SKILL.md');
    folder('claude/skills');
    symlinkSync(join(top, 'real/agents-handoff'), join(top, 'claude/skills/agents-handoff'));
    expect(find('a', { CLAUDE_CONFIG_DIR: join(top, 'claude') }, '/x/node_modules/agents-handoff').root).toBe(join(top, 'real/agents-handoff'));
  });

  it('takes an empty HOME for none, and names an absolute folder still', () => {
    const before = process.env['HOME'];
    process.env['HOME'] = '';
    try {
      expect(findRoot({ cwd: top, env: { HOME: '' }, home: '/x/node_modules/agents-handoff' }).root).toMatch(/^(?:[/]|[A-Z]:).*(?:handoffs|agents-handoff)$/);
    } finally {
      if (before === undefined) delete process.env['HOME'];
      else process.env['HOME'] = before;
    }
  });

  it('needs no HOME where the skill directory is the answer', () => {
    expect(findRoot({ cwd: folder('a'), env: {}, home: '/opt/skill' }).root).toBe('/opt/skill');
  });
});
