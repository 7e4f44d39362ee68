import type { Program } from '../../lib/cli/command.mts';

/** Bounded execution. */
export const program: Program = {
  name: 'runtime-engine',
  summary: 'decides whether an operation may run, before it runs',
  layer: 'execution',
  verbs: [
    { name: 'evaluate', summary: 'may an operation of this risk touch this target? Does nothing', load: async () => (await import('./evaluate.mts')).command },
    { name: 'run', summary: 'do one operation, if the policy allows it', load: async () => (await import('./run.mts')).command },
    { name: 'policy', summary: 'print the policy in force; reads only', load: async () => (await import('./policy.mts')).command },
  ],
};
