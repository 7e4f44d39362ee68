import { afterAll, describe, expect, it } from 'vitest';
import { SCENARIOS } from '../fault/commands.ts';
import { JobScene, tryJob } from '../fault/job-scene.ts';
import { Scene } from '../fault/matrix.ts';
import { errorPoints, killPoints, tryAll } from '../fault/points.ts';
import { meetAll, powerCuts } from '../fault/power.ts';
import { Workshop } from '../fault/workshop.ts';
import { skipWithoutStrace } from '../helpers/strace.ts';

/** How many of each kind. */
const POINTS: Record<string, number> = { 'first build': 1, rebuild: 2, rename: 1, promote: 1 };

/** The states of a disk after a power cut: they cost no start of a program. */
const CUTS: Record<string, number> = { 'first build': 10, rebuild: 20, promote: 10 };

/** The same points in every run of the same program: spread over the whole, shifted by the scenario's place. */
function some<T>(points: readonly T[], count: number, shift: number): T[] {
  return Array.from({ length: count }, (_, i) => points[Math.floor((points.length * (i + (shift % 5) / 5)) / count)]!);
}

describe.skipIf(skipWithoutStrace())('a sample of the faults of npm run test:fault (skipped where strace is missing)', () => {
  const workshop = new Workshop();
  afterAll(() => workshop.remove());

  it.each(SCENARIOS.filter((scenario) => Object.hasOwn(POINTS, scenario.name)))('$name survives being killed and being refused', (scenario) => {
    const scene = new Scene(workshop, scenario);
    const shift = SCENARIOS.indexOf(scenario);
    const count = POINTS[scenario.name]!;
    const points = [...some(killPoints(scene.calls), count, shift + 1), ...some(errorPoints(scene.calls), count, shift + 2)];
    expect(tryAll(scene, points).broken).toEqual([]);
  });

  it.each(SCENARIOS.filter((scenario) => Object.hasOwn(CUTS, scenario.name)))('$name survives a power cut', (scenario) => {
    const warm = new Workshop({ warm: true });
    try {
      const scene = new Scene(warm, scenario);
      const { cuts, end } = powerCuts(warm, scene);
      expect(meetAll(warm, scene, some(cuts, CUTS[scenario.name]!, SCENARIOS.indexOf(scenario)), end).broken).toEqual([]);
    } finally {
      warm.remove();
    }
  });

  it('a plan survives being killed', () => {
    const scene = new JobScene(false);
    try {
      // Renames and syncs come in the same number each time, so that few tries are needed.
      const points = killPoints(scene.calls).filter(({ call }) => /^(rename|fsync|unlink|mkdir)/.test(call.name));
      expect(tryJob(scene, some(points, 2, 2)).broken).toEqual([]);
    } finally {
      scene.remove();
    }
  });
});
