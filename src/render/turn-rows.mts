/** Rows that single turns give: of the timeline, of a call on its way to its result. */
import { checksOf } from './checks.mts';
import { head, keep, own } from './text.mts';
import type { CallSays } from './calls.mts';
import type { CommandRow, DecisionRow, PlanRow, TimelineRow, ToolRow } from './digest.mts';
import type { OpenCall } from './lineage.mts';
import type { Where } from './work.mts';
import type { Effect, Turn } from '../transcript/turn.mts';

export const ROW_LENGTH = 400;
/** How much of a result is looked at, for what it says of itself. */
export const RESULT_HEAD = 1_000;

/** A call as the reducer keeps it until its result is there. */
export interface Call extends OpenCall {
  /** Held and not spread: this object is made for every call, and copying keys costs more than all the rest. */
  at: Where;
  effect: Effect;
  says: CallSays;
  commands: CommandRow[];
  row: ToolRow;
  /** Head of the call's text: what a poll of a background task asked for. */
  input: string;
  /** The plan that stood before this one. */
  before?: { plan: PlanRow[]; seq: number | undefined };
  /** The client's note that it ended, which is no result. */
  noted?: Turn;
  /** What the note tells was taken for its end. */
  told?: true;
  /** What its result decided. */
  decision?: DecisionRow;
}

/** A row of the timeline, with what tells that a later turn is the same one again. */
export interface Shown {
  row: TimelineRow;
  id: string | undefined;
  call: string | undefined;
  kind: Turn['kind'];
  /** The number of the USER turn whose branch it lies on. */
  user?: number;
}

/** Whether a source that changes in place gave this turn before, with another text. */
export function isAgain(turn: Turn): boolean {
  return turn.meta === 'superseding' && turn.id !== undefined;
}

export function isSameTurn(one: Shown, turn: Turn): boolean {
  return one.id === turn.id && one.call === turn.call && one.kind === turn.kind && one.row.part === turn.part && one.row.class === turn.class && one.row.side === turn.side;
}

export function rowOf(turn: Turn, text: string): TimelineRow {
  const row: TimelineRow = { seq: turn.seq, class: turn.class, text: keep(text, ROW_LENGTH) };
  if (turn.part !== undefined) row.part = turn.part;
  if (turn.side !== undefined) row.side = turn.side;
  return row;
}

/** A cheap look before the expression: this runs on every result. */
const LEAD_SIGN = /^(?:Chunk ID|Exit code|Wall time|Script |<untrusted_context>|Command: |Output: |Stdout: )|\[Subagent hand-back\]/;
/** What clients put before what was printed, or before what a sub-agent reports. */
const LEADS = /^(?:(?:Chunk ID|Exit code|Wall time|Script \w+)[^]*?\nOutput:\n|(?:<untrusted_context>\n)?(?:Command: [^]*?\nDirectory: [^\n]*\n)?(?:Output|Stdout): |[^]*?\[Subagent hand-back\][^\n]*The report follows:\n\s*)(?=[^])/;
/** Some clients wrote what was printed as a string of JSON. */
const IN_JSON = /^\{(?:"(?:chunk_id|wall_time_seconds|exit_code|original_token_count)":(?:"[^"]*"|[\d.]+),)*"output":"/;

/** The head of a result without the lines that some clients put before what was printed. */
export function telling(text: string): string {
  const start = head(text, RESULT_HEAD);
  const lead = LEAD_SIGN.test(start) ? LEADS.exec(start)?.[0].length ?? 0 : 0;
  if (lead > 0) return own(head(start.slice(lead), ROW_LENGTH));
  const json = start.startsWith('{"') ? IN_JSON.exec(start)?.[0].length ?? 0 : 0;
  return json === 0 ? keep(text, ROW_LENGTH) : own(head(unescaped(start.slice(json)), ROW_LENGTH));
}

/** The string of JSON that begins here, as far as it goes. */
function unescaped(text: string): string {
  const whole = /^(?:[^"\\]|\\(?:u[\da-fA-F]{4}|[^u]))*/.exec(text)?.[0] ?? '';
  try {
    return whole === '' ? '(no output)' : String(JSON.parse(`"${whole}"`));
  } catch {
    return whole;
  }
}

export function outcome(turn: Turn): string {
  if (turn.exit !== undefined && turn.exit !== 0) return `exit ${turn.exit}`;
  return turn.ok === false ? 'failed' : turn.ok === true || turn.exit === 0 ? 'ok' : 'done';
}

/**
 * By what a failure is known to be over: a file's when any tool changes the file, a command's when the same command
 * works, a check's in whichever spelling.
 */
export function keysOf(done: Call): string[] {
  const changed = done.says.changes[0];
  if (changed !== undefined) return [`\0file\0${changed.path}`];
  const commands = done.says.commands;
  if (commands.length > 0) return [...new Set(commands.flatMap(commandKeys))];
  return [done.says.kind === 'plan' ? done.tool : `${done.tool}\0${done.says.target}`];
}

/** The same of a call that ended well: a check counts only where its status is its own, or its output says that it passed. */
export function workedKeys(done: Call): string[] {
  if (done.says.changes.length > 0 || done.says.commands.length === 0) return keysOf(done);
  return done.says.commands.flatMap((command, at) => {
    const checks = checksOf(command);
    if (checks.length === 0) return commandKeys(command);
    return checks.filter((check) => check.own || done.commands[at]?.says === 'passed').map(({ key }) => `\0check\0${key}`);
  });
}

/** A call's outcome where it ran a check whose status is another command's. */
export function ofCheck(commands: readonly CommandRow[], result: string): string {
  const one = commands.find(({ masked, says }) => masked === true || says !== undefined);
  if (one === undefined || result === 'refused') return result;
  return one.says === undefined ? `${result}, of the last command` : `check ${one.says}`;
}

function commandKeys(command: string): string[] {
  const checks = checksOf(command);
  return checks.length > 0 ? checks.map(({ key }) => `\0check\0${key}`) : [`\0command\0${command.replace(/\s+/g, ' ').trim()}`];
}
