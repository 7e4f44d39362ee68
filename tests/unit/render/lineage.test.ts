import { describe, expect, it } from 'vitest';
import { createBranches, createPairing, createQueue, type OpenCall } from '../../../src/render/lineage.mts';
import type { Turn } from '../../../src/transcript/turn.mts';

const turn = (fields: Partial<Turn>): Turn => ({ seq: 0, ts: '', class: 'TOOL', text: 'x', ...fields });

describe('pairing of calls and results', () => {
  const call = (id: string | undefined, tool = 'Bash'): OpenCall => ({ call: id, tool, interrupted: false });
  const result = (id: string | undefined, fields: Partial<Turn> = {}): Turn =>
    turn({ kind: 'result', ...(id === undefined ? {} : { call: id }), ...fields });

  const table: { name: string; steps: (OpenCall | Turn | 'passed')[]; pending: (string | undefined)[]; orphans?: number }[] = [
    { name: 'a call without a result is pending', steps: [call('a')], pending: ['a'] },
    { name: 'a result closes its call', steps: [call('a'), result('a')], pending: [] },
    { name: 'results may come in another order', steps: [call('a'), call('b'), result('b')], pending: ['a'] },
    { name: 'a synthetic result leaves the call pending', steps: [call('a'), result('a', { meta: 'synthetic', ok: false })], pending: ['a'] },
    { name: 'a real result after the synthetic one closes it', steps: [call('a'), result('a', { meta: 'synthetic' }), result('a')], pending: [] },
    { name: 'a result without a call is an orphan', steps: [result('z')], pending: [], orphans: 1 },
    { name: 'a second result of one call is no orphan', steps: [call('a'), result('a'), result('a')], pending: [], orphans: 0 },
    { name: 'a call without an id is closed by the next result without one', steps: [call(undefined), result(undefined)], pending: [] },
    { name: 'a call without an id is over when the session goes on', steps: [call(undefined), 'passed'], pending: [] },
    { name: 'a call without an id at the very end is pending', steps: [call('a'), result('a'), call(undefined)], pending: [undefined] },
  ];
  it.each(table)('$name', ({ steps, pending, orphans }) => {
    const pairing = createPairing();
    for (const step of steps) {
      if (step === 'passed') pairing.passed();
      else if ('interrupted' in step) pairing.open({ ...step });
      else pairing.close(step);
    }
    expect(pairing.pending().map((one) => one.call)).toEqual(pending);
    expect(pairing.orphans).toBe(orphans ?? 0);
  });

  it('marks a call that the client closed by itself', () => {
    const pairing = createPairing();
    pairing.open(call('a'));
    expect(pairing.close(result('a', { meta: 'synthetic' }))).toBeUndefined();
    expect(pairing.pending()[0]?.interrupted).toBe(true);
  });

  it('keeps a bounded number of open calls and counts what it dropped', () => {
    const pairing = createPairing(100);
    for (let number = 0; number < 1_000; number++) pairing.open(call(`c${number}`));
    expect(pairing.pending().length).toBeLessThanOrEqual(100);
    expect(pairing.pending().length + pairing.dropped).toBe(1_000);
    expect(pairing.pending().at(-1)?.call).toBe('c999');
  });
});

describe('queued prompts', () => {
  const table: { name: string; queued: string[]; said: string[]; waiting: string[] }[] = [
    { name: 'a queued prompt waits', queued: ['do B'], said: [], waiting: ['do B'] },
    { name: 'the same text delivers it', queued: ['do B'], said: ['do B'], waiting: [] },
    { name: 'blanks do not count', queued: ['do\n B '], said: ['do B'], waiting: [] },
    { name: 'the same text queued twice is delivered once at a time', queued: ['go on', 'go on'], said: ['go on'], waiting: ['go on'] },
    { name: 'a longer text that joins several delivers each', queued: ['do B', 'and C'], said: ['do B\nand C'], waiting: [] },
    { name: 'a word that only begins with it does not', queued: ['no'], said: ['nothing works'], waiting: ['no'] },
    { name: 'another prompt does not', queued: ['do B'], said: ['do C'], waiting: ['do B'] },
  ];
  it.each(table)('$name', ({ queued, said, waiting }) => {
    const queue = createQueue();
    queued.forEach((text, seq) => queue.queued(turn({ class: 'OTHER', seq, text })));
    for (const text of said) queue.delivered(text);
    expect(queue.waiting().map((prompt) => prompt.text)).toEqual(waiting);
  });
});

