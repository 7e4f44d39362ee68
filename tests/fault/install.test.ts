import { afterAll, describe, expect, it } from 'vitest';
import { skipWithoutStrace } from '../helpers/strace.ts';
import { Bench, INSTALLINGS, InstallScene } from './installing.ts';
import { errorPoints, killPoints, tryAll } from './points.ts';

const EVERY = Number(process.env['HANDOFF_FAULT_EVERY'] ?? 1);

describe.skipIf(skipWithoutStrace())('the installer (skipped where strace is missing)', () => {
  const bench = new Bench();
  afterAll(() => bench.remove());

  it.each(INSTALLINGS)('$name, killed at any system call: old, new, or interrupted and finished by the next run', (scenario) => {
    const scene = new InstallScene(bench, scenario);
    const { figures, broken } = tryAll(scene, killPoints([...scene.calls, ...scene.callsOff()]).filter((_, at) => at % EVERY === 0));
    console.log(figures);
    expect(broken).toEqual([]);
  });

  it.each(INSTALLINGS)('$name, refused something by the file system: it says why or finishes, and so does the next run', (scenario) => {
    const scene = new InstallScene(bench, scenario);
    const { figures, broken } = tryAll(scene, errorPoints([...scene.calls, ...scene.callsOff()]).filter((_, at) => at % EVERY === 0));
    console.log(figures);
    expect(broken).toEqual([]);
  });
});
