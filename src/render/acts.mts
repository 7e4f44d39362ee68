/**
 * What the agent did through tools: each call with its result, and what follows from both: files, commands, failures, plan,
 * decisions, work that goes on in the background. A part of the reducer (reduce.mts), fed by it turn after turn.
 */
import { createBackground, type Ended } from './background.mts';
import { pathIn, planSteps, readCall } from './calls.mts';
import type { DecisionRow, PendingRow, PlanRow, ToolRow } from './digest.mts';
import { createPairing } from './lineage.mts';
import { howStopped, isRefusal } from './refusals.mts';
import { createRing } from './ring.mts';
import { head, keep } from './text.mts';
import { isAgain, keysOf, ofCheck, outcome, workedKeys, RESULT_HEAD, ROW_LENGTH, telling, type Call } from './turn-rows.mts';
import { createCommands, createErrors, createFiles, type Commands, type Errors, type Files, type Where } from './work.mts';
import type { Turn } from '../transcript/turn.mts';

export interface Acts {
  call(turn: Turn, main: boolean, replayed: boolean): void;
  result(turn: Turn, main: boolean): void;
  /** The main agent spoke or was spoken to: a call without an id can't be answered any more. */
  passed(): void;
  /** The client notes, apart from a result, that a call ended; true where its result is not there. */
  ended(turn: Turn): boolean;
  /** A notification of the client: a background task may have ended, and how. */
  notified(turn: Turn): void;
  pendingCalls(): Call[];
  running(): Call[];
  /** Calls that the person stopped while they ran, and that did not work since. */
  stopped(): PendingRow[];
  readonly files: Files;
  readonly commands: Commands;
  readonly errors: Errors;
  tools(): ToolRow[];
  decisions(): DecisionRow[];
  readonly plan: PlanRow[];
  readonly planSeq: number | undefined;
  /** Calls that started a sub-agent. */
  readonly agents: number;
  readonly counts: Readonly<{ calls: number; results: number; orphan_results: number; dropped: number }>;
}

const ROWS = 40;
const MAX_STOPPED = 20;
const isOk = (call: Call): boolean => call.row.result === 'ok' || call.row.result === 'done';

