/**
 * capability-registry.json: what its keys may hold. schemas/capability-registry.schema.json says the same for editors; a
 * test holds the two together. A kind that nobody can probe is no mistake here: its verdict is `unknown`.
 */
import { checkObject, flag, oneOf, parseStrict, text, wrongKey, type Check, type Keys } from '../lib/strict-json.mts';

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

const words: Check = (value) => (Array.isArray(value) && value.every((item) => typeof item === 'string' && !item.includes('\0')) ? undefined : 'must be an array of strings');
/** What is handed to the system: a NUL would cut it there. */
const name: Check = (value) => (typeof value === 'string' && !value.includes('\0') ? undefined : 'must be a string without NUL');

const TOP: Keys = {
  $schema: text,
  description: text,
  schema_version: oneOf(REGISTRY_VERSION),
  capabilities: (value) => (Array.isArray(value) ? undefined : 'must be an array'),
};

const KEYS: Readonly<Record<keyof Capability, Check>> = {
  id: (value) => (typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/.test(value) ? undefined : 'must be a name of letters, digits and . _ : -'),
  // It stands in a line of `list`: a line end in it could tell of capabilities that nobody checked.
  kind: (value) => (typeof value === 'string' && /^[\w.:-]+$/.test(value) ? undefined : 'must be a word of letters, digits and . _ : -'),
  target: name,
  command: name,
  args: words,
  required: flag,
  purpose: text,
  timeout_ms: (value) => (typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 60_000 ? undefined : 'must be a whole number from 100 to 60000'),
};

/** Checks the text of a registry. Throws HandoffError CONFIG that names the file and the key. */
export function parseRegistry(file: string, source: string): Capability[] {
  const value: unknown = parseStrict(file, source);
  checkObject(file, '', value, TOP, ['schema_version', 'capabilities']);
  const list = (value as { capabilities: unknown[] }).capabilities;
  const seen = new Set<string>();
  return list.map((item, at) => {
    checkObject(file, `capabilities[${at}]`, item, KEYS, ['id', 'kind']);
    const capability = item as Omit<Capability, 'required'> & { required?: boolean };
    if (seen.has(capability.id)) throw wrongKey(file, `capabilities[${at}].id`, `has "${capability.id}" twice`);
    seen.add(capability.id);
    return { ...capability, required: capability.required ?? true };
  });
}
