/**
 * The commands that write a session, each with the store that it meets. matrix.ts strikes them; docs/ARCHITECTURE.md has
 * the protocol that must hold.
 */
import { countCalls, killAt, strike, type Call } from '../helpers/strace.ts';
import type { Workshop } from './workshop.ts';

export interface Scenario {
  name: string;
  /** Megabytes of text in the records that are new to the session; from a few on, renders are made in a thread of their own. */
  padding?: number;
  /** Whether the store holds the session before the command, built from the short transcript. */
  known: boolean;
  argv: (transcript: string) => string[];
  /** Puts the store, as it is prepared, into the state that the command is to meet. */
  spoil?: (workshop: Workshop, transcript: string) => void;
  /** Manifests may have gone up by so many revisions at the most. */
  revisions: number;
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'first build', known: false, argv: (transcript) => ['build', transcript], revisions: 1 },
  { name: 'rebuild', known: true, argv: (transcript) => ['build', transcript], revisions: 1 },
  { name: 'rename', known: true, argv: () => ['rename', 'subject', 'elsewhere'], revisions: 1 },
  { name: 'retitle', known: true, argv: () => ['retitle', 'subject', 'better-name'], revisions: 1 },
  { name: 'forget', known: true, argv: () => ['forget', 'subject', '--force'], revisions: 0 },
];

/** Long enough for the renders to be made in a thread of their own, beside the reading. */
export const LONG_ONES: readonly Scenario[] = [
  { name: 'long first build', known: false, padding: 8, argv: (transcript) => ['build', transcript], revisions: 1 },
  { name: 'long rebuild', known: true, padding: 8, argv: (transcript) => ['build', transcript], revisions: 1 },
];

/** Recovery may die as well: the build that finds what a killed build left, struck in its turn. */
export const RECOVERIES: readonly Scenario[] = [
  { name: 'recovery before the commit', known: true, argv: (transcript) => ['build', transcript], spoil: killedRebuild(0), revisions: 1 },
  { name: 'recovery after the commit', known: true, argv: (transcript) => ['build', transcript], spoil: killedRebuild(1), revisions: 1 },
];

/** The call that commits a build: the rename that puts the new manifest over the old. */
export const isCommit = (call: Call): boolean => call.name.startsWith('rename') && call.paths.at(-1)?.endsWith('/subject/manifest.json') === true;

function commitOf(calls: readonly Call[]): number {
  const at = calls.findIndex(isCommit);
  if (at < 0) throw new Error(`no call commits among ${calls.map((call) => `${call.name} ${call.where}`).join(', ')}`);
  return at;
}

/** Leaves what a rebuild leaves that is killed so many calls behind the one that commits (0: before it happens). */
function killedRebuild(behind: number): (workshop: Workshop, transcript: string) => void {
  return (workshop, transcript) => {
    const child = workshop.child(['build', transcript]);
    workshop.keep('unspoiled');
    const calls = countCalls(child);
    const ended = strike(() => {
      workshop.restore('unspoiled');
      return child;
    }, calls[commitOf(calls) + behind]!, killAt);
    if (!ended.hit) throw new Error('the build that was to be killed was struck at another call');
  };
}

