import { afterAll, describe, expect, it } from 'vitest';
import { skipWithoutStrace } from '../helpers/strace.ts';
import { JobScene, tryJob } from './job-scene.ts';
import { errorPoints, killPoints } from './points.ts';

const EVERY = Number(process.env['HANDOFF_FAULT_EVERY'] ?? 1);

describe.skipIf(skipWithoutStrace()).each([false, true])('a job (a resume by approval: %s; skipped where strace is missing)', (died) => {
  let scene: JobScene | undefined;
  afterAll(() => scene?.remove());

  it('killed at any system call: no step acts twice without approval, none is lost, log and seal agree', () => {
    scene ??= new JobScene(died);
    const { figures, broken } = tryJob(scene, killPoints(scene.calls).filter((_, at) => at % EVERY === 0));
    console.log(figures);
    expect(broken).toEqual([]);
  });

  it('refused something by the file system: it says so, and the same holds', () => {
    scene ??= new JobScene(died);
    const { figures, broken } = tryJob(scene, errorPoints(scene.calls).filter((_, at) => at % EVERY === 0));
    console.log(figures);
    expect(broken).toEqual([]);
  });
});
