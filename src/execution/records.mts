/**
 * One file a decision, `<state>/executions/<id>.json`, on disk before the act that it decides, and completed after it. A
 * record that still says `begun` is of an act whose end nobody wrote down.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { makeFolder, readText, replaceFile, syncFolder } from '../lib/fs/files.mts';
import { ownHolder } from '../lib/fs/holder.mts';
import { createRedactor } from '../transcript/redaction/create.mts';
import type { Classified } from './classify.mts';
import { isWithin } from './platform.mts';
import type { Decision } from './decision.mts';
import type { Setting } from './setting.mts';

/**
 * `judged`: nothing was to be done. `refused`: the policy, or what was found at the last moment, kept it from being
 * done. `begun`: it may have been done. `failed`: the system kept it from being done, or it did not end by itself.
 */
export type Outcome = 'judged' | 'refused' | 'begun' | 'done' | 'failed';

export interface ExecutionRecord {
  id: string;
  at: string;
  enforced_before_execution: true;
  op: string;
  risk: string;
  verdict: string;
  reason: string;
  target?: string;
  args?: readonly string[];
  /** null while it is not known. */
  executed: boolean | null;
  outcome: Outcome;
  level: string | null;
  classification: string;
  real_target: string | null;
  policy: { file: string; sha256: string };
  [fact: string]: unknown;
}

export interface OpenRecord {
  readonly id: string;
  /** The record's file: relative to the repository where it lies in it, with `/`. */
  readonly place: string;
  /** Writes the record anew with what is now known. */
  complete(outcome: Outcome, facts: Record<string, unknown>): void;
}

export interface Asked {
  op: string;
  target?: string;
  args?: readonly string[];
  /** Further facts of the decision: the job and step it is for, the approval that was used. */
  facts?: Record<string, unknown>;
}

/** Writes the decision, durably. Only when this has returned may the act begin. `acts`: an act follows where it is allowed. */
export function recordDecision(setting: Setting, asked: Asked, decision: Decision, classified: Classified, acts: boolean): OpenRecord {
  const now = new Date().toISOString();
  const id = `${now.replace(/[:.]/g, '-')}-${ownHolder().pid}-${lettersAt(now)}`;
  const file = recordFile(setting.state, id);
  const { op, target, args, facts } = asked;
  const waits = acts && decision.verdict === 'ALLOWED';
  let record: ExecutionRecord = {
    id,
    at: now,
    enforced_before_execution: true,
    op,
    risk: decision.risk,
    verdict: decision.verdict,
    reason: decision.reason,
    ...(target === undefined ? {} : { target }),
    // Words are kept as long as the state is, and a key among them is nobody's business.
    ...(args === undefined ? {} : { args: createRedactor().redact([...args]) }),
    executed: waits ? null : false,
    outcome: waits ? 'begun' : acts ? 'refused' : 'judged',
    level: decision.level,
    classification: decision.classification,
    real_target: classified.real ?? null,
    policy: setting.source,
    ...facts,
  };
  if (makeFolder(path.dirname(file)) !== undefined) syncFolder(setting.state);
  write(file, record);
  return {
    id,
    place: placeIn(setting, file),
    complete(outcome, more) {
      record = completed(record, outcome, more);
      write(file, record);
    },
  };
}

/** How a file is told to a person: relative to the repository where it lies in it. */
export function placeIn({ repo, platform }: Setting, file: string): string {
  return isWithin(repo, file, platform) ? path.relative(repo, file).split(path.sep).join('/') : file;
}

/** Completes a record that its own process could not; one that is complete, or gone, stays as it is. */
export function settleRecord(state: string, id: string, outcome: Outcome, facts: Record<string, unknown>): void {
  const record = readRecord(state, id);
  if (record?.outcome === 'begun') write(recordFile(state, id), completed(record, outcome, facts));
}

/** A record that was written before; undefined where there is none that can be read. */
export function readRecord(state: string, id: string): ExecutionRecord | undefined {
  if (!/^[\w-]+$/.test(id)) return undefined;
  try {
    const value = JSON.parse(readText(recordFile(state, id)) ?? '') as ExecutionRecord | null;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function completed(record: ExecutionRecord, outcome: Outcome, facts: Record<string, unknown>): ExecutionRecord {
  return { ...record, executed: outcome === 'done', outcome, ...facts, completed_at: new Date().toISOString() };
}

function recordFile(state: string, id: string): string {
  return path.join(state, 'executions', `${id}.json`);
}

function write(file: string, record: ExecutionRecord): void {
  replaceFile(file, `${JSON.stringify(record, null, 2)}\n`, 'record');
}

let latest = { at: '', count: 0 };

/** Six letters: which decision of its millisecond it is, so that those of one process stand in their order, and four by chance. */
function lettersAt(now: string): string {
  latest = { at: now, count: latest.at === now ? latest.count + 1 : 0 };
  return latest.count.toString(36).padStart(2, '0') + Array.from(randomBytes(4), (byte) => (byte % 36).toString(36)).join('');
}
