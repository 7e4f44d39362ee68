import type { Program } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { program as handoff } from '../handoff/table.mts';

/** The runtime layer. */
export const program: Program = {
  name: 'agents-handoff',
  summary: 'acts on the store: freshness, gate, promotion, merging, federation',
  layer: 'runtime',
  verbs: [
    { name: 'auto', summary: 'build where there is something to take; leave a fresh handoff alone', load: async () => (await import('./auto.mts')).command },
    { name: 'verify-gate', summary: 'may this handoff be called verified? Reads only', load: async () => (await import('./verify-gate.mts')).command },
    { name: 'promote', summary: 'stamp a handoff that passes the gate', load: async () => (await import('./promote.mts')).command },
    { name: 'merge', summary: 'read two handoffs as one, in the order of time', load: async () => (await import('./merge.mts')).command },
    { name: 'federated-merge', summary: 'import from other stores what is not here or says more', load: async () => (await import('./federated-merge.mts')).command },
    { name: 'validate', summary: 'the twelve checks of a live HANDOFF.md', load: async () => (await import('./validate.mts')).command },
    { name: 'dispatch', summary: 'hand a handoff that passes the gate to a broker', load: async () => (await import('./dispatch.mts')).command },
    { name: 'self-improve', summary: 'list long sessions whose brief is thin: counts, no content', load: async () => (await import('./self-improve.mts')).command },
    { name: 'index', summary: 'make INDEX.json and the PROJECT.md files anew from the sessions', load: async () => (await import('./index-verb.mts')).command },
    { name: 'unlock', summary: 'show who holds a session\'s lock; remove a dead one', load: async () => (await import('./unlock.mts')).command },
  ],
  rewrite(argv) {
    const name = argv.find((word) => !word.startsWith('-'));
    // Under the one name `agents-handoff` there are two programs: who mistakes one for the other is told which has the verb.
    if (name !== undefined && handoff.verbs.some((verb) => verb.name === name) && !argv.includes('--version')) {
      throw new HandoffError('USAGE', `${name} is a verb of handoff, not of this program: \`handoff ${name}\`, or node tools/handoff.mjs ${name}`);
    }
    return argv;
  },
};
