import type { Program } from '../../lib/cli/command.mts';

/** The capability probes. */
export const program: Program = {
  name: 'capability-registry',
  summary: 'says what a declared capability really does on this machine',
  layer: 'capability',
  prefix: 'capabilities',
  verbs: [],
};
