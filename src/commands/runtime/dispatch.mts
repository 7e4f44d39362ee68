import path from 'node:path';
import type { Command } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { HandoffError } from '../../lib/errors.mts';
import { DEFAULT_ROLE, dispatch } from '../../runtime/dispatch.mts';
import { createRedactor } from '../../transcript/redaction/create.mts';
import { findByPrefix } from '../../store/lookup.mts';

const flags = {
  task: { type: 'value', value: '<objective>', summary: 'what the next agent is to do' },
  role: { type: 'value', value: '<role>', summary: `who is asked (${DEFAULT_ROLE})` },
  parent: { type: 'value', value: '<id>', summary: 'the task that this one belongs to' },
  broker: { type: 'value', value: '<root>', summary: 'the folder of the broker' },
  live: { type: 'boolean', summary: 'send it; without this nothing is written' },
  again: { type: 'boolean', summary: 'send it although the same was sent before, or may have been' },
} as const;

export const command: Command<typeof flags> = {
  name: 'dispatch',
  summary: 'hand a handoff that passes the gate to a broker',
  args: '<prefix>',
  positionals: { min: 1, max: 1 },
  flags,
  exits: { 0: 'shown, sent, or sent before', 1: 'the gate rejected it, the broker failed, or it is not known whether the broker has it', 2: 'wrong words or configuration', 3: 'the prefix matches none or several, no broker, or the same dispatch is on its way' },
  example: 'agents-handoff dispatch 5f0c --task "Add the coupon tests"',
  run(options, [prefix], io) {
    if (options.task === undefined || options.task.trim() === '') throw new HandoffError('USAGE', 'dispatch needs --task <objective>');
    for (const flag of ['role', 'parent', 'broker'] as const) if (options[flag]?.trim() === '') throw new HandoffError('USAGE', `--${flag} is empty`);
    const { root, config } = storeHere(io);
    const { enabled, patterns } = config.redaction;
    const redactor = enabled ? createRedactor({ patterns }) : undefined;
    const result = dispatch(root, findByPrefix(root, prefix ?? ''), {
      task: options.task, role: options.role ?? DEFAULT_ROLE, parent: options.parent,
      broker: options.broker === undefined ? undefined : path.resolve(io.cwd, options.broker),
      live: options.live === true, again: options.again === true, node: io.node, env: io.env,
      redact: (value) => redactor?.data(value) ?? value,
    });
    return { json: result, text: JSON.stringify(result, null, 2), exit: result.ok ? 0 : 1 };
  },
};
