import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { walkPlace } from '../../../../src/capture/recorded/discover.mts';
import { freshFolder } from '../../../helpers/run.ts';

describe('the walk over a place', () => {
  it('finds a database whose log no file could have the name of', () => {
    const root = fs.realpathSync(freshFolder());
    try {
      const file = path.join(root, `${'a'.repeat(250)}.db`);
      fs.writeFileSync(file, '');
      const { found, notes } = walkPlace({ harness: 'h', home: '', globs: [{ path: '*.db', database: true }] }, root);
      expect(found.map((one) => one.path)).toEqual([file]);
      expect(notes).toEqual([`${file}-wal cannot be read (ENAMETOOLONG)`]);
    } finally {
      fs.rmSync(root, { recursive: true });
    }
  });
});
