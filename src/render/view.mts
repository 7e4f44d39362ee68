import type { Tokens } from '../transcript/turn.mts';

/** What the renders may know of a session besides its turns: the manifest satisfies it, without being imported. */
export interface RenderView {
  session: string;
  project: string;
  harness: string;
  model: string;
  title?: string;
  cwd?: string;
  git?: { branch?: string; commit?: string };
  updated_at: string;
  turn_count: number;
  revisions: number;
  watermark: number;
  counts: Readonly<Record<string, number>>;
  source_paths: readonly string[];
  raw_sha256: string;
  /** 64 zeros while the hash is not known; the place is patched when it is. */
  manifest_sha256: string;
  usage?: Readonly<Tokens>;
  redaction?: { on: boolean; counts: Readonly<Record<string, number>> };
  parent_session?: string;
  merged_from?: readonly string[];
  fork?: { of: string; by: string; until_seq?: number; apart?: true; elsewhere?: true };
  subagents?: readonly { id: string; path: string; title: string }[];
  promoted_gate?: string;
  promoted_at?: string;
  promoted_revision?: number;
  skipped?: number;
  bad_lines?: number;
  /** Records of types that are not known, by type. */
  unknown?: Readonly<Record<string, number>>;
  sources?: readonly { lines: number }[];
}

/** `capture` of the configuration: how tool outputs stand in TOOLS.md and in `tool_calls[]`, never in the timeline. */
export interface ToolOutputRules {
  exclude_patterns?: readonly string[];
  include_tool_outputs?: boolean;
  truncate_tool_outputs?: boolean;
  max_tool_output_length?: number;
}
