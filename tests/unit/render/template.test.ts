/** templates/HANDOFF.template.md is what the program renders of a small session, so it shows the form as it is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderBrief } from '../../../src/render/brief.mts';
import { CONTRACT_FIELDS, joinHandoff, judgeContract, splitHandoff } from '../../../src/store/evidence.mts';
import { REPOSITORY } from '../../helpers/run.ts';
import { agent, call, digestOf, other, result, user, viewOf } from './turns.ts';

const text = readFileSync(join(REPOSITORY, 'templates/HANDOFF.template.md'), 'utf8');

/** One of each thing that a brief can hold, with a name in braces for what a session puts there. */
const turns = [
  user('{{the first request, verbatim}}'),
  call('1', 'Read', { file_path: '{{file}}' }, { effect: 'read' }),
  result('1', '{{what the file holds}}', { ok: true }),
  call('2', 'Edit', { file_path: '{{file}}' }, { effect: 'write' }),
  result('2', '{{what the tool says}}', { ok: true }),
  call('3', 'Bash', { command: 'npm test' }, { effect: 'unknown' }),
  result('3', '{{what the command printed}}', { ok: false, exit: 1 }),
  user('no, {{a later request that changes the course}}'),
  call('4', 'AskUserQuestion', { question: '{{a question}}' }),
  result('4', '{{the answer}}', { ok: true }),
  call('5', 'TodoWrite', { todos: [{ content: '{{what is left of the plan}}', status: 'pending' }] }),
  result('5', 'ok', { ok: true }),
  agent('{{the last words of the agent}}\n\nNext step: {{what it says is left}}'),
  call('6', 'Bash', { command: '{{a command without a result}}' }, { effect: 'unknown' }),
  call('7', 'Grep', { pattern: '{{a search without a result}}' }, { effect: 'read' }),
  other('queued', '{{a prompt that was never delivered}}'),
];
const view = viewOf(turns.length, {
  session: 'SESSION', title: '{{title}}', project: '{{project}}', harness: '{{harness}}', model: '{{model}}', cwd: '{{working directory}}', git: { branch: '{{branch}}', commit: '{{commit}}' },
  source_paths: ['{{transcript}}'], counts: { USER: 2, AGENT: 1, THOUGHT: 0, TOOL: 12, OTHER: 1 }, usage: { input: 0, output: 0 }, redaction: { on: true, counts: {} },
});
const block = `\n${CONTRACT_FIELDS.map((field) => `${field}: {{…}}`).join('\n')}\n`;

describe('templates/HANDOFF.template.md', () => {
  it('is the form that the program writes', () => {
    expect(text).toBe(joinHandoff(renderBrief(digestOf(turns), view, { maxBriefTokens: 30_000 }), block));
  });

  it('has a marker that holds, and all fields of the contract behind it', () => {
    expect(splitHandoff(text)).toMatchObject({ marker: 'ok', block });
    expect(judgeContract(text).contract.missing).toEqual([]);
  });
});
