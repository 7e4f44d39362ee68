import { expect, it } from 'vitest';
import { nearest } from '../../../../src/lib/cli/nearest.mts';

const VERBS = ['build', 'list', 'show', 'verify', 'rename', 'retitle', 'federated-merge'];

it.each([['biuld', 'build'], ['lst', 'list'], ['Verify', 'verify'], ['renam', 'rename'], ['federate-merge', 'federated-merge']])('%s means %s', (typed, meant) => {
  expect(nearest(typed, VERBS)).toBe(meant);
});

it('names nothing where nothing is close', () => {
  expect(nearest('xyzzyplugh', VERBS)).toBeUndefined();
  expect(nearest('anything', [])).toBeUndefined();
});

it('answers at once for a very long word', () => {
  const began = performance.now();
  expect(nearest('b'.repeat(5_000_000), VERBS)).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(500);
});
