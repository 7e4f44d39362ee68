/**
 * The intake of a source that changes in place: a turn is new when its identity is not in the timeline, whatever states
 * were captured in between. The same identity with another text is appended and marked; what the source forgets stays.
 */
import { noRedaction } from '../transcript/redaction/redactor.mts';
import { readTurns } from '../store/timeline.mts';
import type { Turn, TurnDraft } from '../transcript/turn.mts';
import type { SourceRow } from '../store/manifest.mts';
import type { Work } from './work.mts';
import type { Intake } from './intake.mts';
import type { Ledger } from './ledger.mts';
import type { Segment } from './segment.mts';
import type { Whole } from './transcript.mts';

/** `timeline`: the file and how much of it is committed. */
export function takeInWhole(work: Work, whole: Whole, ledger: Ledger, segment: Segment, timeline: { file: string; bytes: number }): Intake {
  const known = new Map<string, string>();
  if (timeline.bytes > 0) for (const turn of readTurns(timeline.file, timeline.bytes)) known.set(identity(turn), content(turn));

  let last: { id: string | undefined; seq: number; part: number } | undefined;
  let { watermark } = ledger;
  if (watermark < -1) watermark = -1;
  for (const draft of whole.drafts) {
    const key = identity(draft);
    const before = known.get(key);
    if (before === content(draft)) continue;
    known.set(key, content(draft));
    const part = draft.part ?? 0;
    // Blocks of a message share its number as long as their own numbers rise.
    if (last === undefined || last.id !== draft.id || part <= last.part) watermark += 1;
    last = { id: draft.id, seq: watermark, part };
    const turn: Turn = Object.assign(draft, { seq: watermark });
    if (part === 0) delete turn.part;
    if (before !== undefined && turn.class !== 'OTHER') turn.meta ??= 'superseding';
    segment.append(turn);
    ledger.add(turn);
  }

  const { transcript } = work;
  const rows = work.base?.manifest.sources ?? [];
  const row: SourceRow = { path: transcript.path, first_line_sha256: whole.raw_sha256, bytes: whole.bytes, raw_sha256: whole.raw_sha256, lines: 0, runs: [[0, 0]] };
  return {
    row,
    replaced: rows.find((known_) => known_.path === row.path),
    tally: whole.tally,
    tokens: whole.tokens,
    redactor: work.redactor ?? noRedaction,
    rewrittenFrom: undefined,
    late: 0,
    isOlderCopy: false,
    isSilent: whole.drafts.every((draft) => draft.class === 'OTHER'),
  };
}

/** What a turn is known by: whose it is, what it is, which block of its message. */
function identity(turn: TurnDraft): string {
  return JSON.stringify([turn.id, turn.call, turn.kind ?? turn.class, turn.part ?? 0, turn.side]);
}

function content(turn: TurnDraft): string {
  return JSON.stringify([turn.text, turn.ok, turn.exit, turn.class]);
}
