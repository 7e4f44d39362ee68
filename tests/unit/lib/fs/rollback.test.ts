import { expect, it } from 'vitest';
import { createRollback } from '../../../../src/lib/fs/rollback.mts';

it('runs every undo in reverse, each once', () => {
  const rollback = createRollback();
  const done: number[] = [];
  for (const at of [1, 2, 3]) rollback.push(() => void done.push(at));
  expect(rollback.run()).toBe(true);
  expect(rollback.run()).toBe(true);
  expect(done).toEqual([3, 2, 1]);
});

it('goes on past an undo that fails, and says that not all is undone', () => {
  const rollback = createRollback();
  const done: string[] = [];
  rollback.push(() => void done.push('first'));
  rollback.push(() => { throw new Error('no'); });
  rollback.push(() => void done.push('last'));
  expect(rollback.run()).toBe(false);
  expect(done).toEqual(['last', 'first']);
  expect(rollback.run()).toBe(true);
});

it('does nothing after a commit, and undoes again what comes later', () => {
  const rollback = createRollback();
  const done: string[] = [];
  rollback.push(() => void done.push('committed'));
  rollback.commit();
  rollback.push(() => void done.push('later'));
  rollback.run();
  expect(done).toEqual(['later']);
});

it('runs an undo that is pushed while it runs', () => {
  const rollback = createRollback();
  const done: string[] = [];
  rollback.push(() => {
    done.push('outer');
    rollback.push(() => void done.push('inner'));
  });
  rollback.run();
  expect(done).toEqual(['outer', 'inner']);
});
