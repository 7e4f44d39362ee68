/** The sections of HANDOFF.md that hold rows: each gives safe lines of Markdown, which brief.mts fits into its budget. */
import { counted } from '../lib/plural.mts';
import { effectOf } from '../transcript/effects.mts';
import { mayChangeFiles } from './checks.mts';
import { owed, safeToRepeat, serviceFailure } from './pending.mts';
import { clientNote } from './prompts.mts';
import { inBullet, inline, row } from './text.mts';
import type { CommandRow, Digest, FileRow, PendingRow, PromptRow } from './digest.mts';
import { hasFailed } from './work.mts';

/** Rows under a heading that can be shortened from their oldest end. */
export interface Section {
  /** A function of the rows that come to stand, where it names their number. */
  heading: string | ((shown: number) => string);
  /** Lines between the heading and the rows: a note, the head of a table. A function as above. */
  lead: string[] | ((shown: number) => string[]);
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
    [prompt.steers && 'changes course', prompt.abandoned && 'abandoned branch', prompt.replayed && 'before the fork', clientNote(prompt.text)].filter(Boolean).join(', ');
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
    tail: [...(digest.decisions.length === 0 ? [] : ['', 'Answers and refusals:', ...digest.decisions.slice(-8).map(decisionLine)]), ...mediaLines(digest)],
    none: 'No typed prompt is recorded.',
  };
}

function decisionLine(decision: Digest['decisions'][number]): string {
  return `- seq ${decision.seq}, ${decision.kind} (${inline(decision.tool, 40)}): ${inBullet(decision.text, 160)}`;
}

const MEDIA_SHOWN = 5;

function mediaLines({ media, mediaLeft }: Digest): string[] {
  if (media.length === 0) return [];
  const left = media.length - MEDIA_SHOWN;
  return [
    '',
    `${mediaLeft > 0 ? 'More than ' : ''}${counted(media.length, 'picture or file was', 'pictures and files were')} shown, told apart by hash; the transcript has the bytes:`,
    ...media.slice(0, MEDIA_SHOWN).map((one) => `- seq ${one.seq}: ${one.kind} ${one.type}, ${counted(one.bytes, 'byte')}, sha256 ${one.sha256.slice(0, 12)}${one.times > 1 ? `, ${one.times} times` : ''}`),
    ...(left > 0 ? [`- *and ${left} more: HANDOFF.llm.json*`] : []),
  ];
}

export function pending(digest: Digest, harness: string): Section {
  const all = owed(digest);
  const shown = all.slice(0, 20);
  return {
    heading: 'Pending',
    lead: table('seq', 'what', 'effect', 'about', 'before you go on'),
    rows: shown.map((one) => row([String(one.seq), pendingWhat(one, digest), one.effect ?? '', inline(one.target, TARGET), pendingAdvice(one, digest)])),
    oldest: 'last',
    weight: 0,
    least: Infinity,
    left: all.length - shown.length + digest.pendingLeft,
    where: '--class TOOL',
    tail: [],
    none: `Nothing: every recorded call has its result, and every prompt reached the agent.${unfinished(digest, harness)}`,
  };
}

/** Clients that write a call into their record once it has ended, so that one which was cut off is nowhere. */
const WRITES_LATE = new Set(['gemini', 'continue']);

/** Nothing is open, and yet the agent had not come to an end, or may not have. */
export function unfinished(digest: Digest, harness: string): string {
  const broke = serviceFailure(digest);
  if (broke !== undefined) return ` Its last answer failed, seq ${broke.seq}: the work it was asked for may not be done.`;
  if (digest.endsAtResult !== undefined) return ` It said nothing after the last result, seq ${digest.endsAtResult}: the work it was asked for may not be done.`;
  return WRITES_LATE.has(harness) && digest.stateFrom === 'AGENT' ? ' This client writes a call only once it has ended: one that was running when the session was cut off is not in the record.' : '';
}

