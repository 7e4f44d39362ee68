import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { runChild } from '../../../src/lib/child.mts';
import { freshFolder } from '../../helpers/run.ts';

const dir = freshFolder('handoff-child-');
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('is under the watch for signals before it starts, and after its end no more, also where it cannot start', async () => {
  const mark = join(dir, 'started');
  let watched = 0;
  const onSignal = (): (() => void) => {
    watched += 1;
    // A child that was there already would have left its mark by the end of this.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    expect(existsSync(mark)).toBe(false);
    return () => { watched -= 1; };
  };
  const child = { program: '/bin/sh', args: ['-c', 'echo x > "$0"', mark], cwd: dir, env: {}, limitMs: 10_000, onSignal, onOutput: () => {} };
  expect(await runChild(child)).toMatchObject({ started: true, code: 0, timedOut: false });
  expect([existsSync(mark), watched]).toEqual([true, 0]);
  rmSync(mark);
  expect(await runChild({ ...child, program: join(dir, 'none') })).toMatchObject({ started: false, missing: true });
  expect(await runChild({ ...child, args: ['-c', '\0'] })).toMatchObject({ started: false });
  expect(watched).toBe(0);
});
