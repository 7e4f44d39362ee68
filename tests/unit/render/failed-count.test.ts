import { expect, it } from 'vitest';
import { createReducer } from '../../../src/render/reduce.mts';
import type { Turn } from '../../../src/transcript/turn.mts';

const call = (seq: number, command: string): Turn => ({ seq, ts: '', class: 'TOOL', kind: 'call', tool: 'Bash', call: `c${seq}`, text: `tool_use Bash ${JSON.stringify({ command })}`, effect: 'unknown' });
const result = (seq: number, of: number, text: string, ok?: boolean): Turn => ({ seq, ts: '', class: 'TOOL', kind: 'result', call: `c${of}`, text, ...(ok === undefined ? {} : { ok }) });

it('a run that failed by its output counts as failed, though the line ended well', () => {
  const reducer = createReducer();
  for (const turn of [call(0, 'npm test 2>&1 | tail -3'), result(1, 0, '# pass 1\n# fail 1'), call(2, 'npm run lint'), result(3, 2, 'Exit code 1', false), call(4, 'ls'), result(5, 4, 'a')]) reducer.add(turn);
  const digest = reducer.digest();
  expect(digest.commandsTotal).toBe(3);
  expect(digest.commandsFailed).toBe(2);
});
