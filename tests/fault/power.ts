/** Every state in which a power cut may leave the store of a scenario, met by the next commands. */
import { createHash } from 'node:crypto';
import { diskCalls } from './disk-calls.ts';
import { Disk, writeOut, type After } from './disk.ts';
import { manifests, type Found, type Workshop } from './workshop.ts';
import { record } from './record.ts';
import type { Scene } from './matrix.ts';

export interface PowerCut {
  what: string;
  after: After;
  /** The command had ended and said that it was done. */
  isLast: boolean;
}

/** The states after each call, each once; and what an undisturbed run leaves. */
export function powerCuts(workshop: Workshop, scene: Scene): { cuts: PowerCut[]; end: Found[] } {
  const child = scene.fresh();
  const disk = new Disk(workshop.root);
  const calls = diskCalls(child);
  const known = new Set<string>();
  const found: PowerCut[] = [];
  for (const [at, call] of calls.entries()) {
    disk.do(call);
    const isLast = at === calls.length - 1;
    for (const { what, after } of disk.cuts()) {
      const key = `${isLast} ${digest(after)}`;
      if (known.has(key)) continue;
      known.add(key);
      found.push({ what: `after ${call.name} #${at + 1} ${call.paths.at(-1)!.slice(workshop.root.length + 1)}: ${what}`, after, isLast });
    }
  }
  const differences = disk.differences();
  if (differences.length > 0) throw new Error(`the model of the disk is not what the run left: ${differences.join(' ')}`);
  return { cuts: found, end: manifests(workshop.root) };
}

function digest(after: After): string {
  const hash = createHash('sha256');
  for (const name of [...after.keys()].sort()) hash.update(`${name}\0${after.get(name)?.length ?? ''}\0`).update(after.get(name) ?? '');
  return hash.digest('hex');
}

/** What did not hold where the power was cut so. */
function meetCut(workshop: Workshop, scene: Scene, { after, isLast }: PowerCut, end: readonly Found[]): string[] {
  writeOut(after, workshop.root);
  const problems: string[] = [];
  try {
    if (isLast) {
      const places = (list: readonly Found[]): string => list.map(({ folder, session, revisions }) => `${folder} ${session} ${revisions}`).sort().join(', ');
      const now = places(manifests(workshop.root));
      if (now !== places(end)) problems.push(`it had said that it was done, and there is ${now} in the place of ${places(end)}`);
    }
    problems.push(...scene.unlocked());
    writeOut(after, workshop.root);
    problems.push(...scene.meet());
  } catch (error) {
    problems.push(`a check could not read what is there: ${String(error)}`);
  }
  return problems;
}

/** Meets the cuts one after the other; a line of figures for people, and every promise that was broken. */
export function meetAll(workshop: Workshop, scene: Scene, cuts: readonly PowerCut[], end: readonly Found[]): { figures: string; broken: string[] } {
  const broken: string[] = [];
  for (const cut of cuts) {
    const problems = meetCut(workshop, scene, cut, end);
    record({ scenario: scene.scenario.name, kind: 'power cut', points: 1, held: problems.length === 0 ? 1 : 0 });
    if (problems.length > 0) broken.push(`${cut.what}: ${problems.join('; ')}`);
  }
  return { figures: `${scene.scenario.name}: ${cuts.length} states after a power cut: ${cuts.length - broken.length} held`, broken };
}
