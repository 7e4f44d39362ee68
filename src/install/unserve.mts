/** One harness taken from a copy that serves others too: its link, its hooks and its word in the record go, and the copy stays. */
import { writeRecord } from './apply.mts';
import { mustRest } from './at-rest.mts';
import { readCopy } from './copy.mts';
import type { HookHarness } from './hooks/harnesses.mts';
import type { HookRecord } from './hooks/wire.mts';
import { mustBeRemovable, removeLink } from './links.mts';
import { realPlace } from './places.mts';
import { beginWork } from './stage.mts';
import type { Taken } from './take-away.mts';

export interface UnserveRequest {
  /** The real copy. */
  target: string;
  /** The harness's link to it, where it has one. */
  link?: string;
  /** Ids in the record, and whose hooks. */
  harnesses: readonly string[];
  forms: readonly HookHarness[];
  dryRun: boolean;
  unwire(hook: HookRecord, dryRun: boolean): 'removed' | 'absent' | 'changed';
  onSignal(undo: () => void): () => void;
}

/** Throws HELD while a store in the copy is at work, or another installer is. */
export function unserve({ target, link, harnesses, forms, dryRun, unwire, onSignal }: UnserveRequest): Taken {
  // Judged before anything goes, as in takeAway.
  if (link !== undefined) mustBeRemovable(link, target);
  const judged = hooksOf(target, forms).map((hook) => ({ settings: hook.settings, result: unwire(hook, true) }));
  const taken: Taken = { action: 'unserved', target: link ?? target, version: readCopy(target).record?.version, files: [], links: link === undefined ? [] : [link], hooks: judged, edited: [], rest: [], store: false };
  if (dryRun) return taken;
  mustRest(target);
  const work = beginWork(target, 'remove');
  const free = onSignal(() => work.end());
  try {
    const { record } = readCopy(target);
    const hooks = hooksOf(target, forms).map((hook) => ({ settings: hook.settings, result: unwire(hook, false) }));
    // The record before the link: a link that it does not name can still be removed; one that it names and that is gone would be made again.
    if (record !== undefined) {
      writeRecord(target, {
        ...record.document,
        target,
        harness: record.harness.split(',').filter((id) => !harnesses.includes(id)).join(','),
        links: record.links.filter((one) => link === undefined || realPlace(one) !== realPlace(link)),
        hooks: record.hooks.filter((hook) => !forms.includes(hook.harness)),
      });
    }
    if (link !== undefined) removeLink(link, target);
    return { ...taken, hooks };
  } finally {
    free();
    work.end();
  }
}

function hooksOf(target: string, forms: readonly HookHarness[]): HookRecord[] {
  return readCopy(target).record?.hooks.filter((hook) => forms.includes(hook.harness)) ?? [];
}
