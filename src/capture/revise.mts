/**
 * One revision: the turns that are new go to the timeline, the renders are made anew, the manifest commits it.
 * Old timeline lines pass the reducer first, then the new turns, so a render never depends on how a session was built.
 */
import fs from 'node:fs';
import { setImmediate as nextTick } from 'node:timers/promises';
import { HandoffError } from '../lib/errors.mts';
import { readLines, type Line } from '../lib/fs/lines.mts';
import { createRollback } from '../lib/fs/rollback.mts';
import { hasher, sha256 } from '../lib/hash-chain.mts';
import { noRedaction } from '../transcript/redaction/redactor.mts';
import { createRedactor } from '../transcript/redaction/create.mts';
import type { Turn, TurnDraft } from '../transcript/turn.mts';
import { sessionPaths } from '../store/layout.mts';
import type { SourceRow } from '../store/manifest.mts';
import { readTurns } from '../store/timeline.mts';
import { Unsettled, noTurns, type Work } from './build.mts';
import { baseLine } from './base-line.mts';
import { commitManifest, makeSessionFolder, placeDir, settle, stageManifest, type Intent } from './commit.mts';
import { linkSession } from './link.mts';
import { nextManifest, sealRevision } from './next-manifest.mts';
import { createNumbering } from './numbering.mts';
import type { Extent, Origin } from './origin.mts';
import { createRecordReader, createTextReader, createTokenCount, type BadLine, type TurnReader } from './records.mts';
import { openRenders } from './renders.mts';
import { sameTurn, turnsOfSource } from './rewritten.mts';
import { indexSession } from './session.mts';
import { firstLineHash } from './source.mts';
import { openSegment } from './segment.mts';

export interface Revised {
  session: string;
  project: string;
  dir: string;
  turns: number;
  new: number;
  revision: number;
  late: number;
  skipped: number;
  bad_lines: number;
  redacted: number;
  links: number;
  /** The name under which an edited HANDOFF.md was kept. */
  kept?: string;
}

/** How many bytes are read between two looks at signals. */
const BREATH_BYTES = 8 << 20;

