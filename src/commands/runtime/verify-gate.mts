import path from 'node:path';
import { below } from '../../lib/below.mts';
import type { Command, Io } from '../../lib/cli/command.mts';
import { storeHere } from '../../lib/cli/store.mts';
import { HandoffError } from '../../lib/errors.mts';
import { CHECKS, failedChecks, judge, type Gate } from '../../runtime/gate.mts';
import { sessionPaths } from '../../store/layout.mts';
import { dirOf, findByPrefix } from '../../store/lookup.mts';

const flags = {
  format: { type: 'value', value: '<github>', summary: 'print annotations that a workflow shows, instead of JSON' },
} as const;

export const command: Command<typeof flags> = {
  name: 'verify-gate',
  summary: 'may this handoff be called verified? Reads only',
  args: '<prefix>',
  positionals: { min: 1, max: 1 },
  flags,
  exits: { 0: 'VERIFIED', 1: 'the file system refused', 2: 'wrong words or configuration', 3: 'the prefix matches none or several, or the session kept changing', 6: 'REJECTED' },
  example: 'agents-handoff verify-gate 5f0c',
  run(options, [prefix], io) {
    if (options.format !== undefined && options.format !== 'github') throw new HandoffError('USAGE', `--format takes github, not ${options.format}`);
    const { root } = storeHere(io);
    const row = findByPrefix(root, prefix ?? '');
    const gate = judge(root, row);
    const text = options.format === 'github' ? annotations(gate, `${row.project}/${row.id}`, briefFrom(dirOf(root, row), io)) : JSON.stringify(gate, null, 2);
    return { json: gate, text, exit: gate.ok ? 0 : 6 };
  },
};

/** The brief as the workflow's checkout names it, so that an annotation stands beside it; undefined where it lies elsewhere. */
function briefFrom(dir: string, { env, cwd }: Io): string | undefined {
  return below(env['GITHUB_WORKSPACE'] ?? cwd, sessionPaths(dir).brief)?.replaceAll(path.sep, '/');
}

/** Lines of GitHub's workflow commands; what could end one is escaped. */
function annotations(gate: Gate, place: string, file: string | undefined): string {
  const command = (kind: 'notice' | 'error', title: string, text: string) => `::${kind} ${file === undefined ? '' : `file=${property(file)},`}title=${property(title)}::${data(`${place}: ${text}`)}`;
  if (gate.ok) return command('notice', 'Evidence gate', 'VERIFIED');
  const failed = failedChecks(gate).map((check) => command('error', `Evidence gate: ${check}`, gate.details[check]));
  return [...failed, `${place}: REJECTED (${CHECKS.map((check) => `${check} ${gate.checks[check]}`).join(', ')})`].join('\n');
}

function data(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(text: string): string {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
