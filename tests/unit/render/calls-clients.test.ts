/** Calls of pi, Copilot, Cline and Continue, by what they do. */
import { describe, expect, it } from 'vitest';
import { readCall } from '../../../src/render/calls.mts';
import type { Turn } from '../../../src/transcript/turn.mts';

function said(tool: string, input: unknown): ReturnType<typeof readCall> {
  const turn: Turn = { seq: 1, ts: '', class: 'TOOL', kind: 'call', tool, text: `function_call ${tool} ${JSON.stringify(input)}` };
  return readCall(turn);
}

describe('files', () => {
  it.each([
    ['edit', { path: 'a.js', edits: [{ oldText: 'x', newText: 'y' }] }, 'edited'],
    ['write', { path: 'a.js', content: 'x' }, 'written'],
    ['create', { path: 'a.js', file_text: 'x' }, 'written'],
    ['editor', { path: 'a.js', old_text: 'x', new_text: 'y' }, 'edited'],
    ['editor', { path: 'a.js', new_text: 'y' }, 'written'],
    ['Write', { filepath: 'a.js', content: 'x' }, 'written'],
    ['create_new_file', { filepath: 'a.js', contents: 'x' }, 'written'],
    ['single_find_and_replace', { filepath: 'a.js', old_string: 'x', new_string: 'y' }, 'edited'],
  ])('%s %j', (tool, input, how) => expect(said(tool, input).changes).toEqual([{ path: 'a.js', how }]));
});

describe('commands', () => {
  it('several in one call are several', () => expect(said('run_commands', { commands: ['npm test', 'git diff'] }).commands).toEqual(['npm test', 'git diff']));
  it('of the shell of Windows are commands too', () => expect(said('powershell', { command: 'dir' }).commands).toEqual(['dir']));
});

describe('plans', () => {
  it('as a list in Markdown are rows with their state', () => {
    expect(said('update_todo', { todos: '# Plan\n- [x] read\n- [ ] fix\n* [~] test\n- no box' }).plan).toEqual([
      { status: 'completed', text: 'read' }, { status: 'pending', text: 'fix' }, { status: 'in_progress', text: 'test' }]);
    expect(said('Checklist', { checklist: '- [ ] one' }).plan).toEqual([{ status: 'pending', text: 'one' }]);
  });
  it('without a box are none', () => expect(said('update_todo', { todos: 'read, then fix' }).plan).toBeUndefined());
});

it('a sub-agent is named by its task', () => {
  expect(said('spawn_agent', { systemPrompt: 'You survey.', task: 'List the files' })).toMatchObject({ kind: 'agent', target: 'List the files' });
  expect(said('ask_question', { question: 'Which one?' })).toMatchObject({ kind: 'ask', target: 'Which one?' });
});
