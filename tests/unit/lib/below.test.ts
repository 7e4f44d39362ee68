import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { below } from '../../../src/lib/below.mts';

describe('what lies below a folder', () => {
  const folder = path.resolve('/a/b');
  it.each([
    ['/a/b', ''], ['/a/b/c', 'c'], ['/a/b/c/../d', 'd'], ['/a/b/..c', '..c'], ['/a/b/...', '...'], ['/a/b/..c/d', path.join('..c', 'd')],
    ['/a', undefined], ['/a/bc', undefined], ['/a/..b', undefined], ['/', undefined],
  ])('of /a/b, %s: %j', (file, rest) => expect(below(folder, path.resolve(file))).toBe(rest));
});
