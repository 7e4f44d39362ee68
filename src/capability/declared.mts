/**
 * capability-registry.json: what its keys may hold. schemas/capability-registry.schema.json says the same for editors; a
 * test holds the two together. A kind that nobody can probe is no mistake here: its verdict is `unknown`.
 */
import { HandoffError } from '../lib/errors.mts';

export const REGISTRY_NAME = 'capability-registry.json';
export const REGISTRY_VERSION = '1.0-capability-registry';

export interface Capability {
  readonly id: string;
  readonly kind: string;
  readonly target?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  /** True where the file does not say: what is declared is needed, unless it says that it is not. */
  readonly required: boolean;
  readonly purpose?: string;
  /** How long its probe may take, in ms. */
  readonly timeout_ms?: number;
}

/** Gives what is wrong with a value ("must be …"), or undefined. */
type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === 'string' ? undefined : 'must be a string');
const words: Check = (value) => (Array.isArray(value) && value.every((item) => typeof item === 'string' && !item.includes('\0')) ? undefined : 'must be an array of strings');
/** What is handed to the system: a NUL would cut it there. */
const name: Check = (value) => (typeof value === 'string' && !value.includes('\0') ? undefined : 'must be a string without NUL');

const TOP: Readonly<Record<string, Check>> = {
  $schema: text,
  description: text,
  schema_version: (value) => (value === REGISTRY_VERSION ? undefined : `must be "${REGISTRY_VERSION}"`),
  capabilities: (value) => (Array.isArray(value) ? undefined : 'must be an array'),
};

const KEYS: Readonly<Record<keyof Capability, Check>> = {
  id: (value) => (typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/.test(value) ? undefined : 'must be a name of letters, digits and . _ : -'),
  kind: (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be a word'),
  target: name,
  command: name,
  args: words,
  required: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  purpose: text,
  timeout_ms: (value) => (typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 60_000 ? undefined : 'must be a whole number from 100 to 60000'),
};

/** Checks the text of a registry. Throws HandoffError CONFIG that names the file and the key. */
export function parseRegistry(file: string, source: string): Capability[] {
  let value: unknown;
  try {
    value = JSON.parse(source.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw wrong(file, '', `is not JSON: ${(cause as Error).message.replace(/\s+/g, ' ')}`, cause);
  }
  check(file, '', value, TOP, ['schema_version', 'capabilities']);
  const list = (value as { capabilities: unknown[] }).capabilities;
  const seen = new Set<string>();
  return list.map((item, at) => {
    check(file, `capabilities[${at}]`, item, KEYS, ['id', 'kind']);
    const capability = item as Omit<Capability, 'required'> & { required?: boolean };
    if (seen.has(capability.id)) throw wrong(file, `capabilities[${at}].id`, `has "${capability.id}" twice`);
    seen.add(capability.id);
    return { ...capability, required: capability.required ?? true };
  });
}

function check(file: string, at: string, value: unknown, keys: Readonly<Record<string, Check>>, needed: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(file, at, at === '' ? 'must hold a JSON object' : `: "${at}" must be an object`);
  const path = (key: string): string => (at === '' ? key : `${at}.${key}`);
  for (const [key, item] of Object.entries(value)) {
    const one = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (one === undefined) throw wrong(file, path(key), `: unknown key ${JSON.stringify(path(key))} (known: ${Object.keys(keys).join(', ')})`);
    const problem = one(item);
    if (problem !== undefined) throw wrong(file, path(key), `: "${path(key)}" ${problem}`);
  }
  const missing = needed.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) throw wrong(file, path(missing), `: "${path(missing)}" is missing`);
}

function wrong(file: string, key: string, what: string, cause?: unknown): HandoffError {
  return new HandoffError('CONFIG', `${file}${what.startsWith(':') ? '' : ' '}${what}`, { cause, data: { file, ...(key === '' ? {} : { key }) } });
}
