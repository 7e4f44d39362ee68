import path from 'node:path';
import type { Command, Io } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { installedCopy } from '../../lib/handoff-root.mts';
import { isFolder } from '../../lib/look.mts';
import { shellWord } from '../../lib/shell-word.mts';
import { storePaths } from '../../store/layout.mts';
import { adoptStore, strayStore, type Adopted } from '../../install/adopt.mts';
import { bring, type Brought } from '../../install/bring.mts';
import { realCopy } from '../../install/copy.mts';
import { twice } from '../../install/found.mts';
import { HARNESSES, type Harness } from '../../install/harnesses.mts';
import { HOOKS } from '../../install/hooks/harnesses.mts';
import { wireHooks, type HookRecord } from '../../install/hooks/wire.mts';
import { SKILL, foldersOf, homeIfAny, inHome, isHere, isUsers } from '../../install/places.mts';
import { chooseTargets, type Target, type Targets, type Wanted } from '../../install/targets.mts';
import { commandOf, forEach } from './acting.mts';
import { DRY_RUN_FLAG, FORCE_FLAG, REGISTRY_FLAG, TARGET_FLAGS, TELL_FLAGS, VERSION_FLAG, groundOf, namesTarget, wantedOf } from './flags.mts';
import { sourceOf } from './origin.mts';
import { broughtJson, broughtText, warnOlder, warnUnlinked } from './report.mts';

const flags = {
  ...TARGET_FLAGS,
  version: { ...VERSION_FLAG, summary: 'this published version or tag, where it is not the one that runs' },
  registry: REGISTRY_FLAG,
  force: { ...FORCE_FLAG, summary: 'over the same version, and over what is in the way: that is kept as .orig' },
  hooks: { type: 'boolean', summary: 'wire the harness\'s own hooks, so that sessions are captured without being asked' },
  'dry-run': DRY_RUN_FLAG,
  ...TELL_FLAGS,
} as const;

export const command: Command<typeof flags> = {
  name: 'install',
  summary: 'put a copy of the skill where clients look for skills',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'installed, or there already', 1: 'nothing, or not everything, was installed', 2: 'wrong words' },
  example: 'npx agents-handoff install --harness claude',
  details: 'Without a target: the global root, which `where` names. Several harnesses get one real copy and links to it.',
  async run(options, _words, io) {
    const ground = groundOf(io);
    const wanted = wantedOf(options);
    const chosen = chooseTargets(wanted, ground);
    const home = homeIfAny(ground);
    const stray = home === undefined ? undefined : strayStore(home, ground);
    const before = home === undefined ? undefined : installedCopy(home, io.env);
    const hooked = options.hooks === true ? hookedHarnesses(chosen, io) : [];
    const source = await sourceOf(options, io);
    const dryRun = options['dry-run'] === true;
    try {
      const one = (target: Target): Promise<Brought> => bring({
        ...target, operation: 'install', source, relativeLinks: chosen.relativeLinks, repository: wanted.location === 'global' ? undefined : chosen.base, force: options.force === true, dryRun, ...wiring(hooked, target, chosen, wanted, io), onSignal: (undo) => io.onSignal(undo),
      });
      const { done, failed } = await forEach(chosen.targets, ({ target }) => target, io, one);
      const apart = await instead(done, io, one);
      const all = [...done, ...apart];
      const now = dryRun || home === undefined ? undefined : installedCopy(home, io.env);
      if (before !== undefined && now !== undefined && now !== before && isFolder(storePaths(before).projects)) io.note(`${now} is the default store now; the handoffs in ${before} stay there: ${takeOver(now, before)} brings them over`);
      const adopted = dryRun || stray === undefined || home === undefined || all.length === 0 ? undefined : adoptStore(stray, home, io.env);
      if (!dryRun) warnOlder(all, options.version, io);
      const warnings = dryRun ? [] : twice(ground);
      for (const warning of warnings) io.note(warning);
      if (wanted.location !== 'global') noteTrust(chosen, io);
      for (const { hooks } of hooked) if (hooks !== undefined && HOOKS[hooks.form].note !== undefined) io.note(HOOKS[hooks.form].note ?? '');
      const next = nextStep(all[0], chosen, namesTarget(wanted) || wanted.all ? [] : unserved(io, all[0]));
      return {
        json: {
          ok: failed.length === 0, action: 'install', dry_run: dryRun, version: source.version, source: source.note,
          results: all.map((brought) => broughtJson(brought, dryRun)), failed, skipped: chosen.skipped, adopted: adopted ?? null, warnings, next,
        },
        text: [
          ...all.flatMap((brought) => broughtText(brought, dryRun, options)),
          ...skippedLines(chosen),
          ...(adopted === undefined ? [] : [`install: moved the handoffs of ${adopted.from} into ${adopted.to}, which is the store now${leftBehind(adopted)}`]),
          ...(dryRun && stray !== undefined && (before !== undefined || chosen.targets.some(({ target }) => isUsers(target, ground))) ? [`install: would move the handoffs of ${stray} into the copy, which is the store then`] : []),
          ...(dryRun || all.length === 0 ? [] : next.map((line) => `install: ${line}`)),
        ].map((line) => `${line}\n`),
        exit: failed.length === 0 ? 0 : 1,
      };
    } finally {
      source.dispose();
    }
  },
};

