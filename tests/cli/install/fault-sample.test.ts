import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkCopy, readCopy } from '../../../src/install/copy.mts';
import { Bench, INSTALLINGS, InstallScene } from '../../fault/installing.ts';
import { killPoints, tryAll } from '../../fault/points.ts';
import { seeded } from '../../helpers/build.ts';
import { countCalls, failAt, skipWithoutStrace, strike } from '../../helpers/strace.ts';

/** Kills of each command; the seed is printed with what broke, so that the same can be tried again. */
const EACH = 2;
const SEED = Number(process.env['HANDOFF_SEED'] ?? 20261130);

describe.skipIf(skipWithoutStrace())('a sample of the kills of npm run test:fault (skipped where strace is missing)', () => {
  const bench = new Bench();
  afterAll(() => bench.remove());

  it.each(INSTALLINGS.filter(({ name }) => ['install with a link and hooks', 'update by force', 'remove'].includes(name)))('$name survives being killed', (scenario) => {
    const scene = new InstallScene(bench, scenario);
    const random = seeded(SEED + INSTALLINGS.indexOf(scenario));
    const points = killPoints(scene.calls);
    const some = Array.from({ length: EACH }, () => points[Math.floor(random() * points.length)]!);
    expect(tryAll(scene, some).broken, `seed ${SEED}`).toEqual([]);
  });

  it('a link that the system does not make becomes a copy of its own, with a warning', () => {
    fs.rmSync(bench.home, { recursive: true, force: true });
    fs.mkdirSync(path.join(bench.home, '.claude'), { recursive: true });
    const child = bench.child(bench.small, ['install', '--harness', 'claude,codex']);
    const link = countCalls(child).find(({ name }) => name.startsWith('symlink'))!;
    const fresh = () => {
      fs.rmSync(bench.home, { recursive: true, force: true });
      fs.mkdirSync(path.join(bench.home, '.claude'), { recursive: true });
      return child;
    };
    const ended = strike(fresh, link, (one, aim) => failAt(one, aim, 'EPERM'));
    expect(ended).toMatchObject({ hit: true, status: 0, stderr: expect.stringMatching(/\.claude\/skills\/agents-handoff could not be made a link here, so it gets a copy of its own/) });
    for (const folder of ['.agents', '.claude']) {
      const copy = path.join(bench.home, folder, 'skills/agents-handoff');
      expect(fs.lstatSync(copy).isDirectory(), folder).toBe(true);
      expect(checkCopy(readCopy(copy)), folder).toMatchObject({ state: 'ok' });
    }
  });
});
