/**
 * What kind of value each key of a manifest has. Its own hash proves only that whoever wrote it knows the rule: before
 * anything is done by a manifest from elsewhere, every key that this program goes by must be of its kind.
 */
import { isObject } from '../lib/json.mts';
import { SEAL_FORMAT } from './layout.mts';
import type { Manifest } from './manifest.mts';

type Kind = (value: unknown) => boolean;

const text: Kind = (value) => typeof value === 'string';
const name: Kind = (value) => typeof value === 'string' && value !== '' && value.length <= 4096;
const finite: Kind = (value) => typeof value === 'number' && Number.isFinite(value);
const whole: Kind = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const hash: Kind = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const when: Kind = (value) => typeof value === 'string' && value.length <= 64 && !Number.isNaN(Date.parse(value));
const flag: Kind = (value) => typeof value === 'boolean';
const list = (of: Kind): Kind => (value) => Array.isArray(value) && value.every(of);
const every = (of: Kind): Kind => (value) => isObject(value) && Object.values(value).every(of);
const shape = (must: Record<string, Kind>, may: Record<string, Kind> = {}): Kind => {
  const [needed, allowed] = [Object.entries(must), Object.entries(may)];
  return (value) => isObject(value)
    && needed.every(([key, kind]) => kind(value[key]))
    && allowed.every(([key, kind]) => value[key] === undefined || kind(value[key]));
};

const pairOf = (of: Kind): Kind => (value) => Array.isArray(value) && value.length === 2 && value.every(of);
const run = pairOf(finite);
const span = pairOf(whole);

const MUST: Record<string, Kind> = {
  session: name, project: text, harness: text, model: text, created_at: when, updated_at: when, source_paths: list(text), watermark: finite,
  raw_sha256: hash, revisions: whole, turn_count: whole, counts: every(whole), manifest_sha256: hash,
};

const MAY: Record<string, Kind> = {
  evidence_contract_sha256: hash, promoted_at: text, promoted_by: text, promoted_gate: text, promoted_revision: whole, prev_project: text,
  titled_from: list(text), merged_from: list(text), federated_from: text, federated_at: text, objective: text, pinned: list(text), uuid: text,
  title: text, cwd: text, git: shape({}, { branch: text, commit: text }), adapter: shape({ id: text, version: finite }),
  sources: list(shape({ path: text, first_line_sha256: text, bytes: whole, raw_sha256: hash, lines: whole, runs: list(run) }, { turns: list(span) })),
  seal: shape({ format: whole, revision: whole, timeline_bytes: whole, chain_head: hash, tools_sha256: hash, summary_sha256: hash, payload_sha256: hash }),
  parent_session: text, fork: shape({ of: text, by: text }, { until_seq: finite, apart: flag, elsewhere: flag }),
  subagents: list(shape({ id: text, path: text, title: text })), skipped: whole, bad_lines: whole, unknown: every(whole),
  redaction: shape({ on: flag, counts: every(whole) }, { older_lines: flag }), usage: every(finite), usage_running: isObject, usage_recent: every(every(finite)),
};

/** Which key is not of its kind; undefined where all are. */
export function misshapen(manifest: Manifest): string | undefined {
  const odd = Object.keys(MUST).find((key) => !MUST[key]?.(manifest[key])) ?? Object.keys(MAY).find((key) => manifest[key] !== undefined && !MAY[key]?.(manifest[key]));
  if (odd !== undefined) return odd;
  if (manifest.revisions < 1) return 'revisions';
  return manifest.seal?.revision === manifest.revisions && manifest.turn_count === 0 ? 'turn_count' : undefined;
}

/** The keys that readers, builds and renders go by, as far as a manifest has them: 2.0.x writes few. */
const READ = Object.entries<Kind>({
  project: text, harness: text, model: text, updated_at: text, source_paths: list(text), counts: isObject, titled_from: list(text), merged_from: list(text), objective: text, pinned: list(text), uuid: text, title: text, cwd: text,
  git: shape({}, { branch: text, commit: text }), adapter: isObject, promoted_at: text, promoted_gate: text, parent_session: text,
  sources: list(shape({ path: text, bytes: finite, runs: list(pairOf(() => true)) }, { turns: list(span) })),
  seal: (value) => isObject(value) && (later(value) || shape({ revision: finite, timeline_bytes: whole, chain_head: text })(value)),
  fork: shape({ of: text, by: text }), subagents: list(shape({ id: text, path: text, title: text })),
  redaction: shape({ counts: isObject }), unknown: every(finite), usage: isObject, usage_recent: every(isObject), usage_running: shape({ before: isObject, last: isObject }),
});

/** What a later format's seal holds is for its own program to say. */
function later(seal: object): boolean {
  return 'format' in seal && typeof seal.format === 'number' && seal.format > SEAL_FORMAT;
}

/** A key that readers go by and that is not of its kind; undefined where there is none. */
export function oddKey(manifest: Record<string, unknown>): string | undefined {
  return READ.find(([key, isKind]) => manifest[key] !== undefined && !isKind(manifest[key]))?.[0];
}
