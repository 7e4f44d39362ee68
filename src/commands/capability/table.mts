import type { Program } from '../../lib/cli/command.mts';

/** The capability probes. */
export const program: Program = {
  name: 'capability-registry',
  summary: 'says what a declared capability really does on this machine',
  layer: 'capability',
  prefix: 'capabilities',
  called: (verb) => `agents-handoff capabilities ${verb}`,
  verbs: [
    { name: 'check', summary: 'probe what is declared, and say what was seen', load: async () => (await import('./check.mts')).command },
    { name: 'list', summary: 'what is declared, with what the last check found; probes nothing', load: async () => (await import('./list.mts')).command },
  ],
};
