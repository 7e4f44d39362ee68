/** What a reader takes for true at a glance: how checks ended, what waits for an answer, what is left. */
import { describe, expect, it } from 'vitest';
import { renderBrief } from '../../../src/render/brief.mts';
import { checksOf, mayChangeFiles, saidBy } from '../../../src/render/checks.mts';
import { payloadFields } from '../../../src/render/fields.mts';
import { portableFields } from '../../../src/render/portable.mts';
import { readBrief, sectionOf, type BriefSection } from '../../helpers/brief.ts';
import { agent, call, digestOf, other, result, user, viewOf } from './turns.ts';

type Turns = Parameters<typeof digestOf>[0];
const brief = (turns: Turns): string => renderBrief(digestOf(turns), viewOf(turns.length), { maxBriefTokens: 30_000 });
const part = (turns: Turns, name: string): BriefSection => sectionOf(readBrief(brief(turns)), name);
const status = (turns: Turns): unknown => {
  const view = { ...viewOf(turns.length), created_at: '2026-01-01T00:00:00.000Z' };
  return (portableFields(digestOf(turns), view, '1') as { state: { status: string } }).state.status;
};
const ran = (id: string, command: string, output: string, ok = true, exit = ok ? 0 : 1): Turns => [call(id, 'Bash', { command }), result(id, output, { ok, exit })];
const edit = (id: string, path: string): Turns => [call(id, 'Edit', { file_path: path }), result(id, 'updated', { ok: true })];

describe('a check whose exit status is not its own', () => {
  it.each(['npm test 2>&1 | tail -30', 'npm test; git diff', 'npm test || true', 'npm test &', '(cd /w; npm test; ls)'])('%j has that of another command', (line) => {
    expect(checksOf(line)).toMatchObject([{ key: 'npm test', own: false }]);
  });
  it.each(['npm test', 'cd /w && npm test > out.txt 2>&1', 'set -o pipefail; npm test | tail -3', 'npm test | tail; exit ${PIPESTATUS[0]}', 'npm test || exit 1', 'CI=1 npm test &> log', 'timeout 60 npm test'])('%j has its own', (line) => {
    expect(checksOf(line)).toMatchObject([{ key: 'npm test', own: true }]);
  });
  it('is no check inside quotes or a here-document', () => {
    expect(checksOf('git commit -m "x; npm test"')).toEqual([]);
    expect(checksOf('cat > run.sh <<EOF\nnpm test\nEOF')).toEqual([]);
  });

  it.each([
    ['# tests 3\n# pass 2\n# fail 1', 'failed'], ['ℹ pass 3\nℹ fail 0', 'passed'], ['1 failed, 3 passed in 2 s', 'failed'], ['3 passed in 2 s', 'passed'], ['not ok 2 - sum', 'failed'],
    ['FAIL src/a.test.js', 'failed'], ['  2 failing', 'failed'], ['{"output":"ok 1 - a\\n# fail 0\\n","metadata":{"exit_code":0}}', 'passed'], ['test result: ok. 3 passed; 0 failed', 'passed'], ['nothing of it', undefined],
  ])('is told by what it printed: %j', (output, says) => expect(saidBy(output)).toBe(says));

  it.each([
    ['failed', ['# fail 2', '✖ fail 1', '7 tests failed', '2 failures', '1 error', '3 errors', '  not ok 3', '\tFAILED', '--- FAIL: TestSum (0.00s)', 'test result: FAILED. 1 passed', 'FAILED (failures=1)', 'npm ERR! code 1', 'npm error code 1', 'a.ts(1,2): error TS2304']],
    ['passed', ['# fail 0', '12 passed', '3 tests passed', '5 passing (1s)', '  ok 1 - sum', 'ok', 'ok  \tpkg/a 0.1s', 'PASS', 'test result: ok', 'OK (12 tests)', '0 failed', '0 failures', '0 errors', '0 problems']],
  ] as const)('that %s says so in a line among others', (says, signs) => {
    for (const sign of signs) expect([sign, saidBy(`> npm test\nfail, ok, error\n${sign}\nand more`)]).toEqual([sign, says]);
  });

  it('is never shown as plainly ok', () => {
    const silent = [user('Fix it now'), ...ran('1', 'npm test 2>&1 | tail -30', 'done')];
    expect(part(silent, 'Commands run').rows[0]?.[1]).toBe('exit status is of the last command in the line');
    expect(part(silent, 'Tool calls').rows[0]?.[2]).toBe('ok, of the last command');
    expect(part(silent, 'State').lines.join('\n')).toContain('How the last test run ended is not recorded:** seq 1');
    const failed = [user('Fix it now'), ...ran('1', 'npm test; git diff', '# fail 2')];
    expect(part(failed, 'Commands run').rows[0]?.[1]).toBe('failed, by its output');
    expect(part(failed, 'State').lines.join('\n')).toContain('**The last test run failed:** seq 1.');
    expect(digestOf(failed).commands).toMatchObject([{ ok: true, exit: 0, masked: true, says: 'failed' }]);
    expect(brief([user('Fix it now'), ...ran('1', 'npm test || true', '3 passed')])).toContain('- seq 1, passed, by its output: npm test\n');
  });

  it('is one check in three spellings', () => {
    const digest = digestOf([...ran('1', 'npm test', 'no', false), ...ran('2', 'npm test 2>&1 | tail -3', '# fail 0'), ...ran('3', 'cd /w && npm test > out', 'ok')]);
    expect(digest.tests.map(({ command, seq }) => [command, seq])).toEqual([['npm test', 4]]);
  });

  it('that failed in a line with others is not surely the one that did', () => {
    expect(brief(ran('1', 'npm run lint && npm test', 'no', false))).toContain('- seq 0, exit 1, of the whole line: npm test');
    expect(part(ran('1', 'npm run lint && npm test', 'no', false), 'Commands run').rows[0]?.[1]).toBe('exit 1');
  });
});

