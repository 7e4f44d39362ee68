/**
 * Lineage: what belongs together in a session, worked out from the turns alone and in one pass. A timeline line
 * says only what its own record says; which result answers which call, which queued prompt was delivered and which
 * branch was given up is decided here. Everything is bounded, so that a session of millions of turns fits.
 */
import { createMemory, trim } from './memory.mts';
import type { Turn } from '../transcript/turn.mts';

/** What the pairing needs to know of a call; the reducer hangs more on it. */
export interface OpenCall {
  /** Absent where the harness gives its calls no id. */
  call: string | undefined;
  /** In a merged timeline: the session whose id that is. */
  from?: string | undefined;
  tool: string;
  /** A client closed it with a made-up result: it stays open, because nothing tells how it ended. */
  interrupted: boolean;
}

export interface Pairing<C extends OpenCall> {
  open(call: C): void;
  /** The call that `turn` answers, and whether another result answered it before; undefined for an orphan or a synthetic result. */
  close(turn: Turn): { call: C; again: boolean } | undefined;
  /** A call that is open, or was closed not long ago. */
  known(turn: Turn): C | undefined;
  /** The main agent spoke or was spoken to: a call without an id can't be answered any more. Gives those that were open. */
  passed(): readonly C[];
  /** Calls without a result, oldest first. */
  pending(): C[];
  readonly orphans: number;
  /** Open calls that were dropped because there were too many. */
  readonly dropped: number;
}

function keyOf({ call, from }: { call?: string | undefined; from?: string | undefined }): string | undefined {
  return call === undefined || from === undefined ? call : `${from}\0${call}`;
}

const NONE: readonly never[] = [];

/** Pairs calls and results by call id; calls and results without an id in their order. `cap` bounds what is kept open. */
export function createPairing<C extends OpenCall>(cap = 10_000): Pairing<C> {
  const open = new Map<string, C>();
  const closed = createMemory<C>(1_000);
  let loose: C[] = [];
  let orphans = 0;
  let dropped = 0;
  return {
    open(call) {
      const key = keyOf(call);
      if (key === undefined) {
        loose.push(call);
        if (loose.length > 100) loose.shift();
        return;
      }
      open.set(key, call);
      dropped += trim(open, cap);
    },
    close(turn) {
      const key = keyOf(turn);
      if (key === undefined) return closeLoose(turn);
      const waiting = open.get(key);
      if (turn.meta === 'synthetic') {
        if (waiting !== undefined) waiting.interrupted = true;
        return undefined;
      }
      if (waiting === undefined) {
        // Some clients write several results for one call; the last one is the one that counts.
        const before = closed.get(key);
        if (before === undefined) orphans++;
        return before === undefined ? undefined : { call: before, again: true };
      }
      open.delete(key);
      closed.set(key, waiting);
      return { call: waiting, again: false };
    },
    known(turn) {
      const key = keyOf(turn) ?? '';
      return open.get(key) ?? closed.get(key);
    },
    passed() {
      if (loose.length === 0) return NONE;
      const over = loose;
      loose = [];
      return over;
    },
    pending: () => [...open.values(), ...loose],
    get orphans() {
      return orphans;
    },
    get dropped() {
      return dropped;
    },
  };

  function closeLoose(turn: Turn): { call: C; again: boolean } | undefined {
    const at = loose.findIndex((call) => turn.tool === undefined || call.tool === turn.tool);
    const call = loose[at];
    if (call === undefined) {
      orphans++;
      return undefined;
    }
    if (turn.meta === 'synthetic') {
      call.interrupted = true;
      return undefined;
    }
    loose.splice(at, 1);
    return { call, again: false };
  }
}

export interface QueuedPrompt {
  seq: number;
  ts: string;
  /** Its head, blanks folded. */
  text: string;
}

export interface PromptQueue {
  queued(turn: Turn): void;
  /** `text` reached the agent: the same text takes one prompt off the queue, a longer one each that it holds. */
  delivered(text: string): void;
  /** The person took everything back. */
  clear(): void;
  waiting(): QueuedPrompt[];
}

/** Prompts that were typed while the agent worked, until they are delivered. */
export function createQueue(cap = 1_000): PromptQueue {
  let waiting: QueuedPrompt[] = [];
  return {
    queued(turn) {
      const text = folded(turn.text);
      if (text === '') return;
      waiting.push({ seq: turn.seq, ts: turn.ts, text });
      if (waiting.length > cap) waiting.shift();
    },
    delivered(text) {
      if (waiting.length === 0) return;
      const said = folded(text);
      const same = waiting.findIndex((prompt) => prompt.text === said);
      if (same >= 0) waiting.splice(same, 1);
      else waiting = waiting.filter((prompt) => !holds(said, prompt.text));
    },
    clear() {
      waiting = [];
    },
    waiting: () => waiting,
  };
}

