/**
 * npm run docs, or tsx scripts/readme-output.ts [--check]
 * Runs README.md's blocks in order, in an empty home on a copy of the checkout, and puts what they print into the
 * blocks marked as output. With --check nothing is written: exit 1 where the two differ or a command ended wrongly.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, runBlocks } from './docs/blocks.ts';
import { makeSandbox, REPOSITORY, settled } from './docs/sandbox.ts';

/** The text with every output as it is today, and what went wrong. */
export function withOutput(text: string): { text: string; wrong: string[] } {
  const sandbox = makeSandbox({ commands: false });
  try {
    const since = new Date();
    const blocks = blocksOf(text);
    const ran = runBlocks(blocks, sandbox.checkout, sandbox.env);
    const lines = text.split('\n');
    // From the last to the first, so that the lines of those before stay where they are.
    for (const [at, block] of [...blocks.entries()].reverse()) {
      if (block.mark?.kind !== 'output') continue;
      const before = blocks.slice(0, at).reverse().find(({ mark }) => mark?.kind === 'runnable');
      const of = ran.find((one) => one.block === before);
      if (of === undefined) throw new Error(`line ${block.line}: an output without a runnable block before it`);
      const output = settled(of.output, sandbox, since);
      if (/^```/m.test(output)) throw new Error(`line ${block.line}: an output with a fence in it`);
      lines.splice(block.line, block.lines, ...output.split('\n'));
    }
    return { text: lines.join('\n'), wrong: ran.flatMap(({ block, wrong }) => wrong.map((one) => `line ${block.line}: ${one}`)) };
  } finally {
    sandbox.remove();
  }
}

function main(): number {
  const file = join(REPOSITORY, 'README.md');
  const before = readFileSync(file, 'utf8');
  const { text, wrong } = withOutput(before);
  for (const one of wrong) console.error(`readme-output: ${one}`);
  if (process.argv.includes('--check')) {
    if (text !== before) console.error('readme-output: README.md shows other output than the program prints; run "npm run docs"');
    return text === before && wrong.length === 0 ? 0 : 1;
  }
  if (text !== before) writeFileSync(file, text);
  return wrong.length === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) process.exitCode = main();
