import { afterAll, describe, expect, it } from 'vitest';
import { skipWithoutStrace, unsyncedAt } from '../helpers/strace.ts';
import { isCommit, killPoints, RECOVERIES, Scene, SCENARIOS, tryAll } from './commands.ts';
import { Workshop } from './workshop.ts';

/** HANDOFF_FAULT_EVERY=5 tries every fifth point, for a look in between. */
const EVERY = Number(process.env['HANDOFF_FAULT_EVERY'] ?? 1);

describe.skipIf(skipWithoutStrace())('a command killed at any system call (skipped where strace is missing)', () => {
  const workshop = new Workshop();
  afterAll(() => workshop.remove());

  it.each([...SCENARIOS, ...RECOVERIES])('$name: every session stays whole, and the next build finishes it', (scenario) => {
    const scene = new Scene(workshop, scenario);
    const { figures, broken } = tryAll(scene, killPoints([...scene.calls, ...scene.callsOff()]).filter((_, at) => at % EVERY === 0));
    console.log(figures);
    expect(broken).toEqual([]);
  });

  it.each(SCENARIOS)('$name: changes the store from the main thread only, so that every change is a point', (scenario) => {
    const scene = new Scene(workshop, scenario);
    const off = scene.callsOff();
    expect(off.filter((call) => !/^f(data)?sync$/.test(call.name)).map((call) => `${call.name} ${call.where}`)).toEqual([]);
  });

  it('a build has each file that it wrote on the disk before it commits', () => {
    const scene = new Scene(workshop, SCENARIOS.find((scenario) => scenario.name === 'rebuild')!);
    const inSession = (file: string): boolean => file.includes('/subject/');
    expect(unsyncedAt(scene.fresh(), (call) => call.name === 'fdatasync' || call.name === 'fsync').filter(inSession)).not.toEqual([]);
    expect(unsyncedAt(scene.fresh(), isCommit).filter(inSession)).toEqual([]);
  });
});
