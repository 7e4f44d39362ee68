import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { HandoffError } from '../../../../src/lib/errors.mts';
import { createReducer } from '../../../../src/render/reduce.mts';
import { cline, clineStream } from '../../../../src/transcript/adapters/cline.mts';
import { loadCline } from '../../../../src/transcript/adapters/cline/load.mts';
import { detectShape } from '../../../../src/transcript/detect.mts';
import type { Json, JsonObject, TurnDraft } from '../../../../src/transcript/turn.mts';
import { freshFolder } from '../../../helpers/run.ts';
import { collectWhole, expectIdentity } from '../../../helpers/truth-brief.ts';

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '../../../fixtures/cline');
const file = (session: string, name = session): string => join(FIXTURES, session, `${name}.messages.json`);
const CODING = file('1796025616579_c660q');
const KILLED = file('1796025629373_xx0sh');
const AGENT = file('1796025624796_27clb', 'agent_1796025625143_hs5ou6');

const scratch = freshFolder();
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

function document(...messages: JsonObject[]): JsonObject {
  return { version: 1, agent: 'lead', sessionId: 's1', origin: { mode: 'user', version: '3.0.65' }, messages };
}

function message(role: string, content: Json, more: JsonObject = {}): JsonObject {
  return { id: `m-${role}`, role, content, ts: 1_796_025_585_335, ...more };
}

function said(role: string, content: Json): string[] {
  return collectWhole(cline, document(message(role, content))).turns.map((turn) => `${turn.class}${turn.meta === undefined ? '' : ` ${turn.meta}`}: ${turn.text}`);
}

function result(content: Json, more: JsonObject = {}): TurnDraft | undefined {
  return collectWhole(cline, document(message('user', [{ type: 'tool_result', tool_use_id: 'c1', name: 'run_commands', content, ...more }]))).turns[0];
}

