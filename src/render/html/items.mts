/**
 * The timeline of the page: one row a turn, a call with its result in one row, the turns of a sub-agent together below a
 * row of their own. Plain data, bounded, in the order in which the page shows it.
 */
import { readCall, type CallSays } from '../calls.mts';
import { createPairing, type OpenCall } from '../lineage.mts';
import { howStopped, isRefusal } from '../refusals.mts';
import { head, keep, shown } from '../text.mts';
import { outcome } from '../turn-rows.mts';
import type { Effect, Turn } from '../../transcript/turn.mts';
import { shortened } from './diff.mts';
import { editsOf } from './edits.mts';

/** A text in the page; `left` counts the characters that are not there. */
export interface Said {
  text: string;
  left?: number;
}

export interface Result extends Said {
  at: string;
  ts?: string;
}

export interface Item extends Said {
  /** `12`, or `12.1` for a further part of one record. */
  at: string;
  class: string;
  ts?: string;
  /** On calls. */
  tool?: string;
  about?: string;
  effect?: Effect;
  /** How the call ended: `ok`, `failed`, `exit 1`, `done`, `no result`. */
  end?: string;
  results?: Result[];
  meta?: string;
  /** The number of the row that opens the sub-agent this one lies in. */
  in?: number;
  depth?: number;
  /** Its `at` counts in another session than the page's. */
  far?: true;
}

/** An edit that was made, as the page shows it. */
export interface EditRow {
  path: string;
  at: string;
  tool: string;
  side?: string;
  rows: string;
  left?: number;
}

export interface Limits {
  /** Characters of a turn's text that are kept. */
  text: number;
  /** Turns that are kept: the last ones. */
  turns: number;
  /** Lines of one edit, and of all together. */
  editRows: number;
  allEditRows: number;
}

interface Row {
  item: Item;
  below?: Bucket;
}
interface Bucket {
  rows: Row[];
  turns: number;
}

interface PageCall extends OpenCall {
  item: Item;
  says: CallSays;
  /** Its whole text, while it may still become an edit. */
  text: string;
  side: string | undefined;
}

export interface Items {
  add(turn: Turn): void;
  /** A sub-agent with a transcript of its own, placed where the time of its first turn falls. */
  thread(id: string, title: string, turns: Iterable<Turn>): void;
  result(): { items: Item[]; edits: EditRow[]; turnsLeft: number };
}

const ABOUT = 300;
/** Results of one call that are kept. */
const MOST_RESULTS = 20;

/** `expected`: how many turns will be added; the first ones beyond the limit are passed over. */
export function createItems(limits: Limits, expected: number): Items {
  const main: Bucket = { rows: [], turns: 0 };
  const edits: EditRow[] = [];
  let editRows = 0;
  let passed = 0;
  const skip = Math.max(0, expected - limits.turns);
  const add = intoBucket(main, undefined);

  function intoBucket(bucket: Bucket, far: true | undefined): (turn: Turn) => void {
    const calls = createPairing<PageCall>();
    const sides = new Map<string, Bucket>();
    let own: string | undefined;
    let spoken = false;
    return (turn) => {
      if (!spoken && (turn.class !== 'OTHER' || turn.meta === 'task')) {
        spoken = true;
        // A sub-agent's own session has its name on every turn.
        own = turn.side;
      }
      if (turn.kind === 'result' && answered(calls, turn)) return;
      const noted = turn.meta === 'ended' && turn.class === 'OTHER' ? calls.known(turn) : undefined;
      if (noted !== undefined && (noted.item.end === 'no result' || noted.item.end === 'failed, stopped')) noted.item.end = outcome(turn);
      const place = turn.side === undefined || turn.side === own ? bucket : sideOf(turn.side, turn, bucket, sides);
      if (place === bucket && turn.class !== 'TOOL' && (turn.class === 'USER' || turn.class === 'AGENT')) calls.passed();
      const item = itemOf(turn, limits.text);
      if (far) item.far = true;
      place.rows.push({ item });
      place.turns += 1;
      if (turn.kind === 'call') opened(calls, turn, item, place === bucket ? undefined : turn.side);
    };
  }

  function opened(calls: ReturnType<typeof createPairing<PageCall>>, turn: Turn, item: Item, side: string | undefined): void {
    const says = readCall(turn);
    item.about = oneLine(says.target);
    const call: PageCall = { call: turn.call, from: turn.from, tool: turn.tool ?? '', interrupted: false, item, says, text: says.changes.length > 0 ? turn.text : '', side };
    if (turn.meta === 'nested') {
      item.end = outcome(turn);
      if (turn.ok !== false) edited(call);
      return;
    }
    item.end = 'no result';
    calls.open(call);
  }

  /** Puts the result into the row of its call; false where it has none and needs a row of its own. */
  function answered(calls: ReturnType<typeof createPairing<PageCall>>, turn: Turn): boolean {
    const found = calls.close(turn);
    if (found === undefined) return false;
    const { item } = found.call;
    const results = (item.results ??= []);
    if (results.length < MOST_RESULTS) {
      const said: Result = { at: placeOf(turn), ...cut(turn.text, limits.text) };
      if (turn.ts !== '' && turn.ts !== item.ts) said.ts = shown(head(turn.ts, 40));
      results.push(said);
    }
    if (!found.again || turn.ok === false) item.end = endOf(turn, found.call);
    if (!found.again && turn.ok !== false) edited(found.call);
    found.call.text = '';
    return true;
  }

  function edited(call: PageCall): void {
    if (call.text === '') return;
    for (const edit of editsOf(call.text, call.says)) {
      const { rows, left } = shortened(edit.rows, Math.min(limits.editRows, limits.allEditRows - editRows));
      editRows += rows.length;
      const row: EditRow = { path: shown(edit.path), at: call.item.at, tool: shown(call.tool), rows: rows.map(shown).join('\n') };
      if (left > 0) row.left = left;
      if (call.side !== undefined) row.side = shown(head(call.side, 60));
      edits.push(row);
    }
  }

  return {
    add(turn) {
      if (passed < skip) passed += 1;
      else add(turn);
    },
    thread(id, title, turns) {
      const below: Bucket = { rows: [], turns: 0 };
      const put = intoBucket(below, true);
      let first = '';
      let room = Math.max(0, limits.turns - main.turns);
      for (const turn of turns) {
        if (room-- <= 0) break;
        if (first === '') first = turn.ts;
        put(turn);
      }
      if (below.turns === 0) return;
      const item = groupItem(id, title, first);
      const next = first === '' ? -1 : main.rows.findIndex((row) => row.item.ts !== undefined && row.item.ts > first);
      main.rows.splice(next < 0 ? main.rows.length : next, 0, { item, below });
    },
    result() {
      const items: Item[] = [];
      flatten(main, items, undefined, 0);
      return { items, edits, turnsLeft: passed };
    },
  };
}

