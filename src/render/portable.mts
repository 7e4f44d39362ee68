/**
 * The portable document: one session as one JSON object that other programs can read without knowing this store
 * (schemas/handoff.schema.json). It says what the record shows; what nobody recorded is left out, never filled in.
 */
import { owed, safeToRepeat, serviceFailure } from './pending.mts';
import { head } from './text.mts';
import { wellFormed } from './fields.mts';
import type { Digest, PendingRow } from './digest.mts';
import type { RenderView } from './view.mts';

const PORTABLE_VERSION = '1.0';

const ACTION_LENGTH = 600;

/** What the portable document needs of a manifest besides what every render has. */
export interface PortableView extends RenderView {
  created_at: string;
  /** The transcript's own id, where it has one. */
  uuid?: string;
}

/** `version` is that of the product. Every string is well formed; never throws. */
export function portableFields(digest: Digest, view: PortableView, version: string): Record<string, unknown> {
  return wellFormed({
    schema_version: PORTABLE_VERSION,
    handoff_id: `${view.session}@${view.revisions}`,
    mission_id: view.project,
    task_id: view.uuid ?? view.session,
    created_at: view.created_at,
    updated_at: view.updated_at,
    source: { agent: view.model === '' ? 'unknown' : view.model, runtime: view.harness, version: `agents-handoff ${version}` },
    state: stateOf(digest, view),
    next_action: nextAction(digest),
    execution: { commands: digest.commands, commands_total: digest.commandsTotal, commands_failed: digest.commandsFailed, verification: digest.verification, counts: view.counts, ...(view.usage === undefined ? {} : { usage: view.usage }) },
    checkpoint: { revision: view.revisions, watermark: view.watermark, turns: view.turn_count, raw_sha256: view.raw_sha256, manifest_sha256: view.manifest_sha256 },
    artifacts: [
      ...digest.filesChanged.map((file) => ({ kind: 'file', path: file.path, change: file.how, ...(file.from === undefined ? {} : { from: file.from }), tool: file.tool, seq: file.seq, at: file.ts })),
      ...view.source_paths.map((path) => ({ kind: 'transcript', path })),
    ],
    evidence: { class: 'OBSERVED', prompts: digest.prompts, prompts_total: digest.promptsTotal },
    decisions: digest.decisions,
    errors: digest.errors,
  }) as Record<string, unknown>;
}

function stateOf(digest: Digest, view: RenderView): Record<string, unknown> {
  const rows = owed(digest);
  const waits = rows.length + digest.pendingLeft;
  const goesOn = serviceFailure(digest) !== undefined || digest.endsAtResult !== undefined;
  const status = digest.interruptedAt !== undefined ? 'interrupted' : digest.unanswered !== undefined && waits === 1 ? 'awaiting_agent' : waits > 0 ? 'pending' : digest.stateFrom === 'USER' || goesOn ? 'awaiting_agent' : digest.stateFrom === 'AGENT' ? 'awaiting_user' : 'unknown';
  return {
    status,
    // The agent's own words: a claim, as `claimed` says.
    current_action: digest.stateNow === '' ? '(none)' : head(digest.stateNow, ACTION_LENGTH),
    claimed: digest.stateFrom === 'AGENT',
    ...(digest.stateSeq === undefined ? {} : { seq: digest.stateSeq }),
    ...(digest.inherited === undefined ? {} : { inherited: digest.inherited }),
    ...(view.cwd === undefined ? {} : { cwd: view.cwd }),
    ...(view.git === undefined ? {} : { git: view.git }),
    pending: rows.map(pendingOf),
    pending_total: waits,
  };
}

function pendingOf(row: PendingRow): Record<string, unknown> {
  return { ...row, advice: row.kind === 'prompt' ? 'answer' : row.kind === 'call' && safeToRepeat(row.effect) ? 'safe-to-repeat' : 'look-first' };
}

function nextAction(digest: Digest): Record<string, unknown> {
  return {
    objective: digest.objective,
    from: digest.objectiveFrom,
    ...(digest.objectiveSeq === undefined ? {} : { seq: digest.objectiveSeq }),
    steering: digest.steering.map(({ seq, text }) => ({ seq, text })),
    open_loops: digest.openLoops,
    plan: digest.plan,
  };
}
