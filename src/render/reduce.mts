/**
 * The reducer: turns in, one after the other, and out of them what every render needs. It is run on old timeline
 * lines and on new turns alike, so it is fast, keeps little, and never needs a turn a second time.
 */
import { createBackground } from './background.mts';
import { pathIn, readCall } from './calls.mts';
import type { DecisionRow, Digest, PlanRow, TimelineRow, ToolRow } from './digest.mts';
import { createBranches, createPairing, createQueue } from './lineage.mts';
import { createLoops } from './loops.mts';
import { createPrompts } from './prompts.mts';
import { pendingRows } from './pending.mts';
import { createRing } from './ring.mts';
import { head, keep, own, tail } from './text.mts';
import { keyOf, outcome, RESULT_HEAD, ROW_LENGTH, rowOf, telling, type Call } from './turn-rows.mts';
import { createCommands, createErrors, createFiles, type Where } from './work.mts';
import type { Turn } from '../transcript/turn.mts';

export interface ReducerOptions {
  /** `--objective`; wins over every prompt. */
  objective?: string;
  /** Turns up to this `seq` were copied from the session that this one was forked from. */
  replayedUntil?: number;
  /** They are another thread's work: the objective is the first prompt behind them, where there is one. */
  replayedApart?: boolean;
}

export interface Reducer {
  add(turn: Turn): void;
  /** What the turns so far come to; more may be added afterwards. */
  digest(): Digest;
}

