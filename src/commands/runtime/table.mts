import type { Program } from '../../lib/cli/command.mts';

/** The runtime layer. */
export const program: Program = {
  name: 'agents-handoff',
  summary: 'acts on the store: freshness, gate, promotion, merging, federation',
  layer: 'runtime',
  verbs: [],
};
