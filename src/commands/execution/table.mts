import type { Program } from '../../lib/cli/command.mts';

/** Bounded execution. */
export const program: Program = {
  name: 'runtime-engine',
  summary: 'decides whether an operation may run, before it runs',
  layer: 'execution',
  called: (verb) => `agents-handoff ${verb}`,
  verbs: [
    { name: 'evaluate', summary: 'may an operation of this risk touch this target? Does nothing', load: async () => (await import('./evaluate.mts')).command },
    { name: 'run', summary: 'do one operation, if the policy allows it', load: async () => (await import('./run.mts')).command },
    { name: 'job', summary: 'do steps one by one, each judged first, with a sealed checkpoint after each', load: async () => (await import('./job.mts')).command },
    { name: 'resume', summary: 'go on with a job from its checkpoint', load: async () => (await import('./resume.mts')).command },
    { name: 'status', summary: 'how far a job has come, and what it waits for; reads only', load: async () => (await import('./status.mts')).command },
    { name: 'policy', summary: 'print the policy in force; reads only', load: async () => (await import('./policy.mts')).command },
  ],
};
