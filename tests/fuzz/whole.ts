/**
 * npm run test:fuzz: 100,000 runs with a new seed, or HANDOFF_FUZZ_SEED, and HANDOFF_FUZZ_RUNS of them. Prints a table
 * and the words that do a failed run again. Exit 0 where all held, 1 where one did not.
 */
import { fuzz, table } from './fuzz.ts';
import { TARGETS } from './targets.ts';

const seed = Number(process.env['HANDOFF_FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const rows = await fuzz(TARGETS, Number(process.env['HANDOFF_FUZZ_RUNS'] ?? 100_000), seed);
process.stdout.write(`${table(rows, seed)}\n`);
const failures = rows.flatMap((row) => row.failures);
for (const failure of failures) process.stdout.write(`\n${failure}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
