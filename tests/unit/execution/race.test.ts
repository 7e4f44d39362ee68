/**
 * A process that swaps files, links and folders as fast as it can, against reads of the same path. A swap fell into the
 * window where the decision said ALLOWED and the open found something else: without such rounds the test says nothing.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, expect, it } from 'vitest';
import { classify } from '../../../src/execution/classify.mts';
import { decide } from '../../../src/execution/decision.mts';
import { operate } from '../../../src/execution/operate.mts';
import { readJudged } from '../../../src/execution/read.mts';
import type { Setting } from '../../../src/execution/setting.mts';
import { sha256 } from '../../helpers/desk.ts';
import { Ground, removeProduct } from '../../helpers/engine.ts';

interface Way {
  name: string;
  rounds: number;
  leastInWindow: number;
  read(setting: Setting): Promise<{ outcome: string; facts: Readonly<Record<string, unknown>> }>;
}

/** Each swap is one rename over what is there, or a folder moved away with a link in its place for a moment. */
const RACER = `
  const fs = require('node:fs'), { join } = require('node:path');
  const [repo, outside] = process.argv.slice(1), f = join(repo, 'race/f'), t = join(repo, 'staged');
  const put = (make) => { make(); fs.renameSync(t, f); };
  process.on('disconnect', () => process.exit());
  const go = () => {
    for (let i = 0; i < 50; i++) {
      put(() => fs.symlinkSync(join(outside, 'f'), t));
      put(() => fs.writeFileSync(t, 'inside'));
      put(() => fs.linkSync(join(outside, 'f'), t));
      put(() => fs.writeFileSync(t, 'inside'));
      fs.renameSync(join(repo, 'race'), join(repo, 'aside'));
      fs.symlinkSync(outside, join(repo, 'race'));
      fs.unlinkSync(join(repo, 'race'));
      fs.renameSync(join(repo, 'aside'), join(repo, 'race'));
    }
    setImmediate(go);
  };
  go();
  process.send('racing');
`;

const ground = new Ground();
afterAll(() => {
  ground.remove();
  removeProduct();
});

const descriptor: Way = {
  name: 'as `run` reads here',
  rounds: 2500,
  leastInWindow: 20,
  read: (setting) => operate(setting, { op: 'read', risk: 'R0', target: 'race/f' }, ground.io()),
};
/** It waits for a file that has just been changed, and so takes long against a racer: more rounds in npm run test:fault. */
const folder: Way = {
  name: 'as it reads where the system does not tell the path of a descriptor',
  rounds: process.env['HANDOFF_WHOLE'] === '1' ? 2500 : 150,
  leastInWindow: 3,
  async read(setting) {
    const classified = classify('race/f', setting);
    if (decide('read', 'R0', classified, setting.policy).verdict !== 'ALLOWED') return { outcome: 'refused', facts: {} };
    const { outcome, ...facts } = readJudged(classified, setting, 'folder');
    return { outcome, facts };
  },
};

it.skipIf(process.platform === 'win32').each([descriptor, folder])('in $rounds reads or more against a racing process not one byte comes from outside ($name)', async ({ name, rounds, leastInWindow, read }) => {
  ground.file('repo/race/f', 'inside');
  ground.file('outside/f', 'outside');
  const setting = ground.setting();
  const racer = spawn(process.execPath, ['-e', RACER, ground.repo, ground.outside], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(racer, 'message');
  const counts = { inside: 0, outside: 0, refused: 0, secondName: 0, inWindow: 0, failed: 0 };
  let round = 0;
  try {
    // On a busy machine the racer gets fewer turns: it is read on until enough swaps fell into the window.
    for (; round < rounds || (counts.inWindow < leastInWindow && round < 10 * rounds); round += 1) {
      const { outcome, facts } = await read(setting);
      if (outcome === 'done') {
        // A file that was just replaced may be empty for the one who opened it before: inside, and nothing of the secret.
        if ([sha256('inside'), sha256('')].includes(String(facts['content_sha256']))) counts.inside += 1;
        else counts.outside += 1;
      } else if (outcome === 'failed') counts.failed += 1;
      // What the policy refused has no facts: the reason there is what the open found. A hard link may have been judged as it was.
      else if (facts['reason'] === undefined) counts.refused += 1;
      else if (/ names, and the others/.test(String(facts['reason']))) counts.secondName += 1;
      else counts.inWindow += 1;
    }
  } finally {
    racer.disconnect();
    await once(racer, 'exit');
  }
  console.log(`race, ${name}: ${round} reads, ${JSON.stringify(counts)}`);
  expect(counts.outside).toBe(0);
  expect(counts.inWindow).toBeGreaterThanOrEqual(leastInWindow);
  if (name === descriptor.name) expect(counts.inside).toBeGreaterThan(0);
});