/** `show` puts a row into the timeline; `standsBehind` gives the number of the prompt that the work is done for. */
export function createActs(show: (turn: Turn, text: string) => void, standsBehind: () => number): Acts {
  const calls = createPairing<Call>();
  const files = createFiles();
  const commands = createCommands();
  const errors = createErrors();
  const background = createBackground();
  const tools = createRing<ToolRow>(ROWS);
  const decisions = createRing<DecisionRow>(50);
  const counts = { calls: 0, results: 0 };
  const stopped = new Map<string, PendingRow>();
  let agents = 0;
  let plan: PlanRow[] = [];
  let planSeq: number | undefined;
  /** The last call inside a script that failed: its own record says no more than how it ended. */
  let inside: { keys: readonly string[]; seq: number; exit: number | undefined } | undefined;

  function call(turn: Turn, main: boolean, replayed: boolean): void {
    const says = readCall(turn);
    const tool = turn.tool ?? '?';
    if (isAgain(turn) && turn.call !== undefined) {
      const known = calls.known(turn);
      show(turn, `${tool} ${says.target}`);
      if (known !== undefined) revise(known, says, keep(turn.text, ROW_LENGTH), main);
      return;
    }
    counts.calls++;
    const at: Where = { seq: turn.seq, ts: turn.ts, tool };
    if (!main && turn.side !== undefined) at.side = turn.side;
    if (replayed) at.replayed = true;
    const row: ToolRow = { seq: turn.seq, ts: turn.ts, tool, target: says.target, result: 'no result' };
    const input = keep(turn.text, ROW_LENGTH);
    const ran = main ? says.commands.map((command) => commands.ran(command, at)) : [];
    const opened: Call = { at, call: turn.call, from: turn.from, tool, interrupted: false, effect: turn.effect ?? 'unknown', says, commands: ran, row, input };
    // A call inside a script says in its own record how it ended: no result follows.
    if (turn.meta === 'nested') settle(turn, opened, main, '');
    else calls.open(opened);
    show(turn, `${tool} ${says.target}`);
    tools.push(row);
    if (turn.effect === 'read') {
      const path = pathIn(input);
      if (path !== undefined) files.seen(path);
    }
    if (!main) return;
    errors.answered();
    if (says.kind === 'agent') agents++;
    if (says.plan !== undefined) {
      opened.before = { plan, seq: planSeq };
      plan = says.plan;
      planSeq = turn.seq;
    }
  }

  /** What the call was about turns out to be something else; that it was made, and how it ended, stays. */
  function revise(known: Call, says: Call['says'], input: string, main: boolean): void {
    const changed = known.says.changes;
    Object.assign(known, { says, input });
    known.row.target = says.target;
    if (isOk(known)) files.changed(says.changes.filter(({ path }) => !changed.some((one) => one.path === path)), known.at, '', standsBehind());
    if (!main) return;
    says.commands.forEach((command, at) => {
      const row = known.commands[at];
      if (row === undefined) known.commands.push(commands.ran(command, known.at));
      else commands.reworded(row, command);
    });
    if (says.plan !== undefined && planSeq === known.at.seq) plan = says.plan;
  }

  function result(turn: Turn, main: boolean): void {
    if (!isAgain(turn)) counts.results++;
    const found = calls.close(turn);
    const name = turn.tool ?? found?.call.tool ?? '';
    show(turn, `→ ${turn.ok === false ? 'failed ' : ''}${name === '' ? '' : `${name}: `}${telling(turn.text)}`);
    if (found === undefined) return;
    const { call: done, again } = found;
    // A later result of the same call can only tell that it failed after all.
    if (again && !isAgain(turn) && (turn.ok !== false || /^(?:failed|exit)/.test(done.row.result))) return;
    settle(turn, done, main, head(turn.text, RESULT_HEAD));
  }

  /** `turn` tells how the call `done` ended. */
  function settle(turn: Turn, done: Call, main: boolean, said: string): void {
    const wasOk = isOk(done);
    done.row.result = outcome(turn);
    if (turn.ok !== false && !wasOk) files.changed(done.says.changes, done.at, said, standsBehind());
    if (!main) return;
    if (done.says.kind === 'agent' && turn.ok === false) agents--;
    const ok = turn.ok ?? (turn.exit === undefined ? undefined : turn.exit === 0);
    const polled = background.polled(done.tool, done.input, said);
    // Where the poll itself failed, it is told as that call's failure.
    if (polled !== undefined) endedLater({ ok, exit: turn.exit, ...polled }, turn, turn.text, ok !== false);
    if (ok !== false && background.started(said, done)) return;
    for (const row of done.commands) commands.ended(row, ok, turn.exit, turn.text);
    done.row.result = ofCheck(done.commands, done.row.result);
    judge(turn, done);
  }

  /** Calls that are open or went on by themselves, of which a note alone tells how they ended. */
  function settleNoted(): void {
    for (const done of [...calls.pending(), ...background.running()]) {
      const { noted } = done;
      if (noted === undefined || done.told === true) continue;
      done.told = true;
      endedLater({ call: done, ok: noted.ok, exit: noted.exit, says: noted.text }, noted, '', true);
    }
  }

  /** Work in the background is over, as `turn` tells. */
  function endedLater({ call: done, ok, exit, says }: Ended, turn: Turn, output: string, tells: boolean): void {
    for (const row of done.commands) {
      delete row.stopped;
      commands.ended(row, ok, exit, output);
    }
    if (ok === true) files.changed(done.says.changes, done.at, '', standsBehind());
    const told: Turn = { seq: turn.seq, ts: turn.ts, class: turn.class, text: says, ...(ok === undefined ? {} : { ok }), ...(exit === undefined ? {} : { exit }) };
    if (ok !== undefined || done.commands.length > 0) done.row.result = ofCheck(done.commands, outcome(told));
    if (ok === false && tells) errors.failed(keysOf(done), told, done.at, done.says.target, keep(says, ROW_LENGTH));
  }

  function judge(turn: Turn, done: Call): void {
    const { says } = done;
    const kind = says.kind;
    if (turn.ok === false) {
      const keys = keysOf(done);
      // A list that the client did not take is none.
      if (done.before !== undefined && planSeq === done.at.seq) ({ plan, seq: planSeq } = done.before);
      if (isAgain(turn)) for (const key of keys) errors.worked(key);
      const stops = turn.meta === 'nested' ? undefined : howStopped(turn, done.says, done.effect);
      if (stops !== undefined && done.noted !== undefined) endedLater({ call: done, ok: done.noted.ok, exit: done.noted.exit, says: done.noted.text }, done.noted, '', true);
      else if (stops !== undefined) stop(keys, done, stops === 'perhaps');
      else if (isRefusal(turn)) refused(turn, done);
      else if (turn.meta === 'nested') {
        inside = { keys, seq: turn.seq, exit: turn.exit };
        errors.failed(keys, turn, done.at, done.says.target, turn.exit === undefined ? 'failed' : `exit ${turn.exit}`);
      } else if (inside !== undefined && inside.seq > done.at.seq && inside.exit === turn.exit) errors.explained(inside.keys, turn, telling(turn.text));
      else errors.failed(keys, turn, done.at, done.says.target, telling(turn.text));
      return;
    }
    if (errors.open || stopped.size > 0) {
      for (const key of workedKeys(done)) {
        errors.worked(key);
        stopped.delete(key);
      }
    }
    if (says.steps !== undefined) approved(turn, says.steps);
    if (kind === 'ask') decide(/^exit/i.test(done.tool) ? 'approved' : 'answer', turn, done, turn.text);
  }

  function stop(keys: readonly string[], done: Call, perhaps: boolean): void {
    const { at, tool, effect, says, call } = done;
    done.row.result = perhaps ? 'refused or stopped' : 'failed, stopped';
    for (const row of done.commands) row.stopped = perhaps ? 'perhaps' : 'surely';
    const key = keys[0] ?? '';
    stopped.delete(key);
    stopped.set(key, { kind: 'call', seq: at.seq, ts: at.ts, tool, target: says.target, effect, interrupted: true, ...(perhaps ? { refused: 'perhaps' as const } : {}), ...(call === undefined ? {} : { call }) });
    for (const oldest of stopped.keys()) {
      if (stopped.size <= MAX_STOPPED) break;
      stopped.delete(oldest);
    }
  }

  /** Some clients keep the plan in a file and tell it with the approval. */
  function approved(turn: Turn, steps: readonly string[]): void {
    const told = steps.length > 0 ? steps : planSteps(/Approved Plan[^\n]{0,200}\n([^]+)/i.exec(head(turn.text, 20_000))?.[1] ?? '');
    // Of some clients, a plan that was turned down is a result like any other.
    if (told.length === 0 || /^.{0,80}\b(?:reject|declin|not approved|keep planning|stay in plan)/i.test(head(turn.text, 200))) return;
    plan = told.map((text) => ({ status: 'approved', text }));
    planSeq = turn.seq;
  }

  /** A person (or a rule) said no. What they said with it is worth more than the client's sentence. */
  function refused(turn: Turn, done: Call): void {
    done.row.result = 'refused';
    for (const row of done.commands) row.refused = true;
    const said = /(?:the user said|with the following feedback):\s*([^]{1,400})/.exec(head(turn.text, 2_000))?.[1];
    decide('refused', turn, done, said === undefined ? done.says.target : `${keep(done.says.target, 120)} (with the words: ${said.trim()})`);
  }

  function decide(kind: DecisionRow['kind'], turn: Turn, done: Call, text: string): void {
    const row: DecisionRow = { seq: turn.seq, ts: turn.ts, kind, tool: done.tool, text: keep(text, ROW_LENGTH) };
    if (done.decision !== undefined) Object.assign(done.decision, row);
    else decisions.push((done.decision = row));
  }

  return {
    call,
    result,
    passed() {
      // Some clients record no result of some tools: the agent went on, so nothing is owed.
      for (const { row } of calls.passed()) row.result = 'not recorded';
    },
    ended(turn) {
      const done = calls.known(turn);
      if (done === undefined) return false;
      done.noted = turn;
      // The client said that it was stopped, and it ran on to its end.
      const key = keysOf(done)[0] ?? '';
      if (stopped.get(key)?.seq === done.at.seq && stopped.get(key)?.call === done.call) {
        stopped.delete(key);
        endedLater({ call: done, ok: turn.ok, exit: turn.exit, says: turn.text }, turn, '', true);
      }
      return done.row.result === 'no result';
    },
    notified(turn) {
      const over = background.notified(turn.text);
      if (over !== undefined) endedLater(over, turn, over.says, true);
    },
    pendingCalls() {
      settleNoted();
      return calls.pending();
    },
    running: () => background.running().filter((one) => one.noted === undefined),
    stopped: () => [...stopped.values()],
    files,
    commands,
    errors,
    tools: () => tools.rows(),
    decisions: () => decisions.rows(),
    get plan() {
      return plan;
    },
    get planSeq() {
      return planSeq;
    },
    get agents() {
      return agents;
    },
    get counts() {
      return { ...counts, orphan_results: calls.orphans, dropped: calls.dropped };
    },
  };
}
