/** What a session is called: by the person, by its transcript, by its file. */
import path from 'node:path';
import { HandoffError } from '../../lib/errors.mts';
import type { JsonObject, SessionFacts } from '../../transcript/turn.mts';

/** Throws USAGE for standard input that names no session. */
export function sessionNamed(source: string, facts: SessionFacts, head: readonly JsonObject[], asked: string | undefined): string {
  const named = nameOf(facts, head, asked);
  if (named !== undefined) return named;
  if (source === '-') throw new HandoffError('USAGE', 'standard input names no session: give it one with --session');
  const name = path.basename(source);
  return name.replace(/\.(jsonl|ndjson|json|txt|text|md|markdown|log)$/i, '') || name;
}

/** Whether nothing but its file says what the session is called. */
export function isNamedByFile(source: string, facts: SessionFacts, head: readonly JsonObject[], asked: string | undefined): boolean {
  return source !== '-' && nameOf(facts, head, asked) === undefined;
}

function nameOf(facts: SessionFacts, head: readonly JsonObject[], asked: string | undefined): string | undefined {
  if (asked !== undefined && asked !== '') return asked;
  if (facts.uuid !== undefined) return facts.uuid;
  const first = head[0]?.['session'];
  return typeof first === 'string' && first !== '' ? first : undefined;
}
