/** One harness taken from a copy that serves several: its link goes, and its row in the copy's record. */
import type { Taken } from './take-away.mts';
import { writeRecord } from './apply.mts';
import { mustRest } from './at-rest.mts';
import { readCopy } from './copy.mts';
import { removeLink } from './links.mts';
import { realPlace } from './places.mts';
import { beginWork } from './stage.mts';

export interface UnlinkRequest {
  link: string;
  /** The real copy. */
  target: string;
  dryRun: boolean;
  onSignal(undo: () => void): () => void;
}

export function unlinkPlace({ link, target, dryRun, onSignal }: UnlinkRequest): Taken {
  const taken: Taken = { action: 'removed', target: link, version: readCopy(target).record?.version, files: [], links: [link], hooks: [], edited: [], rest: [], store: false };
  if (dryRun) return taken;
  mustRest(target);
  const work = beginWork(target, 'remove');
  const free = onSignal(() => work.end());
  try {
    const record = readCopy(target).record;
    // The record first: a link that it does not name can still be removed; one that it names and that is gone would be made again.
    if (record !== undefined) {
      const links = record.links.filter((one) => realPlace(one) !== realPlace(link));
      writeRecord(target, { ...record.document, links }, work.lock.token);
    }
    removeLink(link, target);
    return taken;
  } finally {
    free();
    work.end();
  }
}
