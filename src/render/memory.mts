/**
 * A map that forgets. Taking the oldest key out of a Map again and again walks over the holes of all that were taken
 * before; two generations that are dropped as a whole cost nothing.
 */
export interface Memory<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

/** Remembers at least the last `size` keys, at most twice as many. */
export function createMemory<V>(size: number): Memory<V> {
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  // What was put in last is asked for next, mostly, and to compare two keys is less than to hash one.
  let lastKey: string | undefined;
  let lastValue: V | undefined;
  return {
    get: (key) => (key === lastKey ? lastValue : young.get(key) ?? old.get(key)),
    set(key, value) {
      lastKey = key;
      lastValue = value;
      young.set(key, value);
      if (young.size < size) return;
      old = young;
      young = new Map();
    },
  };
}

/** Drops the oldest tenth of `map` once it holds more than `cap`; gives how many. */
export function trim(map: Map<string, unknown>, cap: number): number {
  if (map.size <= cap) return 0;
  let left = Math.ceil(cap / 10);
  const before = map.size;
  for (const key of map.keys()) {
    if (left-- <= 0) break;
    map.delete(key);
  }
  return before - map.size;
}
