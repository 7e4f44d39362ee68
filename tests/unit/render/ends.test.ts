/** How the end of something is told: of a session, of work in the background, of a call inside a script, of one of several calls. */
import { describe, expect, it } from 'vitest';
import { renderBrief } from '../../../src/render/brief.mts';
import { readBrief, sectionOf, type BriefSection } from '../../helpers/brief.ts';
import { agent, call, digestOf, other, result, user, viewOf } from './turns.ts';

type Turns = Parameters<typeof digestOf>[0];
const brief = (turns: Turns): string => renderBrief(digestOf(turns), viewOf(turns.length), { maxBriefTokens: 30_000 });
const part = (turns: Turns, name: string): BriefSection => sectionOf(readBrief(brief(turns)), name);

describe('what a person types to the client alone', () => {
  it.each(['/cost', '/login', '!git status', '/compact keep the plan'])('leaves a prompt unanswered: %s', (typed) => {
    const turns = [user('Explain the rounding'), other('api-error', 'Overloaded'), user(typed)];
    expect(part(turns, 'Pending').rows).toEqual([['0', 'prompt, not answered', '', 'Explain the rounding', 'answer it']]);
    expect(digestOf(turns)).toMatchObject({ stateFrom: 'USER', stateNow: 'Explain the rounding', stateSeq: 0 });
  });

  it('leaves an interruption the last thing that happened', () => {
    const turns = [user('Tell a story'), agent('Once upon'), other('interrupted', '[Request interrupted by user]'), user('/rename story'), user('/exit')];
    expect(digestOf(turns).interruptedAt).toBe(2);
    expect(digestOf([...turns, user('Go on, please')]).interruptedAt).toBeUndefined();
  });

  it('dismisses a prompt where it begins anew', () => {
    expect(digestOf([user('Explain the rounding'), user('/clear')]).unanswered).toBeUndefined();
  });

  it('is a request where the client puts its body in', () => {
    const turns = [user('Explain the rounding'), user('/review src/a.js'), other('expanded', 'Review the file')];
    expect(digestOf(turns).unanswered).toMatchObject({ seq: 1, target: '/review src/a.js' });
  });

  it('is the last word where nothing else was typed', () => {
    expect(digestOf([user('/cost')]).stateNow).toBe('/cost');
  });
});

describe('work in the background', () => {
  const started = (command: string): Turns => [user('Check it all'), call('t1', 'Bash', { command, run_in_background: true }), result('t1', 'Command running in background with ID: b1', { ok: true })];
  const note = (status: string, summary: string): Turns[number] => other('notification', `<task-notification>\n<task-id>b1</task-id>\n<status>${status}</status>\n<summary>${summary}</summary>\n</task-notification>`);

  it.each([
    ['completed', 'Background command "npm test" completed (exit code 0)', 'exit 0', 'ok', 0],
    ['failed', 'Background command "npm test" failed with exit code 1', 'exit 1', 'exit 1', 1],
    ['killed', 'Background command "npm test" was stopped', 'not recorded', 'done', 0],
  ])('has the outcome that the notification tells: %s', (status, summary, command, tool, failures) => {
    const turns = [...started('npm test'), note(status, summary), agent('Done.')];
    expect(part(turns, 'Commands run').rows.map((row) => row[1])).toEqual([command]);
    expect(part(turns, 'Tool calls').rows.map((row) => row[2])).toEqual([tool]);
    expect(digestOf(turns).errors.map(({ text }) => text)).toEqual(failures === 0 ? [] : [summary]);
    expect(digestOf(turns).pending).toEqual([]);
  });

  it('of a sub-agent is its failure too', () => {
    const turns = [user('Check it all'), call('t1', 'Agent', { description: 'Check the README' }), result('t1', 'Async agent launched successfully.\nagentId: b1'), note('failed', 'Agent "Check the README" failed: boom'), agent('Hm.')];
    expect(part(turns, 'Tool calls').rows.map((row) => row[2])).toEqual(['failed']);
    expect(part(turns, 'Errors').rows).toEqual([['3', 'Agent', 'Check the README', 'Agent "Check the README" failed: boom']]);
  });

  it('takes no exit code from the words of the command', () => {
    expect(digestOf([...started('echo exit code 3'), note('completed', 'Background command "echo exit code 3; and then many more words behind that, to the end" completed')]).commands).toMatchObject([{ ok: true }]);
  });

  it('has the outcome that a poll tells', () => {
    const turns = [...started('npm test'), call('t2', 'TaskOutput', { task_id: 'b1' }), result('t2', '<status>failed</status>\n<exit_code>2</exit_code>\n<output>\n# fail 1\n</output>', { ok: true })];
    expect(digestOf(turns).commands).toMatchObject([{ ok: false, exit: 2 }]);
    expect(digestOf(turns).errors).toMatchObject([{ tool: 'Bash', target: 'npm test', exit: 2 }]);
    const again = [...turns, call('t3', 'Bash', { command: 'npm test' }), result('t3', '# fail 0', { ok: true, exit: 0 })];
    expect(digestOf(again).errors).toEqual([]);
  });
});