it('hostile lines and outputs are read in little time', () => {
  const started = performance.now();
  for (const piece of ['-m ', '--x ', '-C ', 'timeout ', 'npm -a ', '<<a\n', '\n', '"', "'", 'sed ', '1', 'A=b ', 'git -c ']) {
    const text = piece.repeat(16_384);
    for (const line of [text, `${text}test`, `npm ${text}`, `git ${text}`, `test ${text}`, `test; ${text}`]) {
      checksOf(line);
      mayChangeFiles(line);
      saidBy(line);
    }
  }
  // Under a second on a busy core: only backtracking that explodes fails here.
  expect(performance.now() - started).toBeLessThan(10_000);
});

describe('a prompt that nobody answered', () => {
  const turns = [user('Build X'), agent('Built.'), user('now ship it')];
  it('is pending, and the agent is awaited', () => {
    expect(part(turns, 'Pending').rows).toEqual([['2', 'prompt, not answered', '', 'now ship it', 'answer it']]);
    expect(part(turns, 'State').lines.join('\n')).toContain('**The agent has to answer:** the last prompt, seq 2, has no answer.');
    expect(status(turns)).toBe('awaiting_agent');
    expect(payloadFields(digestOf(turns), viewOf(3))).toMatchObject({ pending: [{ kind: 'prompt', seq: 2 }], pending_total: 1 });
  });
  it('is none once the agent said or did something, nor is a command that asks nothing', () => {
    expect(digestOf([...turns, agent('Shipped.')]).unanswered).toBeUndefined();
    expect(digestOf([...turns, call('1', 'Bash', { command: 'ls' })]).unanswered).toBeUndefined();
    expect(digestOf([...turns.slice(0, 2), user('/context')]).unanswered).toBeUndefined();
    expect(digestOf([...turns.slice(0, 2), user('/review a.js'), other('expanded', 'Review …')]).unanswered).toMatchObject({ seq: 2 });
    expect(status(turns.slice(0, 2))).toBe('awaiting_user');
  });
  it('is none on a branch that was given up', () => {
    expect(digestOf([user('Build X'), agent('Built.'), user('now ship it'), other('rolled-back', 'rolled back 1')]).unanswered).toBeUndefined();
  });
});

