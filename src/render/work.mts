/** What was done and how it went: files changed, commands run, failures that nothing has put right since. */
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
  changed(changes: readonly Change[], at: Where, result: string): void;
  rows(): FileRow[];
  readonly left: number;
  readonly lastEdit: number | undefined;
}

export function createFiles(): Files {
  const rows = new Map<string, FileRow>();
  const known = new Set<string>();
  let left = 0;
  let lastEdit: number | undefined;

  function seen(path: string): void {
    if (known.size < MAX_SEEN) known.add(path);
  }
  return {
    seen,
    changed(changes, at, result) {
      for (const change of changes) {
        const how = change.how === 'written' ? writtenHow(result, known.has(change.path)) : change.how;
        seen(change.path);
        if (how === 'deleted' || how === 'renamed') known.delete(change.from ?? change.path);
        const key = `${how}\0${change.path}`;
        const times = (rows.get(key)?.times ?? 0) + 1;
        // Taken out and put back, so that the order is that of the last change.
        rows.delete(key);
        rows.set(key, { path: change.path, how, ...(change.from === undefined ? {} : { from: change.from }), ...at, times });
        if (rows.size > MAX_FILES) {
          for (const oldest of rows.keys()) {
            rows.delete(oldest);
            left++;
            break;
          }
        }
        lastEdit = Math.max(lastEdit ?? 0, at.seq);
      }
    },
    rows: () => [...rows.values()],
    get left() {
      return left;
    },
    get lastEdit() {
      return lastEdit;
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

// The runner's name at the head of a command, or after `&&`, `;`, `|` and the like; `cat test/a.js` is no test.
const TEST = new RegExp(
  String.raw`(?:^|[;&|(]|(?:^|\s)(?:time|npx|bunx|env|exec|run|dlx|-m|CI=\w+)\s)\s*(?:` +
    String.raw`(?:npm|pnpm|yarn|bun|deno|make|just|cargo|go|mvn|gradle|\./gradlew|dotnet|swift|mix|rake|composer|zig|bazel)(?:\s+-{1,2}[\w=./-]+)*\s+(?:run\s+)?(?:t|test\S*|check|verify|lint\S*|typecheck|type-check|nextest)(?:\s|$|[;&|])` +
    String.raw`|node\s+--test\b|(?:pytest|unittest|vitest|jest|mocha|ava|rspec|phpunit|ctest|bats|tox|nox|prove|tsc|eslint|ruff|mypy|playwright)(?:\s|$|[;&|])` +
    ')',
  'm',
);
/** A cheap look before the expression above: most commands check nothing. */
const MAY_TEST = /test|check|verify|lint|jest|mocha|ava|rspec|phpunit|bats|tox|nox|prove|tsc|ruff|mypy|playwright| t(?:\s|$)/;
const TEST_HEAD = 1_000;

/** Whether `command` checks the work (tests, lint, types). */
export function isTest(command: string): boolean {
  const start = head(command, TEST_HEAD);
  return MAY_TEST.test(start) && TEST.test(start);
}

/** Whether it runs tests, not only lint or types. */
function runsTests(command: string): boolean {
  return isTest(command) && !/\b(?:lint\S*|eslint|ruff|mypy|tsc|typecheck|type-check)\b/.test(head(command, TEST_HEAD));
}

export interface Commands {
  /** Gives the row, whose outcome is filled in when it is known. */
  ran(command: string, at: Where): CommandRow;
  ended(row: CommandRow, ok: boolean | undefined, exit: number | undefined): void;
  /** The record gave the command again, in other words. */
  reworded(row: CommandRow, command: string): void;
  rows(): CommandRow[];
  tests(): CommandRow[];
  readonly total: number;
  readonly failed: number;
  verification(lastEdit: number | undefined): Verification;
}

export function createCommands(): Commands {
  let recent: CommandRow[] = [];
  let failures: CommandRow[] = [];
  const tests = new Map<string, CommandRow>();
  let lastTest: CommandRow | undefined;
  let total = 0;
  let failed = 0;
  return {
    ran(command, at) {
      const row: CommandRow = { command, seq: at.seq, ts: at.ts };
      if (at.replayed) row.replayed = true;
      total++;
      recent.push(row);
      if (recent.length >= 2 * MAX_COMMANDS) recent = recent.slice(-MAX_COMMANDS);
      if (isTest(command)) row.test = true;
      return row;
    },
    ended(row, ok, exit) {
      const failedBefore = row.ok === false;
      row.ended = true;
      if (ok !== undefined) row.ok = ok;
      if (exit !== undefined) row.exit = exit;
      if (row.ok === false && !failedBefore) {
        failed++;
        failures.push(row);
        if (failures.length >= 2 * MAX_FAILED) failures = failures.slice(-MAX_FAILED);
      } else if (failedBefore && row.ok !== false) {
        failed--;
        failures = failures.filter((one) => one !== row);
        if (exit === undefined) delete row.exit;
      }
      if (row.test !== true) return;
      const key = row.command.replace(/\s+/g, ' ').trim();
      tests.delete(key);
      tests.set(key, row);
      for (const oldest of tests.keys()) {
        if (tests.size <= MAX_TESTS) break;
        tests.delete(oldest);
      }
      if (runsTests(row.command) && (lastTest === undefined || lastTest.seq <= row.seq)) lastTest = row;
    },
    reworded(row, command) {
      row.command = command;
      if (isTest(command)) row.test = true;
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
    verification(lastEdit) {
      return {
        ...(lastEdit === undefined ? {} : { last_edit: lastEdit }),
        ...(lastTest === undefined ? {} : { last_test: lastTest.seq }),
        ...(lastTest?.ok === undefined ? {} : { last_test_ok: lastTest.ok }),
        stale: lastEdit !== undefined && (lastTest === undefined || lastTest.seq < lastEdit),
      };
    },
  };
}

export interface Errors {
  failed(key: string, turn: Turn, at: Where, target: string, text: string): void;
  /** The same command or file worked: its failure is over. */
  worked(key: string): void;
  api(turn: Turn): void;
  /** The agent answered: the service works again. */
  answered(): void;
  rows(): ErrorRow[];
  readonly left: number;
}

const API = '\0api';
const TEXT_LENGTH = 500;

export function createErrors(): Errors {
  const open = new Map<string, ErrorRow>();
  let left = 0;
  function put(key: string, row: ErrorRow): void {
    const times = (open.get(key)?.times ?? 0) + 1;
    open.delete(key);
    row.times = times;
    open.set(key, row);
    for (const oldest of open.keys()) {
      if (open.size <= MAX_ERRORS) break;
      open.delete(oldest);
      left++;
    }
  }
  return {
    failed(key, turn, at, target, text) {
      put(key, { seq: turn.seq, ts: turn.ts, tool: at.tool, target, text, times: 1, ...(turn.exit === undefined ? {} : { exit: turn.exit }) });
    },
    worked(key) {
      if (open.size > 0) open.delete(key);
    },
    api(turn) {
      put(API, { seq: turn.seq, ts: turn.ts, tool: 'api', target: '', text: keep(turn.text, TEXT_LENGTH), times: 1 });
    },
    answered() {
      if (open.size > 0) open.delete(API);
    },
    rows: () => [...open.values()],
    get left() {
      return left;
    },
  };
}
