import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { acquire, type Lock } from '../../../src/lib/fs/lock.mts';
import { checkWhereItLies } from '../../../src/store/checker.mts';
import { rebuildIndex } from '../../../src/store/index-file.mts';
import { sessionKey, sessionPaths, storePaths } from '../../../src/store/layout.mts';
import { allSessions, findByPrefix, findExact, whereNow } from '../../../src/store/lookup.mts';
import { buildInto } from '../../helpers/build.ts';
import { freshFolder } from '../../helpers/run.ts';
import { lines, talk } from '../../helpers/transcripts.ts';

const dir = freshFolder('handoff-lookup-');
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(dir, { recursive: true, force: true });
});

const root = path.join(dir, 'store');
const folderIn = (project: string) => path.join(storePaths(root).projects, project, 'g0');
const manifest = sessionPaths(folderIn('shop')).manifest;

async function build(): Promise<void> {
  fs.mkdirSync(dir, { recursive: true });
  const file = path.join(dir, 't.jsonl');
  fs.writeFileSync(file, lines(...talk(2)));
  await buildInto(root, file, { session: 'g0', project: 'shop' });
}

function move(): void {
  fs.mkdirSync(path.dirname(folderIn('other')));
  fs.renameSync(folderIn('shop'), folderIn('other'));
}

/** Does something else right before or after somebody looks for the manifest in the old place the first time. */
function once(when: 'before' | 'after', act: () => void): { looks: number } {
  const exists = fs.existsSync;
  const seen = { looks: 0 };
  vi.spyOn(fs, 'existsSync').mockImplementation((name) => {
    const isFirst = name === manifest && (seen.looks += 1) === 1;
    if (isFirst && when === 'before') act();
    const there = exists(name);
    if (isFirst && when === 'after') act();
    return there;
  });
  return seen;
}

function renaming(): Lock {
  const lock = acquire(storePaths(root).locks, sessionKey('g0'), 'rename');
  lock.note({ place: 'shop/g0', to: 'other/g0' });
  return lock;
}

it('a session that moves between two looks is found once, where it is now', async () => {
  await build();
  const lock = renaming();
  const seen = once('after', move);
  expect(findByPrefix(root, 'g0')).toMatchObject({ project: 'other', id: 'g0' });
  expect(seen.looks).toBeGreaterThan(0);
  lock.release();
});

it.each(['g0', 'shop/g0', 'shop/g'])('%s is looked for again where the row is of a moment ago', async (prefix) => {
  await build();
  move();
  const seen = once('before', () => rebuildIndex(root));
  const found = () => findByPrefix(root, prefix);
  if (prefix.startsWith('shop')) expect(found).toThrow(/no handoff matches/);
  else expect(found()).toMatchObject({ project: 'other', id: 'g0' });
  expect(seen.looks).toBe(1);
});

it('neither nothing nor the name of a project alone stands for the only session in it', async () => {
  await build();
  expect(() => findByPrefix(root, '')).toThrow(expect.objectContaining({ code: 'USAGE' }));
  for (const prefix of ['sh', 'shop']) expect(() => findByPrefix(root, prefix), prefix).toThrow(expect.objectContaining({ code: 'NO_MATCH' }));
  for (const prefix of ['g', 'shop/', 'shop/g', 'shop/g0']) expect(findByPrefix(root, prefix), prefix).toMatchObject({ id: 'g0' });
});

it('an exact id is looked for again where the row is of a moment ago', async () => {
  await build();
  move();
  once('before', () => rebuildIndex(root));
  expect(findExact(root, 'g0')).toMatchObject({ project: 'other', id: 'g0' });
});

it('a row that nothing takes back is given as it is, so that it can be told what is wrong with it', async () => {
  await build();
  fs.rmSync(folderIn('shop'), { recursive: true });
  const row = findByPrefix(root, 'g0');
  expect(row).toMatchObject({ project: 'shop' });
  expect(whereNow(root, row)).toEqual(row);
  expect(findExact(root, 'g0')).toBeUndefined();
});

it('a check follows the session that moved since its row was read, and says so where it was forgotten', async () => {
  await build();
  const row = findByPrefix(root, 'g0');
  move();
  rebuildIndex(root);
  const { row: now, checked } = checkWhereItLies(root, row);
  expect([now.project, checked.turns, checked.findings.filter(({ level }) => level === 'fail')]).toEqual(['other', 2, []]);
  fs.rmSync(folderIn('other'), { recursive: true });
  rebuildIndex(root);
  expect(() => checkWhereItLies(root, row)).toThrow('g0 is not there any more');
});

it.each([
  ['its end', '[\n  {\n    "id": "z",\n    "project": "w",\n    "uu'],
  ['its beginning', ' "uuid": "z"\n  }\n]'],
  ['all of it, for zeros', '\0'.repeat(4096)],
  ['all rows', '[ ]\n'],
  ['everything', ''],
])('an index that lost %s is not believed in what it does not say: the manifests answer', async (_lost, left) => {
  await build();
  fs.writeFileSync(storePaths(root).index, left);
  expect(findExact(root, 'g0')).toMatchObject({ project: 'shop', id: 'g0' });
  expect(findByPrefix(root, 'g')).toMatchObject({ project: 'shop', id: 'g0' });
});

it.each(['harness', 'updated', 'title', 'objective', 'source_id', 'promoted'])('an index whose %s is not of its kind is not believed: the manifests say what is there', async (key) => {
  await build();
  const [row] = allSessions(root);
  fs.writeFileSync(storePaths(root).index, JSON.stringify([{ ...row, [key]: 7 }], null, 2));
  expect(allSessions(root)).toEqual([row]);
});
