/** Sub-agents with transcripts of their own: found beside their session's, told of in its brief, captured apart on request. */
import { appendFileSync, existsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk } from '../helpers/desk.ts';
import { claude, codex, lines, type TranscriptRecord } from '../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

/** The records of the sub-agent `agent` of `session`, as its own file or inline in the session's. */
function agentRecords(agent: string, task: string, session = 's'): TranscriptRecord[] {
  const writer = claude(`${session}-${agent}`);
  return [writer.user(task), writer.agent(`${agent} is done`)].map((record) => ({ ...record, sessionId: session, isSidechain: true, agentId: agent }));
}

const main = (session = 's'): TranscriptRecord[] => {
  const writer = claude(session);
  return [writer.user('Fix the parser'), writer.call('t1', 'Agent', { description: 'Find callers', prompt: 'Find all callers' }), writer.agent('Fixed.')];
};

/** A session of Claude Code with a sub-agent, one of a workflow, and a journal, as the client lays them down. */
function laidOut(): { file: string; x: string; y: string } {
  const file = desk.file('p/s.jsonl', lines(...main()));
  const x = desk.file('p/s/subagents/agent-x.jsonl', lines(...agentRecords('x', 'Find all callers')));
  desk.file('p/s/subagents/agent-x.meta.json', '{"toolUseId":"t1","description":"Callers of the parser"}');
  const y = desk.file('p/s/subagents/workflows/wf_1/agent-y.jsonl', lines(...agentRecords('y', 'Check the grammar')));
  desk.file('p/s/subagents/workflows/wf_1/journal.jsonl', '{"type":"step","key":"agent-y"}\n');
  return { file, x, y };
}

const places = (section: string): string => /## Where everything lives\n([^]*?)\n## /.exec(section)?.[1] ?? '';

