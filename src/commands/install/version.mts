import type { Command } from '../../lib/cli/command.mts';
import { VERSION } from '../../lib/version.mts';

const flags = {} as const;

export const command: Command<typeof flags> = {
  name: 'version',
  summary: 'print the version of the installer',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'printed', 2: 'wrong words' },
  example: 'node install/install.mjs version',
  run: () => ({ json: { name: 'install', version: VERSION }, text: VERSION }),
};
