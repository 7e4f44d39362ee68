import type { Command } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { HandoffError } from '../../lib/errors.mts';
import { federate } from '../../runtime/federate.mts';

const flags = {
  from: { type: 'values', value: '<root>', summary: 'the root of another store' },
  'dry-run': { type: 'boolean', summary: 'say what would be imported; write nothing' },
} as const;

export const command: Command<typeof flags> = {
  name: 'federated-merge',
  summary: 'import from other stores what is not here or says more',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'imported, or nothing to import', 1: 'a session or a root failed; the others were imported', 2: 'wrong words or configuration, or no --from', 3: 'another federation is at work' },
  example: 'agents-handoff federated-merge --from ../other/handoffs --dry-run',
  details: 'A session that went on in both stores stays twice: the one that wins keeps its id, the other is <session>~<8 hex>.',
  async run(options, _words, io) {
    const { root, config } = storeHere(io);
    const roots = options.from ?? [];
    if (roots.length === 0 || roots.includes('')) throw new HandoffError('USAGE', 'federated-merge needs --from <root>, once or more');
    const place = {
      root, cwd: io.cwd, rules: { maxBriefTokens: config.max_brief_tokens, tools: config.capture },
      note: (message: string) => io.note(message), progress: (message: string) => io.progress(message), onSignal: (undo: () => void) => io.onSignal(undo),
    };
    const result = await federate(place, roots, options['dry-run'] === true);
    return { json: result, text: JSON.stringify(result, null, 2), exit: result.ok ? 0 : 1 };
  },
};
