import { afterAll, describe, expect, it } from 'vitest';
import { skipWithoutStrace } from '../helpers/strace.ts';
import { RECOVERIES, SCENARIOS } from './commands.ts';
import { Scene } from './matrix.ts';
import { meetAll, powerCuts } from './power.ts';
import { Workshop } from './workshop.ts';

const EVERY = Number(process.env['HANDOFF_FAULT_EVERY'] ?? 1);

describe.skipIf(skipWithoutStrace())('a power cut at any moment of a command (skipped where strace is missing)', () => {
  const workshop = new Workshop({ warm: true });
  afterAll(() => workshop.remove());

  it.each([...SCENARIOS, ...RECOVERIES])('$name: what was committed is there, and the next run finishes the rest', (scenario) => {
    const scene = new Scene(workshop, scenario);
    const { cuts, end } = powerCuts(workshop, scene);
    const { figures, broken } = meetAll(workshop, scene, cuts.filter((_, at) => at % EVERY === 0), end);
    console.log(figures);
    expect(broken).toEqual([]);
  });
});
