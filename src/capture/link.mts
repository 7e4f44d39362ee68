/** Leaves the notes that relate a session to other projects; outside the revision, since they are only a help. */
import { acquire } from '../lib/fs/lock.mts';
import { INDEX_KEY, storePaths } from '../store/layout.mts';
import { writeLinks } from '../store/links.mts';

const WAIT_MS = 20_000;

/** Gives how many notes are new. */
export function linkSession(root: string, at: string, objective: string, minScore: number): number {
  if (objective === '(none)') return 0;
  const [project = '', folder = ''] = at.split('/');
  const lock = acquire(storePaths(root).locks, INDEX_KEY, 'links', WAIT_MS);
  try {
    return writeLinks(root, { project, folder, objective, at: new Date().toISOString() }, minScore);
  } finally {
    lock.release();
  }
}
