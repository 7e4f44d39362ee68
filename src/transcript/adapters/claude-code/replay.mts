/**
 * Forks of Claude Code: a new file that begins with copies of another session's records. 2.1.x leaves the other session's
 * id on copied answers, 2.0.x on copied prompts, 1.0.x nowhere. Both write the line of their queue before the copies, so
 * its time is that of the fork, and records of the chain keep the times they were first written at.
 */
import type { Replay, SourceHead } from '../../adapter.mts';
import { object, text } from '../../fields.mts';
import type { JsonObject } from '../../turn.mts';

/** `own`: the id of the session that the file is. Undefined where nothing in the head tells of a fork. */
export function replayOf(head: SourceHead, own: string | undefined): Replay | undefined {
  const answers = head.records.some(isCopiedAnswer);
  const prompts = !answers && head.records.some((record) => isCopiedPrompt(record, own));
  if (!answers && !prompts) return undefined;
  const forkedAt = timeOfFork(head);
  return {
    judge(record) {
      if (typeof record.uuid !== 'string') return undefined;
      if (isCopiedAnswer(record) || (prompts && isCopiedPrompt(record, own))) return 'copied';
      const at = text(record.timestamp);
      if (forkedAt !== undefined && at !== '') return at < forkedAt ? 'copied' : 'own';
      // Without a time to go by: whatever is of the kind that is marked, and is not.
      if (answers) return record.type === 'assistant' && object(record.message)?.model !== '<synthetic>' ? 'own' : undefined;
      return record.type === 'user' && !holdsResult(record) ? 'own' : undefined;
    },
  };
}

function isCopiedAnswer(record: JsonObject): boolean {
  const from = record.requestSessionId;
  return typeof record.uuid === 'string' && typeof from === 'string' && from !== '' && from !== record.sessionId;
}

function isCopiedPrompt(record: JsonObject, own: string | undefined): boolean {
  return record.type === 'user' && own !== undefined && typeof record.sessionId === 'string' && record.sessionId !== own;
}

/** Times are ISO 8601 in UTC with milliseconds, so they compare as text. */
function timeOfFork(head: SourceHead): string | undefined {
  const first = head.records.find((record) => typeof record.timestamp === 'string');
  return first?.type === 'queue-operation' ? text(first.timestamp) : undefined;
}

function holdsResult(record: JsonObject): boolean {
  const content = object(record.message)?.content;
  return Array.isArray(content) && content.some((block) => object(block)?.type === 'tool_result');
}