function pendingWhat(one: PendingRow, digest: Digest): string {
  if (one.kind === 'prompt') return one === digest.unanswered ? 'prompt, not answered' : 'queued prompt';
  const tool = inline(one.tool ?? '', 40);
  if (digest.stopped.includes(one)) return `${one.refused === 'perhaps' ? 'refused or stopped' : 'stopped'} ${tool}`;
  if (one.kind === 'background') return `background ${tool}`;
  return `call ${tool}${one.interrupted ? ', interrupted' : ''}`;
}

function pendingAdvice(one: PendingRow, digest: Digest): string {
  if (one.kind === 'prompt') return one === digest.unanswered ? 'answer it' : 'never delivered: answer it';
  if (one.kind === 'background') return 'never reported: look first';
  return safeToRepeat(one.effect) ? 'safe to repeat' : 'outcome unknown: look first';
}

export function openLoops(digest: Digest): Section {
  const turned = digest.steering.at(-1)?.seq ?? -Infinity;
  return {
    heading: 'Open loops / next steps',
    lead: planAge(digest),
    // An item of the agent's own list has its sign already.
    rows: digest.openLoops.map((loop) => `- seq ${loop.seq}${loop.seq < turned ? `, before seq ${turned} changed the course` : ''}: ${inBullet(loop.text.replace(/^\s*(?:[-*+>]\s+)+/, ''), 200)}`),
    oldest: 'last',
    weight: 0.8,
    least: 5,
    left: 0,
    where: '--class AGENT',
    tail: [],
    none: 'None that the agent stated.',
  };
}

const CLAIMS = /\b(?:tests?|suite|checks|everything|all)\b[^.\n]{0,80}\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b/i;

/** The agent's last words say that tests pass. */
export function claimsTests({ stateFrom, stateNow }: Digest): boolean {
  return stateFrom === 'AGENT' && CLAIMS.test(stateNow);
}

/** A todo list that is older than the last words may be done by now. */
function planAge({ plan, planSeq, stateSeq, openLoops: rows }: Digest): string[] {
  if (planSeq === undefined || stateSeq === undefined || planSeq >= stateSeq || !rows.some(({ seq, text }) => seq === planSeq && text.startsWith('['))) return [];
  return [`The ${plan[0]?.status === 'approved' ? 'plan' : 'todo list'} is as of seq ${planSeq}, not updated since.`, ''];
}

export function filesChanged(digest: Digest): Section {
  const how = (file: FileRow): string =>
    `${file.how}${file.times > 1 ? ` ×${file.times}` : ''}${file.side === undefined ? '' : ', by a sub-agent'}${file.replayed ? ', before the fork' : ''}${file.abandoned ? ', abandoned branch' : ''}`;
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
    tail: otherChanges(digest),
    none: 'None by an edit tool.',
  };
}

/** Turns whose commands may change files by themselves: which files, only their words tell. */
export function changingSeqs(commands: readonly CommandRow[]): number[] {
  return [...new Set(commands.filter((one) => one.refused !== true && mayChangeFiles(one.command)).map(({ seq }) => seq))];
}

/** Those that ran after the last test; none where an edit did, which says more. */
export function changesAfterTest({ commands, verification: { last_test: test, stale } }: Digest): number[] {
  return test === undefined || stale ? [] : changingSeqs(commands.filter(({ seq }) => seq > test));
}

function otherChanges({ commands }: Digest): string[] {
  const seqs = changingSeqs(commands);
  if (seqs.length === 0) return [];
  const more = seqs.length > 12 ? `, and ${seqs.length - 12} before them` : '';
  return ['', `${counted(seqs.length, 'command')} may have changed files: seq ${seqs.slice(-12).join(', ')}${more}.`];
}

const FAILED_ROWS = 15;
const OTHER_ROWS = 25;

