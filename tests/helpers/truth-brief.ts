/** Compares what the reducer makes of a session with TRUTH.json, and reads sources that change in place as a build does. */
import { expect } from 'vitest';
import { createReducer } from '../../src/render/reduce.mts';
import type { WholeAdapter } from '../../src/transcript/adapter.mts';
import type { Json, SessionFacts, Tokens, TurnDraft } from '../../src/transcript/turn.mts';
import { addTotal, totalOf, type RunningTotal } from '../../src/transcript/usage.mts';
import type { TruthEntry } from './truth.ts';

/** The keys of an entry that only a brief can answer. */
interface BriefTruth {
  objective: string | null;
  files_changed: { path: string; how: string }[];
  commands: { command: string; ok: boolean | null }[];
  compactions: number;
  last_error: string | null;
}

/** The brief's objective, prompts, files, commands, pending calls, errors and compactions are those of the entry. */
export function expectBrief(turns: readonly TurnDraft[], entry: TruthEntry): void {
  const truth = entry as TruthEntry & BriefTruth;
  const reducer = createReducer();
  turns.forEach((turn, seq) => reducer.add({ ...turn, seq }));
  const digest = reducer.digest();
  expect(digest.objective).toBe(truth.objective ?? entry.injected[0] ?? '(none)');
  expect(digest.prompts.filter((row) => row.abandoned).map((row) => row.text)).toEqual(entry.dead_branch_prompts);
  expect(digest.prompts.filter((row) => !row.abandoned).map((row) => row.text)).toEqual(entry.prompts);
  expect(digest.filesChanged.map((row) => `${row.how} ${row.path}`).sort()).toEqual([...new Set(truth.files_changed.map((row) => `${row.how} ${row.path}`))].sort());
  expect(digest.commands.map((row) => [row.command, row.ok ?? null])).toEqual(truth.commands.map((row) => [row.command, row.ok]));
  expect(digest.pending.map((row) => row.call).sort()).toEqual(entry.calls_without_result.map((call) => call.id).sort());
  expect(digest.compactions).toBe(truth.compactions);
  expect(digest.errors.filter((row) => row.tool === 'api').map((row) => row.text)).toEqual(truth.last_error === null ? [] : [truth.last_error]);
}

export interface WholeFound {
  turns: TurnDraft[];
  facts: SessionFacts;
  usage: Map<string, Tokens>;
  total: Tokens | undefined;
  unknown: string[];
}

const LAST_WINS = new Set(['model', 'branch', 'commit', 'title']);

/** Reads a whole source as a build does, without redaction and numbering. */
export function collectWhole(adapter: WholeAdapter, value: Json, path = '-'): WholeFound {
  const found: WholeFound = { turns: [], facts: {}, usage: new Map(), total: undefined, unknown: [] };
  let running: RunningTotal | undefined;
  adapter.read(value, path, {
    turn: (draft) => {
      if (draft.text.trim() !== '' || draft.kind === 'result') found.turns.push(draft);
    },
    facts: (facts) => {
      const known = found.facts as Record<string, unknown>;
      for (const [key, more] of Object.entries(facts)) if (more !== undefined && (known[key] === undefined || LAST_WINS.has(key))) known[key] = more;
    },
    usage: (id, tokens) => void found.usage.set(id, tokens),
    usageTotal: (tokens) => {
      running = addTotal(running, tokens);
      found.total = totalOf(running);
    },
    unknown: (type) => void found.unknown.push(type),
  });
  return found;
}

/** What a turn of a whole source is known by. */
export function identityOf(turn: TurnDraft): string {
  return JSON.stringify([turn.id, turn.call, turn.kind ?? turn.class, turn.part ?? 0, turn.side]);
}

/** Every state on the way gives only turns of the last one, with the same text, so that the order of capturing does not matter. */
export function expectIdentity(adapter: WholeAdapter, states: readonly Json[], last: Json): void {
  const whole = collectWhole(adapter, last).turns;
  const known = new Map(whole.map((turn) => [identityOf(turn), turn]));
  expect(known.size, 'identities are unique').toBe(whole.length);
  for (const state of states) {
    for (const turn of collectWhole(adapter, state).turns) expect(turn).toEqual(known.get(identityOf(turn)));
  }
}
