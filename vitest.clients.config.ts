import { defineConfig } from 'vitest/config';

/** Real clients are fetched from the registry that npm is set to: on demand, never in `npm test`. */
export default defineConfig({
  test: {
    include: ['tests/clients/**/*.test.ts'],
    testTimeout: 5 * 60_000,
    hookTimeout: 10 * 60_000,
    maxWorkers: 1,
    reporters: ['verbose'],
    disableConsoleIntercept: true,
  },
});
