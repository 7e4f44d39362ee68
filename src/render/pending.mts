/** What the session still owed when it stopped. Nothing here says that something happened which the record does not show. */
import { head } from './text.mts';
import { outcome } from './turn-rows.mts';
import type { Digest, ErrorRow, PendingRow } from './digest.mts';
import type { OpenCall, QueuedPrompt } from './lineage.mts';
import type { Where } from './work.mts';
import type { Effect, Turn } from '../transcript/turn.mts';

const TARGET_LENGTH = 400;

interface OpenWork extends OpenCall {
  at: Where;
  effect: Effect;
  says: { target: string };
  noted?: Turn;
}

/** Whether a call with this effect can be made again without a look at what it did. */
export function safeToRepeat(effect: Effect | undefined): boolean {
  return effect === 'read' || effect === 'idempotent';
}

/** Most telling first: calls that may have changed something, prompts, background tasks, then calls that are safe to repeat. */
export function pendingRows(calls: readonly OpenWork[], prompts: readonly QueuedPrompt[], tasks: readonly OpenWork[]): PendingRow[] {
  const rows = calls.filter((one) => one.at.side === undefined).map(callRow).reverse();
  return [
    ...rows.filter((row) => !safeToRepeat(row.effect)),
    ...prompts.map((prompt): PendingRow => ({ kind: 'prompt', seq: prompt.seq, ts: prompt.ts, target: head(prompt.text, TARGET_LENGTH) })),
    ...tasks.map((task): PendingRow => ({ kind: 'background', seq: task.at.seq, ts: task.at.ts, tool: task.at.tool, target: task.says.target })),
    ...rows.filter((row) => safeToRepeat(row.effect)),
  ];
}

/** The failure of the model's service that the session ended with, if it did. */
export function serviceFailure({ errors }: Digest): ErrorRow | undefined {
  return errors.findLast(({ tool }) => tool === 'api');
}

/** All that is owed: the calls that were stopped and the prompt without an answer before what the record left open. */
export function owed(digest: Digest): PendingRow[] {
  return [...digest.stopped, ...(digest.unanswered === undefined ? [] : [digest.unanswered]), ...digest.pending];
}

function callRow(one: OpenWork): PendingRow {
  const row: PendingRow = { kind: 'call', seq: one.at.seq, ts: one.at.ts, tool: one.tool, target: one.says.target, effect: one.effect };
  if (one.interrupted) row.interrupted = true;
  if (one.noted !== undefined) row.ended = outcome(one.noted);
  if (one.call !== undefined) row.call = one.call;
  return row;
}
