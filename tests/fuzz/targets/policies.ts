/**
 * Damaged permission policies, and requests judged by those that were taken: an answer is a verdict or one sentence, and an
 * ALLOWED is one that the policy spells out by a reading of it that shares nothing with the product.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { classify } from '../../../src/execution/classify.mts';
import { decide } from '../../../src/execution/decision.mts';
import { readPlan } from '../../../src/execution/plan.mts';
import { openSetting, type Setting } from '../../../src/execution/setting.mts';
import type { Io } from '../../../src/lib/cli/command.mts';
import { REPOSITORY } from '../../helpers/run.ts';
import { schemaErrors, type Schema } from '../../helpers/schema.ts';
import type { Target } from '../fuzz.ts';
import { mutate, mutateBytes, pick, type Random } from '../mutate.ts';
import { Executor, PLAN, SHIPPED } from './executor.ts';
import { refusedAs } from './small.ts';

const SCHEMA = JSON.parse(fs.readFileSync(path.join(REPOSITORY, 'schemas/permission-policy.schema.json'), 'utf8')) as Schema;
const SMALL = Buffer.from(JSON.stringify({
  schema_version: '1.0-permission-policy', approved_workspaces: ['.', './src'], system_read_only_roots: ['/etc'], personal_data_roots: ['~', '${HOME}/notes'], denied_roots: ['secret', '~/.ssh'],
  grants: { READ_ONLY: 'allow', WORKSPACE_WRITE: 'allow', DESTRUCTIVE: 'needs_auth' }, risk_to_level: { R0: 'READ_ONLY', R1: 'WORKSPACE_WRITE', R3: 'DESTRUCTIVE' }, hard_links: 'refuse',
}, null, 2));
const RISKS = ['R0', 'R1', 'R2', 'R3', 'R4', 'R0 ', 'r1', '', '__proto__', 'constructor', 'READ_ONLY'];
const TARGETS = ['.', 'src/a.txt', 'secret/key', 'src/../secret/key', '../home/.ssh/id', '../home/notes', '../outside/x', 'door/x', 'door/../home/.ssh/id', '/etc/hosts', '/etc/shadow', '/proc/self/environ', '~/.ssh/id', '', 'new/file', '.agents-handoff/x', '/'];

interface Written {
  readonly [list: string]: unknown;
  readonly grants: Readonly<Record<string, string>>;
  readonly risk_to_level: Readonly<Record<string, string>>;
}

let judging: Executor | undefined;
let planning: Executor | undefined;

/** One word of the policy in another form: it stays a policy by its shape, and means something else, or nothing. */
function oddWord(random: Random, policy: Record<string, unknown>): unknown {
  const key = pick(random, ['approved_workspaces', 'system_read_only_roots', 'personal_data_roots', 'denied_roots', 'grants', 'risk_to_level']);
  const held = policy[key] as Record<string, string>;
  const at = pick(random, Object.keys(held));
  const word = String(held[at]);
  const odd = [word.replace('~/', '~'), `${word}\ud800`, ` ${word}`, `${word}/..`, `${word}/.`, word.toUpperCase(), `/${word}`, `./${word}`, '~', '/', '.', '..', '$HOME', '%HOME%', '$', 'allow', 'needs_auth', 'READ_ONLY', '__proto__'];
  if (random() < 0.2) delete held[at];
  else held[at] = pick(random, odd);
  return policy;
}

async function run(random: Random): Promise<string> {
  judging ??= new Executor({ door: true });
  const by = judging;
  const whole = random() < 0.3 ? SHIPPED : SMALL;
  const bytes = random() < 0.5 ? mutate(random, whole) : Buffer.from(JSON.stringify(oddWord(random, JSON.parse(whole.toString('utf8')) as Record<string, unknown>)));
  fs.writeFileSync(by.given, bytes);
  let setting: Setting | undefined;
  const outcome = refusedAs(['CONFIG'], () => { setting = openSetting({ cwd: by.repo, home: by.repo, env: by.env() } as unknown as Io, by.given); });
  if (setting === undefined) return outcome;
  const policy = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Written;
  const errors = schemaErrors(policy, SCHEMA);
  if (errors.length > 0) throw new Error(`taken, and its schema says: ${errors.join('; ')}`);
  const lost = [...listOf(policy, 'denied_roots'), ...listOf(policy, 'personal_data_roots')].find((root) => !root.isWellFormed() || /^~[^/\\]/.test(root));
  if (lost !== undefined) throw new Error(`a root that nobody can find forbids nothing: ${JSON.stringify(lost)}`);

  let words = '';
  for (let left = 4; left > 0; left -= 1) {
    const risk = pick(random, RISKS);
    const op = pick(random, ['evaluate', 'read', 'spawn']);
    const named = pick(random, TARGETS);
    const target = random() < 0.2 ? mutateBytes(random, Buffer.from(named)).toString('utf8') : named;
    const { verdict, reason } = decide(op, risk, classify(target, setting), setting.policy);
    if (!['ALLOWED', 'DENIED', 'NEEDS_AUTH'].includes(verdict) || reason === '') throw new Error(`no verdict: ${verdict} ${reason}`);
    const not = verdict === 'ALLOWED' ? whyNot(by, policy, op, risk, realOf(by, target)) : undefined;
    if (not !== undefined) throw new Error(`${op} at ${JSON.stringify(risk)} of ${JSON.stringify(target)} is ALLOWED (${reason}), and ${not}: ${bytes.toString('utf8')}`);
    words = verdict;
    if (left > 1 || random() > 0.1 || risk === '') continue;
    const said = await by.verb(['evaluate', '--risk', risk, '--target', target, '--policy', by.given]);
    const expected = decide('evaluate', risk, classify(target, setting), setting.policy).verdict;
    if ((JSON.parse(said.out) as { verdict: string }).verdict !== expected || said.status !== { ALLOWED: 0, DENIED: 3, NEEDS_AUTH: 4 }[expected]) throw new Error(`told otherwise than judged: ${said.out}`);
  }
  return words;
}

