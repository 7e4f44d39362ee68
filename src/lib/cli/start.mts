/**
 * The first code of every entry point. It and the entry files keep to syntax that old Node versions parse,
 * and reach everything else by `import()`, so that such a version gets a sentence and not a syntax error.
 */
import type { Program } from './command.mts';

const OLDEST_NODE = 20;

/** Loads the runner and the program's table together, and runs. `load` is the import of the table. */
export function start(load: () => Promise<{ program: Program }>): void {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    console.error('agents-handoff needs Node.js ' + OLDEST_NODE + ' or newer; this is ' + process.versions.node + '.');
    // A hook stops no client: some take 2 for a word of ours to go on.
    process.exitCode = process.argv.includes('--hook') ? 0 : 2;
    return;
  }
  void Promise.all([import('./runner.mts'), load()]).then((loaded) => loaded[0].runMain(loaded[1].program));
}
