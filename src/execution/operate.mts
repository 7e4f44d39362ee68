/**
 * One operation from its decision to its record: judge, write the decision down, act on what was judged, write down what
 * came of it. `run` and the steps of a plan go through here.
 */
import { NODE_VERSION, knownFlags } from '../lib/cli/this-node.mts';
import type { Io } from '../lib/cli/command.mts';
import { effectOf } from '../transcript/effects.mts';
import { classify, type Classified } from './classify.mts';
import { confinementOf, deniedToAll, unspeakable, wordsOf } from './confinement.mts';
import { decide, type Decision } from './decision.mts';
import { wayOut, workspacesOf } from './links-in-workspace.mts';
import { problemOfArgs } from './node-args.mts';
import { readJudged } from './read.mts';
import { recordDecision, type OpenRecord, type Outcome } from './records.mts';
import type { Setting } from './setting.mts';
import { TIME_LIMIT_MS, runConfined, type Confined } from './spawn.mts';

export type Operation = { readonly op: 'read'; readonly risk: string; readonly target: string } | { readonly op: 'spawn'; readonly risk: string; readonly args: readonly string[] };

export interface Operated {
  readonly decision: Decision;
  readonly record: OpenRecord;
  readonly outcome: Exclude<Outcome, 'judged' | 'begun'>;
  readonly executed: boolean;
  /** What the act gave: `bytes` and `content_sha256`, or `exit_code` and `signal`; `error` or `reason` where it gave nothing. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Wishes {
  /** A person's authorization, told in the record: it stands for the one that the policy asks for. */
  readonly authorization?: string;
  /** More for the record: the job and step. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Called when the decision is on disk and the act comes next; what it throws keeps the act from happening. */
  readonly beforeAct?: (record: OpenRecord) => void;
  readonly limitMs?: number;
}

/** Judges and, where that allows it, acts. Throws where a record cannot be written. */
export async function operate(setting: Setting, operation: Operation, io: Io, wishes: Wishes = {}): Promise<Operated> {
  const classified = classify(operation.op === 'read' ? operation.target : setting.repo, setting);
  const judged = authorize(decide(operation.op, operation.risk, classified, setting.policy), wishes.authorization);
  const decision = operation.op === 'spawn' && judged.verdict === 'ALLOWED' ? judgeChild(operation.args, judged, setting, io) : judged;
  const allowed = decision.verdict === 'ALLOWED';
  const limitMs = wishes.limitMs ?? TIME_LIMIT_MS;
  const confinement = operation.op === 'spawn' && allowed ? confinementOf(knownFlags(), NODE_VERSION, workspacesOf(setting), setting.policy.hard_links) : undefined;
  const record = recordDecision(setting, {
    op: operation.op,
    ...(operation.op === 'read' ? { target: operation.target } : { args: operation.args }),
    facts: {
      effect: effectOf(operation.op),
      ...wishes.facts,
      ...(wishes.authorization === undefined ? {} : { authorization: wishes.authorization }),
      ...(confinement === undefined ? {} : { confinement, time_limit_ms: limitMs }),
    },
  }, decision, classified, true);
  if (!allowed) return { decision, record, outcome: 'refused', executed: false, facts: {} };
  try {
    wishes.beforeAct?.(record);
  } catch (error) {
    record.complete('failed', { error: 'what had to be written before the act could not be written' });
    throw error;
  }
  if (operation.op === 'read') return actRead(setting, classified, decision, record);
  const words = [...wordsOf(confinement!), ...operation.args];
  return actSpawn({ node: io.node, words, cwd: setting.repo, env: io.env, limitMs, onSignal: io.onSignal }, decision, record);
}

function authorize(decision: Decision, authorization: string | undefined): Decision {
  return decision.verdict === 'NEEDS_AUTH' && authorization !== undefined ? { ...decision, verdict: 'ALLOWED', reason: `${decision.reason}, and has it: ${authorization}` } : decision;
}

/** What no level of a policy can allow a child, because nothing would confine it then. */
function judgeChild(args: readonly string[], decision: Decision, setting: Setting, io: Io): Decision {
  const deny = (reason: string): Decision => ({ ...decision, verdict: 'DENIED', reason });
  const words = problemOfArgs(args);
  if (words !== undefined) return deny(words);
  const folders = workspacesOf(setting);
  const folder = unspeakable(folders);
  if (folder !== undefined) return deny(`a workspace with * or a comma in its name cannot confine a process: ${folder}`);
  const denied = deniedToAll(setting, folders);
  if (denied !== undefined) return deny(`a process cannot be kept from what the policy denies: ${denied}`);
  const way = wayOut(setting, io.progress);
  return way === undefined ? decision : deny(`a process could leave the workspaces: ${way}`);
}

function actRead(setting: Setting, classified: Classified, decision: Decision, record: OpenRecord): Operated {
  const result = readJudged(classified, setting);
  const { outcome, ...facts } = result;
  record.complete(outcome, facts);
  const refused: Decision = result.outcome === 'refused' ? { ...decision, verdict: 'DENIED', reason: result.reason } : decision;
  return { decision: refused, record, outcome, executed: outcome === 'done', facts };
}

async function actSpawn(child: Confined, decision: Decision, record: OpenRecord): Promise<Operated> {
  const takeBack = child.onSignal(() => record.complete('failed', { executed: true, error: 'this program was ended by a signal, and the process with it' }));
  const ended = await runConfined(child);
  takeBack();
  if (!ended.started) {
    record.complete('failed', { error: ended.error });
    return { decision, record, outcome: 'failed', executed: false, facts: { error: ended.error } };
  }
  const { started: _started, ...facts } = ended;
  const outcome = ended.exit_code === null ? 'failed' : 'done';
  record.complete(outcome, { executed: true, ...facts });
  const { exit_code, signal, timed_out } = ended;
  return { decision, record, outcome, executed: true, facts: { exit_code, signal, ...(timed_out ? { timed_out } : {}) } };
}
