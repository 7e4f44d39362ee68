/** Cline, Continue and chat exports through the build: captured state by state they give the turns of one capture. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/transcript/turn.mts';
import { buildInto, failures, turnsOf } from '../helpers/build.ts';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';
import { identityOf } from '../helpers/truth-brief.ts';

const FIXTURES = path.join(REPOSITORY, 'tests/fixtures');
const scratch = freshFolder('handoff-whole-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

interface Case {
  name: string;
  /** Where the document lies; what else belongs to it is there already. */
  file: string;
  states: JsonObject[];
}

function growing(document: JsonObject, key: string): JsonObject[] {
  const items = document[key] as JsonObject[];
  return items.map((_, count) => ({ ...document, [key]: items.slice(0, count + 1) }));
}

/** The states of a document whose calls also pass through `status` one by one. */
function calling(document: JsonObject): JsonObject[] {
  return growing(document, 'history').flatMap((state) => {
    const history = state['history'] as JsonObject[];
    const last = history.at(-1) ?? {};
    const calls = (last['toolCallStates'] ?? []) as JsonObject[];
    const partial = ['generating', 'calling'].flatMap((status) => calls.map((_, from) => ({
      ...state, history: [...history.slice(0, -1), { ...last, toolCallStates: calls.map((call, at) => (at < from ? call : { ...call, status, output: [] })) }],
    })));
    return [...partial, state];
  });
}

function read(file: string): JsonObject {
  return JSON.parse(fs.readFileSync(path.join(FIXTURES, file), 'utf8')) as JsonObject;
}

function cline(session: string): Case {
  const folder = path.join(scratch, session);
  fs.cpSync(path.join(FIXTURES, 'cline', session), folder, { recursive: true });
  return { name: `Cline ${session}`, file: path.join(folder, `${session}.messages.json`), states: growing(read(`cline/${session}/${session}.messages.json`), 'messages') };
}

const CHAT: JsonObject = {
  messages: [
    { role: 'system', content: 'Be kind.' }, { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }, { id: 'c2', type: 'function', function: { name: 'weather', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: 'sun' }, { role: 'tool', tool_call_id: 'c2', content: '' }, { role: 'assistant', content: 'Sun.' }, { role: 'user', content: 'Weather?' },
  ],
};

const cases: Case[] = [
  cline('1796025616579_c660q'), cline('1796025629373_xx0sh'),
  { name: 'Continue', file: path.join(scratch, 'continue.json'), states: calling(read('continue/coding.json')) },
  { name: 'a chat', file: path.join(scratch, 'chat.json'), states: growing(CHAT, 'messages').slice(1) },
];

describe('a document that is captured in every state on the way', () => {
  it.each(cases)('gives the turns of one that is captured at its end: $name', async ({ name, file, states }) => {
    const root = path.join(scratch, `store-${name.replaceAll(' ', '-')}`);
    let dir = '';
    for (const state of states) {
      fs.writeFileSync(file, JSON.stringify(state, null, 1));
      ({ dir } = await buildInto(root, file));
    }
    const grown = turnsOf(dir);
    expect(failures(root)).toEqual([]);
    expect((await buildInto(root, file)).action).toBe('up-to-date');

    const { dir: atOnce } = await buildInto(`${root}-once`, file);
    const said = (turns: typeof grown): string[] => turns.map((turn) => `${identityOf(turn)} ${turn.meta ?? ''} ${turn.ok ?? ''} ${turn.text}`).sort();
    expect(said(grown)).toEqual(said(turnsOf(atOnce)));
    expect(new Set(grown.map(({ seq, part }) => `${seq}.${part ?? 0}`)).size).toBe(grown.length);
  });

  it('keeps what the document forgets, and marks a text that it changed', async () => {
    const file = path.join(scratch, 'edited.json');
    const root = path.join(scratch, 'store-edited');
    const write = (...messages: JsonObject[]): void => fs.writeFileSync(file, JSON.stringify({ messages }));
    write({ role: 'user', content: 'Fix the parser' }, { role: 'assistant', content: 'Done.' }, { role: 'user', content: 'Thanks' });
    await buildInto(root, file);
    write({ role: 'user', content: 'Fix the parser' }, { role: 'assistant', content: 'Not yet.' });
    const { dir } = await buildInto(root, file);
    expect(turnsOf(dir).map((turn) => [turn.seq, turn.class, turn.text, turn.meta])).toEqual([
      [0, 'USER', 'Fix the parser', undefined], [1, 'AGENT', 'Done.', undefined], [2, 'USER', 'Thanks', undefined], [3, 'AGENT', 'Not yet.', 'superseding']]);
  });
});
