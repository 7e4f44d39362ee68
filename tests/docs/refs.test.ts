/** refs/ against the program: the checks of `validate`, the roles, and what is said of each harness. */
import { describe, expect, it } from 'vitest';
import { EVIDENCE_FIELDS, NEXT_AGENTS, PACKET_FIELDS, STATUSES, validate } from '../../src/runtime/validate.mts';
import type { Git } from '../../src/lib/git.mts';
import { PLACES } from '../../src/transcript/places.mts';
import { lineAdapters, wholeAdapters } from '../../src/transcript/registry.mts';
import { named, read, section, table } from '../helpers/markdown.ts';

/** A clean repository that knows every commit. */
const GIT: Git = {
  isRepository: () => true,
  branch: () => 'main',
  commit: (name) => name.padEnd(40, '0'),
  top: () => '/repository',
  changes: () => [],
  distance: () => 0,
  commitsSince: () => 0,
};

describe('refs/validator.md', () => {
  const text = read('refs/validator.md');
  const rows = table(text, 'check');

  it('has the checks that validate runs, in its order', () => {
    const run = validate('', GIT).checks.map(({ check }) => check);
    expect(run).toHaveLength(12);
    expect(named(rows.map(([check = '']) => [check]))).toEqual(run);
    expect(named(table(section(read('docs/RUNTIME.md'), '## A live HANDOFF.md') ?? '', 'check').map(([check = '']) => [check]))).toEqual(run);
  });

  it('names every agent and every status that passes', () => {
    const cell = (check: string): string => rows.find(([name]) => name === `\`${check}\``)?.[1] ?? '';
    for (const one of NEXT_AGENTS) expect(cell('next-agent')).toContain(one);
    for (const one of STATUSES) expect(cell('status')).toContain(one);
  });
});

describe('refs/protocol.md', () => {
  const text = read('refs/protocol.md');

  it('names every status, and the fields of both sections', () => {
    expect(named(table(section(text, '## Status') ?? '', 'status').map(([status = '']) => [status]))).toEqual(STATUSES);
    for (const field of EVIDENCE_FIELDS) expect(section(text, '## Verification Evidence')?.replace(/\n/g, ' ')).toContain(`**${field}**`);
    for (const field of PACKET_FIELDS) expect(section(text, '## Work Packet')?.replace(/\n/g, ' ')).toContain(`**${field}**`);
  });

  it('has examples that validate accepts', () => {
    const examples = [...text.matchAll(/<!-- valid -->\n```markdown\n([^]*?)\n```/g)].map(([, body = '']) => body);
    expect(examples).toHaveLength(2);
    for (const example of examples) {
      const { valid, checks } = validate(example, GIT);
      expect(checks.filter(({ verdict }) => verdict !== 'PASS')).toEqual([]);
      expect(valid).toBe('YES');
    }
  });
});

describe('refs/roles.md', () => {
  it('has a section for every next_agent, and no other', () => {
    expect(read('refs/roles.md').match(/^## .*$/gm)).toEqual(NEXT_AGENTS.map((one) => `## ${one}`));
  });
});

describe('refs/ADAPTERS.md', () => {
  const text = read('refs/ADAPTERS.md');
  const sections = (text.match(/^## .*$/gm) ?? []).map((heading) => ({ heading, rows: new Map(table(section(text, heading) ?? '', 'what').map(([name = '', value = '']) => [name, value])) }));
  const adapters = sections.flatMap(({ rows }) => named([[rows.get('adapter') ?? '']]));

  it('has every adapter once', () => {
    const known = [...lineAdapters, ...wholeAdapters].map(({ id }) => id);
    expect([...new Set(adapters)].sort()).toEqual([...new Set(known)].sort());
    expect(adapters).toHaveLength(new Set(adapters).size);
  });

  it.each(PLACES)('says of $harness where its sessions lie', ({ harness, home, globs, moved }) => {
    const { rows } = sections.find((one) => named([[one.rows.get('adapter') ?? '']]).includes(harness)) ?? { rows: new Map<string, string>() };
    expect(named([[rows.get('store') ?? '']]).sort()).toEqual(globs.map(({ path }) => `~/${home}/${path}`).sort());
    expect(rows.get('moved by')).toBe(moved === undefined ? undefined : `\`${moved.by}\``);
  });

  it('says the same versions as README.md', () => {
    const inReadme = table(section(read('README.md'), '## What is read') ?? '', 'source').filter(([, , , versions = '']) => versions !== '');
    expect(inReadme.length).toBe(PLACES.length);
    for (const [name = '', , , versions = ''] of inReadme) {
      expect(sections.find(({ heading }) => heading === `## ${name}`)?.rows.get('verified with'), name).toBe(versions);
    }
  });
});
