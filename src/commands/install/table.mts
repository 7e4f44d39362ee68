import type { Program } from '../../lib/cli/command.mts';

/** The installer. */
export const program: Program = {
  name: 'install',
  summary: 'installs, updates, verifies and removes the skill',
  layer: 'install',
  verbs: [],
};
