import { HandoffError } from '../lib/errors.mts';
import { allLocks } from '../lib/fs/lock-file.mts';
import { storePaths } from '../store/layout.mts';

/** Throws HELD while somebody works in the store that lies in this folder, if one does. */
export function mustRest(store: string): void {
  const held = allLocks(storePaths(store).locks).find(({ life }) => life !== 'dead');
  if (held !== undefined) throw new HandoffError('HELD', `the store in ${store} is at work: ${held.who}; nothing was changed`, { data: { holder: held.record ?? null } });
}
