/** What was done and how it went: files changed, commands run, failures that nothing has put right since. */
import { checksOf, saidBy, type Check } from './checks.mts';
import { head, keep } from './text.mts';
import type { CommandRow, ErrorRow, FileRow, Verification } from './digest.mts';
import type { Change } from './calls.mts';
import type { Turn } from '../transcript/turn.mts';

const MAX_FILES = 1_000;
const MAX_COMMANDS = 200;
const MAX_FAILED = 100;
const MAX_TESTS = 30;
const MAX_ERRORS = 50;
const MAX_SEEN = 20_000;
/** Prompts that are kept of a file which is changed again and again; from there on it counts as changed where the session stands. */
const MAX_USERS = 20;

/** Where and when something was done. */
export interface Where {
  seq: number;
  ts: string;
  tool: string;
  side?: string;
  replayed?: true;
}

export interface Files {
  /** The session read `path`: a later write to it is no creation. */
  seen(path: string): void;
  /** `user`: the number of the prompt behind which that was done. */
  changed(changes: readonly Change[], at: Where, result: string, user: number): void;
  rows(abandoned: (user: number) => boolean): FileRow[];
  readonly left: number;
  readonly lastEdit: number | undefined;
  /** The last edit of what a test can tell of: text files and documentation are none. */
  readonly lastCode: number | undefined;
}

const PROSE = /\.(?:md|mdx|txt|rst|adoc)$|(?:^|\/)docs?\/|(?:^|\/)(?:LICENSE|CHANGELOG|README|NOTICE|AUTHORS)$/i;

export function createFiles(): Files {
  const rows = new Map<string, { row: FileRow; users: number[] }>();
  const known = new Set<string>();
  let left = 0;
  let lastEdit: number | undefined;
  let lastCode: number | undefined;

  function seen(path: string): void {
    if (known.size < MAX_SEEN) known.add(path);
  }
  return {
    seen,
    changed(changes, at, result, user) {
      for (const change of changes) {
        const how = change.how === 'written' ? writtenHow(result, known.has(change.path)) : change.how;
        seen(change.path);
        if (how === 'deleted' || how === 'renamed') known.delete(change.from ?? change.path);
        const key = `${how}\0${change.path}`;
        const before = rows.get(key);
        const times = (before?.row.times ?? 0) + 1;
        const users = before?.users ?? [];
        if (users.at(-1) !== user && users.length < MAX_USERS) users.push(user);
        // Taken out and put back, so that the order is that of the last change.
        rows.delete(key);
        rows.set(key, { row: { path: change.path, how, ...(change.from === undefined ? {} : { from: change.from }), ...at, times }, users });
        if (rows.size > MAX_FILES) {
          for (const oldest of rows.keys()) {
            rows.delete(oldest);
            left++;
            break;
          }
        }
        lastEdit = Math.max(lastEdit ?? 0, at.seq);
        if (!PROSE.test(change.path)) lastCode = Math.max(lastCode ?? 0, at.seq);
      }
    },
    rows: (abandoned) => [...rows.values()].map(({ row, users }) => (users.length < MAX_USERS && users.every(abandoned) ? { ...row, abandoned: true } : row)),
    get left() {
      return left;
    },
    get lastEdit() {
      return lastEdit;
    },
    get lastCode() {
      return lastCode;
    },
  };
}

/** Whether a write made the file: by its result where that tells, else by whether the session knew the file. */
function writtenHow(result: string, known: boolean): 'created' | 'edited' {
  const start = head(result, 300);
  if (/\b(?:created|new file)\b/i.test(start)) return 'created';
  if (/\b(?:updated|overwr\w+|modified)\b/i.test(start)) return 'edited';
  return known ? 'edited' : 'created';
}

export interface Commands {
  /** Gives the row, whose outcome is filled in when it is known. */
  ran(command: string, at: Where): CommandRow;
  /** `output` is what it printed. */
  ended(row: CommandRow, ok: boolean | undefined, exit: number | undefined, output: string): void;
  /** The record gave the command again, in other words. */
  reworded(row: CommandRow, command: string): void;
  rows(): CommandRow[];
  tests(): CommandRow[];
  readonly total: number;
  readonly failed: number;
  /** Takes the last edit that a test can tell of, and the last of all. */
  verification(code: number | undefined, edit: number | undefined): Verification;
}

/** By its own record, or by what it printed where its exit status is another's. */
export const hasFailed = (command: CommandRow): boolean => command.ok === false || command.says === 'failed';

