/**
 * JSON that people write: a configuration, a policy, a registry, a plan. It is read strictly, since half of what was meant
 * would be worse than a refusal; a mistake is one sentence that names the file and the key.
 */
import { HandoffError } from './errors.mts';
import { isObject } from './json.mts';
import { refuseRepeatedKeys } from './repeated-key.mts';

/** Gives what is wrong with a value ("must be …"), or undefined. */
export type Check = (value: unknown) => string | undefined;
/** The keys that an object may have. */
export interface Keys { readonly [key: string]: Check | Keys }

export const text: Check = (value) => (typeof value === 'string' ? undefined : 'must be a string');
export const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
export const oneOf = (...words: (string | number)[]): Check => (value) => (words.includes(value as string) ? undefined : `must be ${words.map((word) => JSON.stringify(word)).join(' or ')}`);

/** Reads the text of `file`, with a byte order mark or without. Throws CONFIG, also where a key stands twice in one object. */
export function parseStrict(file: string, source: string): unknown {
  const json = source.replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    // The parser quotes the file, line ends and all.
    throw new HandoffError('CONFIG', `${file} is not JSON: ${(cause as Error).message.replace(/\s+/g, ' ')}`, { cause, data: { file } });
  }
  refuseRepeatedKeys(file, json);
  return value;
}

/** The mistake at `key`, a path like `capture.exclude_patterns`. */
export function wrongKey(file: string, key: string, problem: string): HandoffError {
  return new HandoffError('CONFIG', `${file}: "${key}" ${problem}`, { data: { file, key } });
}

/** Checks the object at the path `at` ('' for the whole file): every key is known and of its kind, none of `needed` is missing. Throws CONFIG. */
export function checkObject(file: string, at: string, value: unknown, keys: Keys, needed: readonly string[] = []): asserts value is Record<string, unknown> {
  if (!isObject(value)) throw at === '' ? new HandoffError('CONFIG', `${file} must hold a JSON object`, { data: { file } }) : wrongKey(file, at, 'must be an object');
  const path = (name: string): string => (at === '' ? name : `${at}.${name}`);
  for (const [name, item] of Object.entries(value)) {
    const key = path(name);
    // hasOwn: `__proto__` and `constructor` are keys that JSON can hold.
    const rule = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (rule === undefined) throw new HandoffError('CONFIG', `${file}: unknown key ${JSON.stringify(key)} (known: ${Object.keys(keys).join(', ')})`, { data: { file, key } });
    if (typeof rule !== 'function') {
      checkObject(file, key, item, rule);
      continue;
    }
    const problem = rule(item);
    if (problem !== undefined) throw wrongKey(file, key, problem);
  }
  const missing = needed.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) throw wrongKey(file, path(missing), missingAs(keys[missing]));
}

/** What to write, where the rule for the key says it. */
function missingAs(rule: Check | Keys | undefined): string {
  const must = typeof rule === 'function' ? rule(undefined) : undefined;
  return must === undefined ? 'is missing' : `is missing: it ${must}`;
}
