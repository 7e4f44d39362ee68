/** Every installation that can be found: in the user's skills folders and in those of the repository at hand. Reads only. */
import path from 'node:path';
import { checkCopy, isLink, readCopy, realCopy, type Checked, type Copy } from './copy.mts';
import { HARNESSES, type Harness } from './harnesses.mts';
import { SKILL, foldersOf, homeIfAny, isHere, userFolders, type Ground } from './places.mts';

export interface Installation {
  /** The real folder. */
  readonly real: string;
  readonly copy: Copy;
  readonly checked: Checked;
  /** The places at which a client finds it: the folder itself, and links to it. */
  readonly places: readonly string[];
}

/** In the order of the skills folders; each real folder once. */
export function findInstallations(ground: Ground): Installation[] {
  const home = homeIfAny(ground);
  const named = ground.env['AGENT_HANDOFF_GLOBAL_DIR'];
  const folders = new Set([
    ...(named ? [path.resolve(ground.cwd, named)] : []),
    ...(home === undefined ? [] : userFolders(home, ground)),
    ...HARNESSES.flatMap((harness) => foldersOf(harness, home, ground)),
  ]);
  return installationsAt([...folders].map((folder) => path.join(folder, SKILL)));
}

/** The installations among these places. */
export function installationsAt(places: readonly string[]): Installation[] {
  const found = new Map<string, string[]>();
  for (const place of places) {
    const real = realCopy(place);
    if (real !== undefined) found.set(real, [...new Set([...(found.get(real) ?? []), place])]);
  }
  return [...found].flatMap(([real, at]) => {
    const copy = readCopy(real);
    if (!copy.installed) return [];
    return [{ real, copy, checked: checkCopy(copy), places: at }];
  });
}

export interface Seen {
  readonly harness: Harness;
  /** Whether the client's own folder is on this machine. */
  readonly here: boolean;
  /** The real folders of the copies that it finds, in its order, and the place of each. */
  readonly copies: readonly { readonly place: string; readonly real: string }[];
  /** Links that lead nowhere. */
  readonly broken: readonly string[];
}

/** What one harness sees. A copy that it finds by several links is one copy. */
export function seenBy(harness: Harness, ground: Ground): Seen {
  const home = homeIfAny(ground);
  const copies = new Map<string, string>();
  const broken: string[] = [];
  for (const folder of foldersOf(harness, home, ground)) {
    const place = path.join(folder, SKILL);
    const real = realCopy(place);
    if (real === undefined && isLink(place)) broken.push(place);
    if (real !== undefined && !copies.has(real) && readCopy(real).installed) copies.set(real, place);
  }
  return { harness, here: home !== undefined && isHere(harness, home, ground), copies: [...copies].map(([real, place]) => ({ place, real })), broken };
}

/** A sentence for every harness here that would see more than one copy. */
export function twice(ground: Ground): string[] {
  return HARNESSES.map((harness) => seenBy(harness, ground)).filter(({ here, copies }) => here && copies.length > 1).map(({ harness, copies }) => {
    const does = harness.twice ?? 'may take either';
    return `${harness.name} finds ${copies.length} copies and ${does}: ${copies.map(({ place }) => place).join(' and ')}; remove one of them`;
  });
}
