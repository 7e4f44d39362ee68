/** Leaves the notes that relate a session to other projects; outside the revision, since they are only a help. */
import { acquire } from '../../lib/fs/lock.mts';
import { INDEX_KEY, placeParts, storePaths } from '../../store/layout.mts';
import { addMergeNote, writeLinks, type MergeNote } from '../../store/links.mts';
import { NONE } from '../../store/objective.mts';

const WAIT_MS = 20_000;

/** Gives how many notes are new. */
export function linkSession(root: string, at: string, objective: string, minScore: number): number {
  if (objective === NONE) return 0;
  return underIndexLock(root, () => writeLinks(root, { ...placeParts(at), objective, at: new Date().toISOString() }, minScore));
}

/** Leaves the note of a merge in the project of the second session. Throws HELD where the index stays locked. */
export function linkMerged(root: string, note: MergeNote): void {
  underIndexLock(root, () => addMergeNote(root, note));
}

function underIndexLock<T>(root: string, work: () => T): T {
  const lock = acquire(storePaths(root).locks, INDEX_KEY, 'links', WAIT_MS);
  try {
    return work();
  } finally {
    lock.release();
  }
}
