/** OpenCode and Kilo: a session against its TRUTH entry, and every state that it may have had on the way against its end. */
import { expect } from 'vitest';
import type { WholeAdapter } from '../../src/transcript/adapter.mts';
import type { Json } from '../../src/transcript/turn.mts';
import { collectWhole, expectBrief, expectIdentity } from './truth-brief.ts';
import { differences, type TruthEntry } from './truth.ts';

interface Part { type: string; text?: string; time?: { start?: number; end?: number }; state?: Record<string, Json> & { status: string; time?: { start: number } } }
interface Message { info: { role: string; time: { created: number; completed?: number }; tokens?: Json; error?: Json }; parts: Part[] }
export interface Rows { info: Record<string, Json>; messages: Message[] }

export function expectSession(adapter: WholeAdapter, value: Json, entry: TruthEntry): void {
  const found = collectWhole(adapter, value);
  expect(differences(found.turns, entry, { injectedKept: true })).toEqual([]);
  expect(found.facts.uuid).toBe(entry.session);
  expect(found.facts.cwd).toBe(entry.cwd);
  expect(found.facts.branch ?? null).toBe(entry.branch);
  expect(found.facts.model ?? null).toBe(entry.model);
  expect(found.facts.clientVersion).toBe(entry.version);
  // Its forks do not name the session that they were copied from.
  expect(found.facts.fork?.of).toBe(entry.replayed_prompts.length > 0 ? '' : undefined);
  expect(found.facts.parent_session).toBe((entry as { parent?: string }).parent);
  const sum = (kind: 'output' | 'reasoning'): number => [...found.usage.values()].reduce((all, tokens) => all + (tokens[kind] ?? 0), 0);
  const usage = entry.usage as { output_tokens?: number; reasoning_tokens?: number } | null;
  expect(sum('output')).toBe(usage?.output_tokens ?? 0);
  expect(sum('reasoning')).toBe(usage?.reasoning_tokens ?? 0);
  const children = found.turns.filter((turn) => turn.meta === 'subagent').map((turn) => turn.text.split(' ').at(-1));
  expect(children).toEqual((entry as { subagents?: string[] }).subagents ?? []);
  expect(found.unknown).toEqual([]);
  for (const turn of found.turns) expect(turn.ts, turn.text).toMatch(/^\d{4}-\d\d-\d\dT/);
  expectBrief(found.turns, entry);
  expectIdentity(adapter, statesOf(value), value);
}

/** Earlier states of a session: cut behind every part, with the last part as it was while it was written. */
export function statesOf(value: Json): Json[] {
  const whole = value as unknown as Rows;
  const states: Json[] = [];
  whole.messages.forEach((message, at) => {
    for (let count = 0; count <= message.parts.length; count++) {
      const before = whole.messages.slice(0, at);
      const parts = message.parts.slice(0, count);
      const { error: _later, ...early } = message.info;
      const open = { ...early, time: { created: message.info.time.created } };
      const put = (list: Part[]): void => void states.push({ ...whole, messages: [...before, { info: open, parts: list }] } as unknown as Json);
      put(parts);
      const last = parts.at(-1);
      // A prompt is written whole.
      if (last === undefined || message.info.role === 'user') continue;
      for (const earlier of earlierParts(last)) put([...parts.slice(0, -1), earlier]);
      // The calls of a parallel group run at the same time: all of them back at once.
      put(parts.map((part) => earlierParts(part).at(-1) ?? part));
    }
    states.push({ ...whole, messages: whole.messages.slice(0, at + 1) } as unknown as Json);
  });
  return states;
}

function earlierParts(part: Part): Part[] {
  if (part.type === 'tool' && part.state !== undefined) {
    const { status, input, time, metadata } = part.state;
    const running = { ...part, state: { status: 'running', input: input ?? {}, time: { start: time?.start ?? 0 }, ...(metadata === undefined ? {} : { metadata }) } };
    const pending = { ...part, state: { status: 'pending', input: {}, raw: '' } };
    return status === 'running' ? [pending] : [pending, running];
  }
  if ((part.type === 'text' || part.type === 'reasoning') && part.time?.end !== undefined && part.text !== undefined) {
    return [0, 1, part.text.length >> 1].map((length) => ({ ...part, text: part.text?.slice(0, length) ?? '', time: { start: part.time?.start ?? 0 } }));
  }
  return [];
}
