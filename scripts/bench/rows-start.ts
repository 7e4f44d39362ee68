/** Rows about the start of every entry point, and about tools that everybody has on the same file. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectText, type Bench, type Line } from './bench.ts';
import { inPairs, run, type Work } from './measure.ts';

const PRODUCT = fileURLToPath(new URL('../..', import.meta.url));
/** Each with the least that it can be asked. */
const ENTRIES: readonly (readonly [file: string, ...words: string[]])[] = [
  ['tools/handoff.mjs', '--version'],
  ['tools/agents-handoff.mjs', '--version'],
  ['tools/agent-handoff.mjs', '--version'],
  ['tools/runtime-engine.mjs', '--version'],
  ['tools/capability-registry.mjs', '--version'],
  ['tools/cli.mjs', '--version'],
  ['install/install.mjs', 'version'],
];

export function startOfEach(bench: Bench): Line[] {
  const node: Work = { argv: ['-e', '0'], cwd: bench.scratch };
  return ENTRIES.map(([file, ...words]) => {
    const ours: Work = { argv: [path.join(PRODUCT, file), ...words], cwd: bench.scratch, after: (stdout) => expectText(stdout, /^\d+\.\d+\.\d+\n$/) };
    const seen = inPairs(() => run(node), () => run(ours), bench.quick ? 11 : 101);
    return { work: `start: ${[file, ...words].join(' ')}`, value: seen.ratio, most: 1.3, unit: '×', floor: seen.floor, ours: seen.ours, spread: [seen.low, seen.high] };
  });
}

const TOOLS: readonly (readonly [program: string, ...words: string[]])[] = [['sha256sum'], ['wc'], ['jq', '-c', '.']];

/** No promise, so no bound: what anybody can see again with `time` on a transcript of their own. */
export function besidePlainTools(bench: Bench): Line[] {
  const size = bench.quick ? 20 : 100;
  const { file, bytes } = bench.transcript(size);
  return TOOLS.flatMap(([program, ...words]): Line[] => {
    if (spawnSync(program, ['--version'], { stdio: 'ignore' }).error !== undefined) {
      bench.say(`there is no ${program} here: left out`);
      return [];
    }
    const tool: Work = { program, argv: [...words, file], cwd: bench.scratch, unread: true };
    const seen = inPairs(() => run(tool), () => run(bench.coldBuild(file)), 3);
    return [{ work: `build, ${size} MB, beside ${[program, ...words].join(' ')}`, value: seen.ratio, unit: '×', floor: seen.floor, ours: seen.ours, bytes, spread: [seen.low, seen.high] }];
  });
}