export function createCommands(): Commands {
  let recent: CommandRow[] = [];
  let failures: CommandRow[] = [];
  const tests = new Map<string, CommandRow>();
  let lastTest: CommandRow | undefined;
  let total = 0;
  let failed = 0;
  const settle = (row: CommandRow, ok: boolean | undefined, exit: number | undefined, output: string): void => {
    const failedBefore = row.ok === false;
    row.ended = true;
    if (ok !== undefined) row.ok = ok;
    if (exit !== undefined) row.exit = exit;
    if (row.ok === false && !failedBefore) {
      failures.push(row);
      if (failures.length >= 2 * MAX_FAILED) failures = failures.slice(-MAX_FAILED);
    } else if (failedBefore && row.ok !== false) {
      failures = failures.filter((one) => one !== row);
      if (exit === undefined) delete row.exit;
    }
    if (row.test !== true) return;
    const checks = checksOf(row.command);
    let says: ReturnType<typeof saidBy> | 'not asked' = 'not asked';
    if (row.masked !== undefined) delete row.masked;
    if (row.says !== undefined) delete row.says;
    const tell = (one: CommandRow, check: Check | undefined): void => {
      const masked = check !== undefined && !(row.ok === false ? check.alone : check.own);
      if (masked) one.masked = true;
      if (!masked && row.ok !== undefined) return;
      if (says === 'not asked') says = saidBy(output);
      if (says !== undefined) one.says = says;
    };
    for (const check of checks) {
      const one = { ...row, command: check.key };
      tell(one, check);
      tests.delete(check.key);
      tests.set(check.key, one);
      if (check.tests && (lastTest === undefined || lastTest.seq <= row.seq)) lastTest = one;
    }
    // Of the whole line, that it failed is true whichever command in it failed.
    if (row.ok !== false) tell(row, checks.find((check) => check.tests) ?? checks[0]);
    for (const oldest of tests.keys()) {
      if (tests.size <= MAX_TESTS) break;
      tests.delete(oldest);
    }
  };

  return {
    ran(command, at) {
      const row: CommandRow = { command, seq: at.seq, ts: at.ts };
      if (at.replayed) row.replayed = true;
      total++;
      recent.push(row);
      if (recent.length >= 2 * MAX_COMMANDS) recent = recent.slice(-MAX_COMMANDS);
      if (checksOf(command).length > 0) row.test = true;
      return row;
    },
    ended(row, ok, exit, output) {
      const before = hasFailed(row);
      settle(row, ok, exit, output);
      const now = hasFailed(row);
      if (now !== before) failed += now ? 1 : -1;
    },
    reworded(row, command) {
      row.command = command;
      if (checksOf(command).length > 0) row.test = true;
      else delete row.test;
    },
    rows() {
      const kept = new Set([...failures.slice(-MAX_FAILED), ...recent.slice(-MAX_COMMANDS)]);
      return [...kept].sort((a, b) => a.seq - b.seq);
    },
    tests: () => [...tests.values()],
    get total() {
      return total;
    },
    get failed() {
      return failed;
    },
    verification(code, edit) {
      const lastEdit = code ?? edit;
      const passed = lastTest?.says !== undefined ? lastTest.says === 'passed' : lastTest?.masked ? undefined : lastTest?.ok;
      return {
        ...(lastEdit === undefined ? {} : { last_edit: lastEdit }),
        ...(lastTest === undefined ? {} : { last_test: lastTest.seq }),
        ...(passed === undefined ? {} : { last_test_ok: passed }),
        stale: code !== undefined && (lastTest === undefined || lastTest.seq < code),
      };
    },
  };
}

export interface Errors {
  /** `keys` name what failed: one command or file, or each command of a call that ran several. */
  failed(keys: readonly string[], turn: Turn, at: Where, target: string, text: string): void;
  /** What failed so was told without a reason, which `turn` has. */
  explained(keys: readonly string[], turn: Turn, text: string): void;
  /** The same command or file worked: its failure is over, once that is so of all that failed with it. */
  worked(key: string): void;
  api(turn: Turn): void;
  /** The agent answered: the service works again. */
  answered(): void;
  rows(): ErrorRow[];
  /** Something has failed that nothing has put right. */
  readonly open: boolean;
  readonly left: number;
}

const API = '\0api';
const TEXT_LENGTH = 500;

interface OpenError {
  row: ErrorRow;
  waits: Set<string>;
}

export function createErrors(): Errors {
  const open = new Map<string, OpenError>();
  /** What any of them waits for: nearly every call that works puts nothing right. Made anew where it is asked for. */
  let awaited: Set<string> | undefined;
  let left = 0;
  function put(keys: readonly string[], row: ErrorRow): void {
    awaited = undefined;
    const key = keys.join('\0\0');
    const times = (open.get(key)?.row.times ?? 0) + 1;
    open.delete(key);
    row.times = times;
    open.set(key, { row, waits: new Set(keys) });
    for (const oldest of open.keys()) {
      if (open.size <= MAX_ERRORS) break;
      open.delete(oldest);
      left++;
    }
  }
  function worked(key: string): void {
    awaited ??= new Set([...open.values()].flatMap(({ waits }) => [...waits]));
    if (!awaited.delete(key)) return;
    for (const [name, { waits }] of open) if (waits.delete(key) && waits.size === 0) open.delete(name);
  }
  return {
    failed(keys, turn, at, target, text) {
      put(keys, { seq: turn.seq, ts: turn.ts, tool: at.tool, target, text, times: 1, ...(turn.exit === undefined ? {} : { exit: turn.exit }) });
    },
    explained(keys, turn, text) {
      const known = open.get(keys.join('\0\0'));
      if (known !== undefined) Object.assign(known.row, { seq: turn.seq, ts: turn.ts, text });
    },
    worked,
    api(turn) {
      put([API], { seq: turn.seq, ts: turn.ts, tool: 'api', target: '', text: keep(turn.text, TEXT_LENGTH), times: 1 });
    },
    answered() {
      if (open.size > 0) open.delete(API);
    },
    rows: () => [...open.values()].map(({ row }) => row),
    get open() {
      return open.size > 0;
    },
    get left() {
      return left;
    },
  };
}
