/** What a person asked: every typed prompt in its order, which of them is the objective, and which changed the course. */
import { head, keep } from './text.mts';
import { injectedAs } from '../transcript/injected.mts';
import type { PromptRow } from './digest.mts';
import type { Turn } from '../transcript/turn.mts';

const OBJECTIVE_LENGTH = 20_000;
const HEAD_LENGTH = 400;
const FIRST = 200;
const LAST = 2_000;

const GREETING_WORDS = new Set(
  `hi hello hey heya yo hiya greetings howdy good morning afternoon evening day night there again all team friend claude codex gemini
  copilot qwen cline kilo thanks thank you thx ty cheers ok okay please bye how are doing is everything what's up sup nice to meet
  hallo moin servus guten tag morgen abend danke hola buenos buenas dias días tardes noches gracias bonjour salut bonsoir merci ciao
  buongiorno grazie ola olá bom dia obrigado hej hei tak namaste salam
  你好 您好 嗨 谢谢 こんにちは おはよう ありがとう 안녕하세요 안녕 привет здравствуйте спасибо merhaba selam`.split(/\s+/),
);

/** Whether `text` says hello, thanks or goodbye and nothing else. */
export function isGreeting(text: string): boolean {
  if (text.length > 80) return false;
  // Most texts need no classes of Unicode, which take V8 longer to make than all else that a small build looks for.
  const words = text.toLowerCase().match(/[^\0-\x7f]/.test(text) ? /[\p{L}\p{N}][\p{L}\p{M}\p{N}']*/gu : /[a-z0-9][a-z0-9']*/g);
  return words === null || (words.length <= 8 && words.every((word) => GREETING_WORDS.has(word)));
}

/** Whether `text` is a command to the client: `/review src/a.js`, `!git status`. A path (`/var/log is full`) is none. */
export function isClientCommand(text: string): boolean {
  return /^\s*(?:\/[A-Za-z][\w:.-]*(?:\s|$)|![^\s!])/.test(text);
}

