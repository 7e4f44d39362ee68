import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { acquire } from '../../../src/lib/fs/lock.mts';
import { sessionKey, sessionPaths, storePaths } from '../../../src/store/layout.mts';
import { findByPrefix } from '../../../src/store/lookup.mts';
import { buildInto } from '../../helpers/build.ts';
import { freshFolder } from '../../helpers/run.ts';
import { lines, talk } from '../../helpers/transcripts.ts';

const dir = freshFolder('handoff-lookup-');
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(dir, { recursive: true, force: true });
});

it('a session that moves between two looks is found once, where it is now', async () => {
  const root = path.join(dir, 'store');
  const file = path.join(dir, 't.jsonl');
  fs.writeFileSync(file, lines(...talk(2)));
  await buildInto(root, file, { session: 'g0', project: 'shop' });
  const lock = acquire(storePaths(root).locks, sessionKey('g0'), 'rename');
  lock.note({ place: 'shop/g0', to: 'other/g0' });
  const { projects } = storePaths(root);
  const manifest = sessionPaths(path.join(projects, 'shop', 'g0')).manifest;
  const exists = fs.existsSync;
  let looks = 0;
  vi.spyOn(fs, 'existsSync').mockImplementation((name) => {
    const there = exists(name);
    if (name === manifest && (looks += 1) === 1) {
      fs.mkdirSync(path.join(projects, 'other'));
      fs.renameSync(path.join(projects, 'shop', 'g0'), path.join(projects, 'other', 'g0'));
    }
    return there;
  });
  expect(findByPrefix(root, 'g0')).toMatchObject({ project: 'other', id: 'g0' });
  expect(looks).toBeGreaterThan(0);
  lock.release();
});
