/** Every shape that a transcript can have. A new harness is one file under adapters/ and one line here. */
import type { LineAdapter } from './adapter.mts';
import { canonical } from './adapters/canonical.mts';
import { claudeCode } from './adapters/claude-code.mts';
import { codex } from './adapters/codex.mts';

/** Append-only sources, one JSON record a line. Where two recognise as many records, the earlier one is taken. */
export const lineAdapters: readonly LineAdapter[] = [
  claudeCode,
  codex,
  canonical,
];

/** A source that is one JSON document; its head is enough to know it by. */
export interface DocumentShape {
  readonly id: string;
  readonly harness: string;
  looksLike(head: string): boolean;
}

export const documents: readonly DocumentShape[] = [];
