import type { Program } from '../../lib/cli/command.mts';

/** The capture engine. Help order is the order of the table. */
export const program: Program = {
  name: 'handoff',
  summary: 'one transcript in, one handoff out',
  verbs: [
    { name: 'build', summary: 'make or update a handoff from a transcript', load: async () => (await import('./build.mts')).command },
    { name: 'list', summary: 'the handoffs of the store, newest first', load: async () => (await import('./list.mts')).command },
    { name: 'show', summary: 'print a handoff\'s brief, or turns of its timeline', load: async () => (await import('./show.mts')).command },
    { name: 'verify', summary: 'check a handoff against its own record; reads only', load: async () => (await import('./verify.mts')).command },
    { name: 'render', summary: 'make a handoff\'s renders anew from its timeline', load: async () => (await import('./render.mts')).command },
    { name: 'rename', summary: 'move a handoff to another project', load: async () => (await import('./rename.mts')).command },
    { name: 'retitle', summary: 'give a handoff another name', load: async () => (await import('./retitle.mts')).command },
    { name: 'forget', summary: 'remove a handoff from the store; its transcript stays', load: async () => (await import('./forget.mts')).command },
    { name: 'config', summary: 'show which store is used, and why', load: async () => (await import('./config.mts')).command },
    { name: 'sources', summary: 'the transcripts that harnesses have recorded here, newest first', load: async () => (await import('./sources.mts')).command },
    { name: 'export', summary: 'a handoff as one document to send elsewhere; reads only', load: async () => (await import('./export.mts')).command },
    { name: 'check', summary: 'what has moved since a handoff: files, branch, commits, working tree, transcript; reads only', load: async () => (await import('./check.mts')).command },
  ],
  elsewhere: {
    name: 'agents-handoff',
    verbs: [
      'auto', 'verify-gate', 'promote', 'merge', 'federated-merge', 'validate', 'dispatch', 'self-improve', 'index', 'unlock',
      'evaluate', 'run', 'job', 'resume', 'status', 'policy', 'capabilities',
      'install', 'update', 'remove', 'verify-package', 'where', 'doctor',
    ],
  },
  // 2.0.x had no verb for a build: `--handoff --source <file>`.
  rewrite(argv) {
    const flag = argv.indexOf('--handoff');
    const end = argv.indexOf('--');
    if (flag === -1 || (end !== -1 && end < flag)) return argv;
    if (this.verbs.some(({ name }) => name === argv[0])) return argv;
    return ['build', ...argv.slice(0, flag), ...argv.slice(flag + 1)];
  },
};
