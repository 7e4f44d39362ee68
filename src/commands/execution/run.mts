import { answer } from '../../lib/cli/answer.mts';
import type { Command } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { EXIT_OF } from '../../execution/decision.mts';
import { operate, type Operated, type Operation } from '../../execution/operate.mts';
import { openSetting } from '../../execution/setting.mts';
import { needed, policyFlag } from './shared.mts';

const flags = {
  risk: { type: 'value', value: '<R0..R4>', summary: 'what the operation risks' },
  op: { type: 'value', value: '<op>', summary: 'read: tell the size and hash of a file; spawn: run Node with these words' },
  target: { type: 'value', value: '<path>', summary: 'read: the file, relative to the repository' },
  args: { type: 'value', value: '<words>', summary: 'spawn: the words for Node, split on blanks' },
  arg: { type: 'values', value: '<word>', summary: 'spawn: one word, blanks and all; after those of --args' },
  ...policyFlag,
} as const;

export const command: Command<typeof flags> = {
  name: 'run',
  summary: 'do one operation, if the policy allows it; the decision is on disk before it begins',
  args: '--risk <R0..R4> --op <read|spawn>',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'done; for spawn, the process ended with 0', 1: 'it was allowed and failed, or the process ended without an exit code', 2: 'wrong words, policy or state directory', 3: 'DENIED', 4: 'NEEDS_AUTH' },
  example: 'agents-handoff run --risk R1 --op spawn --args "scripts/report.mjs --short"',
  details: 'A process that ends with an exit code of its own gives it to this command: `executed` in the answer tells it from a refusal. A process gets 15 seconds, no shell, no input and a short environment.',
  async run(options, _words, io) {
    const operation = operationOf(options);
    const result = await operate(openSetting(io, options.policy), operation, io);
    return answer(told(result), exitOf(result));
  },
};

type Given = { readonly [flag in 'risk' | 'op' | 'target' | 'args']?: string } & { readonly arg?: string[] };

function operationOf({ risk: named, op: asked, target, args, arg }: Given): Operation {
  const risk = needed(named, 'run', '--risk <R0..R4>');
  const op = needed(asked, 'run', '--op <read|spawn>');
  if (op === 'read') {
    if (args !== undefined || arg !== undefined) throw new HandoffError('USAGE', 'run --op read takes --target, not --args');
    return { op, risk, target: needed(target, 'run --op read', '--target <path>') };
  }
  if (op !== 'spawn') throw new HandoffError('USAGE', `--op takes read or spawn, not ${op}`);
  if (target !== undefined) throw new HandoffError('USAGE', 'run --op spawn takes --args, not --target');
  const words = [...(args ?? '').split(' ').filter((word) => word !== ''), ...(arg ?? [])];
  if (words.length === 0) throw new HandoffError('USAGE', 'run --op spawn needs --args "<words for node>"');
  return { op, risk, args: words };
}

function told({ decision, outcome, executed, facts, record }: Operated): object {
  if (outcome === 'refused') return { ...decision, executed, record: record.place };
  return { executed, ...facts, record: record.place };
}

function exitOf({ decision, outcome, facts }: Operated): number {
  if (outcome === 'refused') return EXIT_OF[decision.verdict];
  if (outcome === 'failed') return 1;
  return typeof facts['exit_code'] === 'number' ? facts['exit_code'] : 0;
}
