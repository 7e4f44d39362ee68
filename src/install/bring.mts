/** Install and update of one copy: what is decided from what stands there, and doing it under the target's lock. */
import fs from 'node:fs';
import path from 'node:path';
import { below } from '../lib/below.mts';
import { HandoffError } from '../lib/errors.mts';
import { counted } from '../lib/plural.mts';
import { VERSION } from '../lib/version.mts';
import { isFolder, isThere } from '../lib/look.mts';
import { applyChange, type Applied } from './apply.mts';
import { mustRest } from './at-rest.mts';
import { checkCopy, isLink, leadsTo, readCopy, statesOf, type Copy } from './copy.mts';
import { changesFiles, pathsOf, planCopy, type Step } from './plan.mts';
import { SKILL, realPlace } from './places.mts';
import { foundRecord, makeRecord, type FoundRecord, type InstallRecord } from './record.mts';
import { HOOKS } from './hooks/harnesses.mts';
import { unwireHooks, wireHooks, type HookRecord } from './hooks/wire.mts';
import type { Source } from './source.mts';
import { beginWork, stageFiles } from './stage.mts';

export interface BringRequest {
  operation: 'install' | 'update';
  /** The copy's folder, the links in its path followed. */
  target: string;
  /** Whom it is for, for the record. */
  harness: string;
  source: Source;
  /** Where links to it shall stand, besides those that the record has. */
  links: readonly string[];
  relativeLinks: boolean;
  /** A repository, for a copy in one: what its record says is the word of whoever wrote the repository. */
  repository?: string | undefined;
  force: boolean;
  dryRun: boolean;
  /** Wires hooks, or only says how it would. */
  wire?: (dryRun: boolean) => HookRecord[];
  onSignal(undo: () => void): () => void;
}

export interface Brought {
  /** `already`: this version is there, and nobody said --force. `current`: there was nothing to do. */
  action: 'installed' | 'updated' | 'already' | 'current';
  target: string;
  version: string;
  /** The version that stood there. */
  before: string | undefined;
  /** Where a run before was interrupted and this one finished it. */
  finished: boolean;
  files: number;
  steps: readonly Step[];
  /** Edited files that stayed as they are. */
  kept: readonly string[];
  /** Files that were the installer's, were edited, and belong to nobody now. */
  left: readonly string[];
  missing: readonly string[];
  setAside: Applied['setAside'];
  links: readonly string[];
  unlinked: readonly string[];
  hooks: readonly HookRecord[];
}

/** Brings a copy to what the source holds. Throws HandoffError; before the first change of the copy it is then as it was. */
export async function bring(request: BringRequest): Promise<Brought> {
  const first = decide(request);
  if (request.dryRun || !first.work) return first.brought;
  const work = beginWork(request.target, request.operation);
  const free = request.onSignal(() => work.end());
  try {
    // Again under the lock: another installer may have been faster.
    const { brought, copy, record, work: needed } = decide(request);
    if (!needed) return brought;
    const staged = await stageFiles(work.stage, request.source, pathsOf(brought.steps, 'add', 'replace', 'set-aside'));
    const known = new Map(copy.owned);
    for (const [name, hash] of request.source.files) known.set(name, [...(known.get(name) ?? []), hash]);
    const wire = (): HookRecord[] => {
      // An entry that starts the place where the copy was, or has an older form, would stay beside the new one.
      for (const old of copy.record?.hooks ?? []) if (record.hooks.some((now) => now.settings === old.settings && (now.command !== old.command || now.entry_sha256 !== old.entry_sha256))) unwireHooks(old);
      const finished = unfinishedHooks(copy, request).map(({ harness, settings }) => wireHooks({ harness, settings, copy: request.target }));
      return mergeHooks(record.hooks, [...finished, ...(request.wire?.(false) ?? [])]);
    };
    const applied = applyChange({ target: request.target, operation: request.operation, steps: brought.steps, wanted: request.source.files, staged, known, record, relativeLinks: request.relativeLinks, wire });
    return { ...brought, setAside: applied.setAside, links: applied.record.links, unlinked: applied.unlinked, hooks: applied.record.hooks };
  } finally {
    free();
    work.end();
  }
}

interface Decision { brought: Brought; copy: Copy; record: InstallRecord; work: boolean }

