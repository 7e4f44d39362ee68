import { answer } from '../../lib/cli/answer.mts';
import type { Command } from '../../lib/cli/command.mts';
import { jobStatus } from '../../execution/job.mts';
import { openSetting } from '../../execution/setting.mts';
import { needed, policyFlag } from './shared.mts';

const flags = {
  session: { type: 'value', value: '<id>', summary: 'the name of the job' },
  ...policyFlag,
} as const;

export const command: Command<typeof flags> = {
  name: 'status',
  summary: 'how far a job has come, and what it waits for; reads only',
  args: '--session <id>',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'shown', 2: 'wrong words or policy', 4: 'there is no such job', 5: 'the checkpoint or the work log is damaged' },
  example: 'agents-handoff status --session nightly',
  run(options, _words, io) {
    const session = needed(options.session, 'status', '--session <id>');
    const { checkpoint, logged } = jobStatus(openSetting(io, options.policy), session);
    const { seq, steps_total, completed, paused, begun, approvals, resumes_without_progress, ledger, plan } = checkpoint;
    return answer({
      session, seq, steps_total, completed, work_log_lines: logged,
      ...(plan === undefined ? {} : { plan: { file: plan.file, sha256: plan.sha256 } }),
      ...(paused === undefined ? {} : { paused }),
      ...(begun === undefined ? {} : { begun }),
      approvals, resumes_without_progress, ledger,
    });
  },
};