export function revise(work: Work, origin: { kind: 'first' }, extent: Extent): Promise<Revised>;
export function revise(work: Work, origin: Origin, extent: Extent): Promise<Revised | undefined>;
/** Undefined where an older copy of a known source turned out to hold nothing new. */
export async function revise(work: Work, origin: Origin | { kind: 'first' }, extent: Extent): Promise<Revised | undefined> {
  const { lock, place, request, transcript: { source, adapter, facts: headFacts, head }, at } = work;
  const paths = sessionPaths(placeDir(place.root, at));
  const base = baseLine(paths, work.base);
  const intent: Intent = { place: at, base: work.base === undefined ? null : sha256(work.base.text), timeline_bytes: base.timelineBytes, chain_bytes: base.chainBytes };
  lock.note({ ...intent });

  const rollback = createRollback();
  const disarm = place.onSignal(() => {
    if (rollback.run()) lock.release();
  });
  try {
    makeSessionFolder(paths.dir, rollback);
    const objective = request.objective ?? work.base?.manifest.objective;
    const renders = openRenders(paths, work.session, lock.token, rollback, { objective, maxBriefTokens: place.maxBriefTokens, tools: place.tools });
    const old = { counts: { USER: 0, AGENT: 0, THOUGHT: 0, TOOL: 0, OTHER: 0 } as Record<string, number>, turns: 0, watermark: -Infinity };
    const count = (turn: Turn) => {
      old.turns += 1;
      old.counts[turn.class] = (old.counts[turn.class] ?? 0) + 1;
      old.watermark = Math.max(old.watermark, turn.seq);
      renders.add(turn);
    };
    if (base.timelineBytes > 0) for (const turn of readTurns(paths.timeline, base.timelineBytes)) count(turn);
    const before = old.turns;
    if (work.base !== undefined && before !== work.base.manifest.turn_count) {
      throw new HandoffError('DAMAGED', `timeline.jsonl of ${work.session} has ${before} turns where its manifest has ${work.base.manifest.turn_count}; nothing was written`);
    }

    // The source, from where it is new.
    const redactor = request.redact ? createRedactor({ patterns: place.redactionPatterns }) : noRedaction;
    // A rewritten source is read from its start, so its tokens are counted anew.
    const told = origin.kind === 'rewritten' ? undefined : work.base?.manifest;
    const tokens = createTokenCount({ total: told?.usage ?? {}, recent: told?.usage_recent ?? {} });
    const grown = origin.kind === 'grown' ? origin : undefined;
    const captured = grown?.lines ?? 0;
    const reader: TurnReader = adapter === undefined
      ? createTextReader(redactor, captured)
      : createRecordReader(adapter, redactor, { ownSide: adapter.ownSide?.({ path: source.path, records: head }), running: told?.usage_running, onTokens: (id, more) => tokens.add(id, more) });
    const known = knownRow(origin);
    const runs: [number, number][] = known === undefined ? startRuns(origin, old.watermark) : known.runs.map(([line, seq]) => [line, seq]);
    const compare = origin.kind === 'rewritten' ? turnsOfSource(paths.timeline, base.timelineBytes, origin.row, work.base?.manifest.sources ?? []) : undefined;
    const segment = openSegment(paths, base, rollback);
    const numbering = createNumbering({ runs, watermark: old.watermark, beside: origin.kind === 'other' || origin.kind === 'by-watermark', usedParts: () => segment.usedParts() });
    const write = (turn: Turn) => {
      segment.append(turn);
      count(turn);
    };
    let rewrittenFrom: number | undefined;
    const take = (draft: TurnDraft, line: number) => {
      const number = numbering.number(draft, line);
      if (number === undefined) return;
      const turn: Turn = Object.assign(draft, { seq: number.seq });
      if (number.part > 0) turn.part = number.part;
      write(turn);
    };
    const startRewritten = (line: number) => {
      rewrittenFrom = line;
      write({ seq: old.watermark + 1, ts: '', class: 'OTHER', text: `The source was rewritten from line ${line + 1} on; what follows is how it reads now.`, meta: 'source-rewritten' });
      runs.push([line, old.watermark + 1]);
      numbering.raise(old.watermark);
    };
    let spoken = grown === undefined ? 0 : Infinity;
    const each = (draft: TurnDraft, line: number) => {
      if (draft.class !== 'OTHER') spoken += 1;
      if (origin.kind === 'by-watermark' && (draft.seq ?? line) <= old.watermark && rewrittenFrom === undefined) return;
      if (compare !== undefined && rewrittenFrom === undefined) {
        if (sameTurn(compare.next(), draft)) return;
        startRewritten(line);
      }
      if (compare !== undefined) delete draft.seq;
      take(draft, line);
    };

    const raw = grown?.hash ?? hasher();
    // Text is read from its start: what a marker is depends on the lines above.
    const from = adapter === undefined ? 0 : grown?.from ?? 0;
    const behind = grown?.from ?? 0;
    let index = adapter === undefined ? 0 : captured;
    if (grown !== undefined && adapter !== undefined && !endsInLf(source.fd, from)) index -= 1;
    const lines = readLines(source.fd, {
      from, to: extent.to, maxLineBytes: request.maxLineBytes,
      ...(adapter === undefined ? {} : { onBytes: (chunk: Buffer) => raw.update(chunk) }),
    });
    let breath = from + BREATH_BYTES;
    for (let line: Line | undefined = lines.next(); line !== undefined; line = lines.next()) {
      if (line.end > breath) {
        breath = line.end + BREATH_BYTES;
        place.progress(`${Math.floor((line.end / Math.max(1, extent.to)) * 100)} % of ${Math.ceil(extent.to / 1e6)} MB read`);
        await nextTick();
      }
      const refused = reader.tally.badCount > 0 && request.allowBadLines !== true;
      for (const draft of reader.read(line, index)) if (!refused) each(draft, reader.at);
      index += 1;
    }
    for (const draft of reader.end()) each(draft, reader.at);
    if (adapter === undefined) hashFile(source.fd, behind, extent.to, raw);

    const { tally } = reader;
    if (tally.badCount > 0 && request.allowBadLines !== true) throw badLines(source.path, tally.bad, tally.badCount);
    // A file that was emptied or is another one: no revision that says only that.
    if (spoken === 0) throw noTurns(source.path);
    if (compare !== undefined && rewrittenFrom === undefined && compare.next() !== undefined) {
      if (origin.kind === 'rewritten' && origin.moved) {
        if (!rollback.run()) throw new Unsettled('older copy', { cause: new HandoffError('IO', 'what was staged could not be removed') });
        return undefined;
      }
      startRewritten(index);
    }
    if (old.turns - (old.counts['OTHER'] ?? 0) === 0) throw noTurns(source.path);
    talk(work, tally, rewrittenFrom, numbering.late);

    // From here on the renders and the manifest; all of it is staged until the manifest is renamed.
    const row: SourceRow = { path: source.path, first_line_sha256: firstLineHash(source), bytes: extent.to, raw_sha256: raw.digest('hex'), lines: index, runs };
    const at_ = new Date().toISOString();
    const revision = (work.base?.manifest.revisions ?? 0) + 1;
    const chain = segment.close({ revision, at: at_, turns: old.turns, raw_sha256: row.raw_sha256 });
    const unsealed = nextManifest({ work, facts: headFacts, tally, tokens, row, replaced: known, counts: old.counts, turns: old.turns, watermark: old.watermark, revision, at: at_, redactor, base });
    const hashes = renders.finish(paths.timeline, segment.bytes, unsealed);
    const { manifest, text } = sealRevision(unsealed, { ...hashes, timeline_bytes: segment.bytes, chain_head: chain });
    await Promise.all([renders.seal(manifest), segment.settled()]);
    stageManifest(paths, lock.token, text, rollback);
    place.progress('committing');
    commitManifest(paths, lock, rollback);
    return finish(work, intent, renders.digest().objective, {
      session: work.session, project: manifest.project, dir: paths.dir, turns: old.turns, new: old.turns - before, revision,
      late: numbering.late, skipped: tally.skipped, bad_lines: tally.badCount, links: 0,
      redacted: Object.values(redactor.counts).reduce((sum, n) => sum + n, 0),
    });
  } catch (error) {
    if (error instanceof Unsettled) throw error;
    if (!rollback.run()) throw new Unsettled('not undone', { cause: error });
    throw error;
  } finally {
    disarm();
  }
}