const STATE_LENGTH = 1_200;
const ROWS = 40;
const PENDING_ROWS = 200;
const REFUSED = /^(?:The user (?:doesn['’]t want to|rejected permission|dismissed|has specified a rule)|User (?:rejected|declined|refused)|Permission to use|Tool use (?:was )?rejected|(?:exec command|patch) rejected by user|rejected by user)/i;

export function createReducer(options: ReducerOptions = {}): Reducer {
  const calls = createPairing<Call>();
  const queue = createQueue();
  const branches = createBranches();
  const prompts = createPrompts(options.replayedApart === true);
  const loops = createLoops();
  const files = createFiles();
  const commands = createCommands();
  const errors = createErrors();
  const background = createBackground();
  const timeline = createRing<TimelineRow>(ROWS);
  const tools = createRing<ToolRow>(ROWS);
  const decisions = createRing<DecisionRow>(50);
  const sides = new Set<string>();
  const counts = { turns: 0, side: 0, replayed: 0, calls: 0, results: 0 };
  let agentCalls = 0;
  let boundaries = 0;
  let summaries = 0;
  let compactionSeq: number | undefined;
  let lastAgent: { seq: number; text: string } | undefined;
  let interruptedAt: number | undefined;
  let plan: PlanRow[] = [];
  let planSeq: number | undefined;
  let firstTs = '';
  let lastTs = '';
  /** A sub-agent's own session has its name on every turn: there, it is the main agent. */
  let mainSide: string | undefined;
  let spoken = false;

  function add(turn: Turn): void {
    counts.turns++;
    if (turn.ts !== '') {
      if (firstTs === '') firstTs = turn.ts;
      lastTs = turn.ts;
    }
    if (!spoken && (turn.class !== 'OTHER' || turn.meta === 'task')) {
      spoken = true;
      mainSide = turn.side;
    }
    const main = turn.side === undefined || turn.side === mainSide;
    const replayed = options.replayedUntil !== undefined && turn.seq <= options.replayedUntil;
    if (replayed) counts.replayed++;
    if (!main) {
      counts.side++;
      if (sides.size < 10_000) sides.add(turn.side ?? '');
    }
    if (turn.class === 'TOOL') {
      if (turn.kind === 'call') call(turn, main, replayed);
      else if (turn.kind === 'result') result(turn, main);
      else timeline.push(rowOf(turn, turn.text));
    } else if (turn.class === 'OTHER') {
      if (main) other(turn, replayed);
    } else timeline.push(rowOf(turn, turn.text));
    if (!main) return;
    const user = branches.add(turn);
    if (turn.class === 'USER') {
      prompts.add(turn, user, replayed);
      queue.delivered(turn.text);
      calls.passed();
      interruptedAt = undefined;
    } else if (turn.class === 'AGENT') {
      lastAgent = { seq: turn.seq, text: turn.text.length > 4 * STATE_LENGTH ? own(tail(turn.text, STATE_LENGTH)) : turn.text };
      loops.said(turn.seq, turn.text);
      errors.answered();
      calls.passed();
      interruptedAt = undefined;
    }
  }

  function call(turn: Turn, main: boolean, replayed: boolean): void {
    counts.calls++;
    const says = readCall(turn);
    const tool = turn.tool ?? '?';
    const at: Where = { seq: turn.seq, ts: turn.ts, tool };
    if (!main && turn.side !== undefined) at.side = turn.side;
    if (replayed) at.replayed = true;
    const row: ToolRow = { seq: turn.seq, ts: turn.ts, tool, target: says.target, result: 'no result' };
    const input = keep(turn.text, ROW_LENGTH);
    const ran = main ? says.commands.map((command) => commands.ran(command, at)) : [];
    const opened: Call = { at, call: turn.call, tool, interrupted: false, effect: turn.effect ?? 'unknown', says, commands: ran, row, input };
    // A call inside a script says in its own record how it ended: no result follows.
    if (turn.meta === 'nested') settle(turn, opened, main, '');
    else calls.open(opened);
    timeline.push(rowOf(turn, `${tool} ${says.target}`));
    tools.push(row);
    if (turn.effect === 'read') {
      const path = pathIn(input);
      if (path !== undefined) files.seen(path);
    }
    if (!main) return;
    if (says.kind === 'agent') agentCalls++;
    if (says.plan !== undefined) {
      plan = says.plan;
      planSeq = turn.seq;
    }
  }

  function result(turn: Turn, main: boolean): void {
    counts.results++;
    const found = calls.close(turn);
    const name = turn.tool ?? found?.call.tool ?? '';
    timeline.push(rowOf(turn, `→ ${turn.ok === false ? 'failed ' : ''}${name === '' ? '' : `${name}: `}${telling(turn.text)}`));
    if (found === undefined) return;
    const { call: done, again } = found;
    // A later result of the same call can only tell that it failed after all.
    if (again && (turn.ok !== false || /^(?:failed|exit)/.test(done.row.result))) return;
    settle(turn, done, main, head(turn.text, RESULT_HEAD));
  }

  /** `turn` tells how the call `done` ended. */
  function settle(turn: Turn, done: Call, main: boolean, said: string): void {
    done.row.result = outcome(turn);
    if (turn.ok !== false) files.changed(done.says.changes, done.at, said);
    if (!main) return;
    if (done.says.kind === 'agent' && turn.ok === false) agentCalls--;
    const ok = turn.ok ?? (turn.exit === undefined ? undefined : turn.exit === 0);
    const polled = background.polled(done.tool, done.input, said);
    for (const row of polled?.commands ?? []) commands.ended(row, ok, turn.exit);
    if (ok !== false && background.started(said, () => ({ at: done.at, target: done.says.target, commands: done.commands }))) return;
    for (const row of done.commands) commands.ended(row, ok, turn.exit);
    judge(turn, done);
  }

  function judge(turn: Turn, done: Call): void {
    const kind = done.says.kind;
    const key = keyOf(done);
    if (turn.ok === false) {
      if (REFUSED.test(head(turn.text, 60))) refused(turn, done);
      else errors.failed(key, turn, done.at, done.says.target, telling(turn.text));
      return;
    }
    errors.worked(key);
    if (kind === 'ask') decide(/^exit/i.test(done.tool) ? 'approved' : 'answer', turn, done, turn.text);
  }

  /** A person (or a rule) said no. What they said with it is worth more than the client's sentence. */
  function refused(turn: Turn, done: Call): void {
    done.row.result = 'refused';
    for (const row of done.commands) row.refused = true;
    const said = /(?:the user said|with the following feedback):\s*([^]{1,400})/.exec(head(turn.text, 2_000))?.[1];
    decide('refused', turn, done, said === undefined ? done.says.target : `${keep(done.says.target, 120)} (with the words: ${said.trim()})`);
  }

  function decide(kind: DecisionRow['kind'], turn: Turn, done: Call, text: string): void {
    decisions.push({ seq: turn.seq, ts: turn.ts, kind, tool: done.tool, text: keep(text, ROW_LENGTH) });
  }

  function other(turn: Turn, replayed: boolean): void {
    switch (turn.meta) {
      case 'queued':
        queue.queued(turn);
        return;
      case 'queue':
        if (/pop_?all|clear/i.test(head(turn.text, 200))) queue.clear();
        return;
      case 'queued-notification':
        background.notified(turn.text);
        return;
      case 'rolled-back':
        branches.rollBack(Number(/\d+/.exec(head(turn.text, 100))?.[0] ?? 0));
        return;
      case 'notification':
        background.notified(turn.text);
        queue.delivered(turn.text);
        return;
      case 'task':
        prompts.task(turn, replayed);
        return;
      case 'expanded':
        prompts.expanded();
        return;
      case 'compaction':
        boundaries++;
        compactionSeq = turn.seq;
        return;
      case 'compaction-summary':
        summaries++;
        compactionSeq = turn.seq;
        return;
      case 'interrupted':
        interruptedAt = turn.seq;
        return;
      case 'api-error':
        errors.api(turn);
        return;
      default:
        queue.delivered(turn.text);
    }
  }

  function digest(): Digest {
    const pending = pendingRows(calls.pending(), queue.waiting(), background.running());
    const last = prompts.last;
    const state = lastAgent ?? last;
    const abandoned = branches.abandoned();
    return {
      ...prompts.result(abandoned, options.objective),
      stateNow: state === undefined ? '(none)' : tail(state.text.trimEnd(), STATE_LENGTH),
      ...(state === undefined ? {} : { stateSeq: state.seq }),
      stateFrom: lastAgent !== undefined ? 'AGENT' : last !== undefined ? 'USER' : 'none',
      ...(interruptedAt === undefined ? {} : { interruptedAt }),
      openLoops: openLoops(),
      pending: pending.slice(0, PENDING_ROWS),
      pendingLeft: Math.max(0, pending.length - PENDING_ROWS) + calls.dropped,
      filesChanged: files.rows(),
      filesLeft: files.left,
      commands: commands.rows(),
      commandsTotal: commands.total,
      commandsFailed: commands.failed,
      tests: commands.tests(),
      verification: commands.verification(files.lastEdit),
      errors: errors.rows(),
      errorsLeft: errors.left,
      plan,
      ...(planSeq === undefined ? {} : { planSeq }),
      decisions: decisions.rows(),
      timeline: timeline.rows(),
      tools: tools.rows(),
      compactions: Math.max(boundaries, summaries),
      ...(compactionSeq === undefined ? {} : { compactionSeq }),
      subagents: Math.max(sides.size, agentCalls),
      counts: { ...counts, orphan_results: calls.orphans },
      firstTs,
      lastTs,
    };
  }

  /** The plan's open items come first: they are the agent's own, latest word on what is left. */
  function openLoops(): Digest['openLoops'] {
    const open = plan.filter((item) => !/^(?:completed|done|cancelled|canceled)$/i.test(item.status));
    const fromPlan = open.map((item) => ({ seq: planSeq ?? 0, text: `[${item.status}] ${item.text}` }));
    return [...fromPlan, ...loops.rows()].slice(0, 20);
  }

  return { add, digest };
}
