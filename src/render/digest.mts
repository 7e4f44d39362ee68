/** What a session comes down to: plain data, made by the reducer from the turns and by nothing else. */
import type { Effect, TurnClass } from '../transcript/turn.mts';
import type { PromptDigest } from './prompts.mts';

export interface PromptRow {
  seq: number;
  ts: string;
  /** Its head. */
  text: string;
  /** It changes the course that an earlier prompt set. */
  steers?: true;
  /** It lies on a branch that was given up. */
  abandoned?: true;
  /** It was said in the session that this one began as a copy of. */
  replayed?: true;
}

export interface PendingRow {
  kind: 'call' | 'prompt' | 'background';
  seq: number;
  ts: string;
  tool?: string;
  /** What it was about: a command, a path, the prompt's head. */
  target: string;
  effect?: Effect;
  /** The client closed it with a made-up result. */
  interrupted?: true;
  /** The record does not tell whether it was stopped while it ran or never let run. */
  refused?: 'perhaps';
  /** How the call ended by a note of the client, though no result is there: `ok`, `failed`, `exit 1`. */
  ended?: string;
  call?: string;
}

export type ChangeKind = 'created' | 'edited' | 'deleted' | 'renamed';

export interface FileRow {
  path: string;
  how: ChangeKind;
  /** The path before, for a rename. */
  from?: string;
  tool: string;
  ts: string;
  seq: number;
  times: number;
  side?: string;
  replayed?: true;
  /** Only on branches that were given up: whether the file was put back, the record does not tell. */
  abandoned?: true;
}

export interface CommandRow {
  command: string;
  seq: number;
  ts: string;
  /** Its result is there. */
  ended?: true;
  /** Absent where the record does not tell. */
  ok?: boolean;
  exit?: number;
  /** It checks the work: tests, lint, types. */
  test?: true;
  /** It checks, and the status is that of another command in the line: `npm test | tail`. */
  masked?: true;
  /** How a check ended by what it printed, where its status does not tell. */
  says?: 'passed' | 'failed';
  /** A person or a rule did not allow it: it never ran. */
  refused?: true;
  /** A person stopped it while it ran; `perhaps` where the record would say the same of one that was never let run. */
  stopped?: 'surely' | 'perhaps';
  replayed?: true;
}

export interface ErrorRow {
  seq: number;
  ts: string;
  /** `api` for errors of the model's service. */
  tool: string;
  target: string;
  text: string;
  exit?: number;
  times: number;
}

export interface PlanRow {
  status: string;
  text: string;
}

export interface DecisionRow {
  seq: number;
  ts: string;
  kind: 'answer' | 'refused' | 'approved';
  tool: string;
  text: string;
}

/** A picture, or another block whose bytes the transcript alone has. */
export interface MediaRow {
  /** Where it was shown first. */
  seq: number;
  kind: string;
  type: string;
  bytes: number;
  sha256: string;
  times: number;
}

export interface LoopRow {
  seq: number;
  text: string;
}

export interface TimelineRow {
  seq: number;
  part?: number;
  class: TurnClass;
  text: string;
  side?: string;
  /** It lies on a branch that was given up. */
  abandoned?: true;
}

export interface ToolRow {
  seq: number;
  ts: string;
  tool: string;
  target: string;
  /** `ok`, `failed`, `exit 1`, `refused`, `failed, stopped`, `refused or stopped`, `no result`, `not recorded` where the agent went on without one, or `done` where the record does not tell how. */
  result: string;
}

/** The handoff that a session began from, as it was read: second-hand. */
export interface InheritedRow {
  /** The turn that read it. */
  seq: number;
  session?: string;
  objective?: string;
  /** The end of what it says of its own state: a claim of another session. */
  state?: string;
}

/** Whether what was edited last was also tested. */
export interface Verification {
  /** Of what a test can tell of: not of documentation, where anything else was edited. */
  last_edit?: number;
  last_test?: number;
  last_test_ok?: boolean;
  /** The last edit is newer than the last run of a test, or no test ran. */
  stale: boolean;
}

export interface Digest extends PromptDigest {
  inherited?: InheritedRow;
  stateNow: string;
  /** Characters before it that are not in it. */
  stateLeft: number;
  stateSeq?: number;
  stateFrom: 'AGENT' | 'USER' | 'none';
  /** The last thing that happened was an interruption. */
  interruptedAt?: number;
  /** The result that the record ends with, where the agent did nothing after it. */
  endsAtResult?: number;
  openLoops: LoopRow[];
  pending: PendingRow[];
  pendingLeft: number;
  /** The last prompt, where neither an answer nor a call follows it. */
  unanswered?: PendingRow;
  /** Calls that the person stopped while they ran, and that did not work since. */
  stopped: PendingRow[];
  filesChanged: FileRow[];
  filesLeft: number;
  /** The last ones, and failures before them. */
  commands: CommandRow[];
  commandsTotal: number;
  commandsFailed: number;
  /** The last run of each check, under its own simple command. */
  tests: CommandRow[];
  verification: Verification;
  errors: ErrorRow[];
  errorsLeft: number;
  /** The last todo list, or the steps of a plan that was approved later (`approved`). */
  plan: PlanRow[];
  planSeq?: number;
  decisions: DecisionRow[];
  media: MediaRow[];
  /** Times that a block was shown which is in no row. */
  mediaLeft: number;
  timeline: TimelineRow[];
  tools: ToolRow[];
  compactions: number;
  /** The last model-made summary. */
  compactionSeq?: number;
  subagents: number;
  counts: {
    turns: number;
    side: number;
    replayed: number;
    calls: number;
    results: number;
    orphan_results: number;
    /** Turns that the table of the timeline is made of. */
    shown: number;
  };
  firstTs: string;
  lastTs: string;
}
