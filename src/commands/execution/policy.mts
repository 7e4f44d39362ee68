import type { Command } from '../../lib/cli/command.mts';
import { ROOT_LISTS } from '../../execution/policy-shape.mts';
import { openSetting, type Setting } from '../../execution/setting.mts';
import { policyFlag } from './shared.mts';

const flags = {
  resolved: { type: 'boolean', summary: 'what its roots are on this machine, and which stand for nothing here' },
  ...policyFlag,
} as const;

export const command: Command<typeof flags> = {
  name: 'policy',
  summary: 'print the policy in force; reads only',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'printed', 2: 'wrong words, policy or state directory' },
  example: 'agents-handoff policy --resolved',
  run(options, _words, io) {
    const setting = openSetting(io, options.policy);
    if (options.resolved === true) {
      const json = resolved(setting);
      return { json, text: JSON.stringify(json, null, 2) };
    }
    return { json: JSON.parse(setting.text.replace(/^\ufeff/, '')), text: setting.text };
  },
};

function resolved({ source, repo, roots }: Setting): object {
  return {
    policy: source,
    repository: repo,
    state: roots.state.real,
    ...Object.fromEntries(ROOT_LISTS.map((list) => [list, roots[list].map(({ written, real, identity }) => ({ written, real, exists: identity !== undefined }))])),
    skipped: roots.skipped,
  };
}
