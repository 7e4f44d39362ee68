import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { codex } from '../../../../src/transcript/adapters/codex.mts';
import type { Json, JsonObject, TurnDraft } from '../../../../src/transcript/turn.mts';
import { collect } from '../../../helpers/truth.ts';

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '../../../fixtures/codex');
const ts = '2026-01-01T00:00:00.000Z';

function line(type: string, payload: JsonObject, more: JsonObject = {}): JsonObject {
  return { timestamp: ts, type, payload, ...more };
}

function item(payload: JsonObject): JsonObject {
  return line('response_item', payload);
}

function event(payload: JsonObject): JsonObject {
  return line('event_msg', payload);
}

function user(texts: string[], kinds?: string[]): JsonObject {
  const content = texts.map((text) => ({ type: 'input_text', text }));
  return item({ type: 'message', role: 'user', content, ...(kinds === undefined ? {} : { internal_chat_message_metadata_passthrough: { content_item_kinds: kinds } }) });
}

function output(value: Json, call = 'c1'): JsonObject {
  return item({ type: 'function_call_output', call_id: call, output: value });
}

function turnsOf(...records: JsonObject[]): TurnDraft[] {
  return collect(codex, records).turns;
}

function said(...records: JsonObject[]): string[] {
  return turnsOf(...records).map((turn) => `${turn.class}${turn.meta === undefined ? '' : ` ${turn.meta}`}: ${turn.text}`);
}

function verdict(value: Json): (boolean | number | undefined)[] {
  const turn = turnsOf(output(value))[0];
  return [turn?.ok, turn?.exit];
}

function fixture(name: string): JsonObject[] {
  return readFileSync(join(FIXTURES, name), 'utf8').trimEnd().split('\n').map((text) => JSON.parse(text) as JsonObject);
}

describe('messages of the user\'s role', () => {
  const agents = '# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nbe kind\n</INSTRUCTIONS>';
  const environment = '<environment_context>\n  <cwd>/w</cwd>\n</environment_context>';

  it('judge each part by itself: instructions and environment are OTHER, what was typed is USER', () => {
    expect(said(user([agents, environment]), user(['Fix the parser']))).toEqual([
      `OTHER instructions: ${agents}`, `OTHER environment: ${environment}`, 'USER: Fix the parser']);
  });

  it.each([
    ['<user_instructions>\n\nbe kind\n</user_instructions>', 'instructions'],
    ['<turn_aborted>\nThe user interrupted.\n</turn_aborted>', 'interrupted'],
    ['<skill>\n<name>x</name>\n</skill>', 'expanded'],
    ['<hook_prompt hook_run_id="a">write</hook_prompt>', 'hook'],
    ['<user_action>\n<action>review</action>\n</user_action>', 'notification'],
    ['Another language model started to solve this problem and produced a summary of it.', 'compaction-summary'],
  ])('%j is OTHER %s', (text, meta) => {
    expect(said(user([text]))).toEqual([`OTHER ${meta}: ${text}`]);
  });

  it('the client\'s label is believed before the look of a text', () => {
    expect(said(user([environment, 'plain'], ['user.text', 'skills.selected_skill_instructions']))).toEqual([`USER: ${environment}`, 'OTHER expanded: plain']);
    expect(said(user(['x'], ['memories.summary']))).toEqual(['OTHER injected: x']);
  });

  it('a person who asks about an envelope is not taken for one', () => {
    expect(said(user(['<environment_context> is shown to me, why?']), user(['why does <turn_aborted> appear?']))).toEqual([
      'USER: <environment_context> is shown to me, why?', 'USER: why does <turn_aborted> appear?']);
  });

  it('a picture stays inside the prompt as a placeholder, without the tags around it', () => {
    const image = { type: 'input_image', image_url: `data:image/png;base64,${Buffer.from('png').toString('base64')}` };
    const content = [{ type: 'input_text', text: 'What is this?' }, { type: 'input_text', text: '<image name=[Image #1] path="/w/a.png">' }, image, { type: 'input_text', text: '</image>' }];
    const turns = turnsOf(item({ type: 'message', role: 'user', content }));
    expect(turns).toHaveLength(1);
    expect(turns[0]).toMatchObject({ class: 'USER', text: expect.stringMatching(/^What is this\?\n\[image image\/png 3 bytes sha256:[0-9a-f]{64}\]$/) });
  });

  it('a shell escape and an editor\'s context give what was typed', () => {
    expect(said(user(['<user_shell_command>\n<command>\ngit status\n</command>\n<result>\nclean\n</result>\n</user_shell_command>']))[0]).toBe('USER: !git status');
    expect(said(user(['# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nFix it'])).at(-1)).toBe('USER: Fix it');
  });
});

