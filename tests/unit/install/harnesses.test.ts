import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HARNESSES, SHARED, harnessOf } from '../../../src/install/harnesses.mts';
import { SKILLS_FOLDERS } from '../../../src/lib/handoff-root.mts';
import { REPOSITORY } from '../../helpers/run.ts';

describe('the table of harnesses', () => {
  it('has the folders in which the store\'s rule looks for an installed copy, in its order', () => {
    expect([...new Set([SHARED, '.claude/skills', ...HARNESSES.flatMap(({ user }) => user)])]).toEqual(SKILLS_FOLDERS);
  });

  it('has each word once', () => {
    const words = HARNESSES.flatMap(({ id, also = [] }) => [id, ...also]);
    expect(new Set(words).size).toBe(words.length);
    expect([harnessOf('claude')?.id, harnessOf('CODEX')?.id, harnessOf('droid')?.id, harnessOf('nobody')]).toEqual(['claude-code', 'codex', 'factory', undefined]);
  });

  it('has folders that stay below the home', () => {
    const folders = HARNESSES.flatMap(({ user, project, presence, hooks }) => [...user, ...project, ...presence, ...(hooks === undefined ? [] : [hooks.user, hooks.project])]);
    expect(folders.filter((folder) => !/^\.[\w.-]+(\/[\w.-]+)*$/.test(folder) || folder.includes('..'))).toEqual([]);
    for (const harness of HARNESSES) expect([harness.user.length, harness.project.length, harness.presence.length], harness.id).not.toContain(0);
  });
});

describe('SKILL.md', () => {
  const text = readFileSync(join(REPOSITORY, 'SKILL.md'), 'utf8');
  const front = /^---\n([^]*?)\n---\n/.exec(text)?.[1] ?? '';
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(front)?.[1] ?? '';

  it('is what every client takes: a name, a short description, line feeds, no mark before it', () => {
    expect(text.startsWith('---\nname: agents-handoff\n')).toBe(true);
    expect(field('description').length).toBeGreaterThan(200);
    expect(field('description').length).toBeLessThan(1024);
    // A colon and a blank in a plain YAML value would end it.
    expect(field('description')).not.toMatch(/: |^["'&*!|>%@`]| #/);
    expect(text).not.toMatch(/\r|\ufeff/);
  });

  it('names the version of the package', () => {
    expect(field('version')).toBe((JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string }).version);
  });

  it('names verbs and documents that are there', async () => {
    const { program: engine } = await import('../../../src/commands/handoff/table.mts');
    const { program: runtime } = await import('../../../src/commands/runtime/table.mts');
    const lines = [...text.matchAll(/tools\/(handoff|agents-handoff)\.mjs" ([a-z-]+)/g)];
    expect(lines.length).toBeGreaterThan(5);
    for (const [, tool, verb] of lines) expect((tool === 'handoff' ? engine : runtime).verbs.map(({ name }) => name), `${tool} ${verb}`).toContain(verb);
    for (const [, document] of text.matchAll(/`(docs\/[\w.]+)`/g)) expect(readFileSync(join(REPOSITORY, document!), 'utf8')).not.toBe('');
  });
});