function decide(request: BringRequest): Decision {
  const { operation, target, source, force } = request;
  mustBePlace(target, source.root);
  const copy = readCopy(target);
  if (operation === 'update' && !copy.installed) throw new HandoffError('NO_MATCH', `nothing is installed at ${target}; \`install\` puts a copy there`);
  if (copy.unreadable !== undefined && !force) throw new HandoffError('DAMAGED', `${copy.unreadable}; --force sets aside what differs and writes a new one`);
  const before = copy.record?.version;
  const base: Brought = {
    action: operation === 'install' ? 'installed' : 'updated',
    target, version: source.version, before, finished: copy.pending !== undefined, files: source.files.size, steps: [],
    kept: [], left: [], missing: [], setAside: [], links: [], unlinked: [], hooks: [],
  };
  mustBeLinkable(target, request.links);
  const record = recordOf(request, copy);
  if (operation === 'install' && copy.record !== undefined && copy.pending === undefined && before === source.version && !force) {
    const { changed, missing } = checkCopy(copy);
    // Only links and hooks may come besides, in the record that stands.
    const same = { ...(copy.record.document as unknown as InstallRecord), target, links: record.links, hooks: record.hooks, harness: record.harness };
    const brought: Brought = { ...base, action: 'already', kept: changed, missing, files: copy.record.files.size, links: record.links, hooks: record.hooks };
    return { brought, copy, record: same, work: addsToRecord(copy, record) };
  }
  mustRest(target);
  const steps = planCopy({ wanted: source.files, owned: copy.owned, states: statesOf(target, new Set([...source.files.keys(), ...copy.owned.keys()])), force });
  mustNotBeBlocked(target, steps, copy);
  const work = copy.pending !== undefined || changesFiles(steps) || saysOther(copy, record);
  const brought: Brought = {
    ...base, steps, kept: pathsOf(steps, 'keep'), left: pathsOf(steps, 'leave'), links: record.links, hooks: record.hooks,
    ...(work ? {} : { action: 'current' as const }),
  };
  return { brought, copy, record, work };
}

function recordOf(request: BringRequest, copy: Copy): InstallRecord {
  const { source, target, links, harness } = request;
  const before = copy.pending?.record ?? copy.record;
  const hooks = mergeHooks([...(copy.record?.hooks ?? []), ...(copy.pending?.record?.hooks ?? [])], request.wire?.(true) ?? []);
  const linked = [copy.record, copy.pending?.record].flatMap((found) => (found === undefined ? [] : ownLinks(found, request)));
  const words = new Set([...(before?.harness ?? '').split(','), ...harness.split(',')].filter((word) => word !== ''));
  return makeRecord({
    version: source.version,
    installer_version: VERSION,
    installed_at: new Date().toISOString(),
    harness: [...words].join(','),
    target,
    source: source.note,
    package: { name: SKILL, version: source.version },
    files: source.files,
    links: [...new Set([...linked, ...links])],
    hooks,
  });
}

/**
 * The recorded links that are the copy's, or are made again. Where somebody has put something else in the place of one, it is
 * theirs; and none is made outside of a repository because its record says so.
 */
function ownLinks({ links }: FoundRecord, { target, repository }: BringRequest): string[] {
  return links.filter((link) => leadsTo(link, target) || (!isThere(link) && fileAbove(link) === undefined && (repository === undefined || isBelow(repository, link))));
}

function isBelow(folder: string, file: string): boolean {
  return (below(folder, realPlace(file)) ?? '') !== '';
}

/** What an interrupted run was about to wire, whichever run finishes it. A repository's word is taken for its own settings only. */
function unfinishedHooks({ record, pending }: Copy, { repository }: BringRequest): readonly HookRecord[] {
  if (pending === undefined || pending.operation === 'remove') return [];
  const wired = (hook: HookRecord): boolean => record?.hooks.some(({ settings, command }) => settings === hook.settings && command === hook.command) === true;
  return (pending.record?.hooks ?? []).filter((hook) => Object.hasOwn(HOOKS, hook.harness) && !wired(hook) && (repository === undefined || isBelow(repository, hook.settings)));
}

/** One wiring for each settings file, the later one. */
function mergeHooks(before: readonly HookRecord[], more: readonly HookRecord[]): HookRecord[] {
  const merged = new Map<string, HookRecord>();
  // The backup is of what stood there before the first wiring.
  for (const hook of [...before, ...more]) merged.set(hook.settings, { ...merged.get(hook.settings), ...hook });
  return [...merged.values()];
}