function leftBehind({ from, to, left }: Adopted): string {
  return left.length === 0 ? '' : `; left behind, since some of that name are there: ${left.join(', ')} (${takeOver(to, from)} compares them)`;
}

/** The line that imports what lies in another store, wherever it is typed. */
function takeOver(copy: string, from: string): string {
  return `HANDOFFS_ROOT=${shellWord(copy)} ` + commandOf(copy, 'agents-handoff.mjs', 'federated-merge', '--from', from);
}

/** The harnesses of this line that have hooks. Throws USAGE where none has. */
function hookedHarnesses({ served }: Targets, io: Io): Harness[] {
  const hooked = served.filter(({ hooks }) => hooks !== undefined);
  const known = HARNESSES.filter(({ hooks }) => hooks !== undefined).map(({ id }) => id).join(', ');
  if (hooked.length === 0) throw new HandoffError('USAGE', `--hooks needs a harness that has them (${known})`);
  for (const { name } of served.filter(({ hooks, id }) => hooks === undefined && id !== 'agents')) io.note(`no hooks are wired for ${name} (only for ${known})`);
  return hooked;
}

/** The wiring of those harnesses that this copy is for. */
function wiring(hooked: readonly Harness[], target: Target, { base }: Targets, { location }: Wanted, io: Io): { wire?: (dryRun: boolean) => HookRecord[] } {
  const mine = hooked.filter(({ id }) => target.harness.split(',').includes(id));
  if (mine.length === 0 || base === undefined) return {};
  return {
    wire: (dryRun) => mine.flatMap((harness) => {
      const { hooks } = harness;
      if (hooks === undefined) return [];
      const settings = location === 'global' ? inHome(hooks.user, harness, base, groundOf(io)) : path.join(base, hooks.project);
      return [wireHooks({ harness: hooks.form, settings, copy: target.target, dryRun })];
    }),
  };
}

/** A copy in the place of every link that could not be made. */
async function instead(done: readonly Brought[], io: Io, one: (target: Target) => Promise<Brought>): Promise<Brought[]> {
  const copies: Brought[] = [];
  for (const { unlinked } of done) {
    warnUnlinked(unlinked, io);
    for (const target of unlinked) copies.push(await one({ target, harness: 'copy', links: [] }));
  }
  return copies;
}

/** One line for each reason. */
function skippedLines({ skipped }: Targets): string[] {
  const reasons = [...new Set(skipped.map(({ why }) => why))];
  return reasons.map((why) => `  skipped, ${why}: ${skipped.filter((one) => one.why === why).map(({ harness }) => harness).join(', ')}`);
}

function noteTrust({ served }: Targets, io: Io): void {
  const asking = served.filter(({ trust }) => trust === true).map(({ name }) => name);
  if (asking.length > 0) io.note(`${asking.join(' and ')} ${asking.length === 1 ? 'reads' : 'read'} a repository's skills only after it was trusted`);
}

/** Clients that are here and do not read the folder that nobody chose. */
function unserved(io: Io, brought: Brought | undefined): Harness[] {
  const ground = groundOf(io);
  const home = homeIfAny(ground);
  if (home === undefined || brought === undefined) return [];
  return HARNESSES.filter((harness) => isHere(harness, home, ground) && !foldersOf(harness, home, ground).some((folder) => realCopy(path.join(folder, SKILL)) === brought.target));
}

function nextStep(brought: Brought | undefined, { served }: Targets, others: readonly Harness[]): string[] {
  if (brought === undefined) return [];
  const names = served.filter(({ id }) => id !== 'agents').map(({ name }) => name);
  const where = names.length === 0 ? 'a new session of your agent' : `a new session of ${names.length === 1 ? names[0] : 'one of them'}`;
  return [
    ...(others.length === 0 ? [] : [`not read there by ${others.map(({ name }) => name).join(', ')}: npx agents-handoff install --harness ${others.map(({ id }) => id).join(',')}`]),
    `next: say "hand this over" in ${where}, or run: ${commandOf(brought.target, 'handoff.mjs', 'sources')}`,
  ];
}
