/** The sections of HANDOFF.md that hold rows: each gives safe lines of Markdown, which brief.mts fits into its budget. */
import { safeToRepeat } from './pending.mts';
import { inline, row } from './text.mts';
import type { CommandRow, Digest, FileRow, PendingRow, PromptRow } from './digest.mts';

/** Rows under a heading that can be shortened from their oldest end. */
export interface Section {
  /** A function of the rows that come to stand, where it names their number. */
  heading: string | ((shown: number) => string);
  /** Lines between the heading and the rows: a note, the head of a table. */
  lead: string[];
  rows: string[];
  /** Where the oldest (or least telling) row stands. */
  oldest: 'first' | 'last';
  /** How readily it gives rows up, and how many it keeps while others still can. */
  weight: number;
  least: number;
  /** Rows that are left out before fitting. */
  left: number;
  /** Where the rows that are left out can be read. */
  where: string;
  /** Lines after the rows. */
  tail: string[];
  /** What stands there when there is nothing. */
  none: string;
}

const TARGET = 100;

/** `2026-01-31 09:15` of an ISO time; whatever else a record wrote is shown as it is, short. */
export function when(ts: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(ts) ? `${ts.slice(0, 10)} ${ts.slice(11, 16)}` : inline(ts, 20);
}

function table(...heads: string[]): string[] {
  return [row(heads), `|${heads.map((name) => (name === 'seq' ? '---:|' : '---|')).join('')}`];
}

export function asked(digest: Digest): Section {
  const noted = (prompt: PromptRow): string =>
    [prompt.steers && 'changes course', prompt.abandoned && 'abandoned branch', prompt.replayed && 'before the fork'].filter(Boolean).join(', ');
  const notes = digest.prompts.some((prompt) => noted(prompt) !== '');
  return {
    heading: 'What was asked',
    lead: table('seq', 'when', 'prompt (head 200)', ...(notes ? ['note'] : [])),
    rows: digest.prompts.map((prompt) => row([String(prompt.seq), when(prompt.ts), inline(prompt.text, 200), ...(notes ? [noted(prompt)] : [])])),
    oldest: 'first',
    weight: 0.7,
    least: 5,
    left: digest.promptsLeft,
    where: '--class USER',
    tail: digest.decisions.length === 0 ? [] : ['', 'Answers and refusals:', ...digest.decisions.slice(-8).map(decisionLine)],
    none: 'No typed prompt is recorded.',
  };
}

function decisionLine(decision: Digest['decisions'][number]): string {
  return `- seq ${decision.seq}, ${decision.kind} (${inline(decision.tool, 40)}): ${inline(decision.text, 160)}`;
}

export function pending(digest: Digest): Section {
  const shown = digest.pending.slice(0, 20);
  return {
    heading: 'Pending',
    lead: table('seq', 'what', 'effect', 'about', 'before you go on'),
    rows: shown.map((one) => row([String(one.seq), pendingWhat(one), one.effect ?? '', inline(one.target, TARGET), pendingAdvice(one)])),
    oldest: 'last',
    weight: 0,
    least: Infinity,
    left: digest.pending.length - shown.length + digest.pendingLeft,
    where: '--class TOOL',
    tail: [],
    none: 'Nothing: every recorded call has its result, and every prompt reached the agent.',
  };
}

function pendingWhat(one: PendingRow): string {
  if (one.kind === 'prompt') return 'queued prompt';
  const tool = inline(one.tool ?? '', 40);
  if (one.kind === 'background') return `background ${tool}`;
  return `call ${tool}${one.interrupted ? ', interrupted' : ''}`;
}

function pendingAdvice(one: PendingRow): string {
  if (one.kind === 'prompt') return 'never delivered: answer it';
  if (one.kind === 'background') return 'never reported: look first';
  return safeToRepeat(one.effect) ? 'safe to repeat' : 'outcome unknown: look first';
}

export function openLoops(digest: Digest): Section {
  return {
    heading: 'Open loops / next steps',
    lead: [],
    rows: digest.openLoops.map((loop) => `- seq ${loop.seq}: ${inline(loop.text, 200)}`),
    oldest: 'last',
    weight: 0.8,
    least: 5,
    left: 0,
    where: '--class AGENT',
    tail: [],
    none: 'None that the agent stated.',
  };
}

