import type { Program } from '../lib/cli/command.mts';
import { program as capability } from './capability/table.mts';
import { program as execution } from './execution/table.mts';
import { program as handoff } from './handoff/table.mts';
import { flagForm, program as install } from './install/table.mts';
import { program as runtime } from './runtime/table.mts';

/** Every verb of every program. The engine is first: `verify` and `list` are its, not the installer's. */
export const program: Program = {
  name: 'agents-handoff',
  summary: 'handoffs of coding-agent sessions, from transcripts to a store, a gate and an installer',
  verbs: [],
  groups: [handoff, runtime, execution, capability, install],
  footnote: 'verify and list are those of the store; the installer\'s own are --verify and --list, or `install verify` and `install list`.',
  rewrite: (argv) => installerLine(argv) ?? handoff.rewrite?.(argv) ?? argv,
};

/** `install list` and `--harness claude --list` as `--list …`, which no other program has; undefined for every other line. */
function installerLine(argv: readonly string[]): readonly string[] | undefined {
  const at = argv.findIndex((word) => word !== '--json');
  const word = argv[at] ?? '';
  if (word === 'install') {
    const verb = install.verbs.find(({ name, aliases }) => name === argv[at + 1] || aliases?.includes(argv[at + 1] ?? '') === true);
    if (verb === undefined) return undefined;
    const form = verb.aliases?.find((alias) => alias.startsWith('--')) ?? verb.name;
    return [...argv.slice(0, at), form, ...argv.slice(at + 2)];
  }
  const form = word.startsWith('--') ? flagForm(argv) : undefined;
  return form === undefined ? undefined : [argv[form.at] ?? '', ...argv.slice(0, form.at), ...argv.slice(form.at + 1)];
}
