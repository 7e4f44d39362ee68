/** Small sessions for the tests of what is rendered: one line a turn. */
import { createReducer, type ReducerOptions } from '../../../src/render/reduce.mts';
import type { Digest } from '../../../src/render/digest.mts';
import type { RenderView } from '../../../src/render/view.mts';
import type { Turn, TurnClass } from '../../../src/transcript/turn.mts';

type Spare = Omit<Turn, 'seq' | 'ts'> & { ts?: string; seq?: number };

export const user = (text: string, more: Partial<Turn> = {}): Spare => ({ class: 'USER', text, ...more });
export const agent = (text: string, more: Partial<Turn> = {}): Spare => ({ class: 'AGENT', text, ...more });
export const other = (meta: string, text: string, more: Partial<Turn> = {}): Spare => ({ class: 'OTHER', meta, text, ...more });
export const call = (id: string, tool: string, input: unknown, more: Partial<Turn> = {}): Spare => ({
  class: 'TOOL', kind: 'call', call: id, tool, text: `tool_use ${tool} ${typeof input === 'string' ? input : JSON.stringify(input)}`, ...more,
});
export const result = (id: string, text: string, more: Partial<Turn> = {}): Spare => ({ class: 'TOOL', kind: 'result', call: id, text, ...more });

export function numbered(turns: readonly Spare[]): Turn[] {
  return turns.map((turn, seq) => ({ ts: `2026-01-01T00:${String(seq % 60).padStart(2, '0')}:00.000Z`, seq, ...turn }));
}

export function digestOf(turns: readonly Spare[], options: ReducerOptions = {}): Digest {
  const reducer = createReducer(options);
  for (const turn of numbered(turns)) reducer.add(turn);
  return reducer.digest();
}

export function viewOf(turns: number, more: Partial<RenderView> = {}): RenderView {
  const counts: Record<TurnClass, number> = { USER: 1, AGENT: 1, THOUGHT: 0, TOOL: 0, OTHER: 0 };
  return {
    session: 's1', project: 'shop', harness: 'claude-code', model: 'm1', updated_at: '2026-01-01T00:00:00.000Z', turn_count: turns,
    revisions: 1, watermark: turns - 1, counts, source_paths: ['/w/s1.jsonl'], raw_sha256: 'a'.repeat(64), manifest_sha256: '0'.repeat(64), ...more,
  };
}
