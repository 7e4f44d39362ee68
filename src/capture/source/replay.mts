/**
 * Where a fork's own work begins: up to which turn the source was copied from another session. Found before the renders
 * start, since they follow the timeline as it grows, and then kept in the manifest: a render sees nothing else.
 */
import { readLines, type Line } from '../../lib/fs/lines.mts';
import { recordIn } from '../../transcript/fields.mts';
import type { JsonObject, TurnDraft } from '../../transcript/turn.mts';
import type { Fork } from '../../store/manifest.mts';
import { lastCopiedDraft } from './intake-whole.mts';
import type { Origin } from './origin.mts';
import type { Work } from '../work.mts';

/** What the manifest says of a fork besides of which session it is one. Empty where the source tells nothing. */
export type ForkPoint = Pick<Fork, 'until_seq' | 'apart' | 'elsewhere'>;

/** The fork of the session as this build leaves it. */
export function forkPoint(work: Work, origin: Origin | { kind: 'first' }): ForkPoint {
  const { adapter, head, source, whole, facts } = work.transcript;
  const old = work.base?.manifest;
  const { until_seq, apart, elsewhere } = old?.fork ?? {};
  const known: ForkPoint = { ...(until_seq === undefined ? {} : { until_seq }), ...(apart === undefined ? {} : { apart }), ...(elsewhere === undefined ? {} : { elsewhere }) };
  // Something stands behind the copies already: their end does not move any more.
  if (old !== undefined && until_seq !== undefined && until_seq < old.watermark) return known;
  if (whole !== undefined) return old !== undefined ? known : forkOfWhole(whole.drafts, facts.fork?.before);
  if (!countsFromZero(origin)) return known;
  const replay = adapter?.replay?.({ path: source.path, records: head });
  if (replay === undefined) return known;
  const last = replay.elsewhere === true ? -1 : lastCopied(work, replay.judge);
  return {
    ...(last < 0 ? {} : { until_seq: last }),
    ...(replay.apart === true ? { apart: true as const } : {}),
    ...(replay.elsewhere === true ? { elsewhere: true as const } : {}),
  };
}

/** Such a client makes all copies before the fork can be worked in: its first build has them all. */
function forkOfWhole(drafts: readonly TurnDraft[], before: string | undefined): ForkPoint {
  const last = before === undefined ? -1 : lastCopiedDraft(drafts, before);
  return last < 0 ? {} : { until_seq: last };
}

/** A turn's number is that of its line only in a source that was alone from the start. */
function countsFromZero(origin: Origin | { kind: 'first' }): boolean {
  if (origin.kind === 'first') return true;
  return origin.kind === 'grown' && origin.row?.runs.length === 1 && origin.row.runs[0]?.[1] === 0;
}

/** The line (from 0) of the last copied record, -1 where there is none. Damaged lines tell nothing. */
function lastCopied({ transcript: { source }, request }: Work, judge: (record: JsonObject) => 'copied' | 'own' | undefined): number {
  const lines = readLines(source.fd, { from: 0, to: source.size, maxLineBytes: request.maxLineBytes });
  let last = -1;
  let index = 0;
  for (let line: Line | undefined = lines.next(); line !== undefined; line = lines.next(), index += 1) {
    const record = recordIn(line.bytes.toString('utf8'));
    const verdict = record === undefined ? undefined : judge(record);
    if (verdict === 'own') break;
    if (verdict === 'copied') last = index;
  }
  return last;
}
