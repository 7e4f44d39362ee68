/**
 * One revision: the turns that are new go to the timeline, the renders are made anew, the manifest commits it.
 * Old timeline lines pass the reducer first, then the new turns, so a render never depends on how a session was built.
 */
import { HandoffError } from '../lib/errors.mts';
import { createRollback } from '../lib/fs/rollback.mts';
import { sha256 } from '../lib/hash-chain.mts';
import { counted } from '../lib/plural.mts';
import { revisionTime } from '../lib/promotion.mts';
import { sessionPaths } from '../store/layout.mts';
import { unreadNote } from '../render/unread.mts';
import type { SubagentRow } from '../store/manifest.mts';
import { createRedactor } from '../transcript/redaction/create.mts';
import { noRedaction } from '../transcript/redaction/redactor.mts';
import { baseLine } from './commit/base-line.mts';
import { checkTime, inTime, Unsettled, type Revised, type Work } from './work.mts';
import { commitManifest, makeSessionFolder, placeDir, settle, stageManifest, type Intent } from './commit/commit.mts';
import { takeIn, type Intake } from './source/intake.mts';
import { takeInWhole } from './source/intake-whole.mts';
import { openLedger, type Ledger } from './source/ledger.mts';
import { linkSession } from './commit/link.mts';
import { nextManifest, sealRevision } from './commit/next-manifest.mts';
import type { Extent, Origin } from './source/origin.mts';
import { startRenders } from './renders/thread.mts';
import type { Renders } from './renders/renders.mts';
import { forkPoint } from './source/replay.mts';
import { openSegment } from './commit/segment.mts';
import { indexSession } from './commit/session.mts';
import { badLines, noTurns, ROLE_MARKERS } from './source/transcript.mts';

export function revise(work: Work, origin: { kind: 'first' }, extent: Extent): Promise<Revised>;
export function revise(work: Work, origin: Origin, extent: Extent): Promise<Revised | undefined>;
/** Undefined where an older copy of a known source turned out to hold nothing new. */
export async function revise(work: Work, origin: Origin | { kind: 'first' }, extent: Extent): Promise<Revised | undefined> {
  const { lock, place, request, at } = work;
  const paths = sessionPaths(placeDir(place.root, at));
  const base = baseLine(paths, work.base);
  const intent: Intent = { place: at, base: work.base === undefined ? null : sha256(work.base.text), timeline_bytes: base.timelineBytes, chain_bytes: base.chainBytes, ...(place.linking.enabled ? { link: place.linking.min_overlap_score } : {}) };
  lock.note({ ...intent });

  const rollback = createRollback();
  const timeline = { file: paths.timeline, bytes: base.timelineBytes };
  const { whole } = work.transcript;
  let renders: Renders | undefined;
  const disarm = place.onSignal(() => {
    // A thread may still be writing: then the lock stays, and the next holder clears what it leaves.
    if (rollback.run() && renders?.inThread !== true) lock.release();
  });
  try {
    makeSessionFolder(paths.dir, rollback);
    const fork = forkPoint(work, origin);
    const rules = { fork, objective: request.objective ?? work.base?.manifest.objective, maxBriefTokens: place.maxBriefTokens, tools: place.tools };
    renders = startRenders({ paths, session: work.session, token: lock.token, rules }, extent.to - (origin.kind === 'grown' ? origin.from : 0), rollback);
    const { advance } = renders;
    advance(base.timelineBytes);
    const ledger = openLedger(work.base?.manifest, timeline);
    const before = ledger.turns;
    if (work.base !== undefined && before !== work.base.manifest.turn_count) throw miscounted(work.session, before, work.base.manifest.turn_count);
    const segment = openSegment(paths, base, rollback, advance);
    const intake = whole === undefined ? await takeIn(work, origin, extent, ledger, segment, timeline, renders.hash) : takeInWhole(work, whole, ledger, segment, timeline);
    if (intake.tally.badCount > 0 && request.allowBadLines !== true) throw badLines(intake.row.path, intake.tally.bad, intake.tally.badCount);
    if (intake.isOlderCopy) {
      await renders.abandon();
      if (!rollback.run()) throw new Unsettled('not undone', { cause: new HandoffError('IO', 'what was staged could not be removed') });
      return undefined;
    }
    // A file that was emptied makes no revision that says only that.
    if (intake.isSilent || !ledger.isConversation) throw noTurns(intake.row.path, isText(work));
    talk(work, intake, ledger);

    const revision = (work.base?.manifest.revisions ?? 0) + 1;
    const now = revisionTime(work.base?.manifest);
    const chainHead = segment.close({ revision, at: now, turns: ledger.turns, raw_sha256: intake.row.raw_sha256 });
    const unsealed = nextManifest(work, intake, ledger, { revision, at: now, base, fork, subagents: await subagentsOf(work) });
    const unread = unreadNote(unsealed);
    if (unread !== undefined) place.note(unread);
    const { turns, objective, ...hashes } = await inTime(place, renders.finish(segment.bytes, unsealed));
    // The renders read every line, old and new: had one been damaged, their count would not be that of the manifest.
    if (turns !== ledger.turns) throw miscounted(work.session, turns, ledger.turns);
    const { manifest, text } = sealRevision(unsealed, { ...hashes, timeline_bytes: segment.bytes, chain_head: chainHead });
    await inTime(place, Promise.all([renders.seal(manifest), segment.settled()]));
    stageManifest(paths, lock.token, text, rollback);
    checkTime(place);
    commitManifest(paths, lock, rollback);
    return finish(work, intent, objective, {
      session: work.session, project: manifest.project, dir: paths.dir, turns: ledger.turns, new: ledger.turns - before, revision,
      late: intake.late, skipped: intake.tally.skipped, bad_lines: intake.tally.badCount, links: 0,
      redacted: Object.values(intake.redactor.counts).reduce((sum, count) => sum + count, 0),
    });
  } catch (error) {
    if (error instanceof Unsettled) throw error;
    await renders?.abandon();
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
    const links = intent.link === undefined ? 0 : linkSession(place.root, at, objective, intent.link);
    return { ...revised, links, ...(kept === undefined ? {} : { kept }) };
  } catch (error) {
    throw new Unsettled('after the commit', { cause: error });
  }
}

