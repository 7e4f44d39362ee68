/**
 * The commands that write a session, each with the store that it meets. matrix.ts strikes them; docs/ARCHITECTURE.md has
 * the protocol that must hold.
 */
import fs from 'node:fs';
import path from 'node:path';
import { countCalls, killAt, strike, type Call } from '../helpers/strace.ts';
import { EVIDENCE, type Entry, type Workshop } from './workshop.ts';

/** Records in the subject's transcript: before the command, and when it runs. */
export const SHORT = 12;
export const LONG = 21;

export interface Scenario {
  name: string;
  /** Megabytes of text in the records that are new to the session; from a few on, renders are made in a thread of their own. */
  padding?: number;
  /** Whether the store holds the session before the command, built from the short transcript. */
  known: boolean;
  argv: (transcript: string) => string[];
  /** The program that has the verb; `handoff` where absent. */
  entry?: Entry;
  /** Makes what the command needs besides the store, before there is one. */
  before?: (workshop: Workshop) => void;
  /** The session whose manifest the command makes, where that is not the subject. */
  makes?: string;
  /** After a fault comes the same command once more, and then the build: so many sessions pass in the end. */
  again?: number;
  /** Puts the store, as it is prepared, into the state that the command is to meet. */
  spoil?: (workshop: Workshop, transcript: string) => void;
  /** The command once more behind that build: what it says is then of the newest revision. */
  renews?: true;
  /** A file that it leaves also where it was refused. */
  keeps?: string;
  /** It finishes or takes back what others began, step by step: what it has done stays done where it is refused then. */
  settles?: true;
  /** Manifests may have gone up by so many revisions at the most. */
  revisions: number;
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'first build', known: false, argv: (transcript) => ['build', transcript], revisions: 1 },
  { name: 'rebuild', known: true, argv: (transcript) => ['build', transcript], revisions: 1 },
  { name: 'rename', known: true, argv: () => ['rename', 'subject', 'elsewhere'], revisions: 1 },
  { name: 'retitle', known: true, argv: () => ['retitle', 'subject', 'better-name'], revisions: 1 },
  { name: 'forget', known: true, argv: () => ['forget', 'subject', '--force'], revisions: 0 },
  { name: 'auto', known: true, entry: 'agents-handoff', argv: (transcript) => ['auto', '--source', transcript, '--min-fresh-ms', '-3600000'], again: 2, revisions: 1 },
  { name: 'promote', known: true, entry: 'agents-handoff', argv: () => ['promote', 'subject'], keeps: 'projects/here/subject/manifest.json.bak', again: 2, renews: true, revisions: 0 },
  { name: 'index', known: true, entry: 'agents-handoff', argv: () => ['index'], spoil: conflicted, again: 2, settles: true, revisions: 0 },
  { name: 'merge', known: true, entry: 'agents-handoff', argv: () => ['merge', 'subject', 'bystander', '--render'], makes: 'subject+merge+bystander', again: 3, revisions: 0 },
  { name: 'federated-merge', known: true, entry: 'agents-handoff', argv: () => ['federated-merge', '--from', 'remote'], before: remoteThatGoesOn, again: 2, revisions: 1 },
];

/** What git leaves where two sides built: neither the index nor a page can be read as it was. */
function conflicted(workshop: Workshop): void {
  for (const name of ['INDEX.json', 'projects/here/PROJECT.md']) {
    const file = path.join(workshop.root, name);
    fs.writeFileSync(file, `<<<<<<< HEAD\n${fs.readFileSync(file, 'utf8')}\n=======\n>>>>>>> theirs\n`);
  }
}

/** Another store, in which the subject has more turns than in the one at hand. */
function remoteThatGoesOn(workshop: Workshop): void {
  fs.rmSync(workshop.root, { recursive: true, force: true });
  workshop.must('build', workshop.transcript('subject', SHORT), '--project', 'here');
  fs.appendFileSync(path.join(workshop.root, 'projects/here/subject/HANDOFF.md'), EVIDENCE);
  workshop.must('build', workshop.transcript('subject', LONG));
  workshop.keep('remote');
}

/** Long enough for the renders to be made in a thread of their own, beside the reading. */
export const LONG_ONES: readonly Scenario[] = [
  { name: 'long first build', known: false, padding: 8, argv: (transcript) => ['build', transcript], revisions: 1 },
  { name: 'long rebuild', known: true, padding: 8, argv: (transcript) => ['build', transcript], revisions: 1 },
];

/** The same by hand: what a killed build left is settled, and its lock goes. */
export const UNLOCKS: readonly Scenario[] = [
  { name: 'unlock before the commit', known: true, entry: 'agents-handoff', argv: () => ['unlock', 'subject', '--force'], spoil: killedRebuild(0), again: 2, settles: true, revisions: 0 },
  { name: 'unlock after the commit', known: true, entry: 'agents-handoff', argv: () => ['unlock', 'subject', '--force'], spoil: killedRebuild(1), again: 2, settles: true, revisions: 0 },
];

/** Recovery may die as well: the build that finds what a killed build left, struck in its turn. */
export const RECOVERIES: readonly Scenario[] = [
  { name: 'recovery before the commit', known: true, argv: (transcript) => ['build', transcript], spoil: killedRebuild(0), revisions: 1 },
  { name: 'recovery after the commit', known: true, argv: (transcript) => ['build', transcript], spoil: killedRebuild(1), revisions: 1 },
  ...UNLOCKS,
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

