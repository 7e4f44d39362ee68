/**
 * Which copies a line means: one real folder, and links where further clients look. A client that reads the folder of the
 * real copy needs nothing of its own.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HandoffError } from '../lib/errors.mts';
import { nearest } from '../lib/cli/nearest.mts';
import { isFolder } from '../lib/look.mts';
import { repositoryOf } from '../lib/repo.mts';
import { isLink, leadsTo, readCopy, realCopy } from './copy.mts';
import { HARNESSES, SHARED, harnessOf, type Harness } from './harnesses.mts';
import { SKILL, globalRoot, inHome, isHere, realPlace, userHome, type Ground } from './places.mts';

export interface Wanted {
  readonly harnesses: readonly Harness[];
  readonly all: boolean;
  readonly skillsDir?: string;
  readonly path?: string;
  readonly location: 'global' | 'local' | 'project';
}

export interface Target {
  /** The copy's folder, the links in its path followed. */
  readonly target: string;
  /** Ids of the harnesses that it is for, joined by commas; `path` or `skills-dir` where a folder was named. */
  readonly harness: string;
  readonly links: readonly string[];
}

export interface Targets {
  readonly targets: readonly Target[];
  /** Harnesses for which nothing is written, each with the reason. */
  readonly skipped: readonly { harness: string; why: string }[];
  /** Harnesses that are served, for hooks and for what is said. */
  readonly served: readonly Harness[];
  /** Below which the table's folders lie: the home, or a repository. */
  readonly base: string | undefined;
  readonly relativeLinks: boolean;
}

/** The harnesses that words after `--harness` name, each once. Throws HandoffError USAGE. */
export function harnessesNamed(words: readonly string[]): Harness[] {
  const found = words.flatMap((word) => word.split(',')).map((word) => word.trim()).filter((word) => word !== '').map((word) => {
    const harness = harnessOf(word);
    if (harness !== undefined) return harness;
    const ids = HARNESSES.flatMap(({ id, also = [] }) => [id, ...also]);
    const meant = nearest(word, ids);
    throw new HandoffError('USAGE', `unknown harness "${word}"${meant === undefined ? '' : `, did you mean "${meant}"?`} (known: ${HARNESSES.map(({ id }) => id).join(', ')})`);
  });
  return [...new Set(found)];
}

/** Where a copy is to be put, or is taken from. Throws HandoffError: IO without a home, NO_MATCH where `all` finds no harness. */
export function chooseTargets(wanted: Wanted, ground: Ground): Targets {
  const none: Targets = { targets: [], skipped: [], served: [], base: undefined, relativeLinks: false };
  const named = (folder: string, harness: string): Targets => ({ ...none, targets: [{ target: realPlace(path.resolve(ground.cwd, folder)), harness, links: [] }] });
  if (wanted.path !== undefined) return named(wanted.path, 'path');
  if (wanted.skillsDir !== undefined) return named(path.join(wanted.skillsDir, SKILL), 'skills-dir');
  if (wanted.harnesses.length === 0 && !wanted.all && wanted.location === 'global') return named(path.join(globalRoot(ground).folder, SKILL), 'global');
  const form = formOf(wanted, ground);
  const { harnesses, skipped } = chosen(wanted, ground);
  if (harnesses.length === 0) return { ...named(path.join(form.shared, SKILL), wanted.location), relativeLinks: true, base: form.base };
  const placed = place(harnesses, form, harnesses.length === 1 && !wanted.all);
  return { ...placed, skipped: [...skipped, ...placed.skipped], base: form.base, relativeLinks: form.relativeLinks };
}

interface Form {
  readonly base: string;
  readonly relativeLinks: boolean;
  readonly shared: string;
  /** The folders that a harness reads, its own first. */
  folders(harness: Harness): string[];
}

function formOf({ location }: Wanted, ground: Ground): Form {
  if (location === 'global') {
    const home = userHome(ground);
    const named = ground.env['AGENT_HANDOFF_GLOBAL_DIR'];
    return { base: home, relativeLinks: false, shared: named ? path.resolve(ground.cwd, named) : path.join(home, SHARED), folders: (harness) => harness.user.map((folder) => inHome(folder, harness, home, ground)) };
  }
  const base = location === 'local' ? path.resolve(ground.cwd) : repositoryOf(ground.cwd);
  return { base, relativeLinks: true, shared: path.join(base, SHARED), folders: (harness) => harness.project.map((folder) => path.join(base, folder)) };
}

