import { describe, expect, it } from 'vitest';
import { renderBrief } from '../../../src/render/brief.mts';
import { agent, call, digestOf, result, user, viewOf } from './turns.ts';

const again = { meta: 'superseding' } as const;
const brief = (turns: Parameters<typeof digestOf>[0]): string => renderBrief(digestOf(turns), viewOf(turns.length), { maxBriefTokens: 30_000 });

describe('a turn that its source gave again with another text', () => {
  it('replaces the prompt, the objective and the row of the timeline', () => {
    const turns = [user('Fix the pars', { id: 'a' }), agent('ok', { id: 'b' }), user('and the docs', { id: 'c' }), user('Fix the parser', { id: 'a', ...again })];
    const digest = digestOf(turns);
    expect(digest).toMatchObject({ objective: 'Fix the parser', objectiveSeq: 3, promptsTotal: 2 });
    expect(digest.prompts.map(({ text }) => text)).toEqual(['Fix the parser', 'and the docs']);
    expect(digest.timeline.map(({ text }) => text)).toEqual(['Fix the parser', 'ok', 'and the docs']);
    expect(brief(turns)).not.toMatch(/Fix the pars\b/);
  });

  it('is known by its block too', () => {
    const digest = digestOf([user('the text', { id: 'a' }), user('the paste', { id: 'a', part: 1 }), user('the whole paste', { id: 'a', part: 1, ...again })]);
    expect(digest.prompts.map(({ text }) => text)).toEqual(['the text', 'the whole paste']);
  });

  it('is the state only where it was the last word before', () => {
    const said = [user('Fix it'), agent('I will', { id: 'a' }), agent('Done', { id: 'b' })];
    expect(digestOf([...said, agent('I will do so', { id: 'a', ...again })]).stateNow).toBe('Done');
    expect(digestOf([...said, agent('Done and tested', { id: 'b', ...again })])).toMatchObject({ stateNow: 'Done and tested', stateSeq: 3 });
    const open = [user('Fix it'), agent('todo: docs', { id: 'a' }), agent('todo: tests', { id: 'b', part: 1 }), agent('all is done', { id: 'a', ...again })];
    expect(digestOf(open).openLoops.map(({ text }) => text)).toEqual(['todo: tests']);
  });

  it('opens no call anew that has its result', () => {
    const digest = digestOf([
      call('1', 'Bash', { command: 'npm tes' }, { id: 'a' }), result('1', 'ok', { ok: true, id: 'a' }), call('1', 'Bash', { command: 'npm test' }, { id: 'a', ...again }),
    ]);
    expect(digest.pending).toEqual([]);
    expect(digest).toMatchObject({ commandsTotal: 1, counts: { calls: 1, results: 1 }, tools: [{ target: 'npm test', result: 'ok' }] });
    expect(digest.commands).toMatchObject([{ command: 'npm test', ok: true, test: true }]);
  });

  it('keeps a call open that has none, under its new words', () => {
    const digest = digestOf([call('1', 'Write', { file_path: '/a' }, { id: 'a' }), call('1', 'Write', { file_path: '/b' }, { id: 'a', ...again })]);
    expect(digest.pending).toMatchObject([{ kind: 'call', target: '/b', seq: 0 }]);
    expect(digest.filesChanged).toEqual([]);
  });

  it('tells anew how a call ended', () => {
    const failed = [call('1', 'Bash', { command: 'make' }, { id: 'a' }), result('1', 'no', { ok: false, exit: 2, id: 'a' })];
    expect(digestOf(failed)).toMatchObject({ commandsFailed: 1, errors: [{ text: 'no' }] });
    const worked = digestOf([...failed, result('1', 'made', { ok: true, id: 'a', ...again })]);
    expect(worked).toMatchObject({ commandsFailed: 0, errors: [], tools: [{ result: 'ok' }] });
    expect(worked.commands).toEqual([{ command: 'make', seq: 0, ts: expect.any(String) as string, ended: true, ok: true }]);
    const edited = digestOf([call('1', 'Edit', { file_path: '/a' }, { id: 'a' }), result('1', 'ok', { ok: true, id: 'a' }), result('1', 'ok, 2 lines', { ok: true, id: 'a', ...again })]);
    expect(edited.filesChanged).toMatchObject([{ path: '/a', times: 1 }]);
  });
});