export function commandsRun(digest: Digest): Section {
  const newest = [...digest.commands].reverse();
  const failed = newest.filter(hasFailed).slice(0, FAILED_ROWS);
  const others = newest.filter((command) => !hasFailed(command)).slice(0, OTHER_ROWS);
  const shown = [...failed, ...others];
  const checks = digest.tests.slice(-5).reverse().map((check) => `- seq ${check.seq}, ${outcome(check)}: ${inBullet(check.command, TARGET)}`);
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
  if (command.stopped !== undefined) return command.stopped === 'perhaps' ? 'refused or stopped' : 'failed, stopped';
  if (!command.ended) return 'no result';
  if (command.says !== undefined) return `${command.says}, by its output`;
  // Of a line that failed, another command may be the one that did.
  if (command.masked) return command.ok === false ? `${command.exit === undefined ? 'failed' : `exit ${command.exit}`}, of the whole line` : 'exit status is of the last command in the line';
  if (command.exit !== undefined) return command.exit === 0 && command.ok === false ? 'failed' : `exit ${command.exit}`;
  return command.ok === undefined ? 'not recorded' : command.ok ? 'ok' : 'failed';
}

export function errors(digest: Digest): Section {
  const small = digest.errors.filter(isSmall);
  // Several calls of one record have one number.
  const smallSeqs = [...new Set(small.map(({ seq }) => seq))];
  const telling = digest.errors.filter((error) => !isSmall(error));
  const shown = telling.slice(-20);
  return {
    heading: 'Errors',
    lead: telling.length === 0 ? [] : ['Failures that nothing later in the record has put right.', '', ...table('seq', 'tool', 'about', 'error (head 160)')],
    rows: shown.map((error) =>
      row([String(error.seq), `${inline(error.tool, 40)}${error.times > 1 ? ` ×${error.times}` : ''}`, inline(error.target, TARGET), inline(error.text, 160)])),
    oldest: 'first',
    weight: 1,
    least: 4,
    left: telling.length - shown.length + digest.errorsLeft,
    where: '--class TOOL',
    tail: small.length === 0 ? [] : ['', `Reads that missed and tools that there are not: seq ${smallSeqs.slice(-12).join(', ')}${smallSeqs.length > 12 ? `, and ${smallSeqs.length - 12} before them` : ''}.`],
    none: 'None open.',
  };
}

/** It changed nothing and kept nothing from being done. */
function isSmall(error: Digest['errors'][number]): boolean {
  return effectOf(error.tool) === 'read' || /\b(?:unknown tool|no such tool|unsupported (?:custom tool )?call\b|unavailable tool\b|tool\b.{0,80}\b(?:not found|does not exist|is not available|disabled by default))/i.test(error.text.slice(0, 200));
}

export function timeline(digest: Digest, others: number): Section {
  return {
    heading: (shown) => `Recent timeline (${shownOf(shown, digest.counts.shown)})`,
    lead: table('seq', 'class', 'text (head 120)'),
    rows: digest.timeline.map((one) =>
      row([
        one.part === undefined ? String(one.seq) : `${one.seq}.${one.part}`,
        `${one.class}${one.side === undefined ? '' : ` (${inline(one.side, 12)})`}${one.abandoned ? ' (abandoned)' : ''}`,
        inline(one.text, 120),
      ])),
    oldest: 'first',
    weight: 1.5,
    least: 8,
    left: 0,
    where: '',
    tail: others === 0 ? [] : ['', `Not in this table: ${counted(others, 'turn')} of class OTHER, which neither the person nor the agent said.`],
    none: 'No turns.',
  };
}

function shownOf(shown: number, turns: number): string {
  if (shown < turns) return `last ${shown} of ${counted(turns, 'turn')}`;
  return ['no turns', 'the one turn'][turns] ?? `all ${turns} turns`;
}

export function toolCalls(digest: Digest): Section {
  const subagents = digest.subagents === 0 ? [] : ['', `${counted(digest.subagents, 'sub-agent was', 'sub-agents were')} started; ${counted(digest.counts.side, 'turn')} here ${digest.counts.side === 1 ? 'is' : 'are'} theirs.`];
  const orphans = digest.counts.orphan_results === 0 ? [] : ['', `${counted(digest.counts.orphan_results, 'result names', 'results name')} a call that is not in the record.`];
  return {
    heading: 'Tool calls',
    lead: (shown) => [`The last ${shown} of ${counted(digest.counts.calls, 'call')}; each in full in TOOLS.md.`, '', ...table('seq', 'tool', 'result', 'about')],
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
