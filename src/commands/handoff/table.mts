import type { Program } from '../../lib/cli/command.mts';

/** The capture engine. Help order is the order of the table. */
export const program: Program = {
  name: 'handoff',
  summary: 'one transcript in, one handoff out',
  verbs: [
    { name: 'config', summary: 'show which store is used, and why', load: async () => (await import('./config.mts')).command },
  ],
  // 2.0.x had no verb for a build: `--handoff --source <file>`.
  rewrite(argv) {
    const flag = argv.indexOf('--handoff');
    const end = argv.indexOf('--');
    if (flag === -1 || (end !== -1 && end < flag)) return argv;
    if (this.verbs.some(({ name }) => name === argv[0])) return argv;
    return ['build', ...argv.slice(0, flag), ...argv.slice(flag + 1)];
  },
};