export function filesChanged(digest: Digest): Section {
  const how = (file: FileRow): string =>
    `${file.how}${file.times > 1 ? ` ×${file.times}` : ''}${file.side === undefined ? '' : ', by a sub-agent'}${file.replayed ? ', before the fork' : ''}`;
  return {
    heading: 'Files changed',
    lead: table('path', 'how', 'by', 'last at', 'seq'),
    rows: digest.filesChanged.map((file) => {
      const path = file.from === undefined ? inline(file.path, 200) : `${inline(file.from, 120)} → ${inline(file.path, 120)}`;
      return row([path, how(file), inline(file.tool, 40), when(file.ts), String(file.seq)]);
    }),
    oldest: 'first',
    weight: 0.7,
    least: 8,
    left: digest.filesLeft,
    where: '--class TOOL',
    tail: [],
    none: 'None recorded.',
  };
}

const FAILED_ROWS = 15;
const OTHER_ROWS = 25;

export function commandsRun(digest: Digest): Section {
  const newest = [...digest.commands].reverse();
  const failed = newest.filter((command) => command.ok === false).slice(0, FAILED_ROWS);
  const others = newest.filter((command) => command.ok !== false).slice(0, OTHER_ROWS);
  const shown = [...failed, ...others];
  const checks = digest.tests.slice(-5).reverse().map((check) => `- seq ${check.seq}, ${outcome(check)}: ${inline(check.command, TARGET)}`);
  return {
    heading: 'Commands run',
    lead: [
      ...(digest.commandsTotal > 0 ? [`${digest.commandsTotal} in all, ${digest.commandsFailed} failed; failures first, newest first.`, ''] : []),
      ...(checks.length > 0 ? ['The last run of each check:', '', ...checks, ''] : []),
      ...table('seq', 'result', `command (head ${TARGET})`),
    ],
    rows: shown.map((command) => row([String(command.seq), outcome(command), inline(command.command, TARGET)])),
    oldest: 'last',
    weight: 1.5,
    least: 5,
    left: digest.commandsTotal - shown.length,
    where: '--class TOOL',
    tail: [],
    none: 'None recorded.',
  };
}

function outcome(command: CommandRow): string {
  if (command.refused) return 'refused';
  if (!command.ended) return 'no result';
  if (command.exit !== undefined) return command.exit === 0 && command.ok === false ? 'failed' : `exit ${command.exit}`;
  return command.ok === undefined ? 'not recorded' : command.ok ? 'ok' : 'failed';
}

export function errors(digest: Digest): Section {
  const shown = digest.errors.slice(-20);
  return {
    heading: 'Errors',
    lead: ['Failures that nothing later in the record has put right.', '', ...table('seq', 'tool', 'about', 'error (head 160)')],
    rows: shown.map((error) =>
      row([String(error.seq), `${inline(error.tool, 40)}${error.times > 1 ? ` ×${error.times}` : ''}`, inline(error.target, TARGET), inline(error.text, 160)])),
    oldest: 'first',
    weight: 1,
    least: 4,
    left: digest.errors.length - shown.length + digest.errorsLeft,
    where: '--class TOOL',
    tail: [],
    none: 'None open.',
  };
}

export function timeline(digest: Digest, turns: number): Section {
  return {
    heading: (shown) => `Recent timeline (${shownOf(shown, turns)})`,
    lead: table('seq', 'class', 'text (head 120)'),
    rows: digest.timeline.map((one) =>
      row([
        one.part === undefined ? String(one.seq) : `${one.seq}.${one.part}`,
        one.side === undefined ? one.class : `${one.class} (${inline(one.side, 12)})`,
        inline(one.text, 120),
      ])),
    oldest: 'first',
    weight: 1.5,
    least: 8,
    left: 0,
    where: '',
    tail: [],
    none: 'No turns.',
  };
}

function shownOf(shown: number, turns: number): string {
  if (shown < turns) return `last ${shown} of ${turns} turns`;
  return ['no turns', 'the one turn'][turns] ?? `all ${turns} turns`;
}

export function toolCalls(digest: Digest): Section {
  const subagents = digest.subagents === 0 ? [] : ['', `${digest.subagents} sub-agent(s) were started; ${digest.counts.side} turns here are theirs.`];
  const orphans = digest.counts.orphan_results === 0 ? [] : ['', `${digest.counts.orphan_results} result(s) name a call that is not in the record.`];
  return {
    heading: 'Tool calls',
    lead: [`The last ${digest.tools.length} of ${digest.counts.calls} calls; each in full in TOOLS.md.`, '', ...table('seq', 'tool', 'result', 'about')],
    rows: digest.tools.map((tool) => row([String(tool.seq), inline(tool.tool, 40), tool.result, inline(tool.target, 80)])),
    oldest: 'first',
    weight: 3,
    least: 5,
    left: 0,
    where: '',
    tail: [...subagents, ...orphans],
    none: 'None recorded.',
  };
}
