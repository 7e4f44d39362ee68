/**
 * Locks by which 2.0.x excludes itself, taken besides a session's own, and that of a dispatch. Nothing is ever left to settle under them. Their keys
 * hold a session's project or folder: after a move nobody would ask for the one that a dead holder left.
 */
import { HandoffError } from '../lib/errors.mts';
import { acquire, type Lock } from '../lib/fs/lock.mts';
import { allLocks } from '../lib/fs/lock-file.mts';
import { storePaths } from '../store/layout.mts';

const WORDS = ['auto', 'promote', 'merge', 'dispatch'] as const;
type Word = (typeof WORDS)[number];

/** `about` is what stands behind the verb's word in the key. Throws HELD. */
export function takeOlder(root: string, word: Word, about: string): Lock {
  clearOlder(root);
  return acquire(storePaths(root).locks, `${word}:${about}`, word);
}

/** Removes those of dead holders. Each is taken first, so that one which a living process took over meanwhile stays. */
export function clearOlder(root: string): void {
  const { locks } = storePaths(root);
  for (const { record, life } of allLocks(locks)) {
    if (life !== 'dead' || record === undefined || !WORDS.some((word) => record.key.startsWith(`${word}:`))) continue;
    try {
      acquire(locks, record.key, 'clear').release();
    } catch (error) {
      if (!(error instanceof HandoffError && error.code === 'HELD')) throw error;
    }
  }
}