/** Only a file has others beside it: standard input and the sessions of a database have none. */
async function subagentsOf({ transcript, base, request, place }: Work): Promise<SubagentRow[]> {
  const { source, facts: { uuid } } = transcript;
  // Titles found again at every build are not to be counted again.
  const redactor = request.redact ? createRedactor({ patterns: place.redactionPatterns }) : noRedaction;
  const { findSubagents, mergeSubagents } = await import('./recorded/subagents.mts');
  const now = source.path === '-' || source.fragment !== undefined || uuid === undefined ? [] : await findSubagents(source.path, uuid, redactor);
  return mergeSubagents(base?.manifest.subagents ?? [], now);
}

function miscounted(session: string, found: number, expected: number): HandoffError {
  return new HandoffError('DAMAGED', `timeline.jsonl of ${session} has ${counted(found, 'turn')} where its manifest has ${expected}; nothing was written`);
}

function isText({ transcript: { adapter, whole } }: Work): boolean {
  return adapter === undefined && whole === undefined;
}

function talk(work: Work, { row, tally, rewrittenFrom, late }: Intake, { counts }: Ledger): void {
  const { place } = work;
  if (tally.badCount > 0) {
    const listed = tally.bad.map(({ line, offset, reason }) => `line ${line} at byte ${offset} (${reason})`).join(', ');
    place.note(`${counted(tally.badCount, 'bad line')} left out${tally.saved > 0 ? ` (whole records saved from ${tally.saved} of them)` : ''}: ${listed}${tally.badCount > tally.bad.length ? ', …' : ''}`);
  }
  if (tally.notUtf8 > 0) place.note(`${counted(tally.notUtf8, 'line holds', 'lines hold')} bytes that are not UTF-8, read with U+FFFD in their place`);
  if (rewrittenFrom !== undefined) place.note(`the source was rewritten from line ${rewrittenFrom + 1} on; its turns from there were appended`);
  if (late > 0) place.note(`${counted(late, 'turn has a number', 'turns have numbers')} at or below the watermark and ${late === 1 ? 'was' : 'were'} not taken (late=${late})`);
  const spoken = Object.entries(counts).filter(([name, count]) => name !== 'OTHER' && count > 0);
  const [only] = spoken;
  if (isText(work) && spoken.length === 1 && only !== undefined && (only[1] > 1 || row.lines > 1)) place.note(`only ${only[0]} speaks in it (${counted(only[1], 'turn')}); ${ROLE_MARKERS}`);
}
