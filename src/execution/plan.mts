/** A plan: the steps of a job that does something, each with its risk. A file of a person or an agent, so read strictly. */
import { HandoffError, errnoOf } from '../lib/errors.mts';
import { readStrictText } from '../lib/fs/files.mts';
import { sha256 } from '../lib/hash-chain.mts';
import type { Operation } from './operate.mts';

export const PLAN_VERSION = '1.0-execution-plan';
/** A job has no more, with a plan and without. */
export const MOST_STEPS = 10_000;
/** What a step does that has no plan: it writes its line in the work log. */
export const LOG_STEP = 'work-log-append';

export interface Plan {
  readonly file: string;
  readonly sha256: string;
  readonly steps: readonly Operation[];
}

/** Reads and checks a plan. Throws HandoffError CONFIG that names the file and the key. */
export function readPlan(file: string): Plan {
  let text: string | undefined;
  try {
    text = readStrictText(file);
  } catch (cause) {
    throw wrong(file, '', `the plan ${file} cannot be read (${errnoOf(cause) ?? (cause as Error).message})`);
  }
  if (text === undefined) throw wrong(file, '', `there is no plan ${file}`);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw wrong(file, '', `${file} is not JSON: ${(cause as Error).message.replace(/\s+/g, ' ')}`);
  }
  if (!isObject(value)) throw wrong(file, '', `${file} must hold a JSON object`);
  refuseOthers(file, '', value, ['schema_version', 'title', 'steps']);
  if (value['schema_version'] !== PLAN_VERSION) throw wrong(file, 'schema_version', `${file}: "schema_version" must be "${PLAN_VERSION}"`);
  return { file, sha256: sha256(text), steps: operationsOf(file, value['steps']) };
}

/** The steps of a plan, checked. Throws HandoffError CONFIG that names the file and the key. */
export function operationsOf(file: string, steps: unknown): Operation[] {
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > MOST_STEPS) throw wrong(file, 'steps', `${file}: "steps" must be an array of 1 to ${MOST_STEPS} steps`);
  return steps.map((step, at) => stepOf(file, `steps[${at}]`, step));
}

function stepOf(file: string, key: string, step: unknown): Operation {
  if (!isObject(step)) throw wrong(file, key, `${file}: "${key}" must be an object`);
  const { op, risk, target, args } = step;
  if (typeof risk !== 'string' || risk === '') throw wrong(file, `${key}.risk`, `${file}: "${key}.risk" must be a risk such as "R1"`);
  if (op === 'read') {
    refuseOthers(file, key, step, ['op', 'risk', 'title', 'target']);
    if (typeof target !== 'string' || target === '') throw wrong(file, `${key}.target`, `${file}: "${key}.target" must be a path`);
    return { op, risk, target };
  }
  if (op !== 'spawn') throw wrong(file, `${key}.op`, `${file}: "${key}.op" must be "read" or "spawn"`);
  refuseOthers(file, key, step, ['op', 'risk', 'title', 'args']);
  if (!Array.isArray(args) || args.length === 0 || !args.every((word) => typeof word === 'string')) {
    throw wrong(file, `${key}.args`, `${file}: "${key}.args" must be an array of words for Node`);
  }
  return { op, risk, args: args as string[] };
}

function refuseOthers(file: string, key: string, value: object, known: readonly string[]): void {
  const other = Object.keys(value).find((name) => !known.includes(name));
  if (other === undefined) return;
  const whole = key === '' ? other : `${key}.${other}`;
  throw wrong(file, whole, `${file}: unknown key "${whole}" (known: ${known.join(', ')})`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(file: string, key: string, message: string): HandoffError {
  return new HandoffError('CONFIG', message, { data: { file, ...(key === '' ? {} : { key }) } });
}
