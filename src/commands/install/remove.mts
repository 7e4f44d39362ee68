import path from 'node:path';
import type { Command, Io } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { findInstallations } from '../../install/found.mts';
import { isLink, readCopy, realCopy } from '../../install/copy.mts';
import { realPlace } from '../../install/places.mts';
import { takeAway, type Taken } from '../../install/take-away.mts';
import { unserve } from '../../install/unserve.mts';
import { SHARED, type Harness } from '../../install/harnesses.mts';
import { unwireHooks } from '../../install/hooks/wire.mts';
import { placesNamed, type Wanted } from '../../install/targets.mts';
import { counted } from '../../lib/plural.mts';
import { forEach, listLine } from './acting.mts';
import { DRY_RUN_FLAG, FORCE_FLAG, TARGET_FLAGS, groundOf, namesTarget, wantedOf } from './flags.mts';

const flags = {
  ...TARGET_FLAGS,
  force: { ...FORCE_FLAG, summary: 'do not ask' },
  'dry-run': DRY_RUN_FLAG,
} as const;

/** A copy to remove; or a harness to take from one that stays, with the link that it has. */
type Victim = { place: string } | { place: string; from: string; link?: string; harness: Harness };

export const command: Command<typeof flags> = {
  name: 'remove',
  summary: 'take away what an installation put there; a store and edited files stay',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'removed, or nothing was there', 1: 'not confirmed, or not everything could be removed', 2: 'wrong words, or it is not clear which copy is meant' },
  example: 'npx agents-handoff remove --harness claude --force',
  details: 'Without a target: the only installation there is; --all takes every one. Where a harness has a link to a shared copy, only the link goes.',
  async run(options, _words, io) {
    const wanted = wantedOf(options);
    const victims = victimsOf(wanted, io);
    const dryRun = options['dry-run'] === true;
    const plan = await forEach(victims, ({ place }) => place, io, (victim) => take(victim, true, io));
    const some = plan.done.filter(({ action }) => action !== 'absent');
    if (some.length > 0 && !dryRun && options.force !== true && !(await io.confirm(`Remove ${some.map(({ target }) => target).join(' and ')}?`))) {
      throw new HandoffError('DECLINED', `nothing was removed: nobody confirmed it (--force removes without asking): ${some.map(({ target }) => target).join(', ')}`);
    }
    const going = dryRun ? [] : victims.filter(({ place }) => !plan.failed.some(({ target }) => target === place));
    const gone = await forEach(going, ({ place }) => place, io, (victim) => take(victim, false, io), victims.length === 1);
    const done = dryRun ? plan.done : gone.done;
    const failed = [...plan.failed, ...gone.failed];
    const lines = done.length === 0 && failed.length === 0 ? ['install: nothing is installed; nothing was removed'] : done.flatMap((taken) => textOf(taken, dryRun));
    return {
      json: { ok: failed.length === 0, action: 'remove', dry_run: dryRun, results: done, failed },
      text: lines.map((line) => `${line}\n`),
      exit: failed.length === 0 ? 0 : 1,
    };
  },
};

/** Throws USAGE where several are there and the line names none. */
function victimsOf(wanted: Wanted, io: Io): Victim[] {
  const ground = groundOf(io);
  if (!namesTarget(wanted)) {
    const all = findInstallations(ground).map(({ real }): Victim => ({ place: real }));
    if (all.length > 1 && !wanted.all) {
      throw new HandoffError('USAGE', `there are ${all.length} installations, so name one, or --all: ${all.map(({ place }) => place).join(', ')}`, { data: { candidates: all.map(({ place }) => place) } });
    }
    return all;
  }
  if (wanted.harnesses.length === 0) return placesNamed(wanted, ground).map((place) => ({ place: realPlace(place) }));
  return wanted.harnesses.flatMap((harness) => placesNamed({ ...wanted, harnesses: [harness] }, ground).map((place) => victimOf(place, harness, wanted.harnesses)));
}

function victimOf(place: string, harness: Harness, named: readonly Harness[]): Victim {
  const real = realCopy(place);
  if (isLink(place)) {
    // Behind a link of somebody's own may be anything, such as a checkout; behind one of ours is a copy with a record.
    if (real === undefined || readCopy(real).record === undefined) throw new HandoffError('EXISTS', `${place} is a link, and not to an installed copy; it stays`);
    return { place, from: real, link: place, harness };
  }
  const others = (readCopy(place).record?.harness ?? '').split(',').filter((id) => id !== '' && !named.some((one) => one.id === id));
  // By its real folder: a client's skills folder may be a link to the shared one.
  const isShared = harness.id !== 'agents' && path.dirname(realPlace(place)).endsWith(path.join(...SHARED.split('/')));
  return isShared && others.length > 0 ? { place, from: realPlace(place), harness } : { place: realPlace(place) };
}

function take(victim: Victim, dryRun: boolean, io: Io): Taken {
  const common = { dryRun, unwire: unwireHooks, onSignal: (undo: () => void) => io.onSignal(undo) };
  if (!('from' in victim)) return takeAway({ target: victim.place, ...common });
  const { from, link, harness } = victim;
  return unserve({ target: from, ...(link === undefined ? {} : { link }), harnesses: [harness.id], forms: harness.hooks === undefined ? [] : [harness.hooks.form], ...common });
}

function textOf(taken: Taken, dryRun: boolean): string[] {
  const { action, target, version, files, links, edited, rest, store } = taken;
  if (action === 'absent') return [`install: nothing is installed at ${target}; nothing was removed`];
  if (action === 'unserved' && links.length === 0) return [`install: ${target} stays, since it serves others; a client that reads that folder finds it still (--path removes it)`, ...hookLines(taken, dryRun)];
  const what = action === 'unserved' ? 'the link' : `${version ?? 'unknown'} (${counted(files.length, 'file')})`;
  return [
    `install: ${dryRun ? 'would remove' : 'removed'} ${what} from ${target}`,
    ...links.filter((link) => link !== target).map((link) => `  link ${link}`),
    ...hookLines(taken, dryRun),
    ...listLine('edited, kept', edited),
    ...listLine('kept', rest.map((name) => path.join(target, name))),
    ...(store ? [`  handoffs are kept there: HANDOFFS_ROOT=${target} names them, a copy that is installed there again finds them`] : []),
  ];
}

function hookLines({ hooks }: Taken, dryRun: boolean): string[] {
  const said = { removed: dryRun ? 'would be removed' : 'removed', changed: 'changed since, left as they are', absent: 'absent' };
  return hooks.map(({ settings, result }) => `  hooks in ${settings}: ${said[result]}`);
}
