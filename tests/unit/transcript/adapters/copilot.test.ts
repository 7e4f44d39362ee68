import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createReducer } from '../../../../src/render/reduce.mts';
import type { Digest } from '../../../../src/render/digest.mts';
import { copilot } from '../../../../src/transcript/adapters/copilot.mts';
import { detectShape } from '../../../../src/transcript/detect.mts';
import type { JsonObject, TurnDraft } from '../../../../src/transcript/turn.mts';
import { collect, readRecords } from '../../../helpers/truth.ts';

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '../../../fixtures/copilot');
const fixture = (name: string): JsonObject[] => readRecords(join(FIXTURES, name));

function event(type: string, data: JsonObject, more: JsonObject = {}): JsonObject {
  return { type, data, id: 'e1', timestamp: '2026-01-01T00:00:00.000Z', parentId: null, ...more };
}

function said(...records: JsonObject[]): string[] {
  return collect(copilot, records).turns.map((turn) => `${turn.class}${turn.meta === undefined ? '' : ` ${turn.meta}`}: ${turn.text}`);
}

function complete(data: JsonObject): TurnDraft | undefined {
  return collect(copilot, [event('tool.execution_complete', { toolCallId: 'c1', ...data })]).turns[0];
}

function digestOf(records: JsonObject[]): Digest {
  const reducer = createReducer();
  collect(copilot, records).turns.forEach((turn) => reducer.add({ ...turn, seq: turn.at }));
  return reducer.digest();
}

describe('calls', () => {
  it('that stand twice are taken once, in the order of the message that asks for them', () => {
    const answer = event('assistant.message', { model: 'm', reasoningText: 'hm', content: 'ok', toolRequests: [{ toolCallId: 'c1', name: 'view', arguments: { path: 'a' } }, { toolCallId: 'c2', name: 'bash', arguments: { command: 'ls' } }] });
    const begun = event('tool.execution_start', { toolCallId: 'c1', toolName: 'view', arguments: { path: 'a' } });
    expect(said(answer, begun)).toEqual(['THOUGHT: hm', 'AGENT: ok', 'TOOL: function_call view {"path":"a"}', 'TOOL: function_call bash {"command":"ls"}']);
    expect(collect(copilot, [answer]).turns.map((turn) => turn.effect)).toEqual([undefined, undefined, 'read', 'unknown']);
  });

  it('with free text as input keep it as it is', () => {
    expect(said(event('assistant.message', { content: '', toolRequests: [{ toolCallId: 'c1', name: 'apply_patch', arguments: '*** Begin Patch' }] }))).toEqual(['TOOL: function_call apply_patch *** Begin Patch']);
  });

  it('that the person started have an event of their own', () => {
    expect(said(event('tool.user_requested', { toolCallId: 'c1', toolName: 'bash', arguments: { command: 'ls' } }))).toEqual(['TOOL: function_call bash {"command":"ls"}']);
  });

  it('that a kill left open stay pending when the resume closes them with a made-up result', () => {
    const digest = digestOf(fixture('killed-resumed.jsonl'));
    expect(digest.pending).toMatchObject([{ tool: 'bash', effect: 'unknown', interrupted: true, call: 'call_c6c6467741914a08addb' }]);
    expect(digest.prompts.map((row) => row.text)).toEqual(['Run the long migration', 'what happened?']);
  });
});

describe('results', () => {
  it('of a command that failed are no success, whatever the client says', () => {
    expect(complete({ success: true, shellExecution: { exitCode: 1 }, result: { content: 'no' } })).toMatchObject({ ok: false, exit: 1, text: 'no', call: 'c1' });
    expect(complete({ success: true, shellExecution: { exitCode: 0 }, result: { content: 'yes' } })).toMatchObject({ ok: true, exit: 0 });
  });

  it('of a tool that failed have the error as their text', () => {
    expect(complete({ success: false, error: { message: 'No match found', code: 'failure' } })).toMatchObject({ ok: false, text: 'No match found' });
  });

  it('are the content, not the diff that the client draws', () => {
    expect(complete({ success: true, result: { content: 'file', detailedContent: 'diff --git' } })).toMatchObject({ text: 'file', ok: true });
    expect(complete({ success: true, result: { content: '' } })).toMatchObject({ text: '(no output)' });
  });
});

