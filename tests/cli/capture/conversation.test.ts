/** What becomes of a conversation's records: messages in pieces, calls and their results, branches, state. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk } from '../../helpers/desk.ts';
import { claude, codex, lines } from '../../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

const section = (name: string): string => (desk.session().text('HANDOFF.md').split(`## ${name}`)[1] ?? '').split('\n## ')[0] ?? '';

describe('a message', () => {
  it('in three records is three turns of one id, and its tokens count once', () => {
    const writer = claude();
    const part = (block: object, output_tokens: number) => writer.agent([], { message: { id: 'm1', role: 'assistant', content: [block], usage: { input_tokens: 5, output_tokens } } });
    const text = lines(writer.user('Go'), part({ type: 'thinking', thinking: 'hm' }, 1), part({ type: 'text', text: 'now' }, 1), part({ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }, 250));
    const file = desk.file('t.jsonl', text.slice(0, text.indexOf('"text":"now"')));
    desk.build(file);
    writeFileSync(file, text);
    desk.build(file);
    expect(desk.session().turns.slice(1).map(({ class: name, id }) => [name, id])).toEqual([['THOUGHT', 'm1'], ['AGENT', 'm1'], ['TOOL', 'm1']]);
    expect(desk.session().manifest.usage).toEqual({ input: 5, output: 250 });
  });

  it('with thinking, text and two calls in one record is four turns in order', () => {
    const writer = claude();
    const block = [{ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'both' }, { type: 'tool_use', id: 'a', name: 'Read', input: { file_path: '/w/a' } }, { type: 'tool_use', id: 'b', name: 'Bash', input: { command: 'ls' } }];
    desk.capture('t.jsonl', lines(writer.user('Go'), writer.agent(block), writer.result('b', 'second'), writer.result('a', [{ type: 'text', text: 'first' }])));
    expect(desk.session().turns.map(({ class: name, kind, call, effect }) => [name, kind, call, effect])).toEqual([
      ['USER', undefined, undefined, undefined], ['THOUGHT', undefined, undefined, undefined], ['AGENT', undefined, undefined, undefined],
      ['TOOL', 'call', 'a', 'read'], ['TOOL', 'call', 'b', expect.stringMatching(/write|unknown/)], ['TOOL', 'result', 'b', undefined], ['TOOL', 'result', 'a', undefined],
    ]);
    expect(section('Pending')).not.toContain('/w/a');
  });

  it('of a harness whose calls are records of their own counts them as calls', () => {
    const c = codex('0199c1d2-0000-7000-8000-000000000002');
    desk.capture('r.jsonl', lines(c.meta(), c.message('user', 'List'), c.call('x', 'shell', { command: ['ls'] }), c.output('x', 'a.js')));
    expect(desk.session('w/0199c1d2-0000-7000-8000-000000000002').manifest.counts).toMatchObject({ USER: 1, TOOL: 2 });
  });
});

describe('a call', () => {
  it('without a result is pending until its result comes, in a later build; neither is there twice', () => {
    const writer = claude();
    const file = desk.file('t.jsonl', lines(writer.user('Go'), writer.call('t1', 'Edit', { file_path: '/w/pay.js', old_string: 'a', new_string: 'b' })));
    desk.build(file);
    expect(section('Pending')).toMatch(/\| 1 \| call Edit \| write \| \/w\/pay\.js \| outcome unknown: look first \|/);
    expect(desk.session().summary['pending']).toMatchObject([{ effect: 'write' }]);
    appendFileSync(file, lines(writer.result('t1', 'ok')));
    desk.build(file);
    expect(section('Pending')).not.toContain('pay.js');
    expect(desk.session().summary['pending']).toEqual([]);
    expect(desk.session().turns.map(({ kind, call }) => [kind, call])).toEqual([[undefined, undefined], ['call', 't1'], ['result', 't1']]);
    expect(section('Files changed')).toContain('/w/pay.js');
  });

  it('that nobody made has its result kept, and is not pending', () => {
    const writer = claude();
    desk.capture('t.jsonl', lines(writer.user('Go'), writer.result('t9', 'who asked?'), writer.agent('hm')));
    expect(desk.session().turns[1]).toMatchObject({ class: 'TOOL', kind: 'result', call: 't9', text: 'who asked?' });
    expect(desk.session().summary['pending']).toEqual([]);
    expect(section('Commands run')).toContain('None');
    expect(desk.session().text('TOOLS.md')).toContain('who asked?');
  });
});

describe('links between records', () => {
  it('that are broken, meet, or go in circles cost no turn', () => {
    const writer = claude();
    const first = writer.user('Go');
    const calls = writer.agent(['a', 'b', 'c'].map((id) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: `/w/${id}` } })));
    const results = ['a', 'b', 'c'].map((id) => ({ ...writer.result(id, `in ${id}`), parentUuid: calls['uuid'] }));
    const lost = writer.agent('from nowhere', { parentUuid: 'nope' });
    const round = [writer.user('round', { uuid: 'u1', parentUuid: 'u2' }), writer.agent('and round', { uuid: 'u2', parentUuid: 'u1' })];
    expect(desk.capture('t.jsonl', lines(first, calls, ...results, lost, ...round))).toContain('turns=10 new=10');
    expect(desk.session().summary['pending']).toEqual([]);
    expect(desk.session().said.slice(-3)).toEqual(['AGENT from nowhere', 'USER round', 'AGENT and round']);
  });

  it('a prompt that was edited leaves its branch in the timeline, and out of the objective', () => {
    const writer = claude();
    const start = writer.user('hi');
    const hello = writer.agent('hello');
    const [old, new_] = ['Delete the parser', 'Fix the parser'].map((text) => ({ ...writer.user(text), parentUuid: hello['uuid'] }));
    desk.capture('t.jsonl', lines(start, hello, old ?? {}, new_ ?? {}, writer.agent('fixed')));
    expect(desk.session().said).toContain('USER Delete the parser');
    expect(desk.session().summary['objective']).toBe('Fix the parser');
  });
});