/** Whether a link, a hook or a harness comes besides, or a recorded link is gone. */
function addsToRecord({ record }: Copy, { links, hooks, harness }: InstallRecord): boolean {
  if (record === undefined) return true;
  return harness !== record.harness || JSON.stringify(links) !== JSON.stringify(record.links) || links.some((link) => !isThere(link)) || JSON.stringify(hooks) !== JSON.stringify(record.hooks);
}

function saysOther(copy: Copy, record: InstallRecord): boolean {
  const found = copy.record;
  const now = foundRecord(record as unknown as Record<string, unknown>);
  return found === undefined || found.version !== now.version || found.filesSha256 !== now.filesSha256 || found.document['target'] !== record.target || addsToRecord(copy, record);
}

/** What stands in the way of a path's folders: the nearest that is there above it, where that is no folder. */
function fileAbove(file: string): string | undefined {
  const above = nearestAbove(file);
  return isFolder(above) ? undefined : above;
}

function nearestAbove(file: string): string {
  let above = path.dirname(file);
  while (!isThere(above) && above !== path.dirname(above)) above = path.dirname(above);
  return above;
}

/** Throws IO where nothing can be made at `link`: known before the copy is begun, it leaves none behind. */
function mustBeWritable(link: string): void {
  const above = nearestAbove(link);
  try {
    fs.accessSync(above, fs.constants.W_OK | fs.constants.X_OK);
  } catch (cause) {
    throw new HandoffError('IO', `${link} cannot be made: nothing can be written in ${above}`, { cause });
  }
}

/** Throws where nothing may be put: onto a link or a file, or onto what it is copied from. */
function mustBePlace(target: string, source: string): void {
  const blocking = fileAbove(target);
  if (blocking !== undefined) throw new HandoffError('EXISTS', `${blocking} is there and is no folder`);
  const stat = fs.lstatSync(target, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() === true) throw new HandoffError('EXISTS', `${target} is a link to ${fs.readlinkSync(target)}, and nothing is written through it; remove the link first, or name the folder that it leads to with --path`);
  if (stat !== undefined && !stat.isDirectory()) throw new HandoffError('EXISTS', `${target} is there and is no folder`);
  const real = isFolder(target) ? fs.realpathSync(target) : target;
  const from = fs.realpathSync(source);
  const inside = below(real, from);
  if (inside !== undefined) {
    throw new HandoffError('EXISTS', inside === ''
      ? `${target} is what would be copied: source and target are the same folder; run \`npx agents-handoff@latest\` instead, or name a version with --version`
      : `${target} holds the folder that would be copied, ${from}`);
  }
}

/** Throws where something else stands in the place of a link. */
function mustBeLinkable(target: string, links: readonly string[]): void {
  for (const link of links) {
    const blocking = fileAbove(link);
    if (blocking !== undefined) throw new HandoffError('EXISTS', `${link} cannot be linked to ${target}: ${blocking} is there and is no folder`);
    if (leadsTo(link, target)) continue;
    if (!isThere(link)) {
      mustBeWritable(link);
      continue;
    }
    const what = isLink(link) ? `is a link to ${fs.readlinkSync(link)}` : 'is there and is no link';
    throw new HandoffError('EXISTS', `${link} ${what}, so it cannot be linked to ${target}; move it away first`);
  }
}

function mustNotBeBlocked(target: string, steps: readonly Step[], copy: Copy): void {
  const blocked = pathsOf(steps, 'blocked');
  if (blocked.length === 0) return;
  const outside = [...statesOf(target, blocked)].filter(([, { is }]) => is === 'outside').map(([name]) => name);
  if (outside.length > 0) throw new HandoffError('EXISTS', `in ${target} a link or a file is in the place of a folder, and nothing is written through it: ${some(outside)}`, { data: { blocked: outside } });
  const why = copy.installed && copy.record === undefined && copy.pending === undefined ? 'it was installed without a record (before 2.0.3), so it cannot be told whether these were edited' : 'they are not the installer\'s';
  throw new HandoffError('EXISTS', `${counted(blocked.length, 'file')} in ${target} would be replaced, and ${why}: ${some(blocked)}; --force keeps each as .orig`, { data: { blocked } });
}

/** The first five names, and how many more there are. */
export function some(names: readonly string[]): string {
  return names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;
}