describe('a call whose end the client notes apart from its result', () => {
  const noted = (id: string, exit: number): Turns[number] => other('ended', `The client notes that the call ended: exit ${exit}`, { call: id, ok: exit === 0, exit });
  const run = (id: string, cmd: string): Turns[number] => call(id, 'exec_command', { cmd }, { effect: 'unknown' });

  it('is told as ended without one', () => {
    const turns = [user('Build it'), run('1', 'make all'), run('2', 'make docs'), run('3', 'echo quick'), noted('3', 0), noted('2', 2)];
    expect(part(turns, 'Pending').rows.map((row) => row[0])).toEqual(['3', '2', '1']);
    const noteOf = (seq: number, said: string): string => `- The client notes that a call ended whose result is not here: seq ${seq}, ${said}.`;
    expect(part(turns, 'State').lines.filter((line) => line.includes('client notes'))).toEqual([noteOf(3, 'echo quick: ok'), noteOf(2, 'make docs: exit 2')]);
    expect(part(turns, 'Commands run').rows).toEqual([['2', 'exit 2', 'make docs'], ['3', 'exit 0', 'echo quick'], ['1', 'no result', 'make all']]);
    expect(part(turns, 'Tool calls').rows.map((row) => row[2])).toEqual(['no result', 'exit 2', 'ok']);
    expect(part(turns, 'Errors').rows.map((row) => row[2])).toEqual(['make docs']);
  });

  it('leaves the agent without a word after it', () => {
    const turns = [user('Build it'), run('1', 'make all'), noted('1', 0)];
    expect(part(turns, 'State').lines.join('\n')).toContain('The record ends with the result of a call, seq 2: the agent said nothing after it.');
    expect(digestOf([...turns, result('1', 'made', { ok: true, exit: 0 }), agent('Made.')]).endsAtResult).toBeUndefined();
  });

  it('has changed its file', () => {
    const turns = [user('Fix it'), call('1', 'apply_patch', '*** Begin Patch\n*** Add File: src/a.js\n+x\n*** End Patch', { effect: 'write' }), other('ended', 'it worked', { call: '1', ok: true })];
    expect(digestOf(turns)).toMatchObject({ pending: [{ ended: 'ok' }], filesChanged: [{ path: 'src/a.js', how: 'created' }] });
  });

  it('was not stopped where it ran on to its end', () => {
    const turns = [user('Build it'), run('1', 'make all'), result('1', 'Wall time: 8.0 seconds\naborted by user', { ok: false }), noted('1', 0)];
    expect(digestOf(turns)).toMatchObject({ stopped: [], pending: [], errors: [] });
    expect(part(turns, 'Commands run').rows).toEqual([['1', 'exit 0', 'make all']]);
  });

  it('does not go on in the background, and a poll may still bring what it printed', () => {
    const turns = [user('Test it'), run('1', 'npm test | tail'), result('1', 'Wall time: 1\nProcess running with session ID 88\nOutput:\n'), noted('1', 0)];
    expect(digestOf(turns)).toMatchObject({ pending: [], commands: [{ ended: true, exit: 0 }] });
    const polled = [...turns, call('2', 'write_stdin', { session_id: 88 }), result('2', 'Process exited with code 0\nOutput:\n# fail 2', { ok: true, exit: 0 })];
    expect(part(polled, 'Commands run').rows).toEqual([['1', 'failed, by its output', 'npm test | tail']]);
  });

  it('has its result and nothing besides where there is one', () => {
    const turns = [user('Test it'), run('1', 'npm test | tail'), noted('1', 0), result('1', '# fail 2', { ok: true, exit: 0 })];
    expect(part(turns, 'Commands run').rows).toEqual([['1', 'failed, by its output', 'npm test | tail']]);
    expect(digestOf([user('x y'), run('1', 'false'), noted('1', 1), result('1', 'no', { ok: false, exit: 1 })]).errors).toMatchObject([{ text: 'no', times: 1 }]);
  });
});

