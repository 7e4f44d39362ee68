/**
 * Compares turns with TRUTH.json: what a person found in a recorded session without any parser.
 * A difference is a sentence, so that a failing test says what is wrong instead of showing two long lists.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mergeFacts } from '../../src/capture/source/facts.mts';
import type { LineAdapter } from '../../src/transcript/adapter.mts';
import type { JsonObject, SessionFacts, Tokens, TurnDraft } from '../../src/transcript/turn.mts';
import { addTotal, totalOf } from '../../src/transcript/usage.mts';
import type { RunningTotal } from '../../src/transcript/usage.mts';

export interface TruthCounts {
  USER: number;
  AGENT: number;
  THOUGHT: number;
  CALLS: number;
  RESULTS: number;
}

export interface TruthCall {
  id: string;
  tool?: string;
  exit?: number | null;
}

export interface TruthEntry {
  harness: string;
  version: string;
  session: string;
  cwd: string | null;
  branch: string | null;
  model: string | null;
  prompts: string[];
  injected: string[];
  dead_branch_prompts: string[];
  replayed_prompts: string[];
  last_agent: string | null;
  counts: TruthCounts;
  own_counts?: TruthCounts;
  counts_all_branches?: TruthCounts;
  failed_calls: TruthCall[];
  calls_without_result: TruthCall[];
  fork_of: string | null;
  usage: { output_tokens?: number } | null;
  prompt_details?: { line: number; kind: string }[];
  task?: string;
  agent_id?: string;
}

export interface CompareOptions {
  /** The sub-agent whose own file this is: its turns count as the main agent's. */
  own?: string | undefined;
  /** Counts to leave out, for a harness that cuts its texts differently. */
  skip?: (keyof TruthCounts)[];
  /** Every injected head must be found in an OTHER turn, not only be absent from USER. */
  injectedKept?: boolean;
}

/** The folder of recorded sessions, or undefined where this machine has none. */
export function transcriptsFolder(): string | undefined {
  const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
  const folder = process.env.HANDOFF_TRANSCRIPTS ?? join(root, '../shared/transcripts');
  return existsSync(folder) ? folder : undefined;
}

/** Those sessions where this machine has them, else the small ones that lie among the tests. */
export function sampleFolder(): string {
  return transcriptsFolder() ?? resolve(dirname(fileURLToPath(import.meta.url)), '../fixtures');
}

/** [key, entry] for every session of `harness`; empty where there is no TRUTH.json. */
export function loadTruth(harness: string): [string, TruthEntry][] {
  const folder = transcriptsFolder();
  const file = folder === undefined ? '' : join(folder, harness, 'TRUTH.json');
  if (file === '' || !existsSync(file)) return [];
  return Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, TruthEntry>);
}

/** The path of an entry's file (its key without `#session`). */
export function samplePath(harness: string, key: string): string {
  return join(transcriptsFolder() ?? '', harness, key.split('#')[0] ?? key);
}

/** The whole records of a JSONL file; lines that are not JSON objects are left out. */
export function readRecords(file: string): JsonObject[] {
  const records: JsonObject[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    const value: unknown = JSON.parse(line.charCodeAt(0) === 0xfeff ? line.slice(1) : line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) records.push(value as JsonObject);
  }
  return records;
}

export interface Collected {
  /** `at` is the index of the record that gave the turn. */
  turns: (TurnDraft & { at: number })[];
  facts: SessionFacts;
  usage: Map<string, Tokens>;
  total: Tokens | undefined;
  unknown: Map<string, number>;
}

/** Runs every record through the adapter, as a build does, without redaction and numbering. */
export function collect(base: LineAdapter, records: JsonObject[], path = '-'): Collected {
  const adapter = base.variant?.({ path, records }) ?? base;
  const found: Collected = { turns: [], facts: {}, usage: new Map(), total: undefined, unknown: new Map() };
  let running: RunningTotal | undefined;
  const addFacts = (facts: SessionFacts): void => mergeFacts(found.facts, facts);
  addFacts(adapter.identify({ path, records }));
  records.forEach((record, index) => {
    adapter.read(record, {
      turn: (draft) => {
        if (draft.text !== '') found.turns.push({ ...draft, at: index });
      },
      facts: addFacts,
      usage: (id, tokens) => {
        const sum: Record<string, number> = { ...found.usage.get(id) };
        for (const [kind, count] of Object.entries(tokens)) sum[kind] = Math.max(sum[kind] ?? 0, count as number);
        found.usage.set(id, sum);
      },
      usageTotal: (tokens) => {
        running = addTotal(running, tokens);
        found.total = totalOf(running);
      },
      unknown: (type) => found.unknown.set(type, (found.unknown.get(type) ?? 0) + 1),
    });
  });
  return found;
}

