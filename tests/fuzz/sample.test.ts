/** A few thousand runs of the fuzz targets, always the same ones; `npm run test:fuzz` does 100,000 with a new seed. */
import { expect, it } from 'vitest';
import { fuzz, table } from './fuzz.ts';
import { TARGETS } from './targets.ts';

const SEED = 20261130;

it('damaged transcripts, stores, configurations, policies, checkpoints, hooks, locks and words are taken or refused in a sentence', { timeout: 110_000 }, async () => {
  const rows = await fuzz(TARGETS, 2500, SEED);
  process.stdout.write(`${table(rows, SEED)}\n`);
  expect(rows.flatMap(({ failures }) => failures)).toEqual([]);
});
