/**
 * permission-policy.json: what its keys may hold. schemas/permission-policy.schema.json says the same for editors; a test
 * holds the two together. A policy that is wrong anywhere stops every verb: nothing runs under half of one.
 */
import { isObject } from '../lib/json.mts';
import { checkObject, oneOf, parseStrict, text, type Check, type Keys } from '../lib/strict-json.mts';

export const POLICY_VERSION = '1.0-permission-policy';
export const ROOT_LISTS = ['approved_workspaces', 'system_read_only_roots', 'personal_data_roots', 'denied_roots'] as const;
export type RootList = (typeof ROOT_LISTS)[number];

/** The policy as its file has it, lists that it leaves out empty. */
export type Policy = { readonly [list in RootList]: readonly string[] } & {
  /** A level and what it is granted: `allow`, `needs_auth`; every other word is a refusal. */
  readonly grants: Readonly<Record<string, string>>;
  readonly risk_to_level: Readonly<Record<string, string>>;
  /**
   * Whether a child may run where files of the workspaces have a second name outside of them: never, only where package
   * managers and git make such files as a matter of course, or always.
   */
  readonly hard_links: 'refuse' | 'tools' | 'accept';
};

const roots: Check = (value) => (Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '' && !item.includes('\0')) ? undefined : 'must be an array of paths');
const words: Check = (value) => {
  if (!isObject(value)) return 'must be an object';
  const wrong = Object.entries(value).find(([, word]) => typeof word !== 'string');
  return wrong === undefined ? undefined : `must hold strings, and ${JSON.stringify(wrong[0])} is none`;
};

const KEYS: Keys = {
  $schema: text,
  description: text,
  schema_version: oneOf(POLICY_VERSION),
  ...Object.fromEntries(ROOT_LISTS.map((list) => [list, roots])),
  grants: words,
  risk_to_level: words,
  hard_links: oneOf('refuse', 'tools', 'accept'),
};

/** Checks the text of a policy file. Throws HandoffError CONFIG that names the file and the key. */
export function parsePolicy(file: string, source: string): Policy {
  const value: unknown = parseStrict(file, source);
  checkObject(file, '', value, KEYS, ['schema_version', 'grants', 'risk_to_level']);
  const given = value as Partial<Policy> & Pick<Policy, 'grants' | 'risk_to_level'>;
  return {
    approved_workspaces: given.approved_workspaces ?? [],
    system_read_only_roots: given.system_read_only_roots ?? [],
    personal_data_roots: given.personal_data_roots ?? [],
    denied_roots: given.denied_roots ?? [],
    grants: given.grants,
    risk_to_level: given.risk_to_level,
    hard_links: given.hard_links ?? 'tools',
  };
}