describe('messages of the user\'s role', () => {
  it('are what was typed, without what the client adds for the model', () => {
    expect(said(event('user.message', { content: 'Fix it', transformedContent: '<current_datetime>x</current_datetime>\n\nFix it' }))).toEqual(['USER: Fix it']);
  });

  it.each([['skill-pdf', 'expanded'], ['agent-1', 'notification'], ['system', 'reminder'], ['schedule-1', 'injected']])('from the source %s are OTHER', (source, meta) => {
    expect(said(event('user.message', { content: 'text', source }))).toEqual([`OTHER ${meta}: text`]);
  });

  it('name what was attached, and keep bytes out', () => {
    const attachments = [{ type: 'file', path: 'src/a.js' }, { type: 'blob', data: 'AAAA', mimeType: 'image/png' }, { type: 'selection', filePath: 'b.js', text: 'x = 1' }];
    expect(said(event('user.message', { content: 'Look', attachments }))).toEqual([
      'USER: Look', 'OTHER attachment: [attachment file src/a.js]', expect.stringMatching(/^OTHER attachment: \[attachment image\/png 3 bytes sha256:/), 'OTHER attachment: [attachment selection b.js]\nx = 1']);
  });
});

describe('sub-agents in the same file', () => {
  it('have their side on every turn, and their prompt is a task', () => {
    const { turns, facts } = collect(copilot, fixture('subagent.jsonl'));
    const side = 'c8b23e88-fa61-42e6-9c3e-a42a0c4645b8';
    expect(turns.filter((turn) => turn.side === side).map((turn) => [turn.class, turn.meta ?? turn.kind ?? ''])).toEqual([['OTHER', 'task'], ['TOOL', 'call'], ['TOOL', 'result'], ['AGENT', '']]);
    expect(turns.filter((turn) => turn.side === undefined && turn.class === 'USER')).toHaveLength(1);
    expect(facts.model).toBe('mock-coder-1');
  });

  it('do not set the session\'s model', () => {
    const change = event('session.model_change', { newModel: 'small' }, { agentId: 'a' });
    const answer = event('assistant.message', { model: 'small', content: 'x' }, { agentId: 'a' });
    expect(collect(copilot, [event('session.start', { sessionId: 's', selectedModel: 'large', context: {} }), change, answer]).facts.model).toBe('large');
    expect(collect(copilot, [event('session.start', { sessionId: 's', selectedModel: 'large', context: {} }), event('session.model_change', { newModel: 'next' })]).facts.model).toBe('next');
  });
});

describe('the session', () => {
  it('is where a resume says that it is now', () => {
    const { facts } = collect(copilot, fixture('killed-resumed.jsonl'));
    expect(facts).toMatchObject({ uuid: '5f702170-35bb-451b-84b9-cab6fc3ceb00', cwd: '/home/dev3/shop', branch: 'fix', commit: '1'.repeat(40), model: 'mock-coder-2', clientVersion: '1.0.102' });
  });

  it('takes its name from its folder where the first event is lost', () => {
    expect(copilot.identify({ path: '/h/.copilot/session-state/5f702170-35bb-451b-84b9-cab6fc3ceb00/events.jsonl', records: [] })).toEqual({ uuid: '5f702170-35bb-451b-84b9-cab6fc3ceb00' });
    expect(copilot.identify({ path: '-', records: [] })).toEqual({});
  });

  it('tells an error of the service', () => {
    expect(digestOf(fixture('upstream-error.jsonl')).errors.filter((row) => row.tool === 'api')).toMatchObject([{ text: '400 invalid request (mock)' }]);
  });

  it('keeps a summary, a skill\'s body, a stop and a notice as OTHER', () => {
    expect(said(event('session.compaction_complete', { summaryContent: 'so far' }), event('skill.invoked', { name: 'x', content: 'body' }), event('abort', { reason: 'user initiated' }), event('session.warning', { message: 'w' }))).toEqual([
      'OTHER compaction-summary: so far', 'OTHER expanded: body', 'OTHER interrupted: [aborted] user initiated', 'OTHER notice: w']);
  });

  it('counts the tokens of each request, and says nothing for what only repeats or streams', () => {
    const usage = event('session.usage_record', { usage: { apiCallId: 'r1', inputTokens: 5, outputTokens: 7, cacheReadTokens: 1, cacheWriteTokens: 0, reasoningTokens: 3 } });
    const found = collect(copilot, [usage, usage, event('system.message', { content: 'prompt' }), event('assistant.message', { content: 'draft' }, { ephemeral: true }), event('session.shutdown', {})]);
    expect([...found.usage]).toEqual([['r1', { input: 5, output: 7, cache_read: 1, cache_write: 0, reasoning: 3 }]]);
    expect(found.turns).toEqual([]);
    expect([...found.unknown]).toEqual([]);
  });

  it('counts events of a kind that nobody knows', () => {
    expect([...collect(copilot, [event('session.brand_new', {}), event('tool.brand_new', {})]).unknown.keys()]).toEqual(['session.brand_new', 'tool.brand_new']);
  });
});

describe('recognition', () => {
  it.each(['subagent.jsonl', 'killed-resumed.jsonl', 'upstream-error.jsonl'])('every record of %s is known', (name) => {
    expect(fixture(name).filter((record) => !copilot.recognises(record))).toEqual([]);
    expect(detectShape(Buffer.from(fixture(name).map((record) => JSON.stringify(record)).join('\n')), '/x/a.jsonl')).toMatchObject({ kind: 'lines', adapter: { id: 'copilot' } });
  });

  it('a record without data, id or parent is not', () => {
    expect(copilot.recognises({ type: 'user.message', data: {}, id: 'x' })).toBe(false);
    expect(copilot.recognises({ type: 'message', id: 'x', parentId: null, data: {} })).toBe(false);
  });
});
