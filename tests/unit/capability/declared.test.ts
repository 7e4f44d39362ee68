import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../../../src/capability/check.mts';
import { parseRegistry, REGISTRY_NAME, REGISTRY_VERSION } from '../../../src/capability/declared.mts';
import { HandoffError } from '../../../src/lib/errors.mts';
import { REPOSITORY } from '../../helpers/run.ts';
import { expectKnown, schemaErrors, type Schema } from '../../helpers/schema.ts';

const SCHEMA = JSON.parse(readFileSync(join(REPOSITORY, 'schemas', 'capability-registry.schema.json'), 'utf8')) as Schema;
const registry = (...capabilities: unknown[]) => ({ schema_version: REGISTRY_VERSION, capabilities });
const one = { id: 'a', kind: 'command', command: 'git', args: ['--version'], required: false, purpose: 'x', timeout_ms: 500 };

/** What the product says of a registry; undefined where it takes it. */
function refusal(value: unknown): { message: string; key: unknown } | undefined {
  try {
    parseRegistry('r.json', typeof value === 'string' ? value : JSON.stringify(value));
    return undefined;
  } catch (error) {
    if (!(error instanceof HandoffError) || error.code !== 'CONFIG') throw error;
    return { message: error.message, key: error.data['key'] };
  }
}

describe('a registry', () => {
  it('that is shipped is one, for the product and for its schema, and every kind in it can be probed', () => {
    const text = readFileSync(join(REPOSITORY, REGISTRY_NAME), 'utf8');
    expect(schemaErrors(JSON.parse(text), SCHEMA)).toEqual([]);
    expectKnown(SCHEMA);
    const declared = parseRegistry('r.json', `\ufeff${text}`);
    expect(declared.filter(({ kind }) => !Object.hasOwn(KINDS, kind))).toEqual([]);
    expect(new Set(declared.map(({ kind }) => kind))).toEqual(new Set(Object.keys(KINDS)));
  });

  it('takes what is not said to be needed as needed, and a kind that nobody knows as it is', () => {
    expect(parseRegistry('r.json', JSON.stringify(registry({ id: 't', kind: 'teapot' }, one)))).toEqual([{ id: 't', kind: 'teapot', required: true }, one]);
  });

  // A list that is wrong for the product has to be wrong for the schema, and the other way round.
  it.each([
    ['with nothing in it', registry(), undefined],
    ['with every key', { $schema: 'x', description: 'y', ...registry(one) }, undefined],
    ['that is a list', [], ''],
    ['that is nothing', null, ''],
    ['without capabilities', { schema_version: REGISTRY_VERSION }, 'capabilities'],
    ['without a version', { capabilities: [] }, 'schema_version'],
    ['of another version', { schema_version: '2', capabilities: [] }, 'schema_version'],
    ['whose capabilities are an object', { schema_version: REGISTRY_VERSION, capabilities: {} }, 'capabilities'],
    ['with an unknown key', { ...registry(), probes: 1 }, 'probes'],
    ['with a capability that is a word', registry('git'), 'capabilities[0]'],
    ['with a capability without an id', registry({ kind: 'command' }), 'capabilities[0].id'],
    ['with an id of no letters', registry({ ...one, id: '../a' }), 'capabilities[0].id'],
    ['with a long id', registry({ ...one, id: 'a'.repeat(101) }), 'capabilities[0].id'],
    ['without a kind', registry(one, { id: 'b' }), 'capabilities[1].kind'],
    ['with an empty kind', registry({ ...one, kind: '' }), 'capabilities[0].kind'],
    ['with a kind that is a line of its own', registry({ ...one, kind: 'x (required) last=healthy\n  git kind=git' }), 'capabilities[0].kind'],
    ['with an unknown key of a capability', registry({ ...one, requried: true }), 'capabilities[0].requried'],
    ['with a target that is a number', registry({ ...one, target: 1 }), 'capabilities[0].target'],
    ['with a command that is a list', registry({ ...one, command: ['git'] }), 'capabilities[0].command'],
    ['with words that are one string', registry({ ...one, args: '--version' }), 'capabilities[0].args'],
    ['with a word that is a number', registry({ ...one, args: [1] }), 'capabilities[0].args'],
    ['with a need that is a word', registry({ ...one, required: 'yes' }), 'capabilities[0].required'],
    ['with a purpose that is nothing', registry({ ...one, purpose: null }), 'capabilities[0].purpose'],
    ['with hardly any time', registry({ ...one, timeout_ms: 99 }), 'capabilities[0].timeout_ms'],
    ['with more than a minute', registry({ ...one, timeout_ms: 60_001 }), 'capabilities[0].timeout_ms'],
    ['with half a millisecond', registry({ ...one, timeout_ms: 100.5 }), 'capabilities[0].timeout_ms'],
  ])('%s: the key that is wrong is named', (_, value, key) => {
    const said = refusal(value);
    expect(schemaErrors(value, SCHEMA).length > 0).toBe(key !== undefined);
    if (key === undefined) return expect(said).toBeUndefined();
    expect(said?.message).toMatch(/^r\.json/);
    expect(said?.key ?? '').toBe(key);
    expect(said?.message).toContain(key);
  });

  it('is refused for what a schema cannot say', () => {
    expect(refusal(registry(one, one))).toMatchObject({ key: 'capabilities[1].id', message: expect.stringContaining('"a" twice') });
    expect(refusal(registry({ ...one, command: 'a\0b' }))).toMatchObject({ key: 'capabilities[0].command' });
    expect(refusal(`{"schema_version": "${REGISTRY_VERSION}", "capabilities": [], "__proto__": 1}`)).toMatchObject({ key: '__proto__' });
    expect(refusal(`{"schema_version": "${REGISTRY_VERSION}", "capabilities": [{"id": "a"}, {"id": "b", "kind": "git", "args": ["{"], "id": "c"}]}`)).toMatchObject({ key: 'capabilities[1].id', message: expect.stringContaining('twice') });
    expect(refusal('{')?.message).toMatch(/^r\.json is not JSON: /);
  });
});