function chosen(wanted: Wanted, ground: Ground): Pick<Targets, 'skipped'> & { harnesses: readonly Harness[] } {
  if (!wanted.all) return { harnesses: wanted.harnesses, skipped: [] };
  const home = userHome(ground);
  const here = HARNESSES.filter((harness) => isHere(harness, home, ground) || wanted.harnesses.includes(harness));
  if (here.length === 0) throw new HandoffError('NO_MATCH', `no harness is here: ${home} has none of their folders; name one with --harness, or a folder with --skills-dir`);
  return { harnesses: here, skipped: HARNESSES.filter((harness) => !here.includes(harness)).map(({ id }) => ({ harness: id, why: 'not here' })) };
}

/**
 * A real copy that stands is used where it is. Else the shared folder, for several clients or where a copy is there; else the
 * client's own. `alone`: one client, named: it gets a link of its own even where it reads the shared folder.
 */
function place(harnesses: readonly Harness[], form: Form, alone: boolean): Pick<Targets, 'targets' | 'skipped' | 'served'> {
  const at = (folder: string): string => realPlace(path.join(folder, SKILL));
  const own = harnesses.map((harness) => ({ harness, mine: at(form.folders(harness)[0] ?? form.shared), places: form.folders(harness).map(at) }));
  const shared = at(form.shared);
  const several = new Set(own.map(({ mine }) => mine)).size > 1;
  const standing = own.flatMap(({ mine }) => linkedCopy(mine) ?? (isInstalled(mine) ? mine : []));
  const main = isInstalled(shared) ? shared : standing[0] ?? (several ? shared : own[0]?.mine ?? shared);

  const plan = new Map<string, { harness: string[]; links: string[] }>([[main, { harness: [], links: [] }]]);
  const skipped: { harness: string; why: string }[] = [];
  for (const { harness, mine, places } of own) {
    // A second real folder that is there already cannot be a link: it is kept up too, and told of.
    const apart = mine !== main && (isInstalled(mine) || (!places.includes(main) && isOccupied(mine)));
    const copy = apart ? mine : main;
    const entry = plan.get(copy) ?? { harness: [], links: [] };
    plan.set(copy, { ...entry, harness: [...entry.harness, harness.id] });
    if (mine === copy) continue;
    if (places.includes(main) && !alone && !leadsTo(mine, main)) skipped.push({ harness: harness.id, why: `reads ${main} itself` });
    else plan.get(copy)?.links.push(mine);
  }
  const targets = [...plan].map(([target, { harness, links }]): Target => ({ target, harness: harness.join(','), links: [...new Set(links)] }));
  return { targets: targets.filter(({ harness }) => harness !== ''), skipped, served: harnesses };
}

/** A real folder with a copy in it. */
function isInstalled(target: string): boolean {
  return !isLink(target) && isFolder(target) && readCopy(target).installed;
}

/** A real folder with anything in it, such as the store of a copy that was removed. */
function isOccupied(target: string): boolean {
  return !isLink(target) && isFolder(target) && fs.readdirSync(target).length > 0;
}

/** The real copy behind a link that its own record names; undefined for every other link, which nothing is written through. */
export function linkedCopy(place: string): string | undefined {
  if (!isLink(place)) return undefined;
  const real = realCopy(place);
  return real !== undefined && readCopy(real).record?.links.some((link) => realPlace(link) === realPlace(place)) === true ? real : undefined;
}

/** For verbs that act on what is there: where the line says that a copy, or a link to one, is. */
export function placesNamed(wanted: Wanted, ground: Ground): string[] {
  if (wanted.path !== undefined) return [path.resolve(ground.cwd, wanted.path)];
  if (wanted.skillsDir !== undefined) return [path.resolve(ground.cwd, wanted.skillsDir, SKILL)];
  if (wanted.harnesses.length === 0 && wanted.location === 'global') return [path.join(globalRoot(ground).folder, SKILL)];
  const form = formOf(wanted, ground);
  if (wanted.harnesses.length === 0) return [path.join(form.shared, SKILL)];
  return [...new Set(wanted.harnesses.flatMap((harness) => {
    const places = form.folders(harness).map((folder) => path.join(folder, SKILL));
    return places.find((one) => isLink(one) || isInstalled(one)) ?? places[0] ?? [];
  }))];
}
