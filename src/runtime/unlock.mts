/** Who holds a lock; what a dead holder left is settled before its lock goes. A living one is never broken. */
import { HandoffError } from '../lib/errors.mts';
import { acquire } from '../lib/fs/lock.mts';
import { allLocks, holderOf, recordsOf, type Held } from '../lib/fs/lock-file.mts';
import { takeSession } from '../capture/commit/session.mts';
import type { IndexRow } from '../store/index-file.mts';
import { storePaths } from '../store/layout.mts';
import { emptyPrefix, findByPrefix } from '../store/lookup.mts';

export interface LockState {
  /** The session; for a lock that is none's, its key. */
  session: string;
  key: string;
  life: Held['life'];
  /** Null where the lock does not say it: it holds a bare number, as 2.0.x writes, or what a crash left. */
  holder: { pid: number; host: string; operation: string; at: string } | null;
  /** A sentence on the holder, where that is all that is known. */
  who?: string;
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

/** Throws USAGE for an empty prefix, NO_MATCH where no session and no lock fits; HELD where `force` meets a living holder of this host. */
export function unlock(root: string, prefix: string, force: boolean): Unlocked {
  if (prefix === '') throw emptyPrefix();
  const all = keyedLocks(root);
  const exact = all.filter((lock) => namesOf(lock).includes(prefix));
  const named = exact.length > 0 ? exact : all.filter((lock) => namesOf(lock).some((name) => name.startsWith(prefix)));
  const silent = silentLocks(root, prefix, named.length > 0);
  const locks = [...named, ...silent];
  const removed: string[] = [];
  if (force) {
    const sessions = new Set(locks.filter(({ key }) => key.startsWith(SESSION)).map(({ session }) => session));
    if (sessions.size > 1) throw new HandoffError('AMBIGUOUS', `${prefix} matches the locks of ${[...sessions].join(', ')}`);
    for (const { session, key, life } of locks) {
      // What 2.0.x holds here is not ours to take.
      if (life === 'alive' && silent.some((one) => one.key === key)) continue;
      // Taking the lock settles what was left under it; releasing it removes the file.
      const lock = key.startsWith(SESSION) ? takeSession(root, session, 'unlock', true) : acquire(storePaths(root).locks, key, 'unlock', 0, true);
      lock.release();
      removed.push(session);
    }
    const [living] = silent;
    if (living !== undefined && removed.length === 0) throw new HandoffError('HELD', living.who ?? living.key);
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
 * Locks that do not say their key are found by the keys that the session's verbs take, here and in 2.0.x. A session that nobody holds is
 * an answer too; what is neither a lock nor a session is a mistake: then it throws NO_MATCH or AMBIGUOUS, unless `found` is true.
 */
function silentLocks(root: string, prefix: string, found: boolean): LockState[] {
  const { locks } = storePaths(root);
  const look = (session: string, key: string): LockState[] => {
    const held = holderOf(locks, key);
    return held === undefined || held.record !== undefined ? [] : [{ session, key, life: held.life, holder: null, who: held.who }];
  };
  // The keys of more than one session, and of the whole store, are named as they are.
  const asNamed = [prefix, `merge:${prefix}`].flatMap((key) => look(key, key));
  const row = rowOf(root, prefix, found || asNamed.length > 0);
  if (row === undefined) return asNamed;
  const { id, uuid, project } = row;
  const others = [...new Set([`promote:${id}`, `auto:${project}/${uuid}`, `auto:${project}/${id}`])].flatMap((key) => look(key, key));
  return [...look(uuid, `${SESSION}${uuid}`), ...others, ...asNamed];
}

function rowOf(root: string, prefix: string, mayMiss: boolean): IndexRow | undefined {
  try {
    return findByPrefix(root, prefix);
  } catch (error) {
    if (mayMiss && error instanceof HandoffError) return undefined;
    throw error;
  }
}

/**
 * What a lock is found by: the session, its place and folder, the key, and what a key of another verb says behind its word:
 * `promote:<id>`, `auto:<project>/<id>`, `merge:<a>+<b>`.
 */
function namesOf({ session, key, place }: LockState): string[] {
  const about = key.startsWith(SESSION) ? '' : key.slice(key.indexOf(':') + 1);
  return [session, key, place, place?.split('/')[1], about, about.slice(about.indexOf('/') + 1)].filter((name) => name !== undefined && name !== '') as string[];
}
