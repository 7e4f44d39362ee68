import type { Command, Io } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { counted } from '../../lib/plural.mts';
import { shellWord } from '../../lib/shell-word.mts';
import type { Installation } from '../../install/found.mts';
import { isUsers } from '../../install/places.mts';
import { startProblem } from '../../install/smoke.mts';
import { installationsMeant, listLine, NOTHING_INSTALLED } from './acting.mts';
import { TARGET_FLAGS, TELL_FLAGS, groundOf, wantedOf } from './flags.mts';
import { documentOf, tell } from './report.mts';

const flags = { ...TARGET_FLAGS, ...TELL_FLAGS } as const;

export interface Judged {
  target: string;
  version: string | null;
  /** `no-record` is neither a pass nor a failure. */
  verdict: 'pass' | 'fail' | 'no-record';
  state: Installation['checked']['state'];
  files: number;
  changed: readonly string[];
  missing: readonly string[];
  problems: readonly string[];
  places: readonly string[];
}

export const command: Command<typeof flags> = {
  name: 'verify',
  summary: 'hash every file of installed copies again and hold them against their records',
  positionals: { min: 0, max: 0 },
  flags,
  exits: { 0: 'every file is as it was installed, or there is no record that could say', 1: 'a file was changed or is missing, a copy is interrupted, or nothing is installed', 2: 'wrong words' },
  example: 'npx agents-handoff --verify --harness claude',
  details: 'Without a target: every installation that `list` finds. The copy\'s own program is started only where every hash is right, and never one that came with a repository, unless --path or --skills-dir names it.',
  run(options, _words, io) {
    const wanted = wantedOf(options);
    const meant = installationsMeant(wanted, io);
    const named = wanted.path !== undefined || wanted.skillsDir !== undefined;
    if (meant.length === 0) throw new HandoffError('NO_MATCH', NOTHING_INSTALLED);
    const results = meant.map((installation) => judge(installation, io, named));
    const ok = results.every(({ verdict }) => verdict !== 'fail');
    return {
      json: { ok, action: 'verify', results: results.map((result) => ({ ...result, record: documentOf(result.target) })) },
      text: results.flatMap((result) => [...judgedText(result), ...tell(result.target, options)]).map((line) => `${line}\n`),
      exit: ok ? 0 : 1,
    };
  },
};

/**
 * What is to be said of one installation. Its program is started where that is safe: whoever wrote a repository wrote the record of
 * a copy in it too, so that one is started only where a person `named` its folder.
 */
export function judge({ real, copy, checked, places }: Installation, io: Io, named = false): Judged {
  const { state, changed, missing, files } = checked;
  const ours = named || isUsers(real, groundOf(io));
  const starts = state === 'ok' && ours ? startProblem(real, io.node, io.env) : undefined;
  const problems = starts === undefined ? checked.problems : [...checked.problems, starts];
  const verdict = state === 'no-record' ? 'no-record' : state === 'ok' && starts === undefined ? 'pass' : 'fail';
  return { target: real, version: copy.record?.version ?? null, verdict, state, files, changed, missing, problems, places };
}

export function judgedText({ target, version, verdict, files, changed, missing, problems }: Judged): string[] {
  if (verdict === 'no-record') return [`install: ${target}: no record (installed before 2.0.3): it can neither pass nor fail; \`npx agents-handoff install --force --path ${shellWord(target)}\` writes one`];
  const head = verdict === 'pass' ? `PASS ${target}: ${version}, ${counted(files, 'file')} as installed` : `FAIL ${target}: ${version ?? 'no record'}`;
  return [`install: ${head}`, ...listLine('changed', changed), ...listLine('missing', missing), ...problems.map((problem) => `  ${problem}`)];
}
