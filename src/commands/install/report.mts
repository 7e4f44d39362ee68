/** What install and update say of a copy that they brought up. */
import type { Io } from '../../lib/cli/command.mts';
import { counted } from '../../lib/plural.mts';
import type { Brought } from '../../install/bring.mts';
import { leadsTo, readCopy } from '../../install/copy.mts';
import type { HookRecord } from '../../install/hooks/wire.mts';
import { readRecord } from '../../install/record.mts';
import { listLine } from './acting.mts';

/** As many files of one folder are named in a dry run; of more, how many they are. */
const FILES_NAMED = 5;

export interface Told { readonly provenance?: boolean; readonly record?: boolean }

/** The document of one copy. */
export function broughtJson(brought: Brought, dryRun: boolean): Record<string, unknown> {
  const { steps, setAside, ...rest } = brought;
  return { ...rest, before: brought.before ?? null, set_aside: setAside, ...(dryRun ? { steps } : {}), record: dryRun ? null : documentOf(brought.target) };
}

/** The lines of one copy. */
export function broughtText(brought: Brought, dryRun: boolean, told: Told): string[] {
  const { action, target, version, before, kept, left, missing, setAside, links, hooks, finished, files } = brought;
  const from = action === 'updated' && before !== undefined && before !== version ? ` from ${before}` : '';
  const first = {
    already: `already ${version} at ${target}; nothing was copied (--force copies it again)`,
    current: `up to date: ${version} at ${target}`,
    installed: `${dryRun ? 'would install' : 'installed'} ${version} -> ${target} (${counted(files, 'file')})`,
    updated: `${dryRun ? 'would update' : 'updated'} to ${version}${from} -> ${target} (${counted(files, 'file')})`,
  }[action];
  return [
    `install: ${first}`,
    ...(finished && action !== 'already' ? [`  ${dryRun ? 'would finish' : 'finished'} what was interrupted`] : []),
    ...(dryRun ? stepLines(brought.steps) : []),
    ...listLine('edited, kept as it is', kept),
    ...listLine('edited, no longer part of the copy', left),
    ...listLine('missing', missing),
    ...setAside.map(({ path, orig }) => `  edited: ${path}, kept as ${orig}`),
    ...links.map((link) => `  ${dryRun && !leadsTo(link, target) ? 'would link' : 'link'} ${link}`),
    ...hooks.map((hook) => `  ${dryRun && !isWired(hook, target) ? 'would wire hooks in' : 'hooks in'} ${hook.settings} (${hook.events.join(', ')})`),
    ...(dryRun ? [] : tell(target, told)),
  ];
}

function isWired({ settings, command }: HookRecord, target: string): boolean {
  return readCopy(target).record?.hooks.some((hook) => hook.settings === settings && hook.command === command) === true;
}

/** What is done to each file. Of a folder that gets many, one line: what is wired and kept is said below, and has to stay in sight. */
function stepLines(steps: Brought['steps']): string[] {
  const done = steps.filter(({ action }) => action !== 'same');
  const headOf = ({ path, action }: Brought['steps'][number]): string | undefined => {
    const at = path.indexOf('/');
    return at === -1 || (action !== 'add' && action !== 'replace') ? undefined : `  ${action} ${path.slice(0, at)}/`;
  };
  const counts = new Map<string, number>();
  for (const step of done) counts.set(headOf(step) ?? '', (counts.get(headOf(step) ?? '') ?? 0) + 1);
  return [...new Set(done.map((step) => {
    const head = headOf(step);
    const count = counts.get(head ?? '') ?? 0;
    return head === undefined || count <= FILES_NAMED ? `  ${step.action} ${step.path}` : `${head} (${counted(count, 'file')})`;
  }))];
}

/** What --provenance and --record add for a copy. */
export function tell(target: string, { provenance, record }: Told): string[] {
  const document = documentOf(target);
  const lines: string[] = [];
  if (provenance === true) lines.push(...provenanceLines(document));
  if (record === true) lines.push(...(document === null ? ['  no record'] : JSON.stringify(document, null, 2).split('\n').map((line) => `  ${line}`)));
  return lines;
}

function provenanceLines(document: Readonly<Record<string, unknown>> | null): string[] {
  if (document === null) return ['  provenance: no record'];
  const source = document['source'] as Record<string, unknown> | undefined;
  const facts = Object.entries(source ?? {}).map(([name, value]) => `${name}=${String(value)}`);
  return [`  provenance: ${facts.join(' ')} installer_version=${String(document['installer_version'])} installed_at=${String(document['installed_at'])}`];
}

export function documentOf(target: string): Readonly<Record<string, unknown>> | null {
  const record = readRecord(target);
  return typeof record === 'object' ? record.document : null;
}

/** Links that this system does not make: the client gets a copy of its own then, and the person is told. */
export function warnUnlinked(unlinked: readonly string[], io: Io): void {
  for (const link of unlinked) io.note(`${link} could not be made a link here, so it gets a copy of its own; update it too, and expect a client that reads both to see two`);
}

/** Said where a copy goes back to an older version although no version was asked for: an old program in a cache does that. */
export function warnOlder(done: readonly Brought[], asked: string | undefined, io: Io): void {
  if (asked !== undefined) return;
  for (const { action, target, before, version } of done) {
    if ((action === 'installed' || action === 'updated') && before !== undefined && isNewer(before, version)) {
      io.note(`${target} was ${before}, which is newer than ${version}, the version that runs; \`npx agents-handoff@${before} update\` brings it back`);
    }
  }
}

/** By the three numbers only; of two that have the same ones neither is newer. */
function isNewer(one: string, other: string): boolean {
  const numbers = (version: string): number[] => (/^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  const [mine, its] = [numbers(one), numbers(other)];
  const at = mine.findIndex((number, place) => number !== its[place]);
  return its.length === 3 && at !== -1 && (mine[at] ?? 0) > (its[at] ?? 0);
}
