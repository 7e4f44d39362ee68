/** What the verbs share that write to one session: which is meant, how the store is set up, and what is told of a new revision. */
import type { Io, Outcome } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import type { Resealed, ResealPlace } from '../../capture/reseal.mts';
import { keptNote } from '../../capture/work.mts';
import type { IndexRow } from '../../store/index-file.mts';
import { findByPrefix } from '../../store/lookup.mts';
import { idInLine } from '../../store/names.mts';
import { createRedactor } from '../../transcript/redaction/create.mts';

/** `clean` takes secrets out of what a person says of the session, as a build does. Throws CONFIG, and as findByPrefix does. */
export function sessionOf(io: Io, prefix: string): { place: ResealPlace; row: IndexRow; clean: (said: string) => string } {
  const { root, config } = storeHere(io);
  const rules = { maxBriefTokens: config.max_brief_tokens, tools: config.capture };
  const { enabled, patterns } = config.redaction;
  const clean = (said: string): string => (enabled ? createRedactor({ patterns }).text(said) : said);
  const place: ResealPlace = { root, rules, onSignal: (undo) => io.onSignal(undo), progress: (message) => io.progress(message) };
  return { place, row: findByPrefix(root, prefix), clean };
}

export function resealed(verb: string, result: Resealed, io: Io): Outcome {
  if (result.kept !== undefined) io.note(keptNote(result.kept));
  return { json: { action: verb, ...result }, text: `handoff: ${verb} ${idInLine(result.session)} project=${result.project} rev=${result.revision} -> ${result.dir}` };
}
