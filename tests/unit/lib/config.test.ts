import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CONFIG_KEYS, fillConfig, mergeConfig, parseConfig } from '../../../src/lib/config.mts';

const FILE = '/project/handoff.config.json';
const parse = (value: unknown) => parseConfig(FILE, JSON.stringify(value));

function refusal(source: string): { code: string; message: string; data: { file: string; key?: string } } {
  try {
    parseConfig(FILE, source);
  } catch (error) {
    return error as ReturnType<typeof refusal>;
  }
  throw new Error(`was accepted: ${source}`);
}

describe('a valid file', () => {
  it('may be empty, and then everything has its default', () => {
    expect(fillConfig(parse({}).config)).toEqual({
      max_brief_tokens: 30_000,
      capture: { exclude_patterns: [], include_tool_outputs: true, truncate_tool_outputs: false, max_tool_output_length: 10_000 },
      linking: { enabled: true, min_overlap_score: 0.06 },
      integrity: { verify_on_read: false },
      redaction: { enabled: true, patterns: [] },
    });
  });

  it('may hold every key, and each is kept', () => {
    const whole = {
      $schema: './s.json', version: 1, handoff_dir: 'h', project_name: 'p', max_brief_tokens: 5000,
      capture: { exclude_patterns: ['**/.env'], include_tool_outputs: false, truncate_tool_outputs: true, max_tool_output_length: 0 },
      linking: { enabled: false, min_overlap_score: 1 }, integrity: { verify_on_read: true },
      storage: { type: 'filesystem', path: 's' }, redaction: { enabled: false, patterns: ['tok_[a-z]+'] },
    };
    const { project_name, max_brief_tokens, capture, linking, integrity, redaction } = whole;
    expect(fillConfig(parse(whole).config)).toEqual({ project_name, max_brief_tokens, capture, linking, integrity, redaction });
    expect(parse(whole).notes).toEqual([]);
  });

  it('may begin with a byte order mark', () => {
    expect(parseConfig(FILE, '\ufeff{"project_name":"p"}').config.project_name).toBe('p');
  });

  it.each([[1000, 4000], [3999, 4000], [4001, 4001], [100_000, 100_000]])('counts a brief of %i tokens as %i', (given, counted) => {
    expect(fillConfig(parse({ max_brief_tokens: given }).config).max_brief_tokens).toBe(counted);
  });

  it('takes an empty project name as none', () => {
    expect(fillConfig(parse({ project_name: '' }).config)).not.toHaveProperty('project_name');
  });

  it.each([
    ['auto_capture', { auto_capture: { on: true } }],
    ['exclude_from_handoff', { exclude_from_handoff: ['x'] }],
    ['integrity.sha256_manifest', { integrity: { sha256_manifest: true } }],
  ])('is told that %s does nothing', (key, value) => {
    expect(parse(value).notes).toEqual([expect.stringContaining(`"${key}"`)]);
  });
});

