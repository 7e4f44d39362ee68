import type { Program } from '../lib/cli/command.mts';
import { program as capability } from './capability/table.mts';
import { program as execution } from './execution/table.mts';
import { program as handoff } from './handoff/table.mts';
import { program as install } from './install/table.mts';
import { program as runtime } from './runtime/table.mts';

/** Every verb of every program. The engine is first: `verify` and `list` are its, not the installer's. */
export const program: Program = {
  name: 'agents-handoff',
  summary: `handoffs of coding-agent sessions, from transcripts to ${install.verbs.length === 0 ? 'a store and a gate' : 'a store, a gate and an installer'}`,
  verbs: [],
  groups: [handoff, runtime, execution, capability, install],
  rewrite: (argv) => handoff.rewrite?.(argv) ?? argv,
};
