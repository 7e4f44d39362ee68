/** Who holds a lock; what a dead holder left is settled before its lock goes. A living one is never broken. */
import { HandoffError } from '../lib/errors.mts';
import { acquire, allLocks, recordsOf, type Held } from '../lib/fs/lock.mts';
import { takeSession } from '../capture/commit/session.mts';
import { storePaths } from '../store/layout.mts';
import { findByPrefix } from '../store/lookup.mts';

export interface LockState {
  /** The session; for a lock that is none's, its key. */
  session: string;
  key: string;
  life: Held['life'];
  holder: { pid: number; host: string; operation: string; at: string };
  place?: string;
}

export interface Unlocked {
  ok: true;
  action: 'unlock';
  locks: LockState[];
  /** The sessions, or keys, whose locks were settled and removed. */
  removed: string[];
}

const SESSION = 'session:';

/** Throws NO_MATCH where no session and no lock fits; HELD where `force` meets a living holder of this host. */
export function unlock(root: string, prefix: string, force: boolean): Unlocked {
  const all = keyedLocks(root);
  const exact = all.filter((lock) => namesOf(lock).includes(prefix));
  const locks = exact.length > 0 ? exact : all.filter((lock) => namesOf(lock).some((name) => name.startsWith(prefix)));
  // A session that nobody holds is an answer too; what is neither a lock nor a session is a mistake.
  if (locks.length === 0) findByPrefix(root, prefix);
  const removed: string[] = [];
  if (force) {
    const sessions = new Set(locks.filter(({ key }) => key.startsWith(SESSION)).map(({ session }) => session));
    if (sessions.size > 1) throw new HandoffError('AMBIGUOUS', `${prefix} matches the locks of ${[...sessions].join(', ')}`);
    for (const { session, key } of locks) {
      // Taking the lock settles what was left under it; releasing it removes the file.
      const lock = key.startsWith(SESSION) ? takeSession(root, session, 'unlock', true) : acquire(storePaths(root).locks, key, 'unlock', 0, true);
      lock.release();
      removed.push(session);
    }
  }
  return { ok: true, action: 'unlock', locks, removed };
}

/** Sessions first: the verbs that hold another lock besides wait for theirs. */
function keyedLocks(root: string): LockState[] {
  const found = allLocks(storePaths(root).locks).flatMap((held) => {
    const { record } = held;
    if (record === undefined) return [];
    const place = recordsOf(held).map((one) => one['place']).findLast((one) => typeof one === 'string');
    const { key, pid, host, operation, at } = record;
    const session = key.startsWith(SESSION) ? key.slice(SESSION.length) : key;
    return [{ session, key, life: held.life, holder: { pid, host, operation, at }, ...(place === undefined ? {} : { place: place as string }) }];
  });
  return [...found.filter(({ key }) => key.startsWith(SESSION)), ...found.filter(({ key }) => !key.startsWith(SESSION))];
}

/**
 * What a lock is found by: the session, its place and folder, the key, and what a key of another verb says behind its word:
 * `promote:<id>`, `auto:<project>/<id>`, `merge:<a>+<b>`.
 */
function namesOf({ session, key, place }: LockState): string[] {
  const about = key.startsWith(SESSION) ? '' : key.slice(key.indexOf(':') + 1);
  return [session, key, place, place?.split('/')[1], about, about.slice(about.indexOf('/') + 1)].filter((name) => name !== undefined && name !== '') as string[];
}
