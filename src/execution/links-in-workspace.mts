/**
 * Names in the workspaces that stand for something outside of them. Node's permission model judges a path by its letters,
 * so a link in a workspace is a door through it; a hard link is one that no path shows.
 */
import fs from 'node:fs';
import path from 'node:path';
import { identityOf } from './disk.mts';
import { isWithin } from './platform.mts';
import { resolveReal } from './resolve.mts';
import { inRoots } from './roots.mts';
import type { Setting } from './setting.mts';

interface Entry {
  readonly file: string;
  /** Relative to its workspace. */
  readonly below: string;
  readonly entry: fs.Dirent;
}

/** The workspaces that are there, without those that lie in another. */
export function workspacesOf({ roots, platform }: Pick<Setting, 'roots' | 'platform'>): string[] {
  const there = [...new Set(roots.approved_workspaces.filter(({ identity }) => identity !== undefined).map(({ real }) => real))];
  return there.filter((one) => !there.some((other) => other !== one && isWithin(other, one, platform)));
}

/**
 * The first way out of the workspaces, as a sentence; undefined where there is none. A folder that may not be looked
 * into is one: its owner can open it again and go through. `progress` is told how many names were seen.
 */
export function wayOut(setting: Setting, progress: (message: string) => void): string | undefined {
  const { roots, platform, disk, policy } = setting;
  const hard = new Map<string, { count: bigint; seen: bigint; file: string }>();
  let names = 0;
  try {
    for (const { file, below, entry } of everything(workspacesOf(setting))) {
      names += 1;
      if (names % 10_000 === 0) progress(`${names} names looked at for links`);
      if (entry.isSymbolicLink()) {
        const { real } = resolveReal(file, setting.repo, disk, platform);
        if (!inRoots(roots.approved_workspaces, real, platform)) return `the link ${file} leads to ${real}`;
      } else if (entry.isFile() && countsNames(below, policy.hard_links)) {
        const stat = fs.lstatSync(file, { bigint: true });
        if (stat.nlink === 1n) continue;
        const known = hard.get(identityOf(stat)) ?? { count: stat.nlink, seen: 0n, file };
        hard.set(identityOf(stat), { ...known, seen: known.seen + 1n });
      }
    }
  } catch (error) {
    return `a name cannot be looked at (${(error as Error).message})`;
  }
  const out = [...hard.values()].find(({ count, seen }) => seen < count);
  return out === undefined ? undefined : `the file ${out.file} has ${String(out.count)} names, and only ${String(out.seen)} in the workspaces ("hard_links": "accept" in the policy would allow that)`;
}

/** Package managers link files from their caches, `git clone` links objects of the other clone. */
const OF_TOOLS = /(?:^|[\\/])(?:node_modules|\.git[\\/]objects)[\\/]/;

function countsNames(below: string, rule: Setting['policy']['hard_links']): boolean {
  return rule === 'refuse' || (rule === 'tools' && !OF_TOOLS.test(below));
}

function* everything(folders: readonly string[]): Generator<Entry> {
  const waiting = folders.map((root) => ({ root, folder: root }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of fs.readdirSync(next.folder, { withFileTypes: true })) {
      const file = path.join(next.folder, entry.name);
      if (entry.isDirectory()) waiting.push({ root: next.root, folder: file });
      else yield { file, below: path.relative(next.root, file), entry };
    }
  }
}
