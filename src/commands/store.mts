/** The store that a line is about, for every verb that has one. */
import type { Io } from '../lib/cli/command.mts';
import { findRoot, type Root } from '../lib/handoff-root.mts';

/** Finds it from the current folder, and tells which keys of its configuration do nothing. Throws CONFIG where that is invalid. */
export function storeHere(io: Io): Root {
  const found = findRoot(io);
  for (const note of found.notes) io.note(note);
  return found;
}
