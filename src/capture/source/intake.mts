/**
 * The intake: the lines of a source that are new become turns of the timeline. Which lines these are follows from the
 * source's origin; a rewritten source is compared with its turns of old until the first that differs.
 */
import fs from 'node:fs';
import { setImmediate as nextTick } from 'node:timers/promises';
import { readBytes, readLines, type Line } from '../../lib/fs/lines.mts';
import { hasher } from '../../lib/hash-chain.mts';
import { createRedactor } from '../../transcript/redaction/create.mts';
import { noRedaction, type Redactor } from '../../transcript/redaction/redactor.mts';
import type { Turn, TurnDraft } from '../../transcript/turn.mts';
import type { SourceRow } from '../../store/manifest.mts';
import { checkTime, type Work } from '../work.mts';
import { createKeptOutput } from './kept-output.mts';
import type { Ledger } from './ledger.mts';
import { createNumbering } from './numbering.mts';
import type { Extent, Origin } from './origin.mts';
import { createRecordReader, createTextReader, createTokenCount, type Tally, type TokenCount } from './records.mts';
import { createComparison, createForm, turnsOfSource } from './rewritten.mts';
import type { Renders } from '../renders/renders.mts';
import type { Segment } from '../commit/segment.mts';
import { firstLineHash } from './source.mts';

export interface Intake {
  /** The source's row in the manifest as it is now, and the one whose place it takes. */
  row: SourceRow;
  replaced: SourceRow | undefined;
  tally: Tally;
  tokens: TokenCount;
  redactor: Redactor;
  /** The line (from 0) from which a rewritten source differs. */
  rewrittenFrom: number | undefined;
  late: number;
  /** Another, shorter copy of a source that the session knows: nothing of it is new. */
  isOlderCopy: boolean;
  /** Read from its start, and nobody says or does anything in it. */
  isSilent: boolean;
}

/** How many bytes are read between two looks at signals. */
const BREATH_BYTES = 8 << 20;

/**
 * Reads the source and writes what is new. `timeline`: the file and how much of it is committed. Bad lines are only
 * counted: whether they stop the build is the caller's to say, and once there is one that will, no more is written.
 * `beside` hashes a source that is read from its start while this thread parses it.
 */
