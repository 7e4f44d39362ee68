import { answer } from '../../lib/cli/answer.mts';
import type { Command } from '../../lib/cli/command.mts';
import { classify } from '../../execution/classify.mts';
import { EXIT_OF, decide } from '../../execution/decision.mts';
import { recordDecision } from '../../execution/records.mts';
import { openSetting } from '../../execution/setting.mts';
import { needed, policyFlag } from './shared.mts';

const flags = {
  risk: { type: 'value', value: '<R0..R4>', summary: 'what the operation risks' },
  target: { type: 'value', value: '<path>', summary: 'what it is about, relative to the repository (the repository)' },
  ...policyFlag,
} as const;

export const command: Command<typeof flags> = {
  name: 'evaluate',
  summary: 'may an operation of this risk touch this target? Does nothing',
  args: '--risk <R0..R4>',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'ALLOWED', 1: 'the decision could not be written down', 2: 'wrong words, policy or state directory', 3: 'DENIED', 4: 'NEEDS_AUTH' },
  example: 'agents-handoff evaluate --risk R0 --target src/cart.ts',
  run(options, _words, io) {
    const risk = needed(options.risk, 'evaluate', '--risk <R0..R4>');
    const setting = openSetting(io, options.policy);
    const target = options.target ?? setting.repo;
    const classified = classify(target, setting);
    const decision = decide('evaluate', risk, classified, setting.policy);
    const record = recordDecision(setting, { op: 'evaluate', target }, decision, classified, false);
    return answer({ ...decision, record: record.place }, EXIT_OF[decision.verdict]);
  },
};
