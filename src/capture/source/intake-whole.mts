/**
 * The intake of a source that changes in place: a turn is new when its identity is not in the timeline, whatever states
 * were captured in between. The same identity with another text is appended and marked; what the source forgets stays.
 */
import { noRedaction } from '../../transcript/redaction/redactor.mts';
import { readTurns } from '../../store/timeline.mts';
import type { Turn, TurnDraft } from '../../transcript/turn.mts';
import type { SourceRow } from '../../store/manifest.mts';
import type { Work } from '../work.mts';
import type { Intake } from './intake.mts';
import type { Ledger } from './ledger.mts';
import type { Segment } from '../commit/segment.mts';
import type { Whole } from './transcript.mts';

/** `timeline`: the file and how much of it is committed. */
export function takeInWhole(work: Work, whole: Whole, ledger: Ledger, segment: Segment, timeline: { file: string; bytes: number }): Intake {
  const known = new Map<string, string>();
  if (timeline.bytes > 0) for (const turn of readTurns(timeline.file, timeline.bytes)) known.set(identity(turn), content(turn));

  for (const { draft, seq, supersedes } of newDrafts(whole.drafts, known, ledger.watermark)) {
    const turn: Turn = Object.assign(draft, { seq });
    if (turn.part === 0) delete turn.part;
    if (supersedes && turn.class !== 'OTHER') turn.meta ??= 'superseding';
    segment.append(turn);
    ledger.add(turn);
  }

  const { transcript } = work;
  const rows = work.base?.manifest.sources ?? [];
  const row: SourceRow = { path: transcript.path, first_line_sha256: whole.raw_sha256, bytes: whole.bytes, raw_sha256: whole.raw_sha256, lines: 0, runs: [[0, 0]] };
  return {
    row,
    replaced: rows.find((one) => one.path === row.path),
    tally: whole.tally,
    tokens: whole.tokens,
    redactor: work.redactor ?? noRedaction,
    rewrittenFrom: undefined,
    late: 0,
    isOlderCopy: false,
    isSilent: whole.drafts.every((draft) => draft.class === 'OTHER'),
  };
}

/** The last number that a copy has in a first build, -1 where there is none. `before`: the time of the fork. */
export function lastCopiedDraft(drafts: readonly TurnDraft[], before: string): number {
  let last = -1;
  for (const { draft, seq } of newDrafts(drafts, new Map(), -1)) {
    if (draft.ts === '') continue;
    if (draft.ts >= before) break;
    last = seq;
  }
  return last;
}

/** The drafts that are not among `known`, which grows, with their numbers. */
function* newDrafts(drafts: readonly TurnDraft[], known: Map<string, string>, from: number): Generator<{ draft: TurnDraft; seq: number; supersedes: boolean }> {
  let watermark = Math.max(from, -1);
  let last: { id: string | undefined; part: number } | undefined;
  for (const draft of drafts) {
    const key = identity(draft);
    const before = known.get(key);
    const now = content(draft);
    if (before === now) continue;
    known.set(key, now);
    const part = draft.part ?? 0;
    // Blocks of a message share its number as long as their own numbers rise.
    if (last === undefined || last.id !== draft.id || part <= last.part) watermark += 1;
    last = { id: draft.id, part };
    yield { draft, seq: watermark, supersedes: before !== undefined };
  }
}

/** What a turn is known by: whose it is, what it is, which block of its message. */
function identity(turn: TurnDraft): string {
  return JSON.stringify([turn.id, turn.call, turn.kind ?? turn.class, turn.part ?? 0, turn.side]);
}

function content(turn: TurnDraft): string {
  return JSON.stringify([turn.text, turn.ok, turn.exit, turn.class]);
}