describe('a call inside a script', () => {
  const nested = (exit: number): Turns[number] => ({ class: 'TOOL', kind: 'call', tool: 'exec_command', meta: 'nested', ok: exit === 0, exit, text: `command_execution exec_command {"command":["bash","-lc","npm test"],"exit_code":${exit}}` });

  it('that failed is told once, with what the script printed', () => {
    const turns = [user('Fix it'), call('s1', 'exec', 'await tools.exec_command({cmd: "npm test"})'), nested(3), result('s1', 'not ok 2 - discount', { ok: false, exit: 3 })];
    expect(part(turns, 'Errors').rows).toEqual([['3', 'exec_command', 'npm test', 'not ok 2 - discount']]);
    expect(digestOf([...turns, call('s2', 'exec', 'again'), nested(0), result('s2', 'ok', { ok: true })]).errors).toEqual([]);
  });

  it('that failed is told by its exit status where the script says nothing of it', () => {
    const turns = [user('Fix it'), call('s1', 'exec', 'try'), nested(3), result('s1', 'fine', { ok: true })];
    expect(part(turns, 'Errors').rows).toEqual([['2', 'exec_command', 'npm test', 'exit 3']]);
    const thrown = [...turns.slice(0, 3), result('s1', 'Script error: boom', { ok: false })];
    expect(part(thrown, 'Errors').rows.map((row) => row[3])).toEqual(['exit 3', 'Script error: boom']);
  });
});

it('of two commands of one message only the one that was stopped is told as stopped', () => {
  const turns: Turns = [
    user('Do both'), call('1', 'bash', { command: 'sleep 60' }, { effect: 'unknown', seq: 1 }), call('2', 'bash', { command: 'npm run build' }, { effect: 'unknown', seq: 1, part: 1 }), call('3', 'bash', { command: 'false' }, { effect: 'unknown', seq: 1, part: 2 }),
    result('1', 'begin\n\n\nCommand aborted', { ok: false }), result('2', 'built', { ok: true }), result('3', '', { ok: false, exit: 1 }),
  ];
  expect(part(turns, 'Commands run').rows.map((row) => row.slice(1))).toEqual([['exit 1', 'false'], ['failed, stopped', 'sleep 60'], ['ok', 'npm run build']]);
});

it('a check that only its output tells of is told alike among the commands and the calls', () => {
  const turns = [user('Fix it'), call('1', 'Bash', { command: 'npm test' }), result('1', '# fail 2')];
  expect(part(turns, 'Commands run').rows[0]?.[1]).toBe('failed, by its output');
  expect(part(turns, 'Tool calls').rows[0]?.[2]).toBe('check failed');
});

it('the timeline marks what was said on a branch that was given up, answers too', () => {
  const turns = [
    user('Build X', { id: 'u1', parent: 'p' }), agent('First idea', { id: 'a1', parent: 'u1' }),
    user('Another?', { id: 'u2', parent: 'a1' }), agent('Second idea', { id: 'a2', parent: 'u2' }), call('1', 'Bash', { command: 'ls' }, { id: 't2', parent: 'a2' }),
    user('Which one?', { id: 'u3', parent: 'a1' }), agent('The first', { id: 'a3', parent: 'u3' }),
  ];
  expect(part(turns, 'Recent timeline').rows.map((row) => row[1])).toEqual(['USER', 'AGENT', 'USER (abandoned)', 'AGENT (abandoned)', 'TOOL (abandoned)', 'USER', 'AGENT']);
  const taken = [user('Keep this'), agent('Yes'), user('Not this'), agent('Hm'), other('rolled-back', 'Thread rolled back: 1 turns'), user('But this'), agent('Fine')];
  expect(part(taken, 'Recent timeline').rows.map((row) => row[1])).toEqual(['USER', 'AGENT', 'USER (abandoned)', 'AGENT (abandoned)', 'USER', 'AGENT']);
});

it('the session ended at its latest time, whatever the last record carries', () => {
  const turns = [user('Build X', { ts: '2026-01-01T07:52:00.000Z' }), agent('ok', { ts: '2026-01-01T07:53:02.000Z' }), other('state', 'label', { ts: '2026-01-01T07:52:55.000Z' })];
  expect(brief(turns)).toContain('**Session ran:** 2026-01-01 07:52 to 2026-01-01 07:53 ');
});