/** After the commit: whatever fails here is finished by the next holder of the lock. */
function finish(work: Work, intent: Intent, objective: string, revised: Revised): Revised {
  const { place, lock, at } = work;
  try {
    const { kept } = settle(place.root, intent, lock.token);
    indexSession(place.root, at, undefined, objective);
    const links = place.linking.enabled && objective !== '(none)' ? linkSession(place.root, at, objective, place.linking.min_overlap_score) : 0;
    return { ...revised, links, ...(kept === undefined ? {} : { kept }) };
  } catch (error) {
    throw new Unsettled('after the commit', { cause: error });
  }
}

function knownRow(origin: Origin | { kind: 'first' }): SourceRow | undefined {
  return origin.kind === 'grown' || origin.kind === 'rewritten' ? origin.row : undefined;
}

/** A first source counts from 0; so did 2.0.x, whatever the source. A second one goes on behind all others. */
function startRuns(origin: Origin | { kind: 'first' }, watermark: number): [number, number][] {
  return [[0, origin.kind === 'other' ? watermark + 1 : 0]];
}

function endsInLf(fd: number, at: number): boolean {
  const byte = Buffer.alloc(1);
  return at === 0 || (fs.readSync(fd, byte, 0, 1, at - 1) === 1 && byte[0] === 10);
}

function hashFile(fd: number, from: number, to: number, hash: ReturnType<typeof hasher>): void {
  const lines = readLines(fd, { from, to, maxLineBytes: 0, onBytes: (chunk) => hash.update(chunk) });
  while (lines.next() !== undefined);
}

function badLines(file: string, bad: readonly BadLine[], count: number): HandoffError {
  const listed = bad.map(({ line, reason }) => `${line} (${reason})`).join(', ');
  const more = count > bad.length ? ` +${count - bad.length} more` : '';
  const verb = count === 1 ? 'line is' : 'lines are';
  return new HandoffError('BAD_LINES', `${count} ${verb} not readable in ${file}: ${listed}${more}; nothing was written (--allow-bad-lines takes the rest)`, { data: { lines: bad, count } });
}

function talk({ place }: Work, tally: TurnReader['tally'], rewrittenFrom: number | undefined, late: number): void {
  if (tally.badCount > 0) {
    const listed = tally.bad.map(({ line, offset, reason }) => `line ${line} at byte ${offset} (${reason})`).join(', ');
    place.note(`${tally.badCount} bad lines left out${tally.saved > 0 ? ` (whole records saved from ${tally.saved} of them)` : ''}: ${listed}${tally.badCount > tally.bad.length ? ', …' : ''}`);
  }
  if (tally.notUtf8 > 0) place.note(`${tally.notUtf8} lines hold bytes that are not UTF-8; they are read with U+FFFD in their place`);
  if (rewrittenFrom !== undefined) place.note(`the source was rewritten from line ${rewrittenFrom + 1} on; its turns from there were appended`);
  if (late > 0) place.note(`${late} turns have numbers at or below the watermark and were not taken (late=${late})`);
}
