/** The places of a text that are replaced, and the words that replace them. */
import { createHash } from 'node:crypto';

export interface Span {
  start: number;
  end: number;
  kind: string;
  /**
   * True for values that a machine made: their hash tells equal ones apart from others.
   * A password must not have one, since short ones could be found by trying.
   */
  hashed: boolean;
  /** What is put around the marker: a number in JSON becomes a string. */
  quote?: string;
}

/** What a text looks like that was redacted before; no rule touches it again. */
export const MARKER = /\[redacted:[a-z0-9-]{1,40}(?::[0-9a-f]{8})?\]/g;
/** What stands in place of what lies too deep in a record to be looked at. */
export const TOO_DEEP = '[redacted:too-deep]';
export const WHOLE_MARKER = new RegExp(`^${MARKER.source}$`);

/** What stands in place of a secret; with the beginning of its hash where `value` is given. */
export function markerOf(kind: string, value: string | undefined): string {
  return value === undefined ? `[redacted:${kind}]` : `[redacted:${kind}:${createHash('sha256').update(value).digest('hex').slice(0, 8)}]`;
}

/** Sorted and without overlaps: of two that overlap the outer one stays, of two that are equal the one with a hash. */
export function settle(spans: Span[]): Span[] {
  if (spans.length < 2) return spans;
  spans.sort((a, b) => a.start - b.start || b.end - a.end || Number(b.hashed) - Number(a.hashed));
  const out: Span[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last === undefined || span.start >= last.end) out.push(span);
    else if (span.end > last.end) out[out.length - 1] = { ...last, end: span.end, hashed: false };
  }
  return out;
}

/** The text with its spans replaced; each is counted under its kind. */
export function replaceSpans(text: string, spans: Span[], counts: Record<string, number>): string {
  let out = '';
  let done = 0;
  for (const span of settle(spans)) {
    const marker = markerOf(span.kind, span.hashed ? text.slice(span.start, span.end) : undefined);
    const quote = span.quote ?? '';
    out += text.slice(done, span.start) + quote + marker + quote;
    counts[span.kind] = (counts[span.kind] ?? 0) + 1;
    done = span.end;
  }
  return out + text.slice(done);
}
