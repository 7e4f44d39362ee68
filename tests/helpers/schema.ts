/**
 * A small validator of JSON Schema: the keywords that the schemas shipped here use, in the meaning that draft-07 and
 * 2020-12 share. A keyword that it does not know is an error, so that no schema promises what nobody checks.
 */
export type Schema = boolean | { readonly [keyword: string]: unknown };

const DRAFTS = ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'];
/** Keywords that say nothing of an instance. */
const SILENT = new Set(['$schema', '$id', '$defs', 'definitions', 'title', 'description', 'default']);

type Check = (value: unknown, says: never, at: Place) => void;
interface Place {
  /** JSON pointer into the instance. */
  path: string;
  schema: Readonly<Record<string, unknown>>;
  root: Schema;
  errors: string[];
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const isObject = (value: unknown): value is Record<string, unknown> => typeOf(value) === 'object';
const has = (value: object, key: string): boolean => Object.prototype.hasOwnProperty.call(value, key);
const say = (at: Place, text: string): void => void at.errors.push(`${at.path === '' ? '/' : at.path}: ${text}`);

const CHECKS: Readonly<Record<string, Check>> = {
  type(value, says: string | string[], at) {
    const fits = (name: string): boolean => name === typeOf(value) || (name === 'integer' && Number.isInteger(value));
    if (![says].flat().some(fits)) say(at, `is ${typeOf(value)}, not ${String(says)}`);
  },
  const(value, says: unknown, at) {
    if (JSON.stringify(value) !== JSON.stringify(says)) say(at, `is ${JSON.stringify(value)}, not ${JSON.stringify(says)}`);
  },
  enum(value, says: unknown[], at) {
    if (!says.some((one) => JSON.stringify(one) === JSON.stringify(value))) say(at, `${JSON.stringify(value)} is none of ${JSON.stringify(says)}`);
  },
  required(value, says: string[], at) {
    if (isObject(value)) for (const key of says) if (!has(value, key)) say(at, `has no ${key}`);
  },
  properties(value, says: Record<string, Schema>, at) {
    if (isObject(value)) for (const [key, schema] of Object.entries(says)) if (has(value, key)) inside(value[key], schema, key, at);
  },
  additionalProperties(value, says: Schema, at) {
    if (!isObject(value)) return;
    const known = Object.keys((at.schema['properties'] ?? {}) as object);
    for (const [key, one] of Object.entries(value)) if (!known.includes(key)) inside(one, says, key, at);
  },
  items(value, says: Schema, at) {
    // An array of schemas means different things in the two drafts.
    if (Array.isArray(says)) throw new Error('items is an array');
    if (Array.isArray(value)) value.forEach((one, index) => inside(one, says, String(index), at));
  },
  minItems: (value, says: number, at) => void (Array.isArray(value) && value.length < says && say(at, `has ${value.length} items, fewer than ${says}`)),
  maxItems: (value, says: number, at) => void (Array.isArray(value) && value.length > says && say(at, `has ${value.length} items, more than ${says}`)),
  minLength: (value, says: number, at) => void (typeof value === 'string' && [...value].length < says && say(at, `is shorter than ${says}`)),
  maxLength: (value, says: number, at) => void (typeof value === 'string' && [...value].length > says && say(at, `is longer than ${says}`)),
  minimum: (value, says: number, at) => void (typeof value === 'number' && value < says && say(at, `${value} is below ${says}`)),
  maximum: (value, says: number, at) => void (typeof value === 'number' && value > says && say(at, `${value} is above ${says}`)),
  pattern: (value, says: string, at) => void (typeof value === 'string' && !new RegExp(says, 'u').test(value) && say(at, `${JSON.stringify(value)} does not match ${says}`)),
  format(value, says: string, at) {
    if (says !== 'date-time') throw new Error(`unknown format ${says}`);
    const fits = typeof value !== 'string' || (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value)));
    if (!fits) say(at, `${JSON.stringify(value)} is no date-time`);
  },
  $ref(value, says: string, at) {
    if (!says.startsWith('#/')) throw new Error(`a reference out of the schema: ${says}`);
    // In draft-07 what stands beside $ref is ignored: it must not stand there.
    if (Object.keys(at.schema).length > 1) throw new Error(`keywords beside $ref: ${says}`);
    const target = says.slice(2).split('/').reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), at.root);
    if (target === undefined) throw new Error(`${says} leads nowhere`);
    check(value, target as Schema, at);
  },
  allOf: (value, says: Schema[], at) => says.forEach((schema) => check(value, schema, at)),
  if(value, says: Schema, at) {
    const tried: Place = { ...at, errors: [] };
    check(value, says, tried);
    const branch = at.schema[tried.errors.length === 0 ? 'then' : 'else'] as Schema | undefined;
    if (branch !== undefined) check(value, branch, at);
  },
  then: () => {},
  else: () => {},
};

function inside(value: unknown, schema: Schema, key: string, at: Place): void {
  check(value, schema, { ...at, path: `${at.path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}` });
}

function check(value: unknown, schema: Schema, at: Place): void {
  if (schema === true) return;
  if (schema === false) return say(at, 'must not be there');
  for (const [keyword, says] of Object.entries(schema)) {
    if (SILENT.has(keyword)) continue;
    const known = CHECKS[keyword];
    if (known === undefined) throw new Error(`unknown keyword ${keyword}`);
    known(value, says as never, { ...at, schema });
  }
}

/** Every way in which `value` is not what `schema` says; empty where it is valid. Throws for a schema that it cannot judge. */
export function schemaErrors(value: unknown, schema: Schema): string[] {
  if (isObject(schema) && schema['$schema'] !== undefined && !DRAFTS.includes(String(schema['$schema']))) throw new Error(`unknown draft ${String(schema['$schema'])}`);
  const at: Place = { path: '', schema: {}, root: schema, errors: [] };
  check(value, schema, at);
  return at.errors;
}

/** Walks every subschema, also those that no instance reached; throws for a keyword that is not known. */
export function expectKnown(schema: unknown, isSchema = true): void {
  if (!isObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if (isSchema && !SILENT.has(key) && CHECKS[key] === undefined) throw new Error(`unknown keyword ${key}`);
    if (!isSchema || ['items', 'additionalProperties', 'if', 'then', 'else'].includes(key)) expectKnown(value);
    else if (['properties', '$defs', 'definitions'].includes(key)) expectKnown(value, false);
    else if (key === 'allOf') (value as unknown[]).forEach((one) => expectKnown(one));
  }
}