describe('failures', () => {
  it('are over when each command of the call worked', () => {
    const both = (id: string, ok: boolean): Turns => [call(id, 'run_commands', { commands: ['npm test', 'git push'] }), result(id, 'x', { ok })];
    const one = (id: string, command: string): Turns => [call(id, 'run_commands', { commands: [command] }), result(id, 'x', { ok: true, exit: 0 })];
    expect(digestOf([...both('1', false), ...one('2', 'npm test')]).errors).toHaveLength(1);
    expect(digestOf([...both('1', false), ...one('2', 'npm test 2>&1'), ...one('3', 'git push')]).errors).toEqual([]);
  });
  it('of a check are not over because of another command\'s exit status', () => {
    expect(digestOf([...ran('1', 'npm test', 'no', false), ...ran('2', 'npm test | tail', 'x')]).errors).toHaveLength(1);
    expect(digestOf([...ran('1', 'npm test', 'no', false), ...ran('2', 'npm test | tail', '# fail 0')]).errors).toEqual([]);
  });
  it('of a run that its output tells are counted, though its line ended well', () => {
    const turns = [call('1', 'Bash', { command: 'npm test 2>&1 | tail -3' }), result('1', '# pass 1\n# fail 1'), call('2', 'Bash', { command: 'npm run lint' }), result('2', 'Exit code 1', { ok: false }), call('3', 'Bash', { command: 'ls' }), result('3', 'a')];
    expect(digestOf(turns)).toMatchObject({ commandsTotal: 3, commandsFailed: 2 });
  });
  it('that matter little stand on one line', () => {
    const turns = [call('1', 'Read', { file_path: '/a' }), result('1', 'no file', { ok: false }), call('2', 'Frobnicate', {}), result('2', 'Unknown tool: Frobnicate', { ok: false }), ...ran('3', 'make', 'no', false)];
    expect(part(turns, 'Errors').rows.map((row) => row[1])).toEqual(['Bash']);
    expect(part(turns, 'Errors').lines).toContain('Reads that missed and tools that there are not: seq 1, 3.');
  });
  it('that matter little and share a record are named once, in whichever words of a client', () => {
    const turns = [
      call('1', 'Read', { file_path: '/a' }, { seq: 0 }), call('2', 'x', {}, { seq: 0, part: 1 }), call('3', 'y', {}, { seq: 0, part: 2 }),
      result('1', 'no file', { ok: false, seq: 1 }), result('2', "Model tried to call unavailable tool 'x'", { ok: false, seq: 1, part: 1 }),
      result('3', 'Tool "y" is a built-in tool that is disabled by default.', { ok: false, seq: 2 }),
    ];
    expect(part(turns, 'Errors').lines).toEqual(['None open.', 'Reads that missed and tools that there are not: seq 1, 2.']);
  });
  it('of a call that the person stopped are none, and what it did is unknown', () => {
    const turns = [user('Import all'), call('1', 'exec_command', { cmd: 'import.sh' }, { effect: 'unknown' }), result('1', 'Wall time: 3.8 seconds\naborted by user', { ok: false }), other('interrupted', 'x')];
    expect(part(turns, 'Pending').rows).toEqual([['1', 'stopped exec_command', 'unknown', 'import.sh', 'outcome unknown: look first']]);
    expect(part(turns, 'State').lines.join('\n')).toContain('Stopped while running: seq 1, import.sh; outcome unknown: look first.');
    expect(part(turns, 'Commands run').rows).toEqual([['1', 'failed, stopped', 'import.sh']]);
    expect(part(turns, 'Tool calls').rows).toEqual([['1', 'exec_command', 'failed, stopped', 'import.sh']]);
    expect(digestOf(turns).errors).toEqual([]);
    expect(digestOf([...turns, call('2', 'exec_command', { cmd: 'import.sh' }), result('2', 'ok', { ok: true, exit: 0 })]).stopped).toEqual([]);
  });
});

