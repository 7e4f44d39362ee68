/**
 * The renders of a session, staged beside their targets: TOOLS.md while the timeline is read, then HANDOFF.llm.json,
 * HANDOFF.summary.json and HANDOFF.md. They see the timeline's bytes and the manifest and nothing else, so a first build,
 * a rebuild, a merge and `render` give the same bytes.
 */
import type { Rollback } from '../../lib/fs/rollback.mts';
import { ZEROS } from '../../lib/hash-chain.mts';
import { renderBrief } from '../../render/brief.mts';
import { payloadFields, summaryFields } from '../../render/fields.mts';
import type { Digest } from '../../render/digest.mts';
import { createReducer } from '../../render/reduce.mts';
import { createToolsWriter, toolsHeader } from '../../render/tools.mts';
import type { RenderView, ToolOutputRules } from '../../render/view.mts';
import { joinHandoff } from '../../store/evidence.mts';
import type { SessionPaths } from '../../store/layout.mts';
import type { Fork } from '../../store/manifest.mts';
import { readTurns } from '../../store/timeline.mts';
import { copyLines, copyToolLines } from './elements.mts';
import { StagedFile } from './staged-file.mts';

export interface RenderRules {
  objective?: string | undefined;
  maxBriefTokens: number;
  tools: ToolOutputRules;
  /** The manifest's: which turns are copies. */
  fork?: Pick<Fork, 'until_seq' | 'apart'> | undefined;
}

export interface RenderHashes {
  tools_sha256: string;
  summary_sha256: string;
  payload_sha256: string;
}

export interface Rendered extends RenderHashes {
  /** Turns that were read. */
  turns: number;
  objective: string;
}

export interface Renders {
  /** Reads the timeline up to this byte, the end of a line. */
  advance(bytes: number): void;
  /** Writes the payloads over the timeline up to `bytes`; their hashes have the manifest's hash as zeros. */
  finish(bytes: number, view: RenderView): Promise<Rendered>;
  /** Puts the manifest's hash into the payloads, writes the brief, waits until all of it is durable. */
  seal(view: RenderView): Promise<void>;
  /** Another thread writes the files. */
  readonly inThread: boolean;
  /** SHA-256 of the first `bytes` bytes of an open file, beside other work; absent where there is no other thread. */
  hash?(fd: number, bytes: number): Promise<string>;
  /** Stops all work on the files, before they are removed. */
  abandon(): Promise<void>;
}

export interface RenderJob {
  paths: SessionPaths;
  session: string;
  token: string;
  rules: RenderRules;
  /** Told now and then how far the work is. */
  progress?: ((message: string) => void) | undefined;
}

/** Turns between two messages of progress. */
const STEP = 500;

export function openRenders({ paths, session, token, rules, progress }: RenderJob, rollback: Rollback): Renders {
  const reducer = createReducer({
    ...(rules.objective === undefined ? {} : { objective: rules.objective }),
    ...(rules.fork?.until_seq === undefined ? {} : { replayedUntil: rules.fork.until_seq, replayedApart: rules.fork.apart === true }),
  });
  const writer = createToolsWriter(rules.tools);
  const tools = new StagedFile(paths.tools, token, rollback);
  tools.text(toolsHeader(session));
  const read = { bytes: 0, turns: 0, tools: 0 };
  let digest: Digest | undefined;
  let payload: { file: StagedFile; hashAt: number } | undefined;
  let summary: { file: StagedFile; hashAt: number } | undefined;
  const digested = () => (digest ??= reducer.digest());

  const advance = (bytes: number) => {
    if (bytes <= read.bytes) return;
    for (const turn of readTurns(paths.timeline, bytes, read.bytes)) {
      read.turns += 1;
      if (read.turns % STEP === 0) progress?.(`${read.turns} turns read`);
      reducer.add(turn);
      if (turn.class !== 'TOOL') continue;
      read.tools += 1;
      for (const piece of writer.entry(turn)) tools.text(piece);
    }
    read.bytes = bytes;
  };

  return {
    advance,
    async finish(bytes, view) {
      advance(bytes);
      tools.text(writer.footer(read.tools));
      tools.syncSoon();
      const zeros = { ...view, manifest_sha256: ZEROS };
      progress?.('HANDOFF.llm.json is written');
      payload = { file: new StagedFile(paths.payload, token, rollback), hashAt: 0 };
      const head = JSON.stringify(payloadFields(digested(), zeros), null, 2).slice(0, -'\n}'.length);
      payload.hashAt = hashPlaceIn(head);
      payload.file.text(head);
      payload.file.text(',\n  "timeline": [');
      copyLines(paths.timeline, bytes, payload.file);
      payload.file.text('],\n  "tool_calls": [');
      copyToolLines(paths.timeline, bytes, payload.file, createToolsWriter(rules.tools));
      payload.file.text(']\n}');
      const fields = JSON.stringify(summaryFields(digested(), zeros), null, 2);
      summary = { file: new StagedFile(paths.summary, token, rollback), hashAt: hashPlaceIn(fields) };
      summary.file.text(fields);
      return { tools_sha256: tools.digest(), summary_sha256: summary.file.digest(), payload_sha256: payload.file.digest(), turns: read.turns, objective: digested().objective };
    },
    async seal(view) {
      if (payload === undefined || summary === undefined) throw new Error('seal before finish');
      for (const { file, hashAt } of [payload, summary]) {
        file.digest();
        file.patch(view.manifest_sha256, hashAt);
        // The longest one is on its way to the disk while the brief is made.
        file.syncSoon();
      }
      const brief = new StagedFile(paths.brief, token, rollback);
      brief.text(joinHandoff(renderBrief(digested(), view, { maxBriefTokens: rules.maxBriefTokens }), ''));
      await Promise.all([tools, payload.file, summary.file, brief].map((file) => file.finish()));
    },
    inThread: false,
    async abandon() {},
  };
}

/** Where the 64 zeros of the manifest's hash begin, in bytes. A quoted key cannot stand inside a string of a transcript. */
function hashPlaceIn(json: string): number {
  const key = `"manifest_sha256": "${ZEROS}"`;
  const at = json.lastIndexOf(key);
  if (at < 0) throw new Error('no place for the hash of the manifest');
  return Buffer.byteLength(json.slice(0, at)) + key.length - ZEROS.length - 1;
}