export async function takeIn(work: Work, origin: Origin | { kind: 'first' }, extent: Extent, ledger: Ledger, segment: Segment, timeline: { file: string; bytes: number }, beside?: Renders['hash']): Promise<Intake> {
  const { request, place, transcript: { source, adapter, head } } = work;
  const grown = origin.kind === 'grown' ? origin : undefined;
  const replaced = origin.kind === 'grown' || origin.kind === 'rewritten' ? origin.row : undefined;
  const captured = grown?.lines ?? 0;
  const before = ledger.watermark;

  const redactor = request.redact ? createRedactor({ patterns: place.redactionPatterns }) : noRedaction;
  // A rewritten source is read from its start, so its tokens are counted anew.
  const told = origin.kind === 'rewritten' ? undefined : work.base?.manifest;
  const tokens = createTokenCount({ total: told?.usage ?? {}, recent: told?.usage_recent ?? {} });
  const reader = adapter === undefined
    ? createTextReader(redactor, { lines: captured, bytes: grown?.from ?? 0 })
    : createRecordReader(adapter, redactor, {
      ownSide: adapter.ownSide?.({ path: source.path, records: head }),
      running: told?.usage_running,
      keptOutput: createKeptOutput(source.path, adapter, redactor),
      onTokens: (id, more) => tokens.add(id, more),
    });

  // A first source counts from 0; so did 2.0.x, whatever the source. A second one goes on behind all others.
  const runs: [number, number][] = replaced === undefined ? [[0, origin.kind === 'other' ? before + 1 : 0]] : replaced.runs.map(([line, seq]) => [line, seq]);
  const numbering = createNumbering({ runs, watermark: before, beside: origin.kind === 'other' || origin.kind === 'by-watermark', usedParts: () => segment.usedParts() });
  const old = origin.kind === 'rewritten' ? createComparison(turnsOfSource(timeline.file, timeline.bytes, origin.row, work.base?.manifest.sources ?? []), adapter === undefined) : undefined;
  // What 2.0.x captured of it cannot be told from other sources' turns by where it stands.
  const form = origin.kind === 'by-watermark' || (grown !== undefined && grown.row?.turns === undefined) ? undefined : createForm(grown?.row?.turns ?? []);
  let rewrittenFrom: number | undefined;

  const write = (turn: Turn) => {
    segment.append(turn);
    ledger.add(turn);
  };
  const differs = (line: number) => {
    rewrittenFrom = line;
    write({ seq: before + 1, ts: '', class: 'OTHER', text: `The source was rewritten from line ${line + 1} on; what follows is how it reads now.`, meta: 'source-rewritten' });
    runs.push([line, before + 2]);
    numbering.raise(before + 1);
  };
  let isSilent = grown === undefined;
  const take = (draft: TurnDraft, line: number, isEnd = false) => {
    if (draft.class !== 'OTHER') isSilent = false;
    if (origin.kind === 'by-watermark' && (draft.seq ?? line) <= before) return;
    if (old !== undefined) {
      if (rewrittenFrom === undefined) {
        const stood = old.take(draft, isEnd);
        if (stood !== undefined) return stood.forEach((at) => form?.add(at));
        differs(line);
      }
      // Its own numbers are those of the turns that stand already.
      delete draft.seq;
    }
    const number = numbering.number(draft, line);
    if (number === undefined) return;
    const turn: Turn = Object.assign(draft, { seq: number.seq });
    if (number.part > 0) turn.part = number.part;
    form?.add(ledger.turns);
    write(turn);
  };

  const raw = grown?.hash ?? hasher();
  const hashed = grown === undefined ? beside?.(source.fd, extent.to) : undefined;
  // Whoever fails first is told; the hash is waited for at the end.
  hashed?.catch(() => {});
  // Text is read from its start: what a marker is depends on the lines above. Its captured bytes are hashed already.
  const from = adapter === undefined ? 0 : grown?.from ?? 0;
  let index = adapter === undefined ? 0 : captured;
  // A last line that had no end when it was captured: what comes first now is the rest of it.
  if (adapter !== undefined && grown !== undefined && !endsInLf(source.fd, from)) index -= 1;
  const lines = readLines(source.fd, { from, to: extent.to, maxLineBytes: request.maxLineBytes, ...(adapter === undefined || hashed !== undefined ? {} : { onBytes: (chunk: Buffer) => raw.update(chunk) }) });
  let breath = from + BREATH_BYTES;
  for (let line: Line | undefined = lines.next(); line !== undefined; line = lines.next()) {
    if (line.end > breath) {
      breath = line.end + BREATH_BYTES;
      place.progress(`${Math.floor((line.end / extent.to) * 100)} % of ${Math.ceil(extent.to / 1e6)} MB read`);
      await nextTick();
      checkTime(place);
    }
    const drafts = reader.read(line, index);
    if (reader.tally.badCount === 0 || request.allowBadLines === true) for (const draft of drafts) take(draft, reader.at);
    index += 1;
  }
  for (const draft of reader.end()) take(draft, reader.at, true);
  if (adapter === undefined && hashed === undefined) readBytes(source.fd, grown?.from ?? 0, extent.to, (chunk) => raw.update(chunk));

  const isShorter = old !== undefined && rewrittenFrom === undefined && old.hasMore();
  const isOlderCopy = isShorter && origin.kind === 'rewritten' && origin.moved;
  if (isShorter && !isOlderCopy) differs(index);
  const row: SourceRow = { path: source.path, first_line_sha256: firstLineHash(source), bytes: extent.to, raw_sha256: (await hashed) ?? raw.digest('hex'), lines: index, runs, ...(form === undefined ? {} : { turns: form.spans }) };
  return { row, replaced, tally: reader.tally, tokens, redactor, rewrittenFrom, late: numbering.late, isOlderCopy, isSilent };
}

function endsInLf(fd: number, at: number): boolean {
  const byte = Buffer.alloc(1);
  return at === 0 || (fs.readSync(fd, byte, 0, 1, at - 1) === 1 && byte[0] === 10);
}