const STEERS = /^\W*(?:no|nope|stop|don['’]?t|do not|wait|actually|instead|rather|wrong|undo|revert|cancel|forget|not that|never mind|nevermind)\b/i;

/** Whether a later prompt corrects the course: `no, …`, `stop`, `don't …`, `… instead` at its head. A command of the client never does. */
export function isSteering(text: string): boolean {
  const start = head(text, 200);
  if (/^\s*[/!]/.test(start)) return false;
  return STEERS.test(start) || /\binstead\b/i.test(start);
}

/** Commands of clients that ask nothing of the agent. */
const ASKS_NOTHING = /^\s*(?:!|\/(?:context|cost|usage|stats|status|rename|title|clear|new|reset|compact|compress|model|models|effort|config|settings|help|exit|quit|login|logout|resume|continue|memory|permissions|approvals|mcp|hooks|agents|ide|vim|theme|doctor|bug|feedback|export|copy|terminal-setup|statusline|output-style|add-dir|tasks|bashes|todos|rewind|checkpoint|upgrade|release-notes|fast|plugin|skills|privacy-settings|sandbox|share|undo|redo|chat|tools|extensions|auth|about|editor|docs|session|sessions|connect|details|thinking)(?:\s|$))/;

const NOTHING_ASKED = 'client command, asks nothing';

/** What a prompt is besides a request: a command of the client, or nothing at all that is asked. */
export function clientNote(text: string): string {
  if (!isClientCommand(text)) return '';
  return ASKS_NOTHING.test(text) ? NOTHING_ASKED : 'client command';
}

/** Whether the whole text is what a client puts in; control characters in it hide no envelope. */
function isEnvelope(text: string): boolean {
  return injectedAs(text.replace(/[\0-\x08\x0e-\x1f]/g, '').trim()) !== undefined;
}

interface Kept {
  /** Its number among the USER turns of the main agent. */
  user: number;
  row: PromptRow;
  turn: Same;
}

/** By which a later turn is known to be the same prompt again. */
interface Same {
  id?: string;
  part?: number;
}

const same = (a: Same, b: Same): boolean => a.id !== undefined && a.id === b.id && a.part === b.part;

interface Candidate {
  user: number;
  seq: number;
  text: string;
  left: number;
  replayed: boolean;
}

export interface Prompts {
  /** A superseding turn replaces the prompt that it gives again; `user` does not count there. */
  add(turn: Turn, user: number, replayed: boolean): void;
  /** The client put the body of the command just typed into the session: the command is a task by its name. */
  expanded(): void;
  task(turn: Turn, replayed: boolean): void;
  result(abandoned: (user: number) => boolean, flag: string | undefined): PromptDigest;
  readonly last: { seq: number; text: string } | undefined;
}

export interface PromptDigest {
  objective: string;
  objectiveSeq?: number;
  objectiveFrom: 'flag' | 'prompt' | 'task' | 'none';
  /** Characters of the objective that are not in `objective`. */
  objectiveLeft: number;
  prompts: PromptRow[];
  /** Prompts between the first and the last ones that are not in `prompts`. */
  promptsLeft: number;
  promptsTotal: number;
  steering: PromptRow[];
  /** The first greeting, where nothing was asked beyond it. */
  greeting?: { seq: number; text: string };
  /** The last typed request, greetings and client commands aside. */
  lastRequest?: { seq: number; text: string };
}

/**
 * Keeps the first 200 and the last 2,000 prompts' heads, and whole what may become the objective. `apart`: a copied prompt
 * is the objective only where nothing else was asked.
 */
export function createPrompts(apart = false): Prompts {
  const first: Kept[] = [];
  let last: Kept[] = [];
  const candidates: Candidate[] = [];
  let command: Candidate | undefined;
  let task: Candidate | undefined;
  let total = 0;
  let latest: (Same & { seq: number; text: string }) | undefined;

  return {
    add(turn, user, replayed) {
      const again = turn.meta === 'superseding' && turn.id !== undefined;
      const mark: Same = { ...(turn.id === undefined ? {} : { id: turn.id }), ...(turn.part === undefined ? {} : { part: turn.part }) };
      // What asks nothing is the last word only where nothing was asked.
      const asks = latest === undefined || clientNote(turn.text) !== NOTHING_ASKED;
      if (again ? latest !== undefined && same(latest, mark) : asks) latest = { ...mark, seq: turn.seq, text: keep(turn.text, 4_000) };
      const row: PromptRow = { seq: turn.seq, ts: turn.ts, text: keep(turn.text.trim(), HEAD_LENGTH) };
      if (replayed) row.replayed = true;
      // A document that changes in place gives a prompt again with another text: the last one is what was said.
      if (again) {
        const before = last.concat(first).find((kept) => same(kept.turn, mark));
        // One from the middle of a long session, which is only counted.
        if (before === undefined) return;
        before.row.text = row.text;
        before.row.seq = row.seq;
        const at = candidates.findIndex((candidate) => candidate.user === before.user);
        if (at >= 0) candidates[at] = candidate(turn, before.user, replayed);
        return;
      }
      if (total > 0 && isSteering(turn.text)) row.steers = true;
      total++;
      const kept = { user, row, turn: mark };
      if (first.length < FIRST) first.push(kept);
      else {
        last.push(kept);
        if (last.length >= 2 * LAST) last = last.slice(-LAST);
      }
      command = undefined;
      if (candidates.length >= (apart && !replayed ? 2 * FIRST : FIRST) || turn.meta === 'continued') return;
      if (isClientCommand(turn.text)) command = candidate(turn, user, replayed);
      else if (!isGreeting(turn.text)) candidates.push(candidate(turn, user, replayed));
    },
    expanded() {
      if (command !== undefined && /\S\s+\S/.test(command.text)) candidates.push(command);
      command = undefined;
    },
    task(turn, replayed) {
      if (task === undefined || (apart && task.replayed && !replayed)) task = candidate(turn, -1, replayed);
    },
    result(abandoned, flag) {
      const all = candidates.filter((one) => !abandoned(one.user));
      const own = apart ? all.filter((one) => !one.replayed) : [];
      const standing = own.length > 0 ? own : all;
      // Lines of 2.0.x have what clients put in as USER: passed over where anything else was said.
      const given = own.length > 0 && task?.replayed === true ? undefined : task;
      const chosen = given ?? standing.find((one) => !isEnvelope(one.text)) ?? standing[0] ?? candidates[0];
      const shown = [...first, ...last.slice(-LAST)];
      const prompts = shown.map(({ user, row }): PromptRow => (abandoned(user) ? { ...row, abandoned: true } : row));
      const request = prompts.findLast(({ text, abandoned: gone }) => gone !== true && !isClientCommand(text) && !isGreeting(text) && !isEnvelope(text));
      const greeting = prompts.find(({ text, abandoned: gone }) => gone !== true && isGreeting(text) && /\w/.test(text));
      const objective = flag !== undefined ? { objective: flag, objectiveFrom: 'flag' as const, objectiveLeft: 0 }
        : chosen === undefined ? { objective: '(none)', objectiveFrom: 'none' as const, objectiveLeft: 0 }
        : { objective: chosen.text, objectiveSeq: chosen.seq, objectiveFrom: chosen === task ? ('task' as const) : ('prompt' as const), objectiveLeft: chosen.left };
      return {
        ...objective,
        ...(greeting === undefined || chosen !== undefined ? {} : { greeting: { seq: greeting.seq, text: greeting.text } }),
        ...(request === undefined ? {} : { lastRequest: { seq: request.seq, text: request.text } }),
        prompts,
        promptsLeft: total - prompts.length,
        promptsTotal: total,
        steering: prompts.filter((row) => row.steers === true && row.abandoned !== true).slice(-10),
      };
    },
    get last() {
      return latest;
    },
  };
}

/** What may become the objective is kept whole for the first few; a paste of megabytes is cut. */
function candidate(turn: Turn, user: number, replayed: boolean): Candidate {
  const text = keep(turn.text.trim(), OBJECTIVE_LENGTH);
  return { user, seq: turn.seq, text, left: Math.max(0, turn.text.trim().length - text.length), replayed };
}