describe('one source for each text', () => {
  it('events that repeat an item give no turn', () => {
    expect(said(
      event({ type: 'user_message', message: 'Hi' }),
      event({ type: 'agent_message', message: 'Hello', phase: null }),
      event({ type: 'agent_reasoning', text: 'hm' }),
      event({ type: 'item_completed', item: { type: 'AgentMessage', content: [{ type: 'Text', text: 'Hello' }] } }),
      event({ type: 'task_complete', last_agent_message: 'Hello' }),
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }),
    )).toEqual(['AGENT: Hello']);
  });

  it('a session of 0.44 that was killed keeps the answer and the thought that only its events have', () => {
    expect(said(...fixture('v0.44-killed.jsonl')).slice(-3)).toEqual([
      'USER: Build the shop, please.', 'THOUGHT: **Deploying**\n\nLong command.', 'AGENT: I\'ll run the long build now.']);
  });

  it('a session of 0.44 takes answers from events only, so that none is there twice', () => {
    const meta = line('session_meta', { id: 's', cli_version: '0.44.0' });
    const both = [event({ type: 'agent_message', message: 'Hello' }), item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] })];
    expect(said(meta, ...both)).toEqual(['AGENT: Hello']);
  });

  it('a compaction is one OTHER turn: neither its assistant item nor the history it repeats is said again', () => {
    const turns = turnsOf(...fixture('v0.171-compaction.jsonl'));
    expect(turns.filter((turn) => turn.meta === 'compaction-summary')).toHaveLength(1);
    expect(turns.filter((turn) => turn.class === 'USER')).toHaveLength(1);
    expect(turns.filter((turn) => turn.class === 'AGENT').map((turn) => turn.text)).toEqual(['Reading.', 'One more look.', 'After the compaction: all good.']);
  });
});

