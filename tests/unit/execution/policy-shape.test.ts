import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePolicy, POLICY_VERSION } from '../../../src/execution/policy-shape.mts';
import { REPOSITORY } from '../../helpers/run.ts';
import { expectKnown, schemaErrors, type Schema } from '../../helpers/schema.ts';

const SHIPPED = readFileSync(join(REPOSITORY, 'permission-policy.json'), 'utf8');
const SCHEMA = JSON.parse(readFileSync(join(REPOSITORY, 'schemas/permission-policy.schema.json'), 'utf8')) as Schema;
const LEAST = { schema_version: POLICY_VERSION, grants: {}, risk_to_level: {} };

/** What the program says of a policy, without the file's name; undefined where it takes it. */
function refusal(source: string): string | undefined {
  try {
    parsePolicy('p.json', source);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIG' });
    return (error as Error).message.replace(/^p\.json:? /, '');
  }
}

describe('a policy', () => {
  it('that is shipped is one, and has what it promises', () => {
    const policy = parsePolicy('p.json', SHIPPED);
    expect(policy.approved_workspaces).toEqual(['.', '.agents-handoff', '.context']);
    expect(policy.grants).toEqual({ DISCOVERY_ONLY: 'allow', READ_ONLY: 'allow', WORKSPACE_WRITE: 'allow', EXTERNAL_EFFECT: 'needs_auth', DESTRUCTIVE: 'needs_auth', IRREVERSIBLE: 'needs_auth' });
    expect(policy.risk_to_level).toEqual({ R0: 'READ_ONLY', R1: 'WORKSPACE_WRITE', R2: 'EXTERNAL_EFFECT', R3: 'DESTRUCTIVE', R4: 'IRREVERSIBLE' });
    expect(policy.hard_links).toBe('tools');
  });

  it('needs little, and lists that it leaves out are empty', () => {
    expect(parsePolicy('p.json', JSON.stringify(LEAST))).toMatchObject({ approved_workspaces: [], denied_roots: [] });
  });

  const rows: [string, unknown, string][] = [
    ['no object', [], 'must hold a JSON object'],
    ['without grants', { schema_version: POLICY_VERSION, risk_to_level: {} }, '"grants" is missing: it must be an object'],
    ['without risk_to_level', { schema_version: POLICY_VERSION, grants: {} }, '"risk_to_level" is missing: it must be an object'],
    ['without a version', { grants: {}, risk_to_level: {} }, '"schema_version" is missing: it must be "1.0-permission-policy"'],
    ['of another version', { ...LEAST, schema_version: '2.0' }, '"schema_version" must be "1.0-permission-policy"'],
    ['with an unknown key', { ...LEAST, denied_root: [] }, 'unknown key "denied_root" (known: $schema, description, schema_version, approved_workspaces, system_read_only_roots, personal_data_roots, denied_roots, grants, risk_to_level, hard_links)'],
    ['with roots that are no list', { ...LEAST, denied_roots: '/etc' }, '"denied_roots" must be an array of paths'],
    ['with a root that is empty', { ...LEAST, approved_workspaces: [''] }, '"approved_workspaces" must be an array of paths'],
    ['with a root that holds a NUL byte', { ...LEAST, approved_workspaces: ['a\0'] }, '"approved_workspaces" must be an array of paths'],
    ['with grants that are no object', { ...LEAST, grants: ['allow'] }, '"grants" must be an object'],
    ['with a grant that is no word', { ...LEAST, grants: { READ_ONLY: true } }, '"grants" must hold strings, and "READ_ONLY" is none'],
    ['with a level that is no word', { ...LEAST, risk_to_level: { R0: 1 } }, '"risk_to_level" must hold strings, and "R0" is none'],
    ['with a wrong word for hard links', { ...LEAST, hard_links: 'yes' }, '"hard_links" must be "refuse" or "tools" or "accept"'],
  ];
  it.each(rows)('%s is refused, with the key named, and the schema says so too', (_, value, why) => {
    expect(refusal(JSON.stringify(value))).toBe(why);
    expect(schemaErrors(value, SCHEMA)).not.toEqual([]);
  });

  it('that is no JSON, or names a key of every object, is refused', () => {
    expect(refusal('{')).toMatch(/^is not JSON: /);
    expect(refusal(`{"__proto__": {"grants": {}}, "grants": {}}`)).toMatch(/^unknown key "__proto__"/);
  });

  it.each([
    ['of the whole', `{"grants": {}, "denied_roots": ["/a"], "risk_to_level": {}, "denied_roots": []}`, 'denied_roots'],
    ['of a part', `{"risk_to_level": {"R1": "READ_ONLY", "R1": "WORKSPACE_WRITE"}}`, 'risk_to_level.R1'],
    ['spelled in two ways', `{"grants": {"A": "deny", "\\u0041": "allow"}}`, 'grants.A'],
    ['behind strings that look like keys', `{"description": "a\\": {\\\\", "$schema": "\\"x\\": [", "description": ""}`, 'description'],
    ['that every object has', `{"__proto__": 1, "__proto__": 2}`, '__proto__'],
  ])('is refused where a key %s stands twice', (_, source, key) => {
    expect(refusal(source)).toBe(`"${key}" stands there twice: which of them is meant cannot be told`);
  });

  it('fits the schema where the program takes it', () => {
    expectKnown(SCHEMA);
    for (const value of [JSON.parse(SHIPPED), LEAST, { ...LEAST, description: 'x', hard_links: 'accept' }]) {
      expect(refusal(JSON.stringify(value))).toBeUndefined();
      expect(schemaErrors(value, SCHEMA)).toEqual([]);
    }
  });
});
