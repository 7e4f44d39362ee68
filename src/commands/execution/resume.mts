import type { Command } from '../../lib/cli/command.mts';
import { resumeJob } from '../../execution/job.mts';
import { openSetting } from '../../execution/setting.mts';
import { needed, policyFlag, tellJob, wholeNumber } from './shared.mts';

const MAX_RESUMES = 8;

const flags = {
  session: { type: 'value', value: '<id>', summary: 'the name of the job' },
  steps: { type: 'number', value: '<n>', summary: 'how many steps it has, to make sure that it is the one' },
  approve: { type: 'number', value: '<step>', summary: 'let the step that waits run once; written down' },
  'max-resumes': { type: 'number', value: '<n>', summary: `how often it may be resumed without a step done (${MAX_RESUMES})` },
  ...policyFlag,
} as const;

export const command: Command<typeof flags> = {
  name: 'resume',
  summary: 'go on with a job from its checkpoint; no step twice, none lost',
  args: '--session <id>',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'completed, now or before', 1: 'a step failed, or the file system refused', 2: 'wrong words or policy, another number of steps, or no step waits for that approval', 3: 'a step is denied, resumed too often without progress, or another process works on the job', 4: 'there is no such job, or a step waits for --approve', 5: 'the checkpoint or the work log is damaged' },
  example: 'agents-handoff resume --session nightly --approve 3',
  async run(options, _words, io) {
    const session = needed(options.session, 'resume', '--session <id>');
    const maxResumes = wholeNumber(options['max-resumes'] ?? MAX_RESUMES, '--max-resumes', 0, 1_000_000);
    return tellJob(await resumeJob(openSetting(io, options.policy), io, session, { steps: options.steps, approve: options.approve, maxResumes }));
  },
};
