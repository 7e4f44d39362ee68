/**
 * The config's own patterns. They come from a person and may be of the kind that takes forever, and an expression cannot
 * be stopped by the code that called it; one that runs in a `vm` context with a time limit can.
 */
import vm from 'node:vm';
import { HandoffError } from '../../lib/errors.mts';
import { MARKER, replaceSpans, type Span } from './spans.mts';

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
  /** JSON as it is written, with every match in its strings and keys (`numbers`: in its numbers too) replaced. Throws HandoffError CONFIG at the time limit. */
  json(written: string, counts: Record<string, number>, numbers: boolean): string;
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

  function json(written: string, counts: Record<string, number>, numbers: boolean): string {
    // Word by word as it is written, and not as a value: a key that stands twice would hide one of its values.
    const tokens = [...wordsOf(written, numbers)];
    const words = tokens.map(({ start, end }) => (written[start] === '"' ? JSON.parse(written.slice(start, end)) as string : written.slice(start, end)));
    const list = [...new Set(words)];
    const spans = new Map(list.length === 0 ? [] : spansOf(list).map((found, i) => [list[i] ?? '', found]));
    let out = '';
    let done = 0;
    tokens.forEach(({ start, end }, i) => {
      const word = words[i] ?? '';
      const found = spans.get(word) ?? [];
      if (found.length === 0) return;
      out += written.slice(done, start) + JSON.stringify(replaceSpans(word, [...found], counts));
      done = end;
    });
    return out + written.slice(done);
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

  return { json, text, id };
}

function compile(source: string): RegExp {
  try {
    return new RegExp(source, 'g');
  } catch {
    throw new HandoffError('CONFIG', `redaction.patterns: ${JSON.stringify(source)} is no valid regular expression`);
  }
}

/** What of a match is part of a marker that an earlier pass has left stays: redacting again must change nothing. */
function outsideMarkers(text: string, lists: readonly (readonly number[])[]): Span[] {
  const markers = text.includes('[redacted:') ? [...text.matchAll(MARKER)].map(({ 0: match, index }) => [index, index + match.length] as const) : [];
  const spans: Span[] = [];
  for (const pairs of lists) {
    // Matches and markers both stand in their order.
    let next = 0;
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      let [start, end] = [pairs[i] ?? 0, pairs[i + 1] ?? 0];
      while (next < markers.length && (markers[next]?.[1] ?? 0) <= start) next++;
      // A marker that lies within a match goes with it, one at its edge bounds it.
      for (let at = next; at < markers.length; at++) {
        const [from, to] = markers[at] ?? [0, 0];
        if (from >= end) break;
        if (from <= start) start = to;
        else if (to >= end) end = from;
      }
      if (start < end) spans.push({ start, end, kind: 'custom', hashed: false });
    }
  }
  return spans;
}

/** The strings and, if wanted, the numbers of JSON as it is written. */
function* wordsOf(json: string, numbers: boolean): Generator<{ start: number; end: number }> {
  const sign = numbers ? /"|-?\d[\d.eE+-]*/g : /"/g;
  for (let match = sign.exec(json); match !== null; match = sign.exec(json)) {
    const start = match.index;
    if (match[0] === '"') sign.lastIndex = stringEnd(json, start);
    yield { start, end: sign.lastIndex };
  }
}

/** Behind the quote that ends the string which begins at `start`. */
function stringEnd(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return json.length;
}