/** What stands against this in the policy as it is written; undefined where all of it is spelled out. */
function whyNot(by: Executor, policy: Written, op: string, risk: string, real: string | undefined): string | undefined {
  const level = Object.entries(policy.risk_to_level).find(([name]) => name === risk)?.[1];
  if (Object.entries(policy.grants).find(([name]) => name === level)?.[1] !== 'allow') return 'nothing grants it';
  const reading = level === 'READ_ONLY' || level === 'DISCOVERY_ONLY';
  if (op === 'spawn' && (reading || risk === 'R0')) return 'a process is no reading';
  if (real === undefined) return undefined;
  const isIn = (...lists: string[]): boolean => lists.flatMap((list) => listOf(policy, list)).flatMap((root) => placesOf(by, root)).some((place) => real === place || real.startsWith(place === '/' ? '/' : `${place}/`));
  if (isIn('denied_roots')) return 'it is in a denied root';
  const inWorkspace = isIn('approved_workspaces') || real === by.state || real.startsWith(`${by.state}/`);
  if (!inWorkspace && isIn('personal_data_roots')) return 'it is personal';
  return inWorkspace || (reading && isIn('system_read_only_roots')) ? undefined : 'it is in no root that would open it';
}

const listOf = (policy: Written, list: string): string[] => (policy[list] ?? []) as string[];

/** The folders that a root stands for here. */
function placesOf(by: Executor, root: string): string[] {
  if (/^~[^/]|^%[^%/]+%|^[A-Za-z]:[\\/]|^\\\\/.test(root)) return [];
  const text = root.replace('${HOME}', by.home);
  if (text.includes('$')) return [];
  const whole = text.startsWith('~') ? [by.home, os.userInfo().homedir].map((home) => home + text.slice(1)) : [path.isAbsolute(text) ? text : `${by.repo}/${text}`];
  return whole.map((place) => nearest(path.normalize(place).replace(/(?<=.)\/$/, '')));
}

/** Where a target really is; undefined where the system knows no such file, for then its name says too little. */
function realOf(by: Executor, target: string): string | undefined {
  try {
    return fs.realpathSync.native(path.isAbsolute(target) ? target : `${by.repo}/${target}`);
  } catch {
    return /[.\0]/.test(target) ? undefined : nearest(path.resolve(by.repo, target));
  }
}

function nearest(place: string): string {
  try {
    return fs.realpathSync.native(place);
  } catch {
    return place === '/' ? place : path.join(nearest(path.dirname(place)), path.basename(place));
  }
}

const PLANS = [PLAN, { ...PLAN, steps: PLAN.steps.slice(0, 1) }].map((plan) => Buffer.from(JSON.stringify(plan, null, 2)));

/** A plan that is taken holds what its file says, step for step, and nothing that is no word. */
async function runPlan(random: Random): Promise<string> {
  planning ??= new Executor();
  const by = planning;
  const bytes = mutate(random, pick(random, PLANS));
  fs.writeFileSync(by.given, bytes);
  const outcome = refusedAs(['CONFIG'], () => {
    const { steps } = readPlan(by.given);
    const written = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as { steps: Record<string, unknown>[] };
    const plain = written.steps.map(({ op, risk, target, args }) => (op === 'read' ? { op, risk, target } : { op, risk, args }));
    if (JSON.stringify(steps) !== JSON.stringify(plain)) throw new Error(`taken otherwise than written: ${JSON.stringify(steps)}`);
    const odd = steps.flatMap((step) => (step.op === 'read' ? [step.target] : step.args)).find((word) => typeof word !== 'string');
    if (odd !== undefined) throw new Error(`takes for a word: ${JSON.stringify(odd)}`);
  });
  if (random() > 0.03) return outcome;
  fs.rmSync(by.state, { recursive: true, force: true });
  const { status } = await by.verb(['job', '--session', 'j', '--plan', by.given]);
  if ((outcome === 'taken') === (status === 2)) throw new Error(`a plan that is ${outcome}, and job is exit ${status}`);
  return `job ${status}`;
}

export const policies: Target = { name: 'policies', share: 5, run, end: () => { judging?.remove(); judging = undefined; } };
export const plans: Target = { name: 'plans', share: 8, run: runPlan, end: () => { planning?.remove(); planning = undefined; } };
