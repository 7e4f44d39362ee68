/** A build at work: what it was asked for, where, and what it has found out before a revision begins. */
import { HandoffError } from '../lib/errors.mts';
import type { Lock } from '../lib/fs/lock.mts';
import type { Redactor } from '../transcript/redaction/redactor.mts';
import type { SessionFacts } from '../transcript/turn.mts';
import type { Manifest } from '../store/manifest.mts';
import type { Transcript } from './source/transcript.mts';

/** What a build is asked to do. Names are as typed. */
export interface BuildRequest {
  /** A path, or `-` for standard input. */
  file: string;
  session?: string | undefined;
  harness?: string | undefined;
  model?: string | undefined;
  project?: string | undefined;
  objective?: string | undefined;
  forceHarness?: boolean;
  forceModel?: boolean;
  allowBadLines?: boolean;
  maxLineBytes: number;
  redact: boolean;
}

/** Where it is done, and how it talks. */
export interface BuildPlace {
  root: string;
  cwd: string;
  stdin: AsyncIterable<string | Uint8Array>;
  /** The configuration's own words. */
  projectName?: string | undefined;
  redactionPatterns: readonly string[];
  maxBriefTokens: number;
  tools: { exclude_patterns: readonly string[]; include_tool_outputs: boolean; truncate_tool_outputs: boolean; max_tool_output_length: number };
  linking: { enabled: boolean; min_overlap_score: number };
  note(message: string): void;
  progress(message: string): void;
  onSignal(undo: () => void): () => void;
  /** ms since 1970 after which a build that is not committed rolls back. */
  until?: number;
}

/** A failure that the next holder of the lock has to settle: the lock must stay. */
export class Unsettled extends Error {}

/** Runs what follows a commit: whatever fails there is finished by the next holder of the lock. Throws Unsettled. */
export function afterCommit<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Unsettled('after the commit', { cause: error });
  }
}

export interface Work {
  transcript: Transcript;
  /** What a whole source was read with; lines are read with one of their own. */
  redactor: Redactor | undefined;
  request: BuildRequest;
  place: BuildPlace;
  /** `project/folder`. */
  at: string;
  session: string;
  base: { manifest: Manifest; text: string } | undefined;
  lock: Lock;
}

/** What a person said, else what the adapter is for, else what the records say; '' where nobody tells. */
export function harnessOf(asked: string | undefined, facts: SessionFacts, adapter: { harness: string } | undefined): string {
  return asked ?? (adapter?.harness || facts.harness || '');
}

/** Throws where the time of a build is up; what it staged is taken back then. */
export function checkTime({ until }: BuildPlace): void {
  if (until !== undefined && Date.now() > until) throw timeIsUp();
}

function timeIsUp(): HandoffError {
  return new HandoffError('IO', 'the build was not done in its time and was rolled back; the next one takes it up');
}

/** Waits for what another thread does, no longer than the build may last. */
export async function inTime<T>({ until }: BuildPlace, work: Promise<T>): Promise<T> {
  if (until === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(timeIsUp()), Math.max(0, until - Date.now()));
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a person is told where an edited HANDOFF.md was kept under the name `kept`. */
export function keptNote(kept: string): string {
  return `HANDOFF.md was edited above its marker; the edited file is kept as ${kept}`;
}

export type BuildResult =
  | { action: 'up-to-date'; session: string; project: string; dir: string; watermark: number; revision: number }
  | ({ action: 'built' } & Revised);

export interface Revised {
  session: string;
  project: string;
  dir: string;
  turns: number;
  new: number;
  revision: number;
  /** Turns of a second source whose own numbers are taken. */
  late: number;
  skipped: number;
  bad_lines: number;
  redacted: number;
  /** Notes that are new in links/. */
  links: number;
  /** The name under which an edited HANDOFF.md was kept. */
  kept?: string;
}