describe('what the agent said behind a prompt that was taken back', () => {
  const turns: Turns = [
    user('Build X', { id: 'u1', parent: 'p' }), agent('X is built. Next step: docs', { id: 'a1', parent: 'u1' }),
    user('And Y', { id: 'u2', parent: 'a1' }), agent('Y is built. Next step: ship Y', { id: 'a2', parent: 'u2' }),
  ];

  it('is neither the state nor an open loop', () => {
    const edited = [...turns, user('And Z', { id: 'u3', parent: 'a1' })];
    expect(digestOf(edited)).toMatchObject({ stateNow: 'X is built. Next step: docs', stateSeq: 1, unanswered: { seq: 4 }, openLoops: [{ seq: 1 }] });
    expect(digestOf([...turns, other('rolled-back', 'Thread rolled back: 1 turns')])).toMatchObject({ stateSeq: 1, openLoops: [{ seq: 1 }] });
    expect(digestOf(turns)).toMatchObject({ stateSeq: 3, openLoops: [{ seq: 3 }, { seq: 1 }] });
  });

  it('marks the files that were changed there alone', () => {
    const edit = (id: string, path: string, parent: string): Turns => [call(id, 'Edit', { file_path: path }, { id: `t${id}`, parent }), result(id, 'updated', { ok: true })];
    const changed = [...turns.slice(0, 2), ...edit('1', '/both.js', 'a1'), ...turns.slice(2), ...edit('2', '/both.js', 'a2'), ...edit('3', '/gone.js', 'a2'), user('And Z', { id: 'u3', parent: 'a1' })];
    expect(part(changed, 'Files changed').rows.map((row) => row.slice(0, 2))).toEqual([['/both.js', 'edited ×2'], ['/gone.js', 'edited, abandoned branch']]);
  });

  it('leaves the prompt the last word where nothing else was said', () => {
    expect(digestOf([...turns.slice(0, 2), user('Build Z', { id: 'u9', parent: 'p' })])).toMatchObject({ stateSeq: 2, stateFrom: 'USER', stateNow: 'Build Z' });
  });
});

it('a plan that waits for its approval is named by its words', () => {
  const turns = [user('Plan it'), call('1', 'ExitPlanMode', { plan: '# Invoices\n\n1. Class' }, { effect: 'idempotent' })];
  expect(part(turns, 'Pending').rows.map((row) => row[3])).toEqual(['# Invoices 1. Class']);
});

it('a command that was stopped stays so when the same one is stopped again', () => {
  const stop = (id: string): Turns => [call(id, 'exec_command', { cmd: 'make all' }, { effect: 'unknown' }), result(id, 'Wall time: 8.0 seconds\naborted by user', { ok: false })];
  expect(part([user('Build it'), ...stop('1'), ...stop('2')], 'Commands run').rows.map((row) => row[1])).toEqual(['failed, stopped', 'failed, stopped']);
});

it.each([
  ['Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nno such file', 'no such file'],
  [`Command: ${'make a && '.repeat(40)}\nDirectory: (root)\nOutput: no such file\nError: (none)`, 'no such file Error: (none)'],
  ['<untrusted_context>\nOutput: no such file\n</untrusted_context>', 'no such file </untrusted_context>'],
  ['{"output":"no \\"such\\"\\nfile\\n","metadata":{"exit_code":1}}', 'no "such" file'],
  ['{"chunk_id":"38","wall_time_seconds":0.2,"exit_code":3,"output":"caf\\u00e9 cut \\u00', 'café cut'],
  ['{"output":"","metadata":{"exit_code":4}}', '(no output)'],
  ['{"other":"thing","output":"x"}', '{"other":"thing","output":"x"}'],
  ['  <tools-used-before-summary>Bash</tools-used-before-summary>\n\n[Subagent hand-back] The text below is a report. The report follows:\n  It failed.', 'It failed.'],
  ['Output: ', 'Output:'],
])('a result is told by what was printed: %j', (text, told) => {
  const turns = [user('Do it'), call('1', 'Agent', { description: 'x' }), result('1', text, { ok: false })];
  expect(part(turns, 'Errors').rows[0]?.[3]).toBe(told);
});

it('nothing pending is no more than what the client writes down', () => {
  const turns = [user('Build it'), agent("I'll run the build now.")];
  const told = (harness: string): string => sectionOf(readBrief(renderBrief(digestOf(turns), viewOf(2, { harness }), { maxBriefTokens: 30_000 })), 'Pending').lines.join('\n');
  for (const late of ['gemini', 'continue']) expect(told(late)).toContain('writes a call only once it has ended: one that was running when the session was cut off is not in the record.');
  expect(told('claude-code')).toBe('Nothing: every recorded call has its result, and every prompt reached the agent.');
});

it('a todo list that the client did not take is none, and the one before it stands', () => {
  const list = (id: string, content: string): Turns[number] => call(id, 'todo_write', { todos: [{ content, status: 'pending' }] });
  const refused = [user('Fix it'), list('1', 'Fix total()'), result('1', 'Tool "todo_write" is disabled by default.', { ok: false }), agent('Fixed.')];
  expect(part(refused, 'Open loops').lines).toEqual(['None that the agent stated.']);
  const later = [list('0', 'Write docs'), result('0', 'ok', { ok: true }), ...refused];
  expect(digestOf(later).openLoops).toEqual([{ seq: 0, text: '[pending] Write docs' }]);
  expect(digestOf(refused.slice(0, 2)).openLoops).toHaveLength(1);
});
