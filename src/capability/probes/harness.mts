import fs from 'node:fs/promises';
import { folderOf, homeOf, PLACES } from '../../transcript/places.mts';
import { endOf, firstLine, runProgram } from '../program.mts';
import { healthy, unhealthy, unknown, type Probe } from '../probe.mts';

/** What each harness is started with, where that is not its name. All of them know `--version`. */
const PROGRAMS: Readonly<Record<string, string>> = { 'claude-code': 'claude', continue: 'cn' };

/** Healthy where the harness answers; a folder without a program may be left over, or belong to an editor. */
export const probe: Probe = async ({ target }, ground, limitMs) => {
  const place = PLACES.find(({ harness }) => harness === target);
  if (place === undefined) return unknown(`no harness "${target}" is known (known: ${PLACES.map(({ harness }) => harness).join(', ')})`);
  const folder = folderOf(place, ground.env, homeOf(ground.env));
  const there = folder !== undefined && (await fs.stat(folder).then((stat) => stat.isDirectory(), () => false));
  const where = folder === undefined ? 'no home is known to look for its folder in' : there ? `its folder is ${folder}` : `its folder ${folder} is not there`;
  const program = PROGRAMS[target] ?? target;
  const ran = await runProgram(program, ['--version'], ground, limitMs);
  if (!ran.started && ran.missing) return (there ? unknown : unhealthy)(`${where}, and no program ${program} is on the PATH`);
  const { well, how } = endOf(ran, limitMs);
  const version = ran.started && well ? /\d+\.\d+[\w.+-]*/.exec(firstLine(ran.stdout) ?? '')?.[0] : undefined;
  if (version === undefined) return unhealthy(`${where}; ${program} --version: ${how}`);
  return healthy(`version ${version}; ${where}`);
};