describe('a call that Claude Code says the person did not want', () => {
  const said = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";
  const plain = `${said} STOP what you are doing and wait for the user to tell you how to proceed.`;
  const turns = (tool: string, input: unknown, text: string, more = {}): Turns => [user('Import all'), call('1', tool, input, { effect: tool === 'Read' ? 'read' : 'unknown' }), result('1', text, { ok: false, ...more }), other('interrupted', 'x')];

  it('may have run, where the record does not tell', () => {
    const found = turns('Bash', { command: 'import.sh' }, plain);
    expect(part(found, 'Pending').rows).toEqual([['1', 'refused or stopped Bash', 'unknown', 'import.sh', 'outcome unknown: look first']]);
    expect(part(found, 'State').lines.join('\n')).toContain('Refused, or stopped while it ran: seq 1, import.sh; outcome unknown: look first.');
    expect(part(found, 'Commands run').rows).toEqual([['1', 'refused or stopped', 'import.sh']]);
    expect(digestOf(found)).toMatchObject({ decisions: [], errors: [], stopped: [{ refused: 'perhaps' }] });
  });
  it('is the same for a call that another client calls cancelled', () => {
    const found = turns('run_shell_command', { command: 'import.sh' }, '[Operation Cancelled] Reason: User cancelled tool execution.', { meta: 'cancelled' });
    expect(part(found, 'Pending').rows.map((row) => row[1])).toEqual(['refused or stopped run_shell_command']);
    const refused = turns('run_shell_command', { command: 'import.sh' }, '[Operation Cancelled] Reason: User did not allow tool call', { meta: 'cancelled' });
    for (const one of [refused, turns('write_file', { file_path: '/a' }, 'x', { meta: 'cancelled' })]) expect(digestOf(one)).toMatchObject({ errors: [], stopped: [], decisions: [{ kind: 'refused' }] });
  });
  it('has run, where the client corrects itself', () => {
    const found = turns('Bash', { command: 'import.sh' }, `${plain} Correction to the text above: this call was stopped while running, not refused before it ran.`);
    expect(part(found, 'Pending').rows.map((row) => row[1])).toEqual(['stopped Bash']);
  });
  it.each([
    ['the record says so', 'Bash', { command: 'import.sh' }, plain, { meta: 'refused' }],
    ['there are words with it', 'Bash', { command: 'import.sh' }, `${said} To tell you how to proceed, the user said:\nno`, {}],
    ['it is an edit', 'Write', { file_path: '/a', content: 'x' }, plain, {}],
    ['it only reads', 'Read', { file_path: '/a' }, plain, {}],
  ])('never ran, where %s', (_why, tool, input, text, more) => {
    const found = digestOf(turns(tool, input, text, more));
    expect([found.stopped, found.decisions.map(({ kind }) => kind)]).toEqual([[], ['refused']]);
  });
  it.each(['This Bash command contains multiple operations. The following part requires approval: rm -rf data', 'This command requires approval', "Claude requested permissions to write to /a, but you haven't granted it yet."])('or the rules did not allow never ran: %s', (text) => {
    const found = turns('Bash', { command: 'rm -rf data' }, text);
    expect(digestOf(found)).toMatchObject({ errors: [], stopped: [], decisions: [{ kind: 'refused', text: 'rm -rf data' }] });
    expect(part(found, 'Files changed').lines.join('\n')).not.toContain('may have changed files');
  });
});

describe('the state', () => {
  it('of a long answer begins with a line or a word, and says where the whole is', () => {
    const long = (gap: string): string => `${'x'.repeat(500)}${'word'.repeat(5)}${gap}${'y'.repeat(1_180)}`;
    for (const gap of ['\n', ' ']) {
      const found = part([user('Tell all'), agent(long(gap))], 'State');
      expect(found.fence).toBe('y'.repeat(1_180));
      expect(found.lines).toContain("*The agent's last words, seq 1: a claim, not a check. Only the end; all of it: `handoff show s1 --turns 1..1`.*");
    }
    expect(part([user('Tell all'), agent('x'.repeat(9_000))], 'State').fence).toBe('x'.repeat(1_200));
    for (const whole of ['y'.repeat(1_200), `${'y'.repeat(1_190)}${' '.repeat(40)}`]) expect(part([user('Tell all'), agent(whole)], 'State').lines).toContain("*The agent's last words, seq 1: a claim, not a check.*");
  });
  it('has no call that waits where the agent went on without a result, and its digest says that none is recorded', () => {
    const turns: Turns = [user('Look it up'), { class: 'TOOL', kind: 'call', tool: 'web_search', text: 'tool_use web_search {}' }, agent('Found.')];
    expect(part(turns, 'Tool calls').rows).toEqual([['1', 'web_search', 'not recorded', '{}']]);
    expect(digestOf(turns).pending).toEqual([]);
  });
});

