import { afterAll, describe, expect, it } from 'vitest';
import { skipWithoutStrace } from '../helpers/strace.ts';
import { LONG_ONES, SCENARIOS, UNLOCKS } from './commands.ts';
import { Scene } from './matrix.ts';
import { errorPoints, openPoints, tryAll } from './points.ts';
import { Workshop } from './workshop.ts';

const EVERY = Number(process.env['HANDOFF_FAULT_EVERY'] ?? 1);

describe.skipIf(skipWithoutStrace())('a command that the file system refuses something (skipped where strace is missing)', () => {
  const workshop = new Workshop();
  afterAll(() => workshop.remove());

  it.each([...SCENARIOS, ...LONG_ONES, ...UNLOCKS])('$name: it says why or finishes, every session stays whole, and the next build finishes it', (scenario) => {
    const scene = new Scene(workshop, scenario);
    const { figures, broken } = tryAll(scene, errorPoints([...scene.calls, ...scene.callsOff()]).filter((_, at) => at % EVERY === 0));
    console.log(figures);
    expect(broken).toEqual([]);
  });

  it.each([...SCENARIOS, ...UNLOCKS])('$name: the same where it may open no more files to read', (scenario) => {
    const scene = new Scene(workshop, scenario);
    const { figures, broken } = tryAll(scene, openPoints(scene.readings()).filter((_, at) => at % EVERY === 0));
    console.log(figures);
    expect(broken).toEqual([]);
  });
});
