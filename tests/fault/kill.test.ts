import { afterAll, describe, expect, it } from 'vitest';
import { callsOffMain, skipWithoutStrace } from '../helpers/strace.ts';
import { commitOf, killPoints, RECOVERIES, Scene, SCENARIOS, tryAll } from './commands.ts';
import { Workshop } from './workshop.ts';

/** HANDOFF_FAULT_EVERY=5 tries every fifth point, for a look in between. */
const EVERY = Number(process.env['HANDOFF_FAULT_EVERY'] ?? 1);

describe.skipIf(skipWithoutStrace())('a command killed at any system call (skipped where strace is missing)', () => {
  const workshop = new Workshop();
  afterAll(() => workshop.remove());

  it.each([...SCENARIOS, ...RECOVERIES])('$name: every session stays whole, and the next build finishes it', (scenario) => {
    const scene = new Scene(workshop, scenario);
    const { figures, broken } = tryAll(scene, killPoints(scene.calls).filter((_, at) => at % EVERY === 0));
    console.log(figures);
    expect(broken).toEqual([]);
  });

  it.each(SCENARIOS)('$name: changes the store from the main thread only, so that every change is a point', (scenario) => {
    const scene = new Scene(workshop, scenario);
    expect(callsOffMain(scene.fresh()).map((call) => `${call.name} ${call.where}`)).toEqual([]);
  });

  it('a build has each file that it wrote on the disk before it commits', () => {
    const { calls } = new Scene(workshop, SCENARIOS.find((scenario) => scenario.name === 'rebuild')!);
    const before = calls.slice(0, commitOf(calls)).filter((call) => call.where.includes('subject/'));
    const unsynced = new Set<string>();
    for (const call of before) {
      const [file] = call.paths as [string];
      if (/^(p?writev?2?|pwrite64|ftruncate|copy_file_range|sendfile)$/.test(call.name)) unsynced.add(call.paths.at(-1)!);
      else if (/^f(data)?sync$/.test(call.name)) unsynced.delete(file);
      else if (/^(unlink|rename)/.test(call.name)) unsynced.delete(file);
    }
    expect(before.some((call) => call.where.includes('timeline.jsonl') && call.name.startsWith('write'))).toBe(true);
    expect([...unsynced]).toEqual([]);
  });
});
