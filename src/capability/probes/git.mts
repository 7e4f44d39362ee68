import { ALONE, QUIET } from '../../lib/git.mts';
import { endOf, firstLine, runProgram } from '../program.mts';
import { healthy, pathOf, unhealthy, type Probe } from '../probe.mts';

/** Whether git is here and the target lies in a work tree. */
export const probe: Probe = async ({ target }, ground, limitMs) => {
  const place = pathOf(target, ground);
  const ask = (...args: string[]) => runProgram('git', args, ground, limitMs, ALONE);
  const [version, top] = await Promise.all([ask('--version'), ask(...QUIET, '-C', place, 'rev-parse', '--show-toplevel')]);
  const said = endOf(version, limitMs);
  if (!version.started || !said.well) return unhealthy(`git --version: ${said.how}`);
  const named = firstLine(version.stdout) ?? 'git';
  const found = endOf(top, limitMs);
  if (!top.started || !found.well) return unhealthy(`${named}, and ${place} lies in no work tree (${found.how})`);
  return healthy(`${named}, work tree ${firstLine(top.stdout) ?? place}`);
};
