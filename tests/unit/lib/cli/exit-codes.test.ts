import { expect, it } from 'vitest';
import { exitCodeOf } from '../../../../src/lib/cli/exit-codes.mts';
import type { ErrorCode } from '../../../../src/lib/errors.mts';

//                            engine runtime execution capability install
const TABLE: Record<ErrorCode, [number, number, number, number, number]> = {
  USAGE: [2, 2, 2, 2, 2],
  CONFIG: [2, 2, 2, 2, 2],
  SOURCE: [2, 2, 1, 2, 1],
  MODE: [2, 2, 2, 2, 1],
  HELD: [3, 3, 3, 3, 1],
  AMBIGUOUS: [3, 3, 3, 3, 1],
  CHANGING: [3, 3, 3, 3, 1],
  NO_MATCH: [4, 3, 4, 4, 1],
  EXISTS: [4, 4, 2, 4, 1],
  NO_TURNS: [4, 4, 4, 4, 1],
  SHAPE: [4, 4, 2, 2, 1],
  BAD_LINES: [5, 5, 5, 5, 1],
  DAMAGED: [1, 1, 5, 1, 1],
  FINDINGS: [1, 1, 1, 1, 1],
  DECLINED: [1, 1, 1, 1, 1],
  NEWER: [1, 1, 1, 1, 1],
  IO: [1, 1, 1, 1, 1],
  REJECTED: [6, 6, 6, 6, 1],
  DENIED: [3, 3, 3, 3, 1],
  NEEDS_AUTH: [4, 4, 4, 4, 1],
};

it.each(Object.entries(TABLE))('%s exits as the contract says in every layer', (code, expected) => {
  const layers = ['engine', 'runtime', 'execution', 'capability', 'install'] as const;
  expect(layers.map((layer) => exitCodeOf(code as ErrorCode, layer))).toEqual(expected);
});
