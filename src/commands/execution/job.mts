import path from 'node:path';
import type { Command } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { startJob } from '../../execution/job.mts';
import { MOST_STEPS, readPlan } from '../../execution/plan.mts';
import { openSetting } from '../../execution/setting.mts';
import { needed, policyFlag, tellJob, wholeNumber } from './shared.mts';

const flags = {
  session: { type: 'value', value: '<id>', summary: 'the name of the job' },
  steps: { type: 'number', value: '<n>', summary: 'so many steps, each of which is a line in the work log' },
  plan: { type: 'value', value: '<file>', summary: 'the steps are those of this plan' },
  'fail-at': { type: 'number', value: '<k>', summary: 'stop before step k as a kill would, to try resume' },
  ...policyFlag,
} as const;

export const command: Command<typeof flags> = {
  name: 'job',
  summary: 'do steps one by one, each judged first, with a sealed checkpoint after each',
  args: '--session <id> (--steps <n> | --plan <file>)',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'completed', 1: 'a step failed, or the file system refused', 2: 'wrong words, policy or plan, or there is such a job already', 3: 'a step is denied, or another process works on the job', 4: 'a step needs authorization: see resume --approve', 5: 'there is a checkpoint, and it is damaged', 137: 'stopped by --fail-at' },
  example: 'agents-handoff job --session nightly --plan plan.json',
  async run(options, _words, io) {
    const session = needed(options.session, 'job', '--session <id>');
    const { steps, plan: file, 'fail-at': failAt } = options;
    if ((steps === undefined) === (file === undefined)) throw new HandoffError('USAGE', 'job needs --steps <n> or --plan <file>, one of them');
    const setting = openSetting(io, options.policy);
    const work = file === undefined ? wholeNumber(steps ?? 0, '--steps', 1, MOST_STEPS) : readPlan(path.resolve(io.cwd, file));
    const total = typeof work === 'number' ? work : work.steps.length;
    if (failAt !== undefined) wholeNumber(failAt, '--fail-at', 2, total);
    return tellJob(await startJob(setting, io, session, work, failAt));
  },
};
