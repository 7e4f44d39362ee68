import path from 'node:path';
import { endOf, runProgram } from '../program.mts';
import { healthy, unhealthy, type Probe } from '../probe.mts';

/** The word that stands for the node that runs this. */
const NODE = '<node>';

/** Runs it: a program that is there and does not work is of no use. Its target is the program, its `args` the words behind it. */
export const probe: Probe = async ({ target, args = [] }, ground, limitMs) => {
  // A path is one from the registry's folder; a bare name is looked for on the PATH.
  const program = target === NODE ? ground.node : /[\\/]/.test(target) ? path.resolve(ground.folder, target) : target;
  const { well, how } = endOf(await runProgram(program, args, ground, limitMs), limitMs);
  return (well ? healthy : unhealthy)(`${[target, ...args].join(' ')}: ${how}`);
};