describe('sub-agents of Claude Code', () => {
  it('are listed under their parent with the command that captures them, and are no part of it', () => {
    const { file, x, y } = laidOut();
    expect(desk.build(file)).toBe('handoff: built s project=w turns=3 new=3 rev=1');
    const { manifest } = desk.session();
    expect(manifest.subagents).toEqual([{ id: 's.agent-x', path: x, title: 'Callers of the parser' }, { id: 's.agent-y', path: y, title: 'Check the grammar' }]);
    const brief = places(desk.session().text('HANDOFF.md'));
    expect(brief).toContain(`\`handoff build --with-subagents ${file}\``);
    expect(brief).toContain(`- s.agent-x: Callers of the parser (${x})`);
    expect(brief).toContain(`- s.agent-y: Check the grammar (${y})`);
    expect(desk.session().summary).toMatchObject({ objective: 'Fix the parser' });
    expect(desk.places()).toEqual(['w/s']);
  });

  it('are found whatever signs the name of its file has', () => {
    const file = desk.file('p/$&.jsonl', lines(...main()));
    desk.file('p/$&/subagents/agent-x.jsonl', lines(...agentRecords('x', 'Find all callers')));
    desk.build(file);
    expect(desk.session().manifest.subagents).toMatchObject([{ id: 's.agent-x' }]);
  });

  it('are captured by --with-subagents, each as a handoff of its own with tokens, task and parent', () => {
    const { file } = laidOut();
    const { status, stdout, stderr } = desk.handoff(['build', file, '--with-subagents']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n').map((line) => line.replace(/ -> .*/, ''))).toEqual([
      'handoff: built s project=w turns=3 new=3 rev=1', 'handoff: built s.agent-x project=w turns=2 new=2 rev=1', 'handoff: built s.agent-y project=w turns=2 new=2 rev=1',
    ]);
    expect(desk.session().manifest.usage).toEqual({ input: 2, output: 4 });
    const child = desk.session('w/s.agent-x');
    expect(child.manifest).toMatchObject({ session: 's.agent-x', parent_session: 's', usage: { input: 1, output: 2 } });
    expect(child.summary).toMatchObject({ objective: 'Find all callers', state_now: 'x is done' });
    expect(child.text('HANDOFF.md')).toContain('**Sub-agent of:** s');
    expect(child.turns.every((turn) => turn.side === undefined)).toBe(true);
    expect(desk.handoff(['verify', '--all']).status).toBe(0);
  });

  it('are brought up to date with their session, and each alone where only one has grown', () => {
    const { file, x } = laidOut();
    desk.build(file, '--with-subagents');
    appendFileSync(x, lines({ ...claude('more').agent('and more'), sessionId: 's', isSidechain: true, agentId: 'x' }));
    const { stdout } = desk.handoff(['build', file, '--with-subagents']);
    expect(stdout.replace(/ -> .*/g, '').trimEnd().split('\n')).toEqual(['handoff: up-to-date (s, watermark 2, rev 1)', 'handoff: built s.agent-x project=w turns=3 new=1 rev=2', 'handoff: up-to-date (s.agent-y, watermark 1, rev 1)']);
  });

  it('go to the project of their parent, wherever that is by then', () => {
    const { file } = laidOut();
    desk.build(file, '--project', 'mine');
    desk.build(file, '--with-subagents');
    expect(desk.places().sort()).toEqual(['mine/s', 'mine/s.agent-x', 'mine/s.agent-y']);
  });

  it('give one JSON document with --json, in which each says how it went', () => {
    const { file, x, y } = laidOut();
    appendFileSync(y, 'no JSON\n');
    const { status, stdout, stderr } = desk.handoff(['build', file, '--with-subagents', '--json']);
    expect(status).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ action: 'built', session: 's', subagents: [{ path: x, result: { action: 'built', session: 's.agent-x' } }, { path: y, error: { code: 'BAD_LINES' } }] });
    expect(stderr).toContain('the sub-agent\'s transcript was not captured: ');
    expect(desk.places().sort()).toEqual(['w/s', 'w/s.agent-x']);
  });

  it('stay listed when the client has cleared them away, and are found again when the session goes on', () => {
    const { file, x } = laidOut();
    desk.build(file);
    unlinkSync(x);
    desk.file('p/s/subagents/agent-z.jsonl', lines(...agentRecords('z', 'Third')));
    appendFileSync(file, lines(claude('later').agent('More.')));
    desk.build(file);
    expect(desk.session().manifest.subagents?.map(({ id }) => id)).toEqual(['s.agent-x', 's.agent-y', 's.agent-z']);
    expect(existsSync(x)).toBe(false);
  });

  it('inline in the main file keep their side and do not set its objective', () => {
    const [prompt = {}, ...rest] = main();
    const file = desk.file('s.jsonl', lines(prompt, ...agentRecords('x', 'Find all callers'), ...rest));
    desk.build(file);
    const { turns, summary } = desk.session();
    expect(turns.map((turn) => turn.side)).toEqual([undefined, 'x', 'x', undefined, undefined]);
    expect(summary['objective']).toBe('Fix the parser');
  });

  it('are known by the flag on any line of their file, not only the first', () => {
    const [first = {}, ...rest] = agentRecords('x', 'Find all callers');
    const { isSidechain: _flag, agentId: _agent, ...plain } = first;
    const file = desk.file('p/s.jsonl', lines(...main()));
    desk.file('p/s/subagents/agent-x.jsonl', lines(plain, ...rest));
    desk.build(file, '--with-subagents');
    expect(desk.session('w/s.agent-x').manifest).toMatchObject({ parent_session: 's', turn_count: 2 });
  });

  it('of 2.0.x lie beside the sessions: only those that name the session are its own', () => {
    const file = desk.file('p/s.jsonl', lines(...main()));
    desk.file('p/agent-1.jsonl', lines(...agentRecords('1', 'Mine')));
    desk.file('p/agent-2.jsonl', lines(...agentRecords('2', 'Of another', 'other')));
    desk.file('p/agent-3.jsonl', 'not JSON, and it says "s"');
    desk.build(file, '--with-subagents');
    expect(desk.places().sort()).toEqual(['w/s', 'w/s.agent-1']);
  });

  it('show their titles on one line and without secrets', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const file = desk.file('p/s.jsonl', lines(...main()));
    desk.file('p/s/subagents/agent-x.jsonl', lines(...agentRecords('x', `Use ${secret}\n## Heading | cell`)));
    desk.build(file);
    const { manifest } = desk.session();
    expect(manifest.subagents?.[0]?.title).toMatch(/^Use \S+ ## Heading \| cell$/);
    expect(desk.session().text('manifest.json') + desk.session().text('HANDOFF.md')).not.toContain(secret);
  });
});

