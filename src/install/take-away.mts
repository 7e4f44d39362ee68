/** Removal of one copy: what its record names goes, as long as it is what was put there; everything else stays and is named. */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError, errnoOf } from '../lib/errors.mts';
import { syncFolder } from '../lib/fs/files.mts';
import { isFolder } from '../lib/look.mts';
import { removeEmptyFolders } from './apply.mts';
import { mustRest } from './at-rest.mts';
import { isLink, readCopy, statesOf, type Copy } from './copy.mts';
import { mustBeRemovable, removeLink } from './links.mts';
import { MARK, PENDING_NAME, removePending, writePending } from './pending.mts';
import { RECORD_NAME, makeRecord } from './record.mts';
import type { HookRecord } from './hooks/wire.mts';
import { beginWork, removeEmpty } from './stage.mts';

export interface TakeRequest {
  target: string;
  dryRun: boolean;
  /** Takes a hook out of its settings; `changed` where it is not as it was wired, and stays. */
  unwire(hook: HookRecord, dryRun: boolean): 'removed' | 'absent' | 'changed';
  onSignal(undo: () => void): () => void;
}

export interface Taken {
  /** `unserved`: a harness was taken from a copy that stays for others. */
  action: 'removed' | 'unserved' | 'absent';
  target: string;
  version: string | undefined;
  /** Files that went, or would go. */
  files: readonly string[];
  links: readonly string[];
  hooks: { settings: string; result: 'removed' | 'absent' | 'changed' }[];
  /** Edited files of the record, which stay. */
  edited: readonly string[];
  /** What is left in the folder, its top names only. */
  rest: readonly string[];
  /** Among them a store with handoffs. */
  store: boolean;
}

/** Throws HandoffError: DAMAGED where no record tells what may go, HELD while the store in the copy is at work. */
export function takeAway(request: TakeRequest): Taken {
  const first = look(request);
  if (first.taken.action === 'absent' || request.dryRun) {
    // What a killed run left behind at its very end.
    if (!request.dryRun && first.empty) removeEmpty(request.target);
    return first.taken;
  }
  const work = beginWork(request.target, 'remove');
  const free = request.onSignal(() => work.end());
  try {
    const { copy, taken } = look(request);
    return taken.action === 'absent' ? taken : remove(copy, taken, request);
  } finally {
    free();
    work.end();
  }
}

interface Looked { copy: Copy; taken: Taken; empty: boolean }

function look({ target, unwire }: TakeRequest): Looked {
  if (isLink(target)) throw new HandoffError('EXISTS', `${target} is a link; only the folder that it leads to can be removed as a copy`);
  const copy = readCopy(target);
  const names = isFolder(target) ? fs.readdirSync(target) : [];
  const empty = copy.there && isFolder(target) && names.length === 0;
  const nothing: Taken = { action: 'absent', target, version: undefined, files: [], links: [], hooks: [], edited: [], rest: [], store: false };
  if (!copy.installed) return { copy, taken: nothing, empty };
  if (copy.record === undefined && copy.pending === undefined) {
    throw new HandoffError('DAMAGED', `${copy.unreadable ?? `${target} has no record (it was installed before 2.0.3)`}, so it is not known what may be removed; \`install --force --path\` with this folder writes a record, then remove`);
  }
  const unsure = [...copy.owned].find(([, hashes]) => hashes.length === 0);
  if (unsure !== undefined) {
    throw new HandoffError('DAMAGED', `the files in ${target} are not what was recorded, and the record has no hash for each, so an edited one cannot be told; \`update\` keeps what differs as .orig, then remove`);
  }
  mustRest(target);
  const states = statesOf(target, copy.owned.keys());
  const files = [...states].filter(([name, state]) => state.is === 'file' && copy.owned.get(name)?.includes(state.sha256) === true).map(([name]) => name);
  const edited = [...states].filter(([name, { is }]) => is !== 'missing' && !files.includes(name)).map(([name]) => name);
  const links = [...new Set([...(copy.record?.links ?? []), ...(copy.pending?.record?.links ?? [])])];
  // Judged before anything goes: settings that cannot be written stop a removal that has not begun.
  const hooks = wiredHooks(copy).map((hook) => ({ settings: hook.settings, result: unwire(hook, true) }));
  for (const link of links) mustBeRemovable(link, target);
  const taken: Taken = { ...nothing, action: 'removed', version: copy.record?.version ?? copy.pending?.record?.version, files, edited, links, hooks, rest: restOf(target, files) };
  return { copy, taken: { ...taken, store: taken.rest.some((name) => name === 'projects' || name === 'INDEX.json') }, empty };
}

function remove(copy: Copy, taken: Taken, { unwire, target }: TakeRequest): Taken {
  writePending(target, { operation: 'remove', known: Object.fromEntries([...copy.owned].map(([name, hashes]) => [name, [...hashes]])), record: intended(copy, taken) });
  const hooks = wiredHooks(copy).map((hook) => ({ settings: hook.settings, result: unwire(hook, false) }));
  const links = taken.links.filter((link) => removeLink(link, target));
  // A skill that is half gone must not be found as one.
  const files = [...taken.files].sort((a, b) => Number(b === 'SKILL.md') - Number(a === 'SKILL.md'));
  for (const name of files) removeFile(path.join(target, name));
  removeEmptyFolders(target, copy.owned.keys());
  for (const name of [RECORD_NAME, `${RECORD_NAME}.${MARK}.tmp`, `${PENDING_NAME}.${MARK}.tmp`]) removeFile(path.join(target, name));
  removePending(target);
  if (!removeEmpty(target)) syncFolder(target);
  return { ...taken, links, hooks, rest: restOf(target, []) };
}

/** One for each settings file; what an interrupted run was about to wire stands for what was there before. */
function wiredHooks({ record, pending }: Copy): HookRecord[] {
  return [...new Map([...(record?.hooks ?? []), ...(pending?.record?.hooks ?? [])].map((hook) => [hook.settings, hook])).values()];
}

/** What a run that finds this one interrupted must know besides the files. */
function intended({ record, pending }: Copy, { target, version, links }: Taken): ReturnType<typeof makeRecord> {
  return makeRecord({
    version: version ?? 'unknown', installer_version: version ?? 'unknown', installed_at: new Date().toISOString(), harness: record?.harness ?? '', target,
    source: { kind: 'tree', path: target }, package: { name: 'agents-handoff', version: version ?? 'unknown' },
    files: new Map(), links: [...links], hooks: [...(record?.hooks ?? []), ...(pending?.record?.hooks ?? [])],
  });
}

function removeFile(file: string): void {
  try {
    fs.unlinkSync(file);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/** The top names that hold anything besides these files. */
function restOf(target: string, files: readonly string[]): string[] {
  const gone = new Set([...files, RECORD_NAME, PENDING_NAME]);
  const holds = (name: string): boolean => {
    if (gone.has(name)) return false;
    const stat = fs.lstatSync(path.join(target, name), { throwIfNoEntry: false });
    if (stat?.isDirectory() !== true) return stat !== undefined;
    const names = fs.readdirSync(path.join(target, name));
    return names.length === 0 ? !files.some((file) => file.startsWith(`${name}/`)) : names.some((below) => holds(`${name}/${below}`));
  };
  return (isFolder(target) ? fs.readdirSync(target) : []).filter(holds).sort();
}
