/** HANDOFF.llm.json (without its two long lists) and HANDOFF.summary.json, as plain objects in their order of keys. */
import { head } from './text.mts';
import { owed } from './pending.mts';
import type { Digest } from './digest.mts';
import type { RenderView } from './view.mts';

const SUMMARY_STATE = 600;
const SUMMARY_ROWS = 40;

/** The payload without `timeline` and `tool_calls`; `provenance` stands last, so that they can follow it. */
export function payloadFields(digest: Digest, view: RenderView): Record<string, unknown> {
  return fields('2.0.0', digest, view, digest.stateNow, Infinity);
}

/** The summary: the same fields, the state cut to 600 characters and each list to its last rows. */
export function summaryFields(digest: Digest, view: RenderView): Record<string, unknown> {
  return fields('2.0.0-summary', digest, view, head(digest.stateNow, SUMMARY_STATE), SUMMARY_ROWS);
}

function fields(version: string, digest: Digest, view: RenderView, state: string, rows: number): Record<string, unknown> {
  const last = <T,>(list: readonly T[]): readonly T[] => (list.length > rows ? list.slice(-rows) : list);
  return wellFormed({
    schema_version: version,
    session: { id: view.session, harness: view.harness, model: view.model, ...(view.title === undefined ? {} : { title: view.title }) },
    project: view.project,
    generated_at: view.updated_at,
    objective: digest.objective,
    state_now: state,
    open_loops: digest.openLoops.map((loop) => loop.text),
    evidence_class: 'OBSERVED',
    counts: view.counts,
    artifacts: { full_payload: 'HANDOFF.llm.json', timeline: 'timeline.jsonl', tool_calls: 'TOOLS.md' },
    ...(digest.objectiveSeq === undefined ? {} : { objective_seq: digest.objectiveSeq }),
    ...(digest.inherited === undefined ? {} : { inherited: digest.inherited }),
    prompts: last(digest.prompts),
    prompts_total: digest.promptsTotal,
    files_changed: last(digest.filesChanged),
    commands: last(digest.commands),
    verification: digest.verification,
    // Most telling first: its head is what must not be lost.
    pending: owed(digest).slice(0, rows),
    pending_total: owed(digest).length + digest.pendingLeft,
    errors: last(digest.errors),
    plan: digest.plan,
    decisions: last(digest.decisions),
    ...(digest.media.length === 0 ? {} : { media: last(digest.media) }),
    compactions: digest.compactions,
    subagents: digest.subagents,
    ...(view.usage === undefined ? {} : { usage: view.usage }),
    ...(view.git === undefined ? {} : { git: view.git }),
    ...(view.cwd === undefined ? {} : { cwd: view.cwd }),
    ...(view.parent_session === undefined ? {} : { parent_session: view.parent_session }),
    ...(view.fork === undefined ? {} : { fork: view.fork }),
    provenance: {
      sources: view.source_paths,
      raw_sha256: view.raw_sha256,
      manifest_sha256: view.manifest_sha256,
      revision: view.revisions,
      watermark: view.watermark,
      total_turns: view.turn_count,
    },
  }) as Record<string, unknown>;
}

/** A copy whose strings are all well formed: strict readers refuse a lone surrogate. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), wellFormed(one)]));
}
