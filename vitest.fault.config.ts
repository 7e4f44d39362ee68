import { defineConfig } from 'vitest/config';

/** Faults are put into real processes, one after the other: counts of system calls must not meet a busy machine. */
export default defineConfig({
  test: {
    include: ['tests/fault/**/*.test.ts', 'tests/cli/concurrency.test.ts', 'tests/cli/storm.test.ts', 'tests/contract/prefix.test.ts', 'tests/unit/execution/race.test.ts'],
    env: { HANDOFF_WHOLE: '1', HANDOFF_SPAWN: '1' },
    testTimeout: 30 * 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    fileParallelism: false,
    reporters: ['verbose', './tests/fault/table.ts'],
    disableConsoleIntercept: true,
  },
});
