/** The manifest of a revision: the old one with what this build learned. Keys keep their place; new ones stand behind. */
import { promotedRevision } from '../../lib/promotion.mts';
import { blockSha256 } from '../../store/evidence.mts';
import { placeParts, SEAL_FORMAT } from '../../store/layout.mts';
import { sealed, type Manifest, type Seal, type SubagentRow } from '../../store/manifest.mts';
import type { SessionFacts, Tokens } from '../../transcript/turn.mts';
import { totalOf } from '../../transcript/usage.mts';
import { harnessOf, type Work } from '../work.mts';
import type { BaseLine } from './base-line.mts';
import type { Intake } from '../source/intake.mts';
import type { Ledger } from '../source/ledger.mts';
import { mergeFacts } from '../source/facts.mts';
import type { Tally, TokenCount } from '../source/records.mts';
import type { ForkPoint } from '../source/replay.mts';

/** What a build found out besides what its turns tell. */
export interface Learned {
  revision: number;
  at: string;
  base: BaseLine;
  fork: ForkPoint;
  subagents: SubagentRow[];
}

/** The manifest without its seal. */
export function nextManifest(work: Work, { row, replaced, tally, tokens, redactor, rewrittenFrom }: Intake, ledger: Ledger, { revision, at, base, fork, subagents }: Learned): Manifest {
  const { request, transcript, session } = work;
  const old = work.base?.manifest;
  const facts: SessionFacts = { ...transcript.facts };
  mergeFacts(facts, tally.facts);
  const pinned = new Set(old?.pinned ?? []);
  const value = (name: 'harness' | 'model', asked: string | undefined, force: boolean | undefined, found: string, none: string): string => {
    const before = old?.[name];
    const set = before !== undefined && before !== none;
    if (asked !== undefined && (!set || force === true)) {
      pinned.add(name);
      return asked;
    }
    // The source goes on telling its model; what a person once said stands.
    return set && (pinned.has(name) || name === 'harness' || found === '') ? before : found || (before ?? none);
  };
  const harness = value('harness', request.harness, request.forceHarness, harnessOf(undefined, facts, transcript.adapter ?? transcript.whole?.adapter), 'unknown');
  const model = value('model', request.model, request.forceModel, facts.model ?? '', '');
  const paths = old?.source_paths ?? [];

  const manifest: Manifest = {
    ...(old as Partial<Manifest>),
    session: old?.session ?? session,
    // Where it lies: a federation may have put another project's manifest there.
    project: placeParts(work.at).project,
    harness,
    model,
    created_at: old?.created_at ?? at,
    source_paths: paths.includes(row.path) ? paths : [...paths, row.path],
    watermark: ledger.watermark,
    raw_sha256: row.raw_sha256,
    revisions: revision,
    updated_at: at,
    turn_count: ledger.turns,
    counts: { ...old?.counts, ...ledger.counts },
    manifest_sha256: '',
  };
  set(manifest, 'evidence_contract_sha256', blockSha256(base.block));
  set(manifest, 'promoted_revision', old === undefined ? undefined : promotedRevision(old));
  set(manifest, 'objective', request.objective ?? old?.objective);
  set(manifest, 'pinned', pinned.size === 0 ? undefined : [...pinned]);
  set(manifest, 'uuid', old?.uuid ?? facts.uuid);
  // A name that a person gave with retitle stands.
  set(manifest, 'title', old?.titled_from === undefined ? facts.title ?? old?.title : old.title);
  set(manifest, 'cwd', old?.cwd ?? facts.cwd);
  set(manifest, 'git', gitOf(old, facts));
  const adapter = transcript.adapter ?? transcript.whole?.adapter;
  set(manifest, 'adapter', { id: adapter?.id ?? 'role-text', version: adapter?.version ?? 1 });
  set(manifest, 'sources', [...(old?.sources ?? []).filter((known) => known !== replaced), row]);
  set(manifest, 'parent_session', old?.parent_session ?? facts.parent_session);
  const of = old?.fork ?? facts.fork;
  set(manifest, 'fork', of === undefined ? undefined : { of: of.of, by: of.by, ...fork });
  set(manifest, 'subagents', subagents.length === 0 ? undefined : subagents);
  const total = transcript.whole === undefined && rewrittenFrom === undefined ? plus : most;
  set(manifest, 'skipped', total(old?.skipped, tally.skipped) || undefined);
  set(manifest, 'bad_lines', total(old?.bad_lines, tally.badCount) || undefined);
  set(manifest, 'unknown', added(old?.unknown ?? {}, tally.unknown, total));
  const olderLines = old !== undefined && (old.redaction?.older_lines === true || base.foreign !== undefined);
  set(manifest, 'redaction', {
    on: request.redact,
    counts: added(old?.redaction?.counts ?? {}, redactor.counts, total) ?? {},
    ...(olderLines ? { older_lines: true as const } : {}),
  });
  set(manifest, 'usage', usageOf(tally, tokens));
  set(manifest, 'usage_running', tally.running);
  set(manifest, 'usage_recent', tokens.recent.size === 0 ? undefined : Object.fromEntries(tokens.recent));
  return manifest;
}

/** The manifest as it is committed. */
export function sealRevision(manifest: Manifest, seal: Omit<Seal, 'format' | 'revision'>): { manifest: Manifest; text: string } {
  return sealed({ ...manifest, seal: { format: SEAL_FORMAT, revision: manifest.revisions, ...seal } });
}

function set<K extends keyof Manifest>(manifest: Manifest, key: K, value: Manifest[K] | undefined): void {
  if (value === undefined) delete manifest[key];
  else manifest[key] = value;
}

function gitOf(old: Manifest | undefined, { branch, commit }: SessionFacts): Manifest['git'] | undefined {
  const git = { ...old?.git, ...(branch === undefined ? {} : { branch }), ...(commit === undefined ? {} : { commit }) };
  return Object.keys(git).length === 0 ? undefined : git;
}

type Total = (before: number | undefined, now: number) => number;

const plus: Total = (before = 0, now) => before + now;
/** Of a source that is read from its start once more: what was counted before is counted again. */
const most: Total = (before = 0, now) => Math.max(before, now);

function added(before: Readonly<Record<string, number>>, now: Readonly<Record<string, number>>, total: Total): Record<string, number> | undefined {
  const all: Record<string, number> = Object.assign(Object.create(null) as Record<string, number>, before);
  for (const [key, count] of Object.entries(now)) all[key] = total(all[key], count);
  return Object.keys(all).length === 0 ? undefined : all;
}

/** A source's own running total is the truth where there is one; else the sum over messages. */
function usageOf(tally: Tally, tokens: TokenCount): Tokens | undefined {
  const total = tally.running === undefined ? tokens.total : totalOf(tally.running);
  return Object.keys(total).length === 0 ? undefined : total;
}
