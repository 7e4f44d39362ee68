import { describe, expect, it } from 'vitest';
import { changesFiles, planCopy, type PlanRequest } from '../../../src/install/plan.mts';
import type { State } from '../../../src/install/copy.mts';

const file = (sha256: string): State => ({ is: 'file', sha256 });

function actions(request: Partial<PlanRequest> & { there?: Record<string, State> }): Record<string, string> {
  const steps = planCopy({ wanted: new Map(), owned: new Map(), states: new Map(Object.entries(request.there ?? {})), force: false, ...request });
  return Object.fromEntries(steps.map(({ path, action }) => [path, action]));
}

describe('what is done to a copy', () => {
  const wanted = new Map([['a', 'new']]);
  const owned = new Map([['a', ['old', 'older']]]);

  it('brings what is missing and leaves what is right', () => {
    expect(actions({ wanted: new Map([['a', '1'], ['b', '2']]), there: { b: file('2') } })).toEqual({ a: 'add', b: 'same' });
  });

  it('replaces a file only with bytes that an installer wrote', () => {
    expect(actions({ wanted, owned, there: { a: file('older') } })).toEqual({ a: 'replace' });
    expect(actions({ wanted, owned, there: { a: file('edited') } })).toEqual({ a: 'keep' });
    expect(actions({ wanted, owned, there: { a: { is: 'other' } } })).toEqual({ a: 'keep' });
    expect(actions({ wanted, owned, there: { a: file('edited') }, force: true })).toEqual({ a: 'set-aside' });
  });

  it('is stopped by a file that is nobody\'s it knows of, unless it is to be set aside', () => {
    expect(actions({ wanted, there: { a: file('theirs') } })).toEqual({ a: 'blocked' });
    expect(actions({ wanted, there: { a: file('theirs') }, force: true })).toEqual({ a: 'set-aside' });
  });

  it('never goes through a link or a file in the place of a folder, also not by force', () => {
    expect(actions({ wanted, owned, there: { a: { is: 'outside' } }, force: true })).toEqual({ a: 'blocked' });
  });

  it('deletes what is no longer wanted where it is as it was, and leaves it where it was edited', () => {
    expect(actions({ owned, there: { a: file('old') } })).toEqual({ a: 'delete' });
    expect(actions({ owned, there: { a: file('edited') } })).toEqual({ a: 'leave' });
    expect(actions({ owned, there: { a: { is: 'missing' } } })).toEqual({});
    expect(actions({ owned, there: { a: { is: 'outside' } } })).toEqual({ a: 'leave' });
  });

  it('sets aside what a record of names only cannot judge', () => {
    expect(actions({ wanted, owned: new Map([['a', []]]), there: { a: file('who knows') } })).toEqual({ a: 'set-aside' });
  });

  it('knows whether it changes anything', () => {
    expect(changesFiles([{ path: 'a', action: 'same' }, { path: 'b', action: 'keep' }, { path: 'c', action: 'leave' }])).toBe(false);
    for (const action of ['add', 'replace', 'set-aside', 'delete'] as const) expect(changesFiles([{ path: 'a', action }])).toBe(true);
  });
});
