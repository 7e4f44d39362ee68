/** The one place that turns an error's code into an exit status (docs/CLI.md lists the same). */
import type { ErrorCode } from '../errors.mts';
import type { Layer } from './command.mts';

/** What a bug exits with, in every layer. */
export const EXIT_BUG = 1;

const ENGINE: Readonly<Record<ErrorCode, number>> = {
  USAGE: 2,
  CONFIG: 2,
  SOURCE: 2,
  MODE: 2,
  HELD: 3,
  AMBIGUOUS: 3,
  CHANGING: 3,
  NO_MATCH: 4,
  EXISTS: 4,
  NO_TURNS: 4,
  SHAPE: 4,
  BAD_LINES: 5,
  DAMAGED: 1,
  FINDINGS: 1,
  DECLINED: 1,
  NEWER: 1,
  IO: 1,
  REJECTED: 6,
  DENIED: 3,
  NEEDS_AUTH: 4,
};

// What a layer says otherwise than the engine: its numbers are older than this table and scripts rely on them.
const DIFFERENT: Readonly<Record<Layer, Partial<Record<ErrorCode, number>>>> = {
  engine: {},
  runtime: { NO_MATCH: 3 },
  execution: { SOURCE: 1, EXISTS: 2, SHAPE: 2, DAMAGED: 5 },
  capability: { SHAPE: 2 },
  install: {
    SOURCE: 1, MODE: 1, HELD: 1, AMBIGUOUS: 1, CHANGING: 1, NO_MATCH: 1, EXISTS: 1, NO_TURNS: 1,
    SHAPE: 1, BAD_LINES: 1, REJECTED: 1, DENIED: 1, NEEDS_AUTH: 1,
  },
};

/** The exit status of a HandoffError with this code, thrown by a command of this layer. */
export function exitCodeOf(code: ErrorCode, layer: Layer = 'engine'): number {
  return DIFFERENT[layer][code] ?? ENGINE[code];
}
