import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readState, stateFile } from '../../../src/capability/state.mts';
import { freshFolder } from '../../helpers/run.ts';

const folder = freshFolder('handoff-state-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a kept state', () => {
  it('gives no verdict and no time that no check could have written, since each is shown in a line of its own', () => {
    const good = { id: 'git', verdict: 'healthy', evidence: 'x', required: true, kind: 'git', checked_at: '2026-01-01T00:00:00.000Z' };
    const state = { schema_version: '1.0-capability-state', generated_at: '2026-01-01T00:00:00.000Z', registry: '/r.json', results: [good, { ...good, verdict: 'healthy at 2026\n  node last=healthy' }, { ...good, checked_at: '2026\n  node last=healthy' }, { id: 'old', verdict: 'unknown' }] };
    writeFileSync(stateFile(folder), JSON.stringify(state));
    expect(readState(join(folder, 'capability-state.json'))?.results).toEqual([good, { id: 'old', verdict: 'unknown' }]);
    writeFileSync(stateFile(folder), JSON.stringify({ ...state, generated_at: 'a\nb' }));
    expect(readState(stateFile(folder))).toBeUndefined();
  });
});