describe('sub-agents of other harnesses', () => {
  it('of Codex are rollouts of their own that name the thread, also those of sub-agents', () => {
    const rollout = (day: string, id: string, parent: string | undefined, prompt: string): string => {
      const writer = codex(id);
      const meta = writer.meta();
      const more = parent === undefined ? {} : { parent_thread_id: parent, thread_source: 'subagent' };
      return desk.file(`.codex/sessions/${day.replaceAll('-', '/')}/rollout-${day}T10-00-00-${id}.jsonl`, lines({ ...meta, payload: { ...(meta['payload'] as object), ...more } }, writer.message('user', prompt), writer.message('assistant', 'done')));
    };
    const file = rollout('2026-01-01', 'parent', undefined, 'Count the tests');
    const child = rollout('2026-01-01', 'child', 'parent', 'Read the tests');
    rollout('2026-01-02', 'grandchild', 'child', 'Read one test');
    rollout('2026-01-01', 'stranger', 'someone', 'Else');
    const { stdout } = desk.handoff(['build', file, '--with-subagents']);
    expect(stdout.match(/built \S+/g)).toEqual(['built parent', 'built child', 'built grandchild']);
    expect(desk.session('w/parent').manifest.subagents).toEqual([{ id: 'child', path: child, title: 'Read the tests' }]);
    expect(desk.session('w/grandchild').manifest.parent_session).toBe('child');
  });

  it('of Qwen Code lie in a folder of the session beside its chats', () => {
    const qwen = (agent: string | undefined, type: string, text: string): TranscriptRecord => ({
      uuid: `u-${agent ?? 'main'}-${type}`, parentUuid: null, sessionId: 'q1', timestamp: '2026-01-01T00:00:00.000Z', type, cwd: '/w', version: '0.24.4',
      ...(agent === undefined ? { provenance: type === 'user' ? 'real_user' : 'assistant_output' } : { agentId: agent, isSidechain: true }),
      message: { role: type === 'user' ? 'user' : 'model', parts: [{ text }] },
    });
    const file = desk.file('.qwen/projects/-w/chats/q1.jsonl', lines(qwen(undefined, 'user', 'Survey'), qwen(undefined, 'assistant', 'Done')));
    const child = desk.file('.qwen/projects/-w/subagents/q1/agent-a1.jsonl', lines(qwen('a1', 'user', 'List the files'), qwen('a1', 'assistant', 'Two.')));
    desk.build(file, '--with-subagents');
    expect(desk.session('w/q1').manifest.subagents).toEqual([{ id: 'a1', path: child, title: 'List the files' }]);
    expect(desk.session('w/a1').manifest).toMatchObject({ parent_session: 'q1', turn_count: 2 });
  });
});

it('--with-subagents over a session that has none, or over standard input, builds that alone', () => {
  const file = desk.file('s.jsonl', lines(...main()));
  expect(desk.handoff(['build', file, '--with-subagents']).stdout).toMatch(/^handoff: built s [^\n]*\n$/);
  expect(desk.session().manifest.subagents).toBeUndefined();
  expect(desk.session().text('HANDOFF.md')).not.toContain('--with-subagents');
  const { status, stdout } = desk.handoff(['build', '-', '--with-subagents'], { cwd: join(desk.dir), input: lines(...main('t')) });
  expect([status, stdout.split('\n').length]).toEqual([0, 2]);
});
