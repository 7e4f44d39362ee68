/** What a session was for, as its summary says it: the words by which it is told apart in lists. */
import { readText } from '../lib/fs/files.mts';

const HEAD_LENGTH = 80;
/** What stands for no objective. */
export const NONE = '(none)';

/** The objective in the summary file; `(none)` where there is none. */
export function objectiveOf(summary: string): string {
  try {
    const fields = JSON.parse(readText(summary) ?? '{}') as { objective?: unknown };
    return typeof fields.objective === 'string' ? fields.objective : NONE;
  } catch {
    return NONE;
  }
}

const SURROGATE = /[\ud800-\udfff]/;

/** At most 80 characters of it on one line, never cut inside a character; '' for no objective. */
export function objectiveHead(objective: string): string {
  return objective === NONE ? '' : headOf(objective);
}

/** The beginning of any text as `objectiveHead` shows it. */
export function headOf(text: string): string {
  const flat = text.slice(0, HEAD_LENGTH * 4).replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  const head = flat.slice(0, HEAD_LENGTH);
  return (SURROGATE.test(head) ? [...flat].slice(0, HEAD_LENGTH).join('') : head).toWellFormed();
}