describe('an invalid file', () => {
  it.each([
    ['an unknown key', '{"handoffdir":"x"}', 'handoffdir'],
    ['an unknown key in a section', '{"capture":{"exclude":[]}}', 'capture.exclude'],
    ['a key with the name of the prototype', '{"__proto__":{}}', '__proto__'],
    ['a key with the name of an inherited property', '{"linking":{"constructor":1}}', 'linking.constructor'],
    ['a key that stands there twice', '{"redaction":{"enabled":true,"enabled":false}}', 'redaction.enabled'],
    ['a string where there are texts', '{"capture":{"exclude_patterns":"x"}}', 'capture.exclude_patterns'],
    ['a number among texts', '{"redaction":{"patterns":["a",1]}}', 'redaction.patterns'],
    ['an expression that is none', '{"redaction":{"patterns":["("]}}', 'redaction.patterns'],
    ['a section that is an array', '{"storage":[]}', 'storage'],
    ['a section that is null', '{"linking":null}', 'linking'],
    ['a truth in quotes', '{"redaction":{"enabled":"false"}}', 'redaction.enabled'],
    ['a null folder', '{"handoff_dir":null}', 'handoff_dir'],
    ['another version', '{"version":2}', 'version'],
    ['another storage', '{"storage":{"type":"s3"}}', 'storage.type'],
    ['too small a brief', '{"max_brief_tokens":999}', 'max_brief_tokens'],
    ['too large a brief', '{"max_brief_tokens":100001}', 'max_brief_tokens'],
    ['a broken number', '{"max_brief_tokens":5000.5}', 'max_brief_tokens'],
    ['a negative length', '{"capture":{"max_tool_output_length":-1}}', 'capture.max_tool_output_length'],
    ['a score above one', '{"linking":{"min_overlap_score":1.1}}', 'linking.min_overlap_score'],
  ])('is refused for %s, by file and key', (_what, source, key) => {
    const error = refusal(source);
    expect(error).toMatchObject({ code: 'CONFIG', data: { file: FILE, key } });
    expect(error.message).toContain(FILE);
    expect(error.message).toContain(`"${key}"`);
  });

  it.each(['', '{', '{"a":1,}', 'nonsense\nof two lines'])('is refused where it is no JSON: %j', (source) => {
    const error = refusal(source);
    expect(error).toMatchObject({ code: 'CONFIG', data: { file: FILE } });
    expect(error.message).toMatch(/^.*not JSON.*$/);
  });

  it.each(['[]', 'null', '"x"', '3'])('is refused where it is JSON but no object: %s', (source) => {
    expect(refusal(source).code).toBe('CONFIG');
  });
});

it('lays the nearer file over the farther one, key by key', () => {
  const merged = mergeConfig({ project_name: 'near', capture: { include_tool_outputs: false } },
    { project_name: 'far', capture: { include_tool_outputs: true, truncate_tool_outputs: true }, redaction: { patterns: ['x'] } });
  expect(fillConfig(merged)).toMatchObject({
    project_name: 'near', capture: { include_tool_outputs: false, truncate_tool_outputs: true }, redaction: { patterns: ['x'] },
  });
});

describe('handoff.config.schema.json', () => {
  interface Schema { type?: string; additionalProperties?: boolean; properties?: Record<string, Schema>; default?: unknown; minimum?: number; maximum?: number }
  const schema = JSON.parse(readFileSync(new URL('../../../handoff.config.schema.json', import.meta.url), 'utf8')) as Schema;

  const keysOf = (section: object): unknown => Object.fromEntries(Object.entries(section).map(([key, rule]) => [key, typeof rule === 'function' ? 'key' : keysOf(rule)]));
  const keysOfSchema = ({ properties = {} }: Schema): unknown =>
    Object.fromEntries(Object.entries(properties).map(([key, rule]) => [key, rule.properties === undefined ? 'key' : keysOfSchema(rule)]));
  const leaves = ({ properties = {} }: Schema, path: string[] = []): Array<[string[], Schema]> =>
    Object.entries(properties).flatMap(([key, rule]) => rule.properties === undefined ? [[[...path, key], rule] as [string[], Schema]] : leaves(rule, [...path, key]));
  const nested = (path: string[], value: unknown): unknown => path.reduceRight((inner, key) => ({ [key]: inner }), value);

  it('has the very keys that are accepted', () => {
    expect(keysOfSchema(schema)).toEqual(keysOf(CONFIG_KEYS));
  });

  it('allows no other key at any depth', () => {
    const open = (part: Schema): boolean => part.properties !== undefined && (part.additionalProperties !== false || Object.values(part.properties).some(open));
    expect(open(schema)).toBe(false);
  });

  it('names the defaults that are filled in', () => {
    for (const [path, rule] of leaves(schema)) {
      if (rule.default === undefined) continue;
      expect([path, path.reduce((value: any, key) => value[key], fillConfig({}))]).toEqual([path, rule.default]);
    }
  });

  it('draws the bounds that are checked', () => {
    const accepts = (path: string[], value: number): boolean => {
      try {
        parse(nested(path, value));
        return true;
      } catch {
        return false;
      }
    };
    for (const [path, { minimum, maximum }] of leaves(schema)) {
      if (minimum !== undefined) expect([path, accepts(path, minimum), accepts(path, minimum - 1)]).toEqual([path, true, false]);
      if (maximum !== undefined) expect([path, accepts(path, maximum), accepts(path, maximum + 1)]).toEqual([path, true, false]);
    }
  });
});
