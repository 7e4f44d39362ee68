/** The store that a line is about, for every verb that has one. */
import { findRoot, type Root } from '../handoff-root.mts';
import type { Io } from './command.mts';

/** Finds it from the current folder, and tells which keys of its configuration do nothing. Throws CONFIG where that is invalid. */
export function storeHere(io: Io): Root {
  const found = findRoot(io);
  for (const note of found.notes) io.note(note);
  return found;
}
