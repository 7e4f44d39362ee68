/** What the verbs share that act on several copies: one that fails does not stop the others, and makes the whole fail. */
import path from 'node:path';
import { HandoffError, errnoOf } from '../../lib/errors.mts';
import { shellWord } from '../../lib/shell-word.mts';
import type { Io } from '../../lib/cli/command.mts';
import { isLink, realCopy } from '../../install/copy.mts';
import { findInstallations, installationsAt, type Installation } from '../../install/found.mts';
import { linkedCopy, placesNamed, type Wanted } from '../../install/targets.mts';
import { groundOf, namesTarget } from './flags.mts';

/** Said where no copy was found. */
export const NOTHING_INSTALLED = 'nothing is installed; `npx agents-handoff install` puts a copy where clients look for skills';

export interface Failure { target: string; error: { code: string; message: string } }

/** Runs `work` for each; failures that a person may meet are gathered, and told on stderr. With one `alone` it is thrown. */
export async function forEach<T, R>(items: readonly T[], targetOf: (item: T) => string, io: Io, work: (item: T) => Promise<R> | R, alone = items.length === 1): Promise<{ done: R[]; failed: Failure[] }> {
  const done: R[] = [];
  const failed: Failure[] = [];
  for (const item of items) {
    try {
      done.push(await work(item));
    } catch (error) {
      if (alone || !(error instanceof HandoffError || errnoOf(error) !== undefined)) throw error;
      const { message } = error as Error;
      failed.push({ target: targetOf(item), error: { code: error instanceof HandoffError ? error.code : 'IO', message } });
      io.note(message);
    }
  }
  return { done, failed };
}

/** The installations that a line means: those it names, else all that can be found. Throws NO_MATCH for a named place with none. */
export function installationsMeant(wanted: Wanted, io: Io): Installation[] {
  const ground = groundOf(io);
  if (!namesTarget(wanted)) return findInstallations(ground);
  const places = placesNamed(wanted, ground);
  return places.flatMap((place) => {
    const real = realPlaceOf(place);
    const found = real === undefined ? [] : installationsAt([real]);
    if (found.length === 0) throw new HandoffError('NO_MATCH', `nothing is installed at ${place}`, { data: { target: place } });
    return found;
  }).filter(({ real }, at, all) => all.findIndex((one) => one.real === real) === at);
}

/** The real folder of a copy at `place`. Throws EXISTS where a link is there which no record names. */
function realPlaceOf(place: string): string | undefined {
  if (!isLink(place)) return realCopy(place);
  const linked = linkedCopy(place);
  if (linked === undefined && realCopy(place) !== undefined) {
    throw new HandoffError('EXISTS', `${place} is a link that no installation made; name the folder that it leads to with --path`);
  }
  return linked;
}

/** A command for a shell, on this copy's own program. */
export function commandOf(copy: string, tool: string, ...words: string[]): string {
  return ['node', path.join(copy, 'tools', tool), ...words].map(shellWord).join(' ');
}

/** `  edited: a, b` where there are any. */
export function listLine(title: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`  ${title}: ${names.join(', ')}`];
}
