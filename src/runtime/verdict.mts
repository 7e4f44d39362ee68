/** What is to be done with a session of another store, told from the two copies alone: the same in a dry run. */
import { HandoffError } from '../lib/errors.mts';
import { besideId } from '../store/names.mts';
import { relate, timelineHash, wins, type Copy } from './relation.mts';

/** A session of ours. */
export interface Local extends Copy {
  session: string;
  /** `project/folder`. */
  at: string;
}

export type Reason = 'local-is-newer' | 'local-wins' | 'kept-beside';

/** Where a copy goes that does not keep the id. `into`: one that is there already and that it goes on from. */
export interface Beside {
  id: string;
  into: Local | undefined;
}

export type Verdict =
  | { act: 'import' }
  | { act: 'skip'; reason: Reason }
  /** `same`: the timelines are equal. */
  | { act: 'update'; same: boolean }
  /** Both went on; ours wins and the other's is put beside it. */
  | { act: 'put-beside'; beside: Beside }
  /** Both went on; the other's wins and ours is put beside it first, where it is not kept there yet. */
  | { act: 'give-way'; beside: Beside | undefined };

/** `beside`: the sessions beside the local one. */
export function weigh(local: Local | undefined, remote: Copy, beside: readonly Local[]): Verdict {
  if (local === undefined) return { act: 'import' };
  const relation = relate(local, remote);
  if (relation === 'ahead') return { act: 'skip', reason: 'local-is-newer' };
  if (relation === 'behind') return { act: 'update', same: false };
  const ours = wins(local.manifest, remote.manifest);
  if (relation === 'equal') return ours ? { act: 'skip', reason: 'local-wins' } : { act: 'update', same: true };
  const place = placeBeside(local.session, ours ? remote : local, beside);
  if (!ours) return { act: 'give-way', beside: place };
  return place === undefined ? { act: 'skip', reason: 'kept-beside' } : { act: 'put-beside', beside: place };
}

/** Undefined where one beside holds all of it already. */
function placeBeside(session: string, loser: Copy, beside: readonly Local[]): Beside | undefined {
  let into: Local | undefined;
  for (const one of beside) {
    const relation = relate(one, loser);
    if (relation === 'equal' || relation === 'ahead') return undefined;
    if (relation === 'behind') into ??= one;
  }
  if (into !== undefined) return { id: into.session, into };
  const id = besideId(session, timelineHash(loser));
  if (beside.some((one) => one.session === id)) throw new HandoffError('EXISTS', `${id} is there already and holds something else`);
  return { id, into: undefined };
}