describe('the end of the record', () => {
  const worked: Turns = [user('Import all'), agent('Looking.'), call('1', 'Bash', { command: 'ls' }), result('1', 'a', { ok: true })];
  const failure = other('api-error', 'API Error: 529 Overloaded.');
  it('is told where it is a result that the agent did not go on from', () => {
    expect(part(worked, 'State').lines).toContain('- The record ends with the result of a call, seq 3: the agent said nothing after it.');
    expect(part(worked, 'Pending').lines).toEqual(['Nothing: every recorded call has its result, and every prompt reached the agent. It said nothing after the last result, seq 3: the work it was asked for may not be done.']);
    expect(part([...worked, agent('One file.')], 'State').lines.join('\n')).not.toContain('The record ends');
    expect(part([...worked, user('and then?')], 'State').lines.join('\n')).not.toContain('The record ends');
  });
  it('is told where the last request to the model failed, until the agent goes on', () => {
    const told = "- **The last request to the model failed, and the agent said nothing since:** seq 4, API Error: 529 Overloaded.";
    expect(part([...worked, failure], 'State').lines).toContain(told);
    expect(part([...worked, failure], 'Pending').lines).toEqual(['Nothing: every recorded call has its result, and every prompt reached the agent. Its last answer failed, seq 4: the work it was asked for may not be done.']);
    for (const more of [agent('One file.'), call('2', 'Bash', { command: 'cat a' })]) expect(digestOf([...worked, failure, more]).errors).toEqual([]);
  });
  it('of a call that its client stopped with a last line is no failure', () => {
    const found: Turns = [user('Do it'), call('1', 'bash', { command: 'echo begin; sleep 60' }, { effect: 'unknown' }), result('1', 'begin\n\n\nCommand aborted', { ok: false })];
    expect(part(found, 'Pending').rows).toEqual([['1', 'stopped bash', 'unknown', 'echo begin; sleep 60', 'outcome unknown: look first']]);
    expect(digestOf(found).errors).toEqual([]);
  });
});

describe('what was asked', () => {
  it('is not steered by commands of the client, which are marked', () => {
    const turns = [user('Build X'), user('/rename do it instead'), user('!git stop instead'), user('/review a.js instead'), agent('ok')];
    expect(digestOf(turns).steering).toEqual([]);
    expect(part(turns, 'What was asked').rows.map((row) => row[3])).toEqual(['', 'client command, asks nothing', 'client command, asks nothing', 'client command']);
  });
  it('ends with the last request, beside the objective', () => {
    expect(part([user('Build X'), agent('ok'), user('and the docs'), agent('ok'), user('thanks'), user('/cost')], 'Objective').lines).toEqual(['*The first request, seq 0.*', '- Last request, seq 2: and the docs']);
    expect(brief([user('Build X'), agent('ok')])).not.toContain('Last request');
  });
  it('is a greeting where there is nothing beyond it', () => {
    const found = part([user('hello there'), agent('Hi!')], 'Objective');
    expect([found.fence, found.lines]).toEqual(['hello there', ['*No request beyond a greeting, seq 0.*']]);
  });
});

describe('a test run', () => {
  const tested: Turns = [user('Fix it'), ...ran('1', 'npm test', '# fail 0', true)];
  it('that is older than a command which may have changed files is no proof', () => {
    expect(part([...tested, ...ran('2', 'sed -i s/a/b/ a.js', '', true), ...ran('3', 'git status', '', true), agent('All pass.')], 'State').lines)
      .toContain('- **May be unverified:** 1 command after the last test run, seq 1, may have changed files: seq 3.');
    for (const more of [ran('2', 'git status', '', true), [...ran('2', 'rm a.js', '', true), ...ran('3', 'npm test', '# fail 0', true)]]) expect(part([...tested, ...more, agent('All pass.')], 'State').lines.join()).not.toContain('unverified');
  });
});

