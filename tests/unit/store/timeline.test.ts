/** What a line of a timeline gives, whoever wrote it. */
import { expect, it } from 'vitest';
import { parseTurn, timelineLine } from '../../../src/store/timeline.mts';

const turn = { seq: 1, ts: 'T', class: 'TOOL' as const, text: 'x', part: 2, id: 'i', record: 'r', parent: 'p', kind: 'result' as const, tool: 't', call: 'c', effect: 'read' as const, ok: false, exit: 1, side: 's', meta: 'm', from: 'f' };

it('a line is read as it was written', () => {
  expect(parseTurn(timelineLine(turn))).toEqual(turn);
});

it('a key of another program that is called like one of ours is passed over', () => {
  const others = { part: '2', id: 5, record: {}, parent: null, kind: 1, tool: [], call: 7, effect: {}, ok: 'no', exit: '1', side: 0, meta: false, from: 9 };
  expect(parseTurn(JSON.stringify({ seq: 1, ts: 'T', class: 'TOOL', text: 'x', ...others, uuid: 5 }))).toEqual({ seq: 1, ts: 'T', class: 'TOOL', text: 'x', uuid: 5 });
});

it.each(['', 'null', '[]', '{}', '{"seq":1}', '{"seq":"1","text":"x"}', '{"seq":1,"text":5}', '{"seq":1,"text":"x"'])('%s is no turn', (line) => {
  expect(parseTurn(line)).toBeUndefined();
});
