import { describe, expect, it } from 'vitest';
import { globMatches } from '../../../src/render/globs.mts';
import { createToolsWriter, toolsHeader } from '../../../src/render/tools.mts';
import { call, numbered, result } from './turns.ts';

const turns = numbered([call('1', 'Read', { file_path: '/w/secrets/key.pem' }), result('1', 'PRIVATE'), call('2', 'Bash', { command: 'cat .env' }), result('2', 'TOKEN=1', { exit: 1, ok: false })]);

describe('TOOLS.md', () => {
  it('holds every tool turn verbatim under its place, and the total at the end', () => {
    const writer = createToolsWriter();
    const text = toolsHeader('s|1\n## x') + turns.flatMap((turn) => writer.entry(turn)).join('') + writer.footer(turns.length);
    expect(text).toContain('# Tool calls: s\\|1 ## x\n');
    expect(text).toContain('## [3] 2026-01-01T00:03:00.000Z result exit 1\n\n```text\nTOKEN=1\n```\n');
    expect(text.endsWith('Total: 4\n')).toBe(true);
  });
  it('fences text that holds fences, and a hostile tool name starts no line', () => {
    const [hostile] = numbered([{ class: 'TOOL', kind: 'call', part: 2, tool: 'x\n# y', text: '```\n# out\n````` \ud83d' }]);
    if (hostile === undefined) throw new Error('no turn');
    expect(createToolsWriter().entry(hostile).join('')).toBe('## [0.2] 2026-01-01T00:00:00.000Z x # y call\n\n``````text\n```\n# out\n````` \ufffd\n``````\n\n');
  });
});

describe('rules for tool outputs', () => {
  const texts = (rules: Parameters<typeof createToolsWriter>[0]): string[] => {
    const writer = createToolsWriter(rules);
    return turns.map((turn) => writer.filteredTool(turn)).filter((turn) => turn.kind === 'result').map((turn) => turn.text);
  };
  it('none: every turn passes as it is', () => {
    const writer = createToolsWriter({});
    expect(writer.isIdentity).toBe(true);
    expect(turns.every((turn) => writer.filteredTool(turn) === turn)).toBe(true);
  });
  it('a pattern replaces the output of what it matches, by path or command, and names itself', () => {
    expect(texts({ exclude_patterns: ['**/secrets/**'] })).toEqual(['[output left out: its target matches capture.exclude_patterns "**/secrets/**"]', 'TOKEN=1']);
    expect(texts({ exclude_patterns: ['*.pem', 'cat .env'] }).join()).not.toMatch(/PRIVATE|TOKEN/);
  });
  it('outputs can be left out, calls stay', () => {
    expect(texts({ include_tool_outputs: false })).toEqual(Array(2).fill('[output left out: capture.include_tool_outputs is false]'));
    expect(createToolsWriter({ include_tool_outputs: false }).filteredTool(turns[0]!)).toBe(turns[0]);
  });
  it('a cut says how much is left out and halves no character', () => {
    const [long] = numbered([result('1', `ab\u{1f6d2}${'x'.repeat(96)}`)]);
    expect(createToolsWriter({ max_tool_output_length: 3 }).filteredTool(long!).text).toBe('ab\n[98 of 100 characters left out: capture.max_tool_output_length]');
    expect(createToolsWriter({ max_tool_output_length: 3, truncate_tool_outputs: false }).isIdentity).toBe(true);
  });
});

it.each([
  ['*.pem', '/a/b/key.pem', true], ['*.pem', '/a/b/key.pem.txt', false], ['secrets/*', '/a/secrets/x', true], ['secrets/*', '/a/secrets/x/y', false],
  ['secrets/**', '/a/secrets/x/y', true], ['secrets/**', '/a/mysecrets/x', false], ['/a/*', '/a/b', true], ['/a/*', '/x/a/b', false], ['**/.env', '/a/.env', true], ['**/.env', '.env', true],
  ['**/.env', '/a/x.env', false], ['a?c', 'x/abc', true], ['a?c', 'a/c', false], ['src\\*.js', 'C:\\w\\src\\a.js', true], ['**', 'anything at all', true],
  ['*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(4_000), false],
])('the glob %s matches %s: %s', (pattern, target, expected) => {
  expect(globMatches(pattern, target)).toBe(expected);
});
