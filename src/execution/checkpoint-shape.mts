/**
 * Whether a checkpoint is one that a job could have left. Its seal is no signature: whoever can write the file can seal
 * nonsense, so what a job goes on from is held against its own plan, and what does not fit is refused whole.
 */
import { HandoffError } from '../lib/errors.mts';
import { isObject } from '../lib/json.mts';
import type { Approval, Cause, Checkpoint, Slice, StepDone } from './checkpoint.mts';
import { LOG_STEP, MOST_STEPS, operationsOf } from './plan.mts';

const CAUSES: readonly Cause[] = ['needs authorization', 'outcome unknown', 'denied', 'failed'];

/** The name of the first key that makes no sense; undefined where all do. Keys that 2.0.x does not write may be absent. */
export function oddKey(file: string, value: object): keyof Checkpoint | undefined {
  const given = value as { readonly [key in keyof Checkpoint]?: unknown };
  const { seq, steps, steps_total: total, session, completed, plan, begun, paused, approvals, resumes_without_progress: resumes, ledger } = given;
  if (!isCount(total) || total > MOST_STEPS) return 'steps_total';
  if (!isCount(seq) || seq > total) return 'seq';
  if (!isList(steps, isStep) || steps.length !== seq || steps.some((step, at) => step.seq !== at + 1)) return 'steps';
  if (typeof session !== 'string') return 'session';
  if (completed !== undefined && typeof completed !== 'boolean' || completed === true && seq < total) return 'completed';
  const operations = plan === undefined ? undefined : planned(file, plan);
  if (plan !== undefined && operations?.length !== total) return 'plan';
  const ended = seq === total;
  const isNext = (of: object): boolean => !ended && (of as { step?: unknown }).step === seq + 1;
  const next = operations === undefined ? LOG_STEP : operations[seq]?.op;
  if (begun !== undefined && !(isObject(begun) && isNext(begun) && begun['op'] === next && hasTexts(begun, 'record', 'at'))) return 'begun';
  if (paused !== undefined && !(isObject(paused) && isNext(paused) && CAUSES.includes(paused['cause'] as Cause) && hasTexts(paused, 'reason', 'at'))) return 'paused';
  // An approval is for the step that waits, so none is of a step that nobody has seen wait.
  if (approvals !== undefined && !(isList(approvals, isApproval) && approvals.every(({ step }) => step >= 1 && step <= Math.min(seq + 1, total)))) return 'approvals';
  if (resumes !== undefined && !isCount(resumes)) return 'resumes_without_progress';
  return ledger === undefined || isLedger(ledger) ? undefined : 'ledger';
}

function planned(file: string, plan: unknown): ReturnType<typeof operationsOf> | undefined {
  if (!isObject(plan) || !hasTexts(plan, 'file', 'sha256')) return undefined;
  try {
    return operationsOf(file, plan['steps']);
  } catch (error) {
    if (error instanceof HandoffError) return undefined;
    throw error;
  }
}

function isStep(value: unknown): value is StepDone {
  return isObject(value) && hasTexts(value, 'ts', 'op') && (value['record'] === undefined || typeof value['record'] === 'string');
}

function isApproval(value: unknown): value is Approval {
  return isObject(value) && isCount(value['step']) && typeof value['at'] === 'string' && (value['used_by'] === null || typeof value['used_by'] === 'string');
}

function isLedger(value: unknown): boolean {
  const isSlice = (one: unknown): one is Slice => isObject(one) && (one['verb'] === 'job' || one['verb'] === 'resume') && typeof one['at'] === 'string' && isCount(one['steps']) && typeof one['ms'] === 'number';
  return isObject(value) && isCount(value['steps']) && typeof value['ms'] === 'number' && isList(value['slices'], isSlice);
}

function isList<T>(value: unknown, isOne: (one: unknown) => one is T): value is T[] {
  return Array.isArray(value) && value.every(isOne);
}

function hasTexts(value: Record<string, unknown>, ...keys: string[]): boolean {
  return keys.every((key) => typeof value[key] === 'string');
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}
