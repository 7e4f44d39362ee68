/**
 * A job's checkpoint: how far it has come, sealed, and replaced in one rename after every step. It alone is what a job
 * is resumed from. The first keys are those of 2.0.x; what is ours stands behind them, under the same seal.
 */
import path from 'node:path';
import { HandoffError } from '../lib/errors.mts';
import { makeFolder, readText, replaceFile, syncFolder } from '../lib/fs/files.mts';
import { checkpointHash } from '../lib/hash-chain.mts';
import { folderName, withSuffix } from '../store/names.mts';
import { oddKey } from './checkpoint-shape.mts';
import type { Plan } from './plan.mts';

export interface StepDone {
  seq: number;
  ts: string;
  op: string;
  /** The id of the decision's record; 2.0.x has none. */
  record?: string;
}

/** Why a job waits: `needs authorization` and `outcome unknown` for a person, `denied` for a policy, `failed` for a mended step. */
export type Cause = 'needs authorization' | 'outcome unknown' | 'denied' | 'failed';

export interface Approval {
  step: number;
  at: string;
  /** The record of the one run that it was for; null while it was not used. */
  used_by: string | null;
}

export interface Slice {
  verb: 'job' | 'resume';
  at: string;
  steps: number;
  ms: number;
}

export interface Checkpoint {
  seq: number;
  steps: StepDone[];
  steps_total: number;
  session: string;
  updated_at: string;
  checkpoint_sha256: string;
  completed: boolean;
  /** Absent where every step is a line in the work log. */
  plan?: Plan;
  /** The step that was decided and may have begun; gone when its end is known. */
  begun?: { step: number; op: string; record: string; at: string };
  paused?: { step: number; cause: Cause; reason: string; at: string };
  approvals: Approval[];
  resumes_without_progress: number;
  /** Time and steps of every slice: a start or a resume up to its end. */
  ledger: { steps: number; ms: number; slices: Slice[] };
}

export interface JobPlace {
  readonly checkpoint: string;
  readonly log: string;
}

/** Where a session's job is kept. Two ids that would share a place get two. Throws DAMAGED where that cannot be told. */
export function jobPlace(state: string, session: string): JobPlace {
  const at = (name: string): JobPlace => ({ checkpoint: path.join(state, 'checkpoints', `${name}.json`), log: path.join(state, 'jobs', name, 'work.log') });
  const name = folderName(session);
  const first = at(name);
  const there = loadCheckpoint(first.checkpoint);
  return there === undefined || there.session === session ? first : at(withSuffix(name, session));
}

/** undefined where there is none; throws DAMAGED for one that is not what was written. */
export function loadCheckpoint(file: string): Checkpoint | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  const damaged = (why: string): HandoffError => new HandoffError('DAMAGED', `the checkpoint ${file} ${why}; begin the work anew under another --session`, { data: { file } });
  let value: Checkpoint;
  try {
    value = JSON.parse(text) as Checkpoint;
  } catch {
    throw damaged('is not JSON');
  }
  if (typeof value !== 'object' || value === null || checkpointHash(value) !== value.checkpoint_sha256) throw damaged('does not agree with its seal');
  const odd = oddKey(file, value);
  if (odd !== undefined) throw damaged(`is sealed and makes no sense: "${odd}"`);
  return {
    ...value,
    completed: value.seq === value.steps_total,
    approvals: value.approvals ?? [],
    resumes_without_progress: value.resumes_without_progress ?? 0,
    ledger: value.ledger ?? { steps: value.seq, ms: 0, slices: [] },
  };
}

/** Seals and writes it, durably. */
export function saveCheckpoint(file: string, checkpoint: Checkpoint): void {
  const { seq, steps, steps_total, session, completed, checkpoint_sha256: _old, updated_at: _before, ...ours } = checkpoint;
  const next: Checkpoint = { seq, steps, steps_total, session, updated_at: new Date().toISOString(), checkpoint_sha256: '', completed, ...ours };
  next.checkpoint_sha256 = checkpointHash(next);
  if (makeFolder(path.dirname(file)) !== undefined) syncFolder(path.dirname(path.dirname(file)));
  replaceFile(file, `${JSON.stringify(next, null, 2)}\n`, 'checkpoint');
}
