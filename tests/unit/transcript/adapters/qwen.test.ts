/** Qwen Code: what its records say, one by one. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReducer } from '../../../../src/render/reduce.mts';
import { qwen } from '../../../../src/transcript/adapters/qwen.mts';
import { detectShape } from '../../../../src/transcript/detect.mts';
import type { Json, JsonObject, TurnDraft } from '../../../../src/transcript/turn.mts';
import { REPOSITORY } from '../../../helpers/run.ts';
import { collect, readRecords, type Collected } from '../../../helpers/truth.ts';

const FIXTURES = path.join(REPOSITORY, 'tests/fixtures/qwen');
const AGENT_FILE = path.join(FIXTURES, 'agent-general-purpose-call_f78685be7c8145929b6d.jsonl');

let count = 0;
const record = (type: string, more: JsonObject): JsonObject => {
  count += 1;
  return {
    uuid: `q${count}`, parentUuid: count === 1 ? null : `q${count - 1}`, sessionId: 's-1', timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString(), type,
    provenance: type === 'user' ? 'real_user' : type === 'assistant' ? 'assistant_output' : type, cwd: '/w/shop', version: '0.24.4', gitBranch: 'main', ...more,
  };
};
const parts = (role: string, content: Json[]): JsonObject => ({ role, parts: content.map((part) => (typeof part === 'string' ? { text: part } : part)) });
const user = (content: Json | Json[], more: JsonObject = {}): JsonObject => record('user', { message: parts('user', Array.isArray(content) ? content : [content]), ...more });
const agent = (content: Json[], more: JsonObject = {}): JsonObject => record('assistant', { model: 'qwen3', message: parts('model', content), ...more });
const call = (id: string, name: string, args: JsonObject): JsonObject => ({ functionCall: { id, name, args } });
const result = (id: string, name: string, response: JsonObject, outer: JsonObject): JsonObject => record('tool_result', {
  message: parts('user', [{ functionResponse: { id, name, response } }]), toolCallResult: { callId: id, ...outer },
});
const system = (subtype: string, systemPayload: JsonObject, more: JsonObject = {}): JsonObject => record('system', { subtype, systemPayload, ...more });

const read = (...records: JsonObject[]): Collected => collect(qwen, records);
const short = (turns: readonly TurnDraft[]): string[] => turns.map((turn) => `${turn.kind ?? turn.class}${turn.meta === undefined ? '' : `/${turn.meta}`} ${turn.text}`);
const said = (...records: JsonObject[]): string[] => short(read(...records).turns);
const load = (name: string): JsonObject[] => readRecords(path.join(FIXTURES, name));

describe('messages', () => {
  it('give thought, text and calls in order, with the record\'s id, parent, tokens and model', () => {
    const found = read(user('Fix it'), agent([{ text: 'Look.', thought: true }, 'I look.', call('c1', 'read_file', { file_path: 'a' }), call('c2', 'agent', {})], {
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 4, thoughtsTokenCount: 1, cachedContentTokenCount: 5 },
    }));
    expect(short(found.turns)).toEqual(['USER Fix it', 'THOUGHT Look.', 'AGENT I look.', 'call function_call read_file {"file_path":"a"}', 'call function_call agent {}']);
    const id = found.turns[0]?.id;
    expect(found.turns[1]).toMatchObject({ parent: id });
    expect(found.turns[3]).toMatchObject({ tool: 'read_file', call: 'c1', effect: 'read' });
    expect([...found.usage.values()]).toEqual([{ input: 10, output: 4, cache_read: 5, reasoning: 1 }]);
    expect(found.facts).toEqual({ uuid: 's-1', cwd: '/w/shop', branch: 'main', clientVersion: '0.24.4', model: 'qwen3' });
  });

  it('that were streamed in several parts are one turn as long as their kind stays', () => {
    expect(said(agent(['One ', 'two', { text: 'hm', thought: true }, { text: ' hm', thought: true }, 'three']))).toEqual(['AGENT One two', 'THOUGHT hm hm', 'AGENT three']);
  });

  it('without anything to say are still a link of the chain', () => {
    expect(said(user([]), agent([]), record('brand-new', {}))).toEqual([
      'OTHER/placeholder [user record without text]', 'OTHER/placeholder [assistant record without text]', 'OTHER/unknown-record [record brand-new]',
    ]);
    expect([...read(record('brand-new', {}), system('brand-new', {})).unknown.keys()]).toEqual(['brand-new', 'system/brand-new']);
  });
});

describe('what was typed', () => {
  it('is told by the client\'s own flags', () => {
    expect(said(
      user('Go on', { subtype: 'mid_turn_user_message', systemPayload: { displayText: 'Go on' } }),
      user('<task-notification>done</task-notification>', { subtype: 'notification', provenance: 'system' }),
      user('Check the build', { subtype: 'cron', provenance: 'system' }),
      user('Reach the goal', { subtype: 'goal_runtime', provenance: 'goal_runtime' }),
      user('From elsewhere', { provenance: 'existing' }),
    )).toEqual([
      'USER Go on', 'OTHER/notification <task-notification>done</task-notification>', 'OTHER/notification Check the build', 'OTHER/continue Reach the goal', 'OTHER/injected From elsewhere',
    ]);
  });

  it('is what was shown, and the rest of the message is the client\'s', () => {
    const hook = '<qwen:user-prompt-submit-context>\nbe kind\n</qwen:user-prompt-submit-context>';
    expect(said(user(['Fix @a', '\n--- Content from referenced files ---\nbody\n--- End of content ---', hook], { systemPayload: { displayText: 'Fix @a', hookContext: 'be kind' } }))).toEqual([
      'USER Fix @a', 'OTHER/expanded --- Content from referenced files ---\nbody\n--- End of content ---', `OTHER/hook ${hook}`,
    ]);
    expect(said(user(['Fix it', '<system-reminder>skills: none</system-reminder>']))).toEqual(['USER Fix it', 'OTHER/reminder <system-reminder>skills: none</system-reminder>']);
  });

  it('is a command as it was given; what the client answered is not', () => {
    expect(said(
      system('slash_command', { phase: 'invocation', rawCommand: '/about' }),
      system('slash_command', { phase: 'result', rawCommand: '/about', outputHistoryItems: [{ type: 'info', text: 'Qwen Code' }] }),
      system('slash_command', { phase: 'invocation', rawCommand: '/hidden', hiddenInvocation: true }),
    )).toEqual(['USER /about', 'OTHER/command-output Qwen Code', 'OTHER/command-output [system slash_command /hidden]']);
  });
});

describe('results', () => {
  const after = (response: JsonObject, outer: JsonObject, name = 'run_shell_command'): TurnDraft | undefined => read(result('c', name, response, outer)).turns[0];

  it('tell the exit code from the shell\'s own record, else from the text', () => {
    expect(after({ error: 'Command: x\nExit Code: 1' }, { status: 'error', resultDisplay: { type: 'shell_result', exitCode: 2, output: '' } })).toMatchObject({ kind: 'result', call: 'c', ok: false, exit: 2 });
    expect(after({ output: 'x' }, { status: 'success', resultDisplay: { type: 'shell_result', exitCode: 7, output: 'x' } })).toMatchObject({ ok: false, exit: 7 });
    expect(after({ error: 'Command: x\nDirectory: (root)\nOutput: no\nError: (none)\nExit Code: 3\nSignal: (none)\nProcess Group PGID: (none)' }, { status: 'error', resultDisplay: 'no' })).toMatchObject({ ok: false, exit: 3 });
    expect(after({ output: 'fine' }, { status: 'success' })).toMatchObject({ ok: true, text: 'fine' });
  });

  it('failed where the client says so, or the response is an error', () => {
    expect(after({ error: 'File not found' }, {}, 'read_file')).toMatchObject({ ok: false, text: 'File not found' });
    expect(after({ output: 'x' }, { status: 'cancelled' }, 'read_file')).toMatchObject({ ok: false, meta: 'cancelled' });
    expect(after({ output: 'Exit Code: 1' }, {}, 'read_file')?.ok).toBeUndefined();
  });

  it('that are empty still answer their call', () => {
    expect(after({ output: '' }, { status: 'success', resultDisplay: '' }, 'write_file')).toMatchObject({ text: '(no output)', call: 'c', ok: true });
  });

  it('of a killed group are missing, and the calls wait with their effects', () => {
    const reducer = createReducer();
    collect(qwen, load('v0.24-killed.jsonl')).turns.forEach((turn, seq) => reducer.add({ ...turn, seq }));
    expect(reducer.digest().pending.map((row) => [row.tool, row.effect])).toEqual([['run_shell_command', 'unknown'], ['read_file', 'read']]);
  });
});

describe('a background agent', () => {
  it('is pending until its notification comes', () => {
    const records = load('v0.24-background.jsonl');
    const at = records.findIndex((item) => item.subtype === 'notification');
    const running = (count: number): string[] => {
      const reducer = createReducer();
      collect(qwen, records.slice(0, count)).turns.forEach((turn, seq) => reducer.add({ ...turn, seq }));
      return reducer.digest().pending.map((row) => `${row.tool} ${row.target}`);
    };
    expect(running(at)).toEqual(['agent Survey source files']);
    expect(running(at + 1)).toEqual([]);
  });
});

describe('system records', () => {
  const error = { 'event.name': 'qwen-code.api_error', error_message: '400 invalid request' };

  it('repeat what messages say, but for an error of the service; one of the client\'s own requests is not the session\'s', () => {
    expect(said(
      system('ui_telemetry', { uiEvent: { 'event.name': 'qwen-code.api_response', response_text: 'secret answer' } }),
      system('ui_telemetry', { uiEvent: error }),
      system('ui_telemetry', { uiEvent: { ...error, subagent_name: 'managed-auto-memory-extractor' } }),
    )).toEqual(['OTHER/telemetry [system ui_telemetry qwen-code.api_response]', 'OTHER/api-error 400 invalid request', 'OTHER/telemetry [system ui_telemetry qwen-code.api_error]']);
  });

  it('carry the title, the parent session and the summary of a compressed history', () => {
    const found = read(
      system('custom_title', { customTitle: 'Shop' }),
      system('parent_session', { parentSessionId: 'p-1' }),
      system('chat_compression', { compressedHistory: [parts('user', ['<system-reminder>x</system-reminder>']), parts('user', ['<state_snapshot>goal</state_snapshot>']), parts('model', ['ok'])] }),
      system('chat_compression', {}),
    );
    expect(found.facts).toMatchObject({ title: 'Shop', parent_session: 'p-1' });
    expect(short(found.turns).slice(2)).toEqual(['OTHER/compaction-summary <state_snapshot>goal</state_snapshot>', 'OTHER/compaction [system chat_compression]']);
  });

  it('hold the chain together when a prompt is taken back', () => {
    const first = user('Do A', { uuid: 'a', parentUuid: null });
    const telemetry = system('ui_telemetry', { uiEvent: { 'event.name': 'x' } }, { uuid: 't', parentUuid: 'a' });
    const gone = user('Do B', { uuid: 'b', parentUuid: 't' });
    const rewind = system('rewind', { truncatedCount: 1 }, { uuid: 'r', parentUuid: 't' });
    const next = user('Do C', { uuid: 'c', parentUuid: 'r' });
    const reducer = createReducer();
    read(first, telemetry, gone, rewind, next).turns.forEach((turn, seq) => reducer.add({ ...turn, seq }));
    expect(reducer.digest().prompts.map((row) => [row.text, row.abandoned === true])).toEqual([['Do A', false], ['Do B', true], ['Do C', false]]);
  });
});

describe('whose session it is', () => {
  it('a fork names the session that it was copied from', () => {
    expect(collect(qwen, load('v0.24-fork.jsonl')).facts).toMatchObject({
      uuid: 'cb7e4e5e-600a-4f2a-baac-499f79a7a597', fork: { of: '4d8ef4b4-8885-491e-b3aa-fd25aa9850fc', by: 'forkedFrom of the copied records' },
    });
  });

  it('a sub-agent\'s own file has its name, its parent, and the model that stands beside it', () => {
    const records = readRecords(AGENT_FILE);
    const { facts, turns } = collect(qwen, records, AGENT_FILE);
    expect(facts).toMatchObject({ uuid: 'general-purpose-call_f78685be7c8145929b6d', parent_session: '21c1a594-6e21-4c80-a80d-de0cd5edc4aa', model: 'mock-coder-1' });
    expect(qwen.ownSide?.({ path: AGENT_FILE, records })).toBe('general-purpose-call_f78685be7c8145929b6d');
    expect(turns.map((turn) => [turn.class, turn.meta, turn.side])).toEqual([['OTHER', 'task', facts.uuid], ['AGENT', undefined, facts.uuid]]);
    expect(collect(qwen, records, '/nowhere/agent-x.jsonl').facts.model).toBeUndefined();
  });

  it('is taken from the lines, not mixed up with the shapes that resemble it', () => {
    for (const name of fs.readdirSync(FIXTURES).filter((file) => file.endsWith('.jsonl'))) {
      const shape = detectShape(fs.readFileSync(path.join(FIXTURES, name)), '-');
      expect(shape.kind === 'lines' ? shape.adapter.id : shape.kind, name).toBe('qwen');
    }
    expect(qwen.recognises({ type: 'user', uuid: 'u', parentUuid: null, sessionId: 's', message: { role: 'user', content: 'Go' } })).toBe(false);
    expect(qwen.recognises({ type: 'system', uuid: 'u', parentUuid: null, sessionId: 's', isSidechain: false, content: 'x' })).toBe(false);
  });

  it('gives the same turns from every prefix', () => {
    for (const name of ['v0.24-background.jsonl', 'v0.24-fork.jsonl', 'v0.24-killed.jsonl']) {
      const records = load(name);
      const whole = collect(qwen, records).turns;
      records.forEach((_, cut) => {
        const part = collect(qwen, records.slice(0, cut)).turns;
        expect(part).toEqual(whole.slice(0, part.length));
      });
    }
  });
});
