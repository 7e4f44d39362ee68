/**
 * The reducer: turns in, one after the other, and out of them what every render needs. It is run on old timeline
 * lines and on new turns alike, so it is fast, keeps little, and never needs a turn a second time.
 */
import { createActs } from './acts.mts';
import type { Digest, PendingRow } from './digest.mts';
import { createInherited } from './inherited.mts';
import { createBranches, createQueue } from './lineage.mts';
import { createLastWords, STATE_LENGTH } from './last-words.mts';
import { createLoops } from './loops.mts';
import { createMediaRows } from './media-rows.mts';
import { clientNote, createPrompts } from './prompts.mts';
import { pendingRows } from './pending.mts';
import { createRing } from './ring.mts';
import { head, keep, tail } from './text.mts';
import { isAgain, isSameTurn, ROW_LENGTH, rowOf, type Shown } from './turn-rows.mts';
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

interface Waiting {
  /** The prompt's number among those of the main agent. */
  user: number;
  row: PendingRow;
}

const ROWS = 40;
const PENDING_ROWS = 200;
const ISO = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** Commands of clients that leave behind what was asked before them. */
const DISMISSES = /^\s*\/(?:clear|new|reset|undo|rewind)(?:\s|$)/;

export function createReducer(options: ReducerOptions = {}): Reducer {
  const queue = createQueue();
  const branches = createBranches();
  const prompts = createPrompts(options.replayedApart === true);
  const loops = createLoops();
  const words = createLastWords();
  const acts = createActs(show, () => branches.tip);
  const inherited = createInherited();
  const media = createMediaRows();
  const timeline = createRing<Shown>(ROWS);
  const sides = new Set<string>();
  const counts = { turns: 0, side: 0, replayed: 0, shown: 0 };
  let boundaries = 0;
  let summaries = 0;
  let compactionSeq: number | undefined;
  /** The last prompt, until the agent says or does something. */
  let waits: Waiting | undefined;
  /** A command of the client's, which is a request once the client puts its body into the session. */
  let typed: Waiting | undefined;
  let asked = 0;
  let interruptedAt: number | undefined;
  let endsAtResult: number | undefined;
  let firstTs = '';
  let lastTs = '';
  /** A sub-agent's own session has its name on every turn: there, it is the main agent. */
  let mainSide: string | undefined;
  let spoken = false;
  /** The row that the turn at hand gave. */
  let justShown: Shown | undefined;

  function add(turn: Turn): void {
    counts.turns++;
    if (turn.ts !== '') {
      if (firstTs === '') firstTs = turn.ts;
      // A fork's note about what it copied may carry the time of the copied record.
      if (turn.ts > lastTs || !ISO.test(turn.ts)) lastTs = turn.ts;
    }
    if (!spoken && (turn.class !== 'OTHER' || turn.meta === 'task')) {
      spoken = true;
      mainSide = turn.side;
    }
    const main = turn.side === undefined || turn.side === mainSide;
    justShown = undefined;
    const replayed = options.replayedUntil !== undefined && turn.seq <= options.replayedUntil;
    if (replayed) counts.replayed++;
    if (!isAgain(turn)) media.look(turn);
    if (!main) {
      counts.side++;
      if (sides.size < 10_000) sides.add(turn.side ?? '');
    }
    if (turn.class === 'TOOL') {
      if (turn.kind === 'call') acts.call(turn, main, replayed);
      else if (turn.kind === 'result') acts.result(turn, main);
      else show(turn, turn.text);
    } else if (turn.class === 'OTHER') {
      if (main) other(turn, replayed);
    } else show(turn, turn.text);
    if (!main) return;
    if (turn.class === 'TOOL' || turn.class === 'AGENT') waits = typed = undefined;
    if (turn.class !== 'OTHER' && !isAgain(turn)) endsAtResult = turn.kind === 'result' ? turn.seq : undefined;
    if (turn.class === 'USER' && !isAgain(turn)) asked++;
    inherited.look(turn, asked, acts.files.lastEdit !== undefined);
    if (isAgain(turn)) {
      saidAgain(turn, replayed);
      return;
    }
    const user = branches.add(turn);
    onBranch();
    if (turn.class === 'USER') {
      prompts.add(turn, user, replayed);
      queue.delivered(turn.text);
      typed = { user, row: unanswered(turn) };
      const asks = clientNote(turn.text) === '';
      // A look at the costs, or a new login, answers no prompt and takes up no work.
      if (asks) waits = typed;
      else if (DISMISSES.test(turn.text)) waits = undefined;
      acts.passed();
      if (asks) interruptedAt = undefined;
    } else if (turn.class === 'AGENT') {
      words.said(turn, branches.tip);
      loops.said(turn, branches.tip);
      acts.errors.answered();
      acts.passed();
      interruptedAt = undefined;
    }
  }

  function unanswered(turn: Turn): PendingRow {
    return { kind: 'prompt', seq: turn.seq, ts: turn.ts, target: keep(turn.text.trim(), ROW_LENGTH) };
  }

  /** The record gave a turn once more with another text: it stands for the one before, wherever that was, and nothing new was said. */
  function saidAgain(turn: Turn, replayed: boolean): void {
    if (turn.class === 'USER') prompts.add(turn, -1, replayed);
    if (turn.class === 'USER' && waits !== undefined) waits.row = unanswered(turn);
    if (turn.class !== 'AGENT') return;
    words.again(turn);
    loops.said(turn, branches.tip, true);
  }

  function show(turn: Turn, text: string): void {
    const shown: Shown = { row: rowOf(turn, text), id: turn.id, call: turn.call, kind: turn.kind };
    if (!isAgain(turn)) {
      timeline.push(shown);
      justShown = shown;
      counts.shown++;
      return;
    }
    const before = timeline.rows().find((one) => isSameTurn(one, turn));
    if (before !== undefined) before.row = shown.row;
  }

  function onBranch(): void {
    if (justShown !== undefined) justShown.user = branches.tip;
  }

  function other(turn: Turn, replayed: boolean): void {
    switch (turn.meta) {
      case 'queued':
        queue.queued(turn);
        return;
      case 'queue':
        if (/pop_?all|clear/i.test(head(turn.text, 200))) queue.clear();
        return;
      case 'ended':
        if (acts.ended(turn)) endsAtResult = turn.seq;
        return;
      case 'queued-notification':
        acts.notified(turn);
        return;
      case 'rolled-back':
        branches.rollBack(Number(/\d+/.exec(head(turn.text, 100))?.[0] ?? 0), turn.from);
        return;
      case 'notification':
        acts.notified(turn);
        queue.delivered(turn.text);
        return;
      case 'task':
        prompts.task(turn, replayed);
        return;
      case 'expanded':
        prompts.expanded();
        if (typed !== undefined) {
          waits = typed;
          interruptedAt = undefined;
        }
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
      case 'kept-output':
        return;
      case 'api-error':
        acts.errors.api(turn);
        return;
      default:
        queue.delivered(turn.text);
    }
  }

  function digest(): Digest {
    const pending = pendingRows(acts.pendingCalls(), queue.waiting(), acts.running());
    const last = prompts.last;
    const abandoned = branches.abandoned();
    const spokenLast = words.last(abandoned);
    const state = spokenLast ?? last;
    const stateNow = state === undefined ? '(none)' : tail(state.text.trimEnd(), STATE_LENGTH);
    const stateLeft = state === undefined ? 0 : (spokenLast !== undefined && spokenLast.length > spokenLast.text.length ? spokenLast.length : state.text.trimEnd().length) - stateNow.length;
    const from = inherited.row();
    const { files, commands, errors, plan, planSeq, counts: done } = acts;
    return {
      ...prompts.result(abandoned, options.objective),
      ...(from === undefined ? {} : { inherited: from }),
      stateNow,
      stateLeft,
      ...(state === undefined ? {} : { stateSeq: state.seq }),
      stateFrom: spokenLast !== undefined ? 'AGENT' : last !== undefined ? 'USER' : 'none',
      ...(interruptedAt === undefined ? {} : { interruptedAt }),
      ...(endsAtResult === undefined ? {} : { endsAtResult }),
      openLoops: openLoops(abandoned),
      pending: pending.slice(0, PENDING_ROWS),
      ...(waits === undefined || abandoned(waits.user) ? {} : { unanswered: waits.row }),
      stopped: acts.stopped(),
      pendingLeft: Math.max(0, pending.length - PENDING_ROWS) + acts.counts.dropped,
      filesChanged: files.rows(abandoned),
      filesLeft: files.left,
      commands: commands.rows(),
      commandsTotal: commands.total,
      commandsFailed: commands.failed,
      tests: commands.tests(),
      verification: commands.verification(files.lastCode, files.lastEdit),
      errors: errors.rows(),
      errorsLeft: errors.left,
      plan,
      ...(planSeq === undefined ? {} : { planSeq }),
      decisions: acts.decisions(),
      media: media.rows(),
      mediaLeft: media.left,
      timeline: timeline.rows().map(({ row, user }) => (user !== undefined && abandoned(user) ? { ...row, abandoned: true } : row)),
      tools: acts.tools(),
      compactions: Math.max(boundaries, summaries),
      ...(compactionSeq === undefined ? {} : { compactionSeq }),
      subagents: Math.max(sides.size, acts.agents),
      counts: { ...counts, calls: done.calls, results: done.results, orphan_results: done.orphan_results },
      firstTs,
      lastTs,
    };
  }

  /** The plan's open items come first: they are the agent's own, latest word on what is left. */
  function openLoops(abandoned: (user: number) => boolean): Digest['openLoops'] {
    const begun = (acts.files.lastEdit ?? -1) > (acts.planSeq ?? 0);
    // Which steps of an approved plan were carried out, no record tells once the work has begun.
    const open = acts.plan.filter((item) => !/^(?:completed|done|cancelled|canceled)$/i.test(item.status) && !(begun && item.status === 'approved'));
    const fromPlan = open.map((item) => ({ seq: acts.planSeq ?? 0, text: `[${item.status}] ${item.text}` }));
    return [...fromPlan, ...loops.rows(abandoned)].slice(0, 20);
  }

  return { add, digest };
}
