/** What is written into a harness's settings: one command, the same for every event, that does no harm when our copy is gone. */
import { HandoffError } from '../../lib/errors.mts';
import { sha256 } from '../../lib/hash-chain.mts';
import { HOOKS, type HookHarness } from './harnesses.mts';

export interface HookEntry {
  type: 'command';
  command: string;
  [field: string]: unknown;
}

/**
 * The entry for a copy at this absolute path. Throws HandoffError DENIED for a path that the harness would change.
 * Its status is 0 whatever happens, since a status of another kind makes a harness stop, or tell the model.
 */
export function entryFor(harness: HookHarness, copy: string): HookEntry {
  const { expands, fields } = HOOKS[harness];
  const program = `${copy.replace(/[\\/]+$/, '')}/tools/agents-handoff.mjs`;
  const strange = /[\u0000-\u001f\u007f]/.test(program) ? 'a control character' : expands?.test(program) === true ? `a sign that ${harness} replaces` : undefined;
  if (strange !== undefined) throw new HandoffError('DENIED', `the path ${JSON.stringify(copy)} has ${strange}, so no hook of ${harness} can name it: install for ${harness} without --hooks, or at another path with --path`);
  const quoted = quote(program);
  return { type: 'command', command: `[ -f ${quoted} ] && node ${quoted} auto --hook || true`, ...fields };
}

/** One word for a shell, whatever stands in it. */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Over the entry's compact JSON, in the order of its keys in the file. */
export function entryHash(entry: unknown): string {
  return sha256(JSON.stringify(entry));
}
