import type { Program } from '../../lib/cli/command.mts';

/** Bounded execution. */
export const program: Program = {
  name: 'runtime-engine',
  summary: 'decides whether an operation may run, before it runs',
  layer: 'execution',
  verbs: [],
};
