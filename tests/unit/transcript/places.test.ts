import { expect, it } from 'vitest';
import { adaptersOf } from '../../../src/transcript/of-harness.mts';
import { folderOf, homeOf, PLACES } from '../../../src/transcript/places.mts';
import { lineAdapters, wholeAdapters } from '../../../src/transcript/registry.mts';

it.each(PLACES)('$harness has the adapters of the registry, in its order', async ({ harness }) => {
  const registered = [...lineAdapters, ...wholeAdapters].filter((adapter) => adapter.harness === harness);
  expect(registered).not.toEqual([]);
  expect(await adaptersOf(harness)).toEqual(registered);
});

it('every harness that an adapter names has a place, but for shapes that many share', () => {
  const named = new Set([...lineAdapters, ...wholeAdapters].map(({ harness }) => harness));
  for (const shared of ['', 'chatgpt', 'chat']) named.delete(shared);
  expect([...named].filter((harness) => !PLACES.some((place) => place.harness === harness))).toEqual([]);
});

const place = (harness: string) => PLACES.find((one) => one.harness === harness) ?? PLACES[0]!;

it('a variable moves the place that is its own, and only that', () => {
  const env = { CODEX_HOME: '/moved', XDG_DATA_HOME: '/data', CLAUDE_CONFIG_DIR: '' };
  expect(folderOf(place('codex'), env, '/home/u')).toBe('/moved');
  expect(folderOf(place('opencode'), env, '/home/u')).toBe('/data/opencode');
  expect(folderOf(place('claude-code'), env, '/home/u')).toBe('/home/u/.claude');
  expect(folderOf(place('pi'), env, undefined)).toBeUndefined();
  expect(folderOf(place('kilo'), env, undefined)).toBe('/data/kilo');
});

it('the home is what the environment names, on Windows under another name', () => {
  expect(homeOf({ HOME: '/a', USERPROFILE: '/b' })).toBe('/a');
  expect(homeOf({ HOME: '', USERPROFILE: '/b' })).toBe('/b');
  expect(homeOf({})).toBeUndefined();
});

it.each([
  ['claude-code', '/home/dev/shop', '-home-dev-shop'], ['claude-code', '/home/dev/my shop.de', '-home-dev-my-shop-de'], ['claude-code', '/w/手', '-w--'],
  ['qwen', '/home/dev3/shop', '-home-dev3-shop'], ['pi', '/home/dev3/shop', '--home-dev3-shop--'],
])('%s keeps sessions of %s in %s', (harness, cwd, name) => {
  expect(place(harness).folder?.(name, cwd)).toBe(true);
  expect(place(harness).folder?.(name, '/other')).toBe(false);
});

it('a name that a client has cut short still fits', () => {
  const cwd = `/${'deep/'.repeat(60)}end`;
  expect(place('claude-code').folder?.(`${cwd.replace(/\//g, '-').slice(0, 200)}-1a2b3c`, cwd)).toBe(true);
});