const FOLD_LIMIT = 8_000;

function folded(text: string): string {
  return text.slice(0, FOLD_LIMIT).replace(/\s+/g, ' ').trim();
}

/** Clients join what was queued, or add a pasted block: `said` holds `queued` as whole words. */
function holds(said: string, queued: string): boolean {
  const at = said.indexOf(queued);
  if (at < 0) return false;
  const before = said[at - 1];
  const after = said[at + queued.length];
  return (before === undefined || before === ' ') && (after === undefined || /\W/.test(after));
}

export interface Branches {
  /** Takes every turn of the main agent; gives a USER turn's number among them, -1 for others. */
  add(turn: Turn): number;
  /** The client took the last `count` prompts back; `from`: of which session in a merged timeline. */
  rollBack(count: number, from?: string): void;
  /** The number of the USER turn that the session stands behind now; -1 before the first, and in a merged timeline. */
  readonly tip: number;
  /** Tells of a USER turn, by its number, whether it lies on a branch that was given up. Computed for now. */
  abandoned(): (user: number) => boolean;
}

/** The branches of a session; in a merged timeline, of each session in it by itself: none hangs on a turn of another. */
export function createBranches(memory = 50_000): Branches {
  const own = branchesOfOne(memory);
  const each = new Map<string, Branches>();
  /** Of a merged timeline: whose each USER turn is, and its number there. */
  const users: [of: Branches, user: number][] = [];
  const branchesOf = (from = ''): Branches => {
    let found = each.get(from);
    if (found === undefined) each.set(from, (found = branchesOfOne(memory)));
    return found;
  };
  return {
    add(turn) {
      if (turn.from === undefined && each.size === 0) return own.add(turn);
      const of = branchesOf(turn.from);
      const user = of.add(turn);
      return user < 0 ? user : users.push([of, user]) - 1;
    },
    rollBack(count, from) {
      (from === undefined && each.size === 0 ? own : branchesOf(from)).rollBack(count);
    },
    get tip() {
      return each.size === 0 ? own.tip : -1;
    },
    abandoned() {
      if (each.size === 0) return own.abandoned();
      const gone = new Map([...each.values()].map((of) => [of, of.abandoned()]));
      return (user) => {
        const [of, number] = users[user] ?? [];
        return of !== undefined && number !== undefined && gone.get(of)?.(number) === true;
      };
    },
  };
}

/**
 * Follows `parent` from turn to turn. Only USER turns lie on branches: a result that hangs on an earlier record is
 * no branch, an unknown parent goes on from where the session stands, and so does a new root after a compaction.
 */
function branchesOfOne(memory: number): Branches {
  /** Id of a turn → number of the last USER turn on its path. */
  const path = createMemory<number>(memory);
  /** USER turns that do not follow the one before them → the one they follow. Always a smaller number: no cycle. */
  let jumps = new Map<number, number>();
  let users = 0;
  let tip = -1;
  /** The last USER turn on the way to `tip` that has an id: one without (a line of a log) is on nobody's path, and is no branch. */
  let placed = -1;

  return {
    add(turn) {
      const known = turn.parent === undefined ? undefined : path.get(turn.parent);
      const from = known === undefined || known === placed ? tip : known;
      if (turn.class !== 'USER') {
        if (turn.class === 'AGENT' && from !== tip) tip = placed = from;
        const own = turn.record ?? turn.id;
        if (own !== undefined && path.get(own) === undefined) path.set(own, from);
        return -1;
      }
      const user = users++;
      // The record it hangs on may have given no turn; a second prompt on the same record is an edited one.
      if (turn.parent !== undefined && known === undefined) path.set(turn.parent, from);
      const own = turn.record ?? turn.id;
      if (own !== undefined) {
        path.set(own, user);
        placed = user;
      }
      if (from !== user - 1) {
        jumps.set(user, from);
        if (jumps.size > 10_000) jumps = new Map([...jumps].slice(5_000));
      }
      tip = user;
      return user;
    },
    rollBack(count) {
      for (let left = Math.min(count, users); left > 0 && tip >= 0; left--) tip = jumps.get(tip) ?? tip - 1;
      placed = tip;
    },
    get tip() {
      return tip;
    },
    abandoned() {
      const gaps: [first: number, last: number][] = [];
      if (tip < users - 1) gaps.push([tip + 1, users - 1]);
      let at = tip;
      for (const [user, from] of [...jumps].sort(([a], [b]) => b - a)) {
        if (user > at) continue;
        gaps.push([from + 1, user - 1]);
        at = from;
      }
      return (user) => gaps.some(([first, last]) => user >= first && user <= last);
    },
  };
}