describe('what is left', () => {
  it('of what was said before the course changed is marked so', () => {
    const turns = [user('Build X'), agent('Built. Next step: ship X.'), user('no, stop X, do Y instead'), agent('Y is begun. Next step: test Y.')];
    expect(part(turns, 'Open loops').lines).toEqual(['- seq 3: Y is begun. Next step: test Y.', '- seq 1, before seq 2 changed the course: Built. Next step: ship X.']);
  });
  const plan = [user('Plan it out'), call('1', 'ExitPlanMode', { plan: '# Invoices\n\n1. Class `Invoice`\n2. Numbers per year' }), result('1', 'User has approved your plan.', { ok: true })];
  it('is the approved plan until the work begins', () => {
    expect(digestOf(plan).plan).toEqual([{ status: 'approved', text: 'Class `Invoice`' }, { status: 'approved', text: 'Numbers per year' }]);
    expect(brief(plan)).toContain('\n- seq 2: [approved] Class `Invoice`\n');
    expect(digestOf([plan[0] ?? user(''), call('1', 'ExitPlanMode', {}), result('1', 'User has approved your plan.\n\n## Approved Plan:\n- one\n- two', { ok: true })]).plan.map(({ text }) => text)).toEqual(['one', 'two']);
    expect(digestOf([...plan.slice(0, 2), result('1', 'Plan rejected. Feedback: smaller', { ok: true })]).plan).toEqual([]);
    expect(digestOf([...plan, ...edit('2', '/a.js')]).openLoops).toEqual([]);
    expect(digestOf([...plan.slice(0, 2), result('1', 'The user doesn\'t want to proceed with this tool use.', { ok: false })]).plan).toEqual([]);
  });
  it('is what the agent says is not committed, with one sign before it', () => {
    const turns = [user('Fix it now'), agent('Done.\n- Nothing is committed.\n- The docs are not committed yet\n- still to do: x'), agent('I committed it.')];
    expect(part(turns, 'Open loops').lines).toEqual(['- seq 1: still to do: x', '- seq 1: The docs are not committed yet', '- seq 1: Nothing is committed.']);
    expect(brief(turns)).not.toMatch(/: - /);
  });
  it('of a todo list may be old', () => {
    const turns = [user('Fix it now'), call('1', 'TodoWrite', { todos: [{ content: 'a', status: 'pending' }] }), result('1', 'ok', { ok: true })];
    expect(part(turns, 'Open loops').lines).not.toContain('The todo list is as of seq 1, not updated since.');
    expect(part([...turns, agent('All done.')], 'Open loops').lines).toContain('The todo list is as of seq 1, not updated since.');
  });
});

describe('files that commands change', () => {
  it.each(['rm -r docs', 'cd x && mv a b', 'sed -i s/a/b/ f', 'git checkout a.js', 'git -C /w stash', 'echo x > f.txt', 'cat a | tee b', 'npx eslint --fix .'])('%j may', (line) => expect(mayChangeFiles(line)).toBe(true));
  it.each(['ls 2>/dev/null', 'npm test 2>&1', 'sed -n 1p f', 'git status', 'echo "a > b"', 'grep -c rm f', 'node -e "a => b"'])('%j does not', (line) => expect(mayChangeFiles(line)).toBe(false));
  it('are told beside those of the edit tools', () => {
    expect(part([...ran('1', 'rm a.js', ''), ...ran('2', 'ls', '')], 'Files changed').lines).toEqual(['None by an edit tool.', '1 command may have changed files: seq 0.']);
  });
});

describe('the warning that the code is newer than the tests', () => {
  it('is not about documentation', () => {
    expect(digestOf([...ran('1', 'npm test', 'ok'), ...edit('2', '/w/README.md'), ...edit('3', '/w/docs/a.html')]).verification).toMatchObject({ stale: false });
    expect(digestOf([...ran('1', 'npm test', 'ok'), ...edit('2', '/w/a.js'), ...edit('3', '/w/a.md')]).verification).toMatchObject({ stale: true, last_edit: 2 });
    expect(digestOf(edit('1', '/w/a.md')).verification).toEqual({ last_edit: 0, stale: false });
  });
  it('speaks of a claim only where one is made', () => {
    const claim = 'A claim that tests pass is older than the code.';
    expect(brief([...edit('1', '/a.js'), agent('All tests pass.')])).toContain(claim);
    expect(brief([...edit('1', '/a.js'), agent('I changed the file.')])).not.toContain(claim);
  });
});

it('the head tells when the session itself began and ended', () => {
  expect(brief([user('Fix it now'), agent('ok')])).toContain('**Session ran:** 2026-01-01 00:00 to 2026-01-01 00:01 (Updated: when it was captured)');
});

it('lines outside tables escape no bars and backticks, and one is not many', () => {
  const text = brief([user('Fix it now'), agent('Next step: run `a | b`')]);
  expect(text).toContain('- seq 1: Next step: run `a | b`\n');
  expect(text).toContain('| 1 | AGENT | Next step: run \\`a \\| b\\` |');
  expect(brief([user('Fix it now')])).toContain('timeline.jsonl (1 turn);');
});