/** Where the turns of the sub-agent `side` go: below a row that stands where its first turn did. */
function sideOf(side: string, turn: Turn, bucket: Bucket, sides: Map<string, Bucket>): Bucket {
  let below = sides.get(side);
  if (below === undefined) {
    below = { rows: [], turns: 0 };
    sides.set(side, below);
    bucket.rows.push({ item: groupItem(side, turn.meta === 'task' || turn.class === 'USER' ? turn.text : '', turn.ts), below });
  }
  return below;
}

function groupItem(id: string, title: string, ts: string): Item {
  const item: Item = { at: shown(head(id, 60)), class: 'SUB', text: oneLine(title) };
  if (ts !== '') item.ts = shown(head(ts, 40));
  return item;
}

function flatten(bucket: Bucket, items: Item[], parent: number | undefined, depth: number): void {
  for (const { item, below } of bucket.rows) {
    if (parent !== undefined) {
      item.in = parent;
      item.depth = depth;
    }
    items.push(item);
    if (below === undefined) continue;
    flatten(below, items, items.length - 1, depth + 1);
  }
}

function itemOf(turn: Turn, most: number): Item {
  const item: Item = { at: placeOf(turn), class: turn.class, ...cut(turn.text, most) };
  if (turn.ts !== '') item.ts = shown(head(turn.ts, 40));
  if (turn.tool !== undefined) item.tool = shown(head(turn.tool, 80));
  if (turn.kind === 'call' && turn.effect !== undefined) item.effect = turn.effect;
  if (turn.kind === 'result') item.end = outcome(turn);
  if (turn.meta !== undefined) item.meta = shown(head(turn.meta, 40));
  return item;
}

function endOf(turn: Turn, { says, item }: PageCall): string {
  if (turn.ok !== false) return outcome(turn);
  const stopped = howStopped(turn, says, item.effect);
  if (stopped !== undefined) return stopped === 'perhaps' ? 'refused or stopped' : 'failed, stopped';
  return isRefusal(turn) ? 'refused' : outcome(turn);
}

function placeOf(turn: Turn): string {
  return turn.part === undefined ? String(turn.seq) : `${turn.seq}.${turn.part}`;
}

function cut(text: string, most: number): Said {
  if (text.length <= most) return { text: shown(text) };
  const kept = keep(text, most);
  return { text: shown(kept), left: text.length - kept.length };
}

function oneLine(text: string): string {
  return shown(head(text, 4 * ABOUT).replace(/\s+/g, ' ').trim().slice(0, ABOUT));
}