describe('what a person typed', () => {
  it('is taken out of the client\'s envelope', () => {
    expect(said('user', [{ type: 'text', text: '<user_input mode="act">Fix the parser</user_input>' }])).toEqual(['USER: Fix the parser']);
    expect(said('user', 'plain')).toEqual(['USER: plain']);
    expect(said('user', '<user_input mode="plan">Fix it</user_input>\n<env>x</env>')).toEqual(['USER: Fix it', 'OTHER environment: <env>x</env>']);
  });

  it('stays whole where it only writes about the envelope', () => {
    expect(said('user', 'why <user_input> here?')).toEqual(['USER: why <user_input> here?']);
    expect(said('user', '<user_input mode="act">a </user_input> b</user_input>')).toEqual(['USER: a </user_input> b']);
  });

  it('has its pictures beside it', () => {
    expect(said('user', [{ type: 'text', text: 'Look' }, { type: 'image', data: 'AAAA', mediaType: 'image/png' }])).toEqual(['USER: Look', expect.stringMatching(/^OTHER attachment: \[image image\/png 3 bytes/)]);
  });

  it('is nothing in a sub-agent\'s document: there it is the task', () => {
    const found = collectWhole(cline, loadCline(AGENT).value);
    expect(found.turns[0]).toMatchObject({ class: 'OTHER', meta: 'task', text: 'List the source files and say what each does.' });
    expect(found.facts).toMatchObject({ uuid: '1796025624796_27clb__agent_1796025625143_hs5ou6', parent_session: '1796025624796_27clb', cwd: '/home/dev3/shop', branch: 'main' });
    expect(found.facts.title).toBeUndefined();
  });
});

describe('results', () => {
  it('that failed say so, though the block does not', () => {
    expect(result([{ query: 'npm test', result: '[Command exited with code 1]\nno', error: 'Command exited with code 1', success: false }])).toMatchObject({ ok: false, exit: 1, text: '[Command exited with code 1]\nno', call: 'c1', tool: 'run_commands' });
    expect(result([{ query: 'a', result: 'x', success: true }])).toMatchObject({ ok: true, text: 'x' });
  });

  it('as the JSON text of one object are read, other JSON stays as it is', () => {
    expect(result('{"query":"edit:/a","result":"","error":"text not found","success":false}')).toMatchObject({ ok: false, text: 'text not found' });
    expect(result('{"error":"rejected"}', { is_error: true })).toMatchObject({ ok: false, text: 'rejected' });
    expect(result('{"text":"done","iterations":2}')).toMatchObject({ text: '{"text":"done","iterations":2}' });
    expect(result('{"text":"done","iterations":2}')).not.toHaveProperty('ok');
  });

  it('of several commands name each, and one that failed is enough', () => {
    expect(result([{ query: 'a', result: '1', success: true }, { query: 'b', result: '[Command exited with code 2]', error: 'Command exited with code 2', success: false }])).toMatchObject({
      ok: false, exit: 2, text: '$ a\n1\n\n$ b\n[Command exited with code 2]' });
  });

  it('of any other shape have a text', () => {
    expect(result([{ type: 'text', text: 'x' }, 'y'])).toMatchObject({ text: 'x\n\ny' });
    expect(result([])).toMatchObject({ text: '(no output)' });
    expect(result(null)).toMatchObject({ text: expect.any(String) as string });
    expect(result([{ query: 'p.png', result: [{ type: 'image', data: 'AAAA', mediaType: 'image/png' }], success: true }])?.text).toMatch(/^\[image image\/png 3 bytes/);
  });
});

describe('the session', () => {
  it('takes place, branch, model and title from the file beside the document', () => {
    const { facts, usage } = collectWhole(cline, loadCline(CODING).value);
    expect(facts).toMatchObject({
      uuid: '1796025616579_c660q', cwd: '/home/dev3/shop', branch: 'main', model: 'mock-coder-1', clientVersion: '3.0.65', commit: '283804affa62b1b6ca4b715f416b9efb884e9ca9',
      title: 'The cart test fails. Please fix the total, run the tests and commit. Add a note in docs.' });
    expect([...usage.values()].reduce((sum, tokens) => sum + (tokens.output ?? 0), 0)).toBe(720);
  });

  it('does without that file, and follows neither a link nor a name that leads out', () => {
    const lone = join(scratch, 'lone');
    fs.mkdirSync(lone);
    fs.writeFileSync(join(scratch, 'out.json'), '{"session_id":"x","cwd":"/secret"}');
    fs.writeFileSync(join(lone, 'a.messages.json'), JSON.stringify({ ...document(message('user', 'hi')), origin: { mode: 'subagent', parentThreadId: '../out' } }));
    fs.symlinkSync('../out.json', join(lone, 'a.json'));
    expect(Object.keys(loadCline(join(lone, 'a.messages.json')).value as JsonObject)).toEqual(['document']);
  });

  it('is refused as damaged where the document does not parse', () => {
    fs.writeFileSync(join(scratch, 'cut.messages.json'), '{"sessionId":"s","messages":[');
    expect(() => loadCline(join(scratch, 'cut.messages.json'))).toThrow(expect.objectContaining({ code: 'BAD_LINES' }) as HandoffError);
  });

  it('that was killed has calls without a result', () => {
    const reducer = createReducer();
    collectWhole(cline, loadCline(KILLED).value).turns.forEach((turn, seq) => reducer.add({ ...turn, seq }));
    expect(reducer.digest().pending.map((row) => [row.tool, row.effect])).toEqual([['run_commands', 'unknown'], ['read_files', 'read']]);
  });
});

describe('identity', () => {
  it('a turn has its message\'s id and its block\'s number, and the same set comes out of every state', () => {
    const whole = loadCline(CODING).value as { document: { messages: JsonObject[] } };
    const { messages } = whole.document;
    const states = messages.map((_, count) => ({ ...whole, document: { ...whole.document, messages: messages.slice(0, count) } }));
    expectIdentity(cline, states, whole);
    expect(collectWhole(cline, whole).turns.slice(1, 4).map((turn) => [turn.id, turn.part, turn.ts])).toEqual([0, 1, 2].map((part) => ['msg_RrGisEgJ', part, '2026-11-30T08:00:17.009Z']));
  });

  it('messages without an id, or with one that was used, are told apart', () => {
    const { turns } = collectWhole(cline, document({ role: 'user', content: 'a' }, { id: 'x', role: 'user', content: 'b' }, { id: 'x', role: 'user', content: 'c' }));
    expect(turns.map((turn) => turn.id)).toEqual(['#0', 'x', 'x#1']);
  });
});

describe('recognition', () => {
  it('is by content, from a file and from standard input', () => {
    const bytes = fs.readFileSync(CODING);
    expect(detectShape(bytes, CODING)).toMatchObject({ kind: 'whole', adapter: cline });
    expect(detectShape(bytes, '-')).toMatchObject({ kind: 'whole', adapter: clineStream });
    expect(detectShape(bytes.subarray(0, 900), CODING)).toMatchObject({ kind: 'whole', adapter: { id: 'cline' } });
    const { document: alone } = loadCline(CODING).value as { document: JsonObject };
    expect(collectWhole(clineStream, alone).turns).toEqual(collectWhole(cline, loadCline(CODING).value).turns);
  });

  it('needs more than messages', () => {
    expect(cline.looksLike('{"sessionId":"s","messages":[]}', '/x')).toBe(false);
    expect(cline.looksLike('{"sessionId":"s","projectHash":"x","messages":[{"type":"user"}]}', '/x')).toBe(false);
    expect(cline.looksLike('not json "sessionId" "messages"', '/x')).toBe(false);
  });
});
