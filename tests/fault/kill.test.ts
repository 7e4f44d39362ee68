import { afterAll, describe, expect, it } from 'vitest';
import { skipWithoutStrace, unsyncedAt, type Call } from '../helpers/strace.ts';
import { isCommit, LONG_ONES, RECOVERIES, SCENARIOS } from './commands.ts';
import { Scene } from './matrix.ts';
import { killPoints, tryAll } from './points.ts';
import { Workshop } from './workshop.ts';

/** HANDOFF_FAULT_EVERY=5 tries every fifth point, for a look in between. */
const isSync = (call: Call): boolean => /^f(data)?sync$/.test(call.name);
const EVERY = Number(process.env['HANDOFF_FAULT_EVERY'] ?? 1);

describe.skipIf(skipWithoutStrace())('a command killed at any system call (skipped where strace is missing)', () => {
  const workshop = new Workshop();
  afterAll(() => workshop.remove());

  it.each([...SCENARIOS, ...RECOVERIES, ...LONG_ONES])('$name: every session stays whole, and the next build finishes it', (scenario) => {
    const scene = new Scene(workshop, scenario);
    const { figures, broken } = tryAll(scene, killPoints([...scene.calls, ...scene.callsOff()]).filter((_, at) => at % EVERY === 0));
    console.log(figures);
    expect(broken).toEqual([]);
  });

  it.each(SCENARIOS)('$name: changes the store from the main thread only, so that every change is a point', (scenario) => {
    const off = new Scene(workshop, scenario).callsOff();
    expect(off.filter((call) => !isSync(call)).map((call) => `${call.name} ${call.where}`)).toEqual([]);
  });

  it.each(LONG_ONES)('$name: other threads touch nothing but what is staged', (scenario) => {
    const off = new Scene(workshop, scenario).callsOff().filter((call) => !isSync(call));
    expect(off).not.toEqual([]);
    expect(off.filter((call) => !/\.\*\.tmp$/.test(call.where)).map((call) => `${call.name} ${call.where}`)).toEqual([]);
  });

  it.each([...SCENARIOS, ...LONG_ONES].filter((scenario) => scenario.name.endsWith('rebuild')))('a $name has each file that it wrote on the disk before it commits', (scenario) => {
    const scene = new Scene(workshop, scenario);
    const inSession = (file: string): boolean => file.includes('/subject/');
    expect(unsyncedAt(scene.fresh(), (call) => isSync(call) && call.paths.some(inSession)).filter(inSession)).not.toEqual([]);
    expect(unsyncedAt(scene.fresh(), isCommit).filter(inSession)).toEqual([]);
  });
});
