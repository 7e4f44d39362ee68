/** A plan: the steps of a job that does something, each with its risk. A file of a person or an agent, so read strictly. */
import { sha256 } from '../lib/hash-chain.mts';
import { isObject } from '../lib/json.mts';
import { textOfFile } from '../lib/strict-file.mts';
import { checkObject, oneOf, parseStrict, wrongKey, type Check, type Keys } from '../lib/strict-json.mts';
import type { Operation } from './operate.mts';

const PLAN_VERSION = '1.0-execution-plan';
/** A job has no more, with a plan and without. */
export const MOST_STEPS = 10_000;
/** What a step does that has no plan: it writes its line in the work log. */
export const LOG_STEP = 'work-log-append';

export interface Plan {
  readonly file: string;
  readonly sha256: string;
  readonly steps: readonly Operation[];
}

const anything: Check = () => undefined;
const named = (what: string): Check => (value) => (typeof value === 'string' && value !== '' ? undefined : `must be ${what}`);
const words: Check = (value) => (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string') ? undefined : 'must be an array of words for Node');

const steps: Check = (value) => (Array.isArray(value) && value.length > 0 && value.length <= MOST_STEPS ? undefined : `must be an array of 1 to ${MOST_STEPS} steps`);

const TOP: Keys = {
  schema_version: oneOf(PLAN_VERSION),
  title: anything,
  steps,
};
const STEP: Keys = { op: oneOf('read', 'spawn'), risk: named('a risk such as "R1"'), title: anything };
/** What an operation needs besides. */
const OF: Readonly<Record<Operation['op'], Keys>> = { read: { target: named('a path') }, spawn: { args: words } };

/** Reads and checks a plan. Throws HandoffError CONFIG that names the file and the key. */
export function readPlan(file: string): Plan {
  const text = textOfFile(file, 'plan');
  const value: unknown = parseStrict(file, text);
  checkObject(file, '', value, TOP, ['schema_version', 'steps']);
  return { file, sha256: sha256(text), steps: operationsOf(file, value['steps']) };
}

/** The steps of a plan, checked. Throws HandoffError CONFIG that names the file and the key. */
export function operationsOf(file: string, value: unknown): Operation[] {
  const problem = steps(value);
  if (problem !== undefined) throw wrongKey(file, 'steps', problem);
  return (value as unknown[]).map((step, at) => stepOf(file, `steps[${at}]`, step));
}

function stepOf(file: string, key: string, step: unknown): Operation {
  const op = isObject(step) ? step['op'] : undefined;
  if (isObject(step) && op !== 'read' && op !== 'spawn') throw wrongKey(file, `${key}.op`, 'must be "read" or "spawn"');
  const own = OF[op as Operation['op']] ?? {};
  checkObject(file, key, step, { ...STEP, ...own }, ['risk', ...Object.keys(own)]);
  const { risk, target, args } = step as { risk: string; target: string; args: string[] };
  return op === 'read' ? { op, risk, target } : { op: 'spawn', risk, args };
}
