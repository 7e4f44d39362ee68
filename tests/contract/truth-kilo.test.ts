/** Every recorded Kilo session agrees with what a person found in it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kiloExport } from '../../src/transcript/adapters/kilo.mts';
import { detectShape } from '../../src/transcript/detect.mts';
import type { Json } from '../../src/transcript/turn.mts';
import { skipWithout } from '../helpers/recorded.ts';
import { loadTruth, samplePath } from '../helpers/truth.ts';
import { expectSession } from '../helpers/truth-rows.ts';

const entries = loadTruth('kilo');

describe('recorded Kilo sessions', () => {
  skipWithout(entries);

  it.each(entries)('export %s agrees with its TRUTH entry', (key, entry) => {
    const file = samplePath('kilo', key);
    expect(detectShape(readFileSync(file).subarray(0, 256 * 1024), file)).toEqual({ kind: 'whole', adapter: kiloExport });
    expectSession(kiloExport, JSON.parse(readFileSync(file, 'utf8')) as Json, entry);
  });
});