describe('abandoned branches', () => {
  type Step = [name: string, parent?: string];
  const user = ([id, parent]: Step): Turn => turn({ class: 'USER', id, ...(parent === undefined ? {} : { parent }) });
  const agent = ([id, parent]: Step): Turn => ({ ...user([id, ...(parent === undefined ? [] : [parent])] as Step), class: 'AGENT' });
  const tool = (step: Step): Turn => ({ ...agent(step), class: 'TOOL' });

  const table: { name: string; turns: Turn[]; abandoned: number[] }[] = [
    { name: 'a straight line has none', turns: [user(['u1']), agent(['a1', 'u1']), user(['u2', 'a1'])], abandoned: [] },
    { name: 'a prompt that was edited is abandoned', turns: [user(['u1']), agent(['a1', 'u1']), user(['u2', 'a1']), agent(['a2', 'u2']), user(['u3', 'a1'])], abandoned: [1] },
    { name: 'two prompts on one record that gave no turn: the first is abandoned', turns: [user(['u1']), user(['u2', 'gone']), agent(['a2', 'u2']), user(['u3', 'gone'])], abandoned: [1] },
    { name: 'several levels are abandoned at once', turns: [user(['u1']), agent(['a1', 'u1']), user(['u2', 'a1']), user(['u3', 'u2']), user(['u4', 'a1'])], abandoned: [1, 2] },
    { name: 'going back to the first branch takes it up again', turns: [user(['u1']), agent(['a1', 'u1']), user(['u2', 'a1']), agent(['a2', 'u2']), user(['u3', 'a1']), user(['u4', 'a2'])], abandoned: [2] },
    { name: 'an answer on an older branch moves there', turns: [user(['u1']), agent(['a1', 'u1']), user(['u2', 'a1']), agent(['a3', 'u1'])], abandoned: [1] },
    { name: 'parallel results on an earlier record are no branch', turns: [user(['u1']), tool(['c1', 'u1']), tool(['c2', 'c1']), tool(['r1', 'c1']), tool(['r2', 'c2']), agent(['a', 'r2']), user(['u2', 'a'])], abandoned: [] },
    { name: 'a late result on an old record is no branch', turns: [user(['u1']), tool(['c1', 'u1']), user(['u2', 'c1']), tool(['r1', 'c1'])], abandoned: [] },
    { name: 'an unknown parent goes on', turns: [user(['u1']), user(['u2', 'nope']), user(['u3', 'nope2'])], abandoned: [] },
    { name: 'a new root goes on', turns: [user(['u1']), agent(['a1', 'u1']), user(['u2'])], abandoned: [] },
    { name: 'a cycle ends', turns: [user(['u1', 'u2']), user(['u2', 'u1']), user(['u3', 'u2'])], abandoned: [] },
    { name: 'a turn that is its own parent ends', turns: [user(['u1', 'u1']), user(['u2', 'u2'])], abandoned: [] },
    { name: 'a prompt without an id is on no branch', turns: [user(['u1']), agent(['a1', 'u1']), turn({ class: 'USER' }), user(['u3', 'a1'])], abandoned: [] },
  ];
  it.each(table)('$name', ({ turns, abandoned }) => {
    const branches = createBranches();
    const users = turns.map((one) => branches.add(one)).filter((number) => number >= 0);
    const gone = branches.abandoned();
    expect(users.filter(gone)).toEqual(abandoned);
  });

  it('resolves a parent by the record id where several turns share a message id', () => {
    const branches = createBranches();
    branches.add(turn({ class: 'USER', id: 'u1' }));
    branches.add(turn({ class: 'AGENT', id: 'm1', record: 'r1', parent: 'u1' }));
    branches.add(turn({ class: 'USER', id: 'u2', parent: 'r1' }));
    branches.add(turn({ class: 'USER', id: 'u3', parent: 'r1' }));
    expect([0, 1, 2].filter(branches.abandoned())).toEqual([1]);
  });

  it('takes back as many prompts as the client rolled back', () => {
    const branches = createBranches();
    for (let number = 0; number < 4; number++) branches.add(turn({ class: 'USER' }));
    branches.rollBack(2);
    branches.add(turn({ class: 'USER' }));
    expect([0, 1, 2, 3, 4].filter(branches.abandoned())).toEqual([2, 3]);
  });

  it('survives more turns than it remembers', () => {
    const branches = createBranches(10);
    for (let number = 0; number < 1_000; number++) branches.add(user([`u${number}`, `u${number - 1}`]));
    branches.add(user(['back', 'u995']));
    expect([994, 995, 996, 999].filter(branches.abandoned())).toEqual([996, 999]);
  });
});
