/** Who holds a session's lock; what a dead holder left is settled before its lock goes. A living one is never broken. */
import { HandoffError } from '../lib/errors.mts';
import { allLocks, recordsOf, type Held } from '../lib/fs/lock.mts';
import { takeSession } from '../capture/session.mts';
import { storePaths } from '../store/layout.mts';
import { findByPrefix } from '../store/lookup.mts';

export interface LockState {
  session: string;
  life: Held['life'];
  holder: { pid: number; host: string; operation: string; at: string };
  place?: string;
}

export interface Unlocked {
  ok: true;
  action: 'unlock';
  locks: LockState[];
  /** Sessions whose lock was settled and removed. */
  removed: string[];
}

/** Throws NO_MATCH where no session and no lock fits; HELD where `force` meets a living holder of this host. */
export function unlock(root: string, prefix: string, force: boolean): Unlocked {
  const locks = sessionLocks(root).filter(({ session, place }) => session.startsWith(prefix) || place?.startsWith(prefix) === true || place?.split('/')[1]?.startsWith(prefix) === true);
  // A session that nobody holds is an answer too; what is neither a lock nor a session is a mistake.
  if (locks.length === 0) findByPrefix(root, prefix);
  const removed: string[] = [];
  if (force) {
    if (locks.length > 1) throw new HandoffError('AMBIGUOUS', `${prefix} matches the locks of ${locks.map(({ session }) => session).join(', ')}`);
    for (const { session } of locks) {
      // Taking the lock settles what was left under it; releasing it removes the file.
      takeSession(root, session, 'unlock', true).release();
      removed.push(session);
    }
  }
  return { ok: true, action: 'unlock', locks, removed };
}

function sessionLocks(root: string): LockState[] {
  return allLocks(storePaths(root).locks).flatMap((held) => {
    const { record } = held;
    if (record === undefined || !record.key.startsWith('session:')) return [];
    const place = recordsOf(held).map((one) => one['place']).findLast((one) => typeof one === 'string');
    const { pid, host, operation, at } = record;
    return [{ session: record.key.slice('session:'.length), life: held.life, holder: { pid, host, operation, at }, ...(place === undefined ? {} : { place: place as string }) }];
  });
}