/** Every way in which the turns differ from the entry; empty when they agree. */
export function differences(turns: readonly TurnDraft[], entry: TruthEntry, options: CompareOptions = {}): string[] {
  const main = turns.filter((turn) => turn.side === undefined || turn.side === options.own);
  const results = main.filter((turn) => turn.kind === 'result' && turn.meta !== 'synthetic');
  const calls = main.filter((turn) => turn.kind === 'call');
  const found: string[] = [];

  const answered = comparePrompts(main, results, entry, found);
  compareCounts(main, calls, results, answered, entry, options, found);
  compareCalls(calls, results, entry, found);

  const last = main.findLast((turn) => turn.class === 'AGENT')?.text;
  if ((last ?? '').trim() !== (entry.last_agent ?? '').trim()) found.push(`last AGENT is ${show(last)}, not ${show(entry.last_agent)}`);

  for (const head of entry.injected) {
    const user = main.find((turn) => turn.class === 'USER' && turn.text.trimStart().startsWith(head.trimStart()));
    if (user) found.push(`injected text is USER: ${show(user.text)}`);
    if (options.injectedKept && !main.some((turn) => turn.class === 'OTHER' && turn.text.includes(head))) {
      found.push(`injected text is in no OTHER turn: ${show(head)}`);
    }
  }
  return found;
}

/**
 * Walks USER turns and prompts side by side. A prompt that is an answer given through a tool is looked for in
 * the results instead; a USER turn of an abandoned branch that the entry keeps apart is passed over.
 * Gives the number of prompts found in results.
 */
function comparePrompts(main: readonly TurnDraft[], results: readonly TurnDraft[], entry: TruthEntry, found: string[]): number {
  const users = main.filter((turn) => turn.class === 'USER').map((turn) => turn.text);
  const dead = [...entry.dead_branch_prompts];
  let answered = 0;
  let at = 0;
  entry.prompts.forEach((prompt, index) => {
    const kind = entry.prompt_details?.[index]?.kind;
    const byTool = kind === 'answer' || kind === 'refusal-reason';
    if (!byTool) {
      while (at < users.length && !samePrompt(users[at]!, prompt) && takeFrom(dead, users[at]!)) at++;
      if (at < users.length && samePrompt(users[at]!, prompt)) {
        takeFrom(dead, users[at]!);
        at++;
        return;
      }
    }
    if ((byTool || kind === undefined) && results.some((turn) => turn.text.includes(prompt))) answered++;
    else found.push(`prompt ${index + 1} ${show(prompt)} is not there; the USER turn at its place is ${show(users[at])}`);
  });
  for (const extra of users.slice(at)) if (!takeFrom(dead, extra)) found.push(`USER turn that is no prompt: ${show(extra)}`);
  return answered;
}

function compareCounts(
  main: readonly TurnDraft[],
  calls: readonly TurnDraft[],
  results: readonly TurnDraft[],
  answered: number,
  entry: TruthEntry,
  options: CompareOptions,
  found: string[],
): void {
  const expected = entry.counts_all_branches ?? entry.counts;
  const actual: TruthCounts = {
    USER: count(main, 'USER') + answered,
    AGENT: count(main, 'AGENT'),
    THOUGHT: count(main, 'THOUGHT'),
    CALLS: ids(calls).size,
    RESULTS: ids(results).size,
  };
  for (const key of Object.keys(actual) as (keyof TruthCounts)[]) {
    if (!options.skip?.includes(key) && actual[key] !== expected[key]) found.push(`${key} is ${actual[key]}, not ${expected[key]}`);
  }
}

function compareCalls(calls: readonly TurnDraft[], results: readonly TurnDraft[], entry: TruthEntry, found: string[]): void {
  const failed = new Map(results.filter((turn) => turn.ok === false).map((turn) => [turn.call ?? '', turn]));
  for (const call of entry.failed_calls) {
    const turn = failed.get(call.id);
    if (!turn) found.push(`failed call ${call.id} (${call.tool}) is not ok:false`);
    else if (typeof call.exit === 'number' && turn.exit !== call.exit) found.push(`exit of ${call.id} is ${turn.exit}, not ${call.exit}`);
    failed.delete(call.id);
  }
  for (const [id, turn] of failed) found.push(`call ${id} did not fail, but is ok:false: ${show(turn.text)}`);

  const done = ids(results);
  const open = new Set([...ids(calls)].filter((id) => !done.has(id)));
  for (const call of entry.calls_without_result) if (!open.delete(call.id)) found.push(`call ${call.id} should have no result`);
  for (const id of open) found.push(`call ${id} has no result`);
}

/** The client's own tags around pasted text may be kept or taken off. */
function samePrompt(text: string, prompt: string): boolean {
  return bare(text) === bare(prompt);
}

function bare(text: string): string {
  return text.replace(/<\/?pasted_content[^>]*>\s*/g, '').trim();
}

function takeFrom(list: string[], text: string): boolean {
  const at = list.findIndex((item) => samePrompt(text, item));
  if (at < 0) return false;
  list.splice(at, 1);
  return true;
}

function count(turns: readonly TurnDraft[], name: TurnDraft['class']): number {
  return turns.reduce((sum, turn) => sum + (turn.class === name ? 1 : 0), 0);
}

/** Distinct call ids; a call that its client gave no id has no result and is not counted. */
function ids(turns: readonly TurnDraft[]): Set<string> {
  return new Set(turns.flatMap((turn) => (turn.call === undefined ? [] : [turn.call])));
}

function show(text: string | null | undefined): string {
  return text === undefined || text === null ? 'none' : JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
