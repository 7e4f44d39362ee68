/**
 * The config's own patterns. They come from a person and may be of the kind that takes forever, and an expression cannot
 * be stopped by the code that called it; one that runs in a `vm` context with a time limit can.
 */
import vm from 'node:vm';
import { HandoffError } from '../../lib/errors.mts';
import type { Json } from '../turn.mts';
import { MARKER, replaceSpans, TOO_DEEP, type Span } from './spans.mts';

/** Deeper than any client writes. */
const DEPTH_MAX = 1000;
/** Characters of a text whose matches are kept, and how many such texts. */
const SHORT = 200;
const MOST_SHORT = 5000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Runs inside the context, in the reach of its time limit: pairs of start and end a text, one list a pattern. */
const RUN = `
  found = texts.map((text) => patterns.map((pattern, i) => {
    at = i;
    const pairs = [];
    for (const match of text.matchAll(pattern)) if (match[0] !== '') pairs.push(match.index, match.index + match[0].length);
    return pairs;
  }));
`;

export interface CustomPatterns {
  /** The record with every match in its strings and keys replaced. Throws HandoffError CONFIG at the time limit. */
  record(value: Json, counts: Record<string, number>): Json;
  text(text: string, counts: Record<string, number>): string;
  /** As `text`, but with the hash of what was replaced: ids that differ still do. A UUID stays: no person chose it, and the source's path has it too. */
  id(id: string, counts: Record<string, number>): string;
}

/** `sources` are expressions without slashes; `budgetMs` is for all texts of one record. Throws HandoffError CONFIG for one that does not compile. */
export function createCustomPatterns(sources: readonly string[], budgetMs: number): CustomPatterns {
  const patterns = sources.map(compile);
  const context = vm.createContext({ patterns, texts: [], found: [], at: 0 }) as { patterns: RegExp[]; texts: readonly string[]; found: number[][][]; at: number };
  const script = new vm.Script(RUN);

  function spansOf(texts: readonly string[]): Span[][] {
    context.texts = texts;
    try {
      script.runInContext(context, { timeout: budgetMs });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      // The pattern is named, never what it was matched against.
      throw new HandoffError('CONFIG', `redaction.patterns: ${JSON.stringify(sources[context.at])} took longer than ${budgetMs} ms on one record; make it simpler`);
    } finally {
      context.texts = [];
    }
    return context.found.map((lists, i) => outsideMarkers(texts[i] ?? '', lists));
  }

  function record(value: Json, counts: Record<string, number>): Json {
    const texts = new Set<string>();
    const isWhole = collect(value, texts, 0);
    if (texts.size === 0 && isWhole) return value;
    const list = [...texts];
    const changed = new Map<string, Span[]>();
    spansOf(list).forEach((spans, i) => spans.length > 0 && changed.set(list[i] ?? '', spans));
    return changed.size === 0 && isWhole ? value : replace(value, changed, counts, 0);
  }

  /** What is short is said in record after record, and a run of the context costs a thread. */
  const short = new Map<string, Span[]>();

  function spansIn(value: string): Span[] {
    const known = short.get(value);
    if (known !== undefined) return known;
    const spans = spansOf([value])[0] ?? [];
    if (short.size > MOST_SHORT) short.clear();
    if (value.length < SHORT) short.set(value, spans);
    return spans;
  }

  function text(value: string, counts: Record<string, number>): string {
    const spans = spansIn(value);
    return spans.length === 0 ? value : replaceSpans(value, [...spans], counts);
  }

  function id(value: string, counts: Record<string, number>): string {
    const spans = UUID.test(value) ? [] : spansIn(value);
    return spans.length === 0 ? value : replaceSpans(value, spans.map((span) => ({ ...span, hashed: true })), counts);
  }

  return { record, text, id };
}

function compile(source: string): RegExp {
  try {
    return new RegExp(source, 'g');
  } catch {
    throw new HandoffError('CONFIG', `redaction.patterns: ${JSON.stringify(source)} is no valid regular expression`);
  }
}

/** A match inside of what an earlier pass has left is none: redacting again must change nothing. */
function outsideMarkers(text: string, lists: readonly (readonly number[])[]): Span[] {
  const markers = text.includes('[redacted:') ? [...text.matchAll(MARKER)].map(({ 0: match, index }) => [index, index + match.length] as const) : [];
  const spans: Span[] = [];
  for (const pairs of lists) {
    // Matches and markers both stand in their order.
    let next = 0;
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      const [start, end] = [pairs[i] ?? 0, pairs[i + 1] ?? 0];
      while (next < markers.length && (markers[next]?.[1] ?? 0) <= start) next++;
      let isInside = false;
      for (let at = next; at < markers.length; at++) {
        const [from, to] = markers[at] ?? [0, 0];
        if (from >= end) break;
        if (start >= from || end <= to) isInside = true;
      }
      if (!isInside) spans.push({ start, end, kind: 'custom', hashed: false });
    }
  }
  return spans;
}

/** False where something lies deeper than is looked at: `replace` lets nothing of it through. */
function collect(value: Json | undefined, texts: Set<string>, depth: number): boolean {
  if (typeof value === 'string') texts.add(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= DEPTH_MAX) return false;
  let isWhole = true;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) texts.add(key);
    if (!collect(inner, texts, depth + 1)) isWhole = false;
  }
  return isWhole;
}

function replace(value: Json | undefined, changed: ReadonlyMap<string, Span[]>, counts: Record<string, number>, depth: number): Json {
  const swap = (text: string): string => {
    const spans = changed.get(text);
    return spans === undefined ? text : replaceSpans(text, [...spans], counts);
  };
  if (typeof value === 'string') return swap(value);
  if (typeof value !== 'object' || value === null) return value as Json;
  if (depth >= DEPTH_MAX) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => replace(item, changed, counts, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [swap(key), replace(inner, changed, counts, depth + 1)])) as Json;
}
