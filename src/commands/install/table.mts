import type { Program, Verb } from '../../lib/cli/command.mts';

/** Flags that take a value, in any verb: the word behind one is no verb. Here, because every start of every program reads this file. */
const VALUE_FLAGS: ReadonlySet<string> = new Set(['harness', 'skills-dir', 'path', 'location', 'version', 'registry']);

/** The verb of a line that begins with a flag and has no flag form of another. */
const DEFAULT = 'install';

const verbs: readonly Verb[] = [
  { name: 'install', aliases: ['i', '--install'], summary: 'put a copy of the skill where clients look for skills', load: async () => (await import('./install.mts')).command },
  { name: 'update', aliases: ['u', '--update'], summary: 'bring installed copies to this version; a store in one stays', load: async () => (await import('./update.mts')).command },
  { name: 'remove', aliases: ['rm', 'uninstall', '--remove', '--uninstall'], summary: 'take away what an installation put there; a store and edited files stay', load: async () => (await import('./remove.mts')).command },
  { name: 'verify', aliases: ['v', '--verify'], summary: 'hash every file of installed copies again and hold them against their records', load: async () => (await import('./verify.mts')).command },
  { name: 'verify-package', aliases: ['vp', '--verify-package'], summary: 'hold installed copies against the package that was published', load: async () => (await import('./verify-package.mts')).command },
  { name: 'list', aliases: ['ls', '--list'], summary: 'every installation that can be found: version, files, state', load: async () => (await import('./list.mts')).command },
  { name: 'where', aliases: ['--where'], summary: 'where a copy goes, and by which rule; which harnesses are here', load: async () => (await import('./where.mts')).command },
  { name: 'doctor', aliases: ['--doctor'], summary: 'what each harness here finds, and whether it is as it was installed; changes nothing', load: async () => (await import('./doctor.mts')).command },
  { name: 'version', summary: 'print the version of the installer', load: async () => (await import('./version.mts')).command },
];

/** The installer. */
export const program: Program = {
  name: 'install',
  summary: 'installs, updates, verifies and removes the skill',
  layer: 'install',
  // `verify` and `list` alone are the store's.
  called: (verb) => `npx agents-handoff ${verb === 'verify' || verb === 'list' ? 'install ' : ''}${verb}`,
  verbs,
  // `--claude`, `--harness claude --remove`: a line without a verb has it as a flag, or means `install`.
  rewrite(argv) {
    const at = argv.findIndex((word) => !['--json', '--help', '-h'].includes(word));
    const asksHelp = argv.slice(0, at === -1 ? undefined : at).some((word) => word !== '--json');
    if (at === -1) return asksHelp ? argv : [...argv, DEFAULT];
    if (!argv[at]?.startsWith('-')) return argv;
    if (argv[at] === '--version' && argv.length === at + 1) return [...argv.slice(0, at), 'version'];
    const form = flagForm(argv);
    return form === undefined ? [...argv.slice(0, at), DEFAULT, ...argv.slice(at)] : [form.verb.name, ...argv.slice(0, form.at), ...argv.slice(form.at + 1)];
  },
};

/** The first word that is a verb's flag form and not another flag's value. */
export function flagForm(argv: readonly string[]): { verb: Verb; at: number } | undefined {
  for (let at = 0; at < argv.length && argv[at] !== '--'; at += 1) {
    const word = argv[at] ?? '';
    const verb = verbs.find(({ aliases }) => word.startsWith('--') && aliases?.includes(word) === true);
    if (verb !== undefined) return { verb, at };
    if (VALUE_FLAGS.has(word.slice(2))) at += 1;
  }
  return undefined;
}
