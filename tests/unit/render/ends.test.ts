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
  expect(part(turns, 'Recent timeline').rows.map((row) => row[1])).toEqual(['USER', 'AGENT', 'USER, abandoned', 'AGENT, abandoned', 'TOOL, abandoned', 'USER', 'AGENT']);
  const taken = [user('Keep this'), agent('Yes'), user('Not this'), agent('Hm'), other('rolled-back', 'Thread rolled back: 1 turns'), user('But this'), agent('Fine')];
  expect(part(taken, 'Recent timeline').rows.map((row) => row[1])).toEqual(['USER', 'AGENT', 'USER, abandoned', 'AGENT, abandoned', 'USER', 'AGENT']);
});

it('the session ended at its latest time, whatever the last record carries', () => {
  const turns = [user('Build X', { ts: '2026-01-01T07:52:00.000Z' }), agent('ok', { ts: '2026-01-01T07:53:02.000Z' }), other('state', 'label', { ts: '2026-01-01T07:52:55.000Z' })];
  expect(brief(turns)).toContain('**Session ran:** 2026-01-01 07:52 to 2026-01-01 07:53 ');
});