describe('tools', () => {
  it('calls carry name, id, effect and their input as it was written', () => {
    const calls = turnsOf(
      item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd": "ls"}', call_id: 'c1' }),
      item({ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch', call_id: 'c2' }),
      item({ type: 'local_shell_call', action: { type: 'exec', command: ['ls'] }, call_id: 'c3' }),
      item({ type: 'web_search_call', action: { type: 'search', query: 'x' } }),
    );
    expect(calls.map((turn) => [turn.kind, turn.tool, turn.call, turn.effect, turn.text])).toEqual([
      ['call', 'exec_command', 'c1', 'unknown', 'function_call exec_command {"cmd": "ls"}'],
      ['call', 'apply_patch', 'c2', 'write', 'custom_tool_call apply_patch *** Begin Patch'],
      ['call', 'local_shell', 'c3', 'unknown', 'local_shell_call {"type":"exec","command":["ls"]}'],
      ['call', 'web_search', undefined, 'read', 'web_search_call {"type":"search","query":"x"}'],
    ]);
  });

  it.each<[Json, boolean | undefined, number | undefined]>([
    ['Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nno', false, 3],
    ['Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nProcess exited with code 9', true, 0],
    ['Process running with session ID 4\nOutput:\n', undefined, undefined],
    ['{"output":"no","metadata":{"exit_code":4,"duration_seconds":0.1}}', false, 4],
    ['Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.', true, 0],
    ['unsupported call: update_plan', false, undefined],
    ['apply_patch verification failed: no such line', false, undefined],
    ['Wall time: 3.8 seconds\naborted by user', false, undefined],
    ['aborted by user after 2.8s', false, undefined],
    ['the log says: Process exited with code 7', undefined, undefined],
    ['Plan updated', undefined, undefined],
    [{ content: 'no', success: false }, false, undefined],
    [[{ type: 'input_text', text: 'Script failed\nWall time 0.0 seconds\nOutput:\n' }, { type: 'input_text', text: 'boom' }], false, undefined],
    [[{ type: 'input_text', text: 'Script completed\n' }, { type: 'input_text', text: '{"wall_time_seconds":1,"exit_code":3,"output":"x"}' }], false, 3],
    [[{ type: 'input_text', text: 'Script completed\n' }, { type: 'input_text', text: '{"exit_code":3}' }], true, undefined],
  ])('reads the outcome of %j', (value, ok, exit) => {
    expect(verdict(value)).toEqual([ok, exit]);
  });

  it('an output is kept verbatim, an object is never [object Object], an empty one still answers its call', () => {
    expect(turnsOf(output({ a: 1 }))[0]?.text).toBe('{"a":1}');
    expect(turnsOf(output([{ type: 'input_text', text: 'a' }, { type: 'input_text', text: 'b\n' }]))[0]?.text).toBe('a\nb\n');
    expect(turnsOf(output(''))[0]).toMatchObject({ kind: 'result', call: 'c1', text: '(no output)' });
  });

  it('two outputs for one call are both results', () => {
    expect(turnsOf(output('one'), output('two')).map((turn) => [turn.call, turn.text])).toEqual([['c1', 'one'], ['c1', 'two']]);
  });

  it('commands and changed files of a script are calls without an id, for which no result is due', () => {
    const nested = turnsOf(...fixture('v0.171-codemode.jsonl')).filter((turn) => turn.meta === 'nested');
    expect(nested).toHaveLength(7);
    expect(nested.every((turn) => turn.kind === 'call' && turn.call === undefined)).toBe(true);
    expect(nested.filter((turn) => turn.ok === false).map((turn) => turn.exit)).toEqual([3]);
    expect(nested.find((turn) => turn.tool === 'apply_patch')?.text).toBe('file_change apply_patch\n*** Update File: /home/dev2/shop/src/cart.js');
  });

  it('a command event tells how the command ended and repeats no output, except where the client stopped the command', () => {
    const run = (exit: number): JsonObject => event({ type: 'item_completed', item: { type: 'CommandExecution', id: 'c1', exit_code: exit, aggregated_output: 'start\n' } });
    const ended = { class: 'OTHER', ts, call: 'c1', meta: 'ended' };
    expect(turnsOf(run(0), run(1))).toMatchObject([
      { ...ended, ok: true, exit: 0, text: 'The client notes that the call ended: exit 0' },
      { ...ended, ok: false, exit: 1, text: 'The client notes that the call ended: exit 1' },
    ]);
    const change = (status: string, id = 'c1'): JsonObject => event({ type: 'item_completed', item: { type: 'FileChange', id, status, changes: { '/a': { type: 'add' } } } });
    expect(turnsOf(change('completed'), change('failed'), change('inProgress'), change('completed', ''))).toMatchObject([
      { ...ended, ok: true, text: 'The client notes that the call ended: it worked' },
      { ...ended, ok: false, text: 'The client notes that the call ended: it failed' },
    ]);
    expect(turnsOf(run(-1))[0]).toMatchObject({ kind: 'result', call: 'c1', ok: false, exit: -1, text: 'start\n' });
  });
});

describe('what only events tell', () => {
  it('errors, interruptions, rollbacks and sub-agents are OTHER', () => {
    expect(said(
      event({ type: 'task_complete', last_agent_message: null, error: { message: 'high demand', codex_error_info: 'x' } }),
      event({ type: 'turn_aborted', reason: 'interrupted' }),
      event({ type: 'thread_rolled_back', num_turns: 2 }),
      event({ type: 'item_completed', item: { type: 'SubAgentActivity', kind: 'started', agent_thread_id: 't', agent_path: '/root/a' } }),
    )).toEqual(['OTHER api-error: high demand', 'OTHER interrupted: Turn aborted: interrupted', 'OTHER rolled-back: Thread rolled back: 2 turns', 'OTHER subagent: Sub-agent /root/a started: thread t']);
  });

  it('a running total that falls began anew, and the runs add up', () => {
    const count = (tokens: number): JsonObject => event({ type: 'token_count', info: { total_token_usage: { output_tokens: tokens } } });
    expect(collect(codex, [count(120), count(247), event({ type: 'token_count', info: null }), count(100), count(110)]).total).toEqual({ output: 357 });
  });

  it('unknown types are counted and never fatal', () => {
    const found = collect(codex, [line('brand-new', {}), item({ type: 'hologram' }), event({ type: 'sung' }), { type: 'brand-new', x: 1 }]);
    expect(found.turns).toEqual([]);
    expect([...found.unknown]).toEqual([['brand-new', 2], ['response_item/hologram', 1], ['event_msg/sung', 1]]);
  });
});

describe('identity', () => {
  it('is the first session_meta, and a copied one says nothing of this thread', () => {
    const facts = collect(codex, fixture('v0.110-fork.jsonl')).facts;
    expect(facts).toMatchObject({
      uuid: '01a22b70-285b-7451-915b-88dd4ce62533', branch: 'main', clientVersion: '0.110.0',
      fork: { of: '01a22b6e-d1ab-70c0-baab-8de7826990cf', by: '01a22b70-285b-7451-915b-88dd4ce62533' },
    });
    const child = line('session_meta', { id: 'CHILD', forked_from_id: 'PARENT', git: { branch: 'mine' } });
    const parent = line('session_meta', { id: 'PARENT', parent_thread_id: 'ROOT', git: { branch: 'theirs' } });
    expect(collect(codex, [child, parent]).facts).toEqual({ uuid: 'CHILD', branch: 'mine', fork: { of: 'PARENT', by: 'CHILD' } });
  });

  it('is the first uuid of the file\'s name where the first record is lost', () => {
    const name = '/c/sessions/rollout-2026-01-01T10-00-00-01a22b70-470c-7943-bb11-8462f1c381a7_01a22b70-ffff-7943-bb11-8462f1c381a7.jsonl';
    expect(codex.identify({ path: name, records: [] })).toEqual({ uuid: '01a22b70-470c-7943-bb11-8462f1c381a7' });
  });

  it('a sub-agent knows its parent, and its task is not a prompt', () => {
    const found = collect(codex, fixture('v0.171-subagent.jsonl'));
    expect(found.facts).toMatchObject({ uuid: '01a22b69-f5e8-7302-9008-e3ca873c33fc', parent_session: '01a22b69-f55f-7111-811a-0dc91a387819' });
    expect(found.turns.filter((turn) => turn.meta === 'task').map((turn) => turn.text)).toEqual(['Read test/cart.test.js and tell me what it covers. Ünïcode ✓']);
    const old = line('session_meta', { id: 's', source: { subagent: 'review' } });
    expect(said(old, user(['Review this change']))).toEqual(['OTHER task: Review this change']);
  });

  it('an encrypted message between agents is not poured out', () => {
    const sent = item({ type: 'agent_message', author: '/root', recipient: '/root/a', content: [{ type: 'input_text', text: 'Message Type: NEW_TASK\nPayload:\n' }, { type: 'encrypted_content', encrypted_content: `gAAAAA${'x'.repeat(60)}` }] });
    expect(said(sent)).toEqual(['OTHER task: [encrypted]']);
  });
});

it.each(readdirSync(FIXTURES))('%s gives the same turns from every prefix', (name) => {
  const records = fixture(name);
  const whole = collect(codex, records).turns;
  for (let cut = 0; cut <= records.length; cut++) {
    const part = collect(codex, records.slice(0, cut)).turns;
    expect(part).toEqual(whole.slice(0, part.length));
  }
  expect(whole.length).toBeGreaterThan(0);
});
