import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/unit/**/*.test.ts', 'tests/cli/**/*.test.ts', 'tests/house/**/*.test.ts', 'tests/contract/**/*.test.ts', 'tests/docs/**/*.test.ts', 'tests/browser/**/*.test.ts', 'tests/acceptance/**/*.test.ts', 'tests/fuzz/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests wait for processes and for time: a third worker fills the two cores.
    maxWorkers: 3,
    isolate: false,
    reporters: ['default'],
  },
});
