/** Which turns of a build are new: a source is known by its bytes, wherever it lies and whatever was written beside it. */
import { appendFileSync, copyFileSync, mkdirSync, renameSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk, sha256 } from '../../helpers/desk.ts';
import { canonical, claude, lines, talk } from '../../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

const rows = () => desk.session().manifest.sources ?? [];
const inS = ['--session', 's'];

describe('a source that is known', () => {
  it('goes on behind a chain whose last line end was taken', () => {
    const file = desk.file('t.jsonl', lines(...talk(2)));
    desk.build(file);
    desk.session().write('chain.jsonl', desk.session().text('chain.jsonl').trimEnd());
    expect(desk.handoff(['verify', 's']).status).toBe(0);
    writeFileSync(file, lines(...talk(3)));
    expect(desk.build(file)).toContain('new=1 rev=2');
    expect(desk.session().chain.map(({ revision }) => revision)).toEqual([1, 2]);
    expect(desk.handoff(['verify', 's', '--strict']).status).toBe(0);
  });

  it('grows: only what is new is appended, and the same bytes again write nothing', () => {
    const file = desk.file('t.jsonl', lines(...talk(4)));
    expect(desk.build(file)).toBe('handoff: built s project=w turns=4 new=4 rev=1');
    const start = desk.session().bytes('timeline.jsonl');
    writeFileSync(file, lines(...talk(7)));
    expect(desk.build(file)).toBe('handoff: built s project=w turns=7 new=3 rev=2');
    expect(desk.session().bytes('timeline.jsonl').subarray(0, start.length)).toEqual(start);
    const before = desk.snapshot();
    const again = desk.handoff(['build', file]);
    expect([again.status, again.stdout, again.stderr]).toEqual([0, 'handoff: up-to-date (s, watermark 6, rev 2)\n', '']);
    const json = JSON.parse(desk.handoff(['build', file, '--json']).stdout) as object;
    expect(json).toEqual({ action: 'up-to-date', session: 's', project: 'w', dir: desk.session().dir, watermark: 6, revision: 2 });
    const { '.': _root, '.locks': _locks, ...after } = desk.snapshot();
    expect(after).toEqual(expect.objectContaining(Object.fromEntries(Object.entries(before).filter(([name]) => name !== '.' && name !== '.locks'))));
  });

  it('new bytes without a turn are a revision with new=0 that leaves the turns and their times alone', () => {
    const file = desk.file('t.jsonl', lines(...talk(4)));
    desk.build(file);
    const [timeline, chain] = [desk.session().text('timeline.jsonl'), desk.session().text('chain.jsonl')];
    const titles = ['first', 'second'].map((aiTitle) => ({ type: 'ai-title', aiTitle, sessionId: 's' }));
    appendFileSync(file, lines(...titles));
    expect(desk.build(file)).toBe('handoff: built s project=w turns=4 new=0 rev=2');
    expect([desk.session().text('timeline.jsonl'), desk.session().text('chain.jsonl')]).toEqual([timeline, chain]);
    expect(desk.session().manifest).toMatchObject({ title: 'second', skipped: 2, watermark: 3, turn_count: 4 });
    expect(desk.handoff(['verify', 's']).stdout).toMatch(/^PASS /);
    // A copy with the same records of state in another order holds no other turn.
    const copy = desk.file('copy.jsonl', lines(...talk(4), ...titles.reverse()));
    expect(desk.build(copy)).toContain('turns=4 new=0');
  });

  it('is one source by its relative path, its absolute one and a link to it', () => {
    const file = desk.file('t.jsonl', lines(...talk(4)));
    symlinkSync(file, join(desk.dir, 'link.jsonl'));
    desk.build('./t.jsonl');
    expect([desk.build(file), desk.build('link.jsonl')]).toEqual(Array(2).fill('handoff: up-to-date (s, watermark 3, rev 1)'));
    appendFileSync(file, lines(...talk(5).slice(4)));
    desk.build('link.jsonl');
    expect(desk.session().manifest).toMatchObject({ source_paths: [file], sources: [{ path: file }] });
  });

  it('moves: at its new path it goes on where it was', () => {
    const file = desk.file('old/t.jsonl', lines(...talk(4)));
    desk.build(file);
    mkdirSync(join(desk.dir, 'new'));
    const moved = join(desk.dir, 'new', 't.jsonl');
    renameSync(file, moved);
    expect(desk.build(moved)).toBe('handoff: up-to-date (s, watermark 3, rev 1)');
    appendFileSync(moved, lines(...talk(6).slice(4)));
    expect(desk.build(moved)).toContain('turns=6 new=2 rev=2');
    expect(desk.session().numbers).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(desk.session().manifest).toMatchObject({ source_paths: [file, moved], sources: [{ path: moved, runs: [[0, 0]] }] });
    expect(rows()).toHaveLength(1);
  });

  it('an older copy at another path is up to date', () => {
    const file = desk.file('t.jsonl', lines(...talk(6)));
    desk.build(file);
    const before = desk.contents();
    for (const count of [2, 5]) expect(desk.capture('copy.jsonl', lines(...talk(count)))).toBe('handoff: up-to-date (s, watermark 5, rev 1)');
    const cut = lines(...talk(4)).slice(0, -30);
    const unfinished = desk.handoff(['build', desk.file('copy.jsonl', cut)]);
    expect([unfinished.status, unfinished.stdout]).toEqual([0, 'handoff: up-to-date (s, watermark 5, rev 1)\n']);
    expect(desk.contents()).toEqual(before);
  });

  it('is told by its bytes where size and time are the same', () => {
    const file = desk.file('t.jsonl', lines(...talk(4)));
    desk.build(file);
    const { atime, mtime } = statSync(file);
    writeFileSync(file, lines(...talk(4)).replace('answer 3', 'ANSWER 3'));
    utimesSync(file, atime, mtime);
    const result = desk.handoff(['build', file]);
    expect([result.stdout, result.stderr]).toEqual([expect.stringContaining('turns=6 new=2 rev=2'), expect.stringContaining('the source was rewritten from line 4 on')]);
    expect(desk.session().said.at(-1)).toBe('AGENT ANSWER 3 of s');
  });
});

describe('a source that was rewritten', () => {
  it('keeps its old turns and gains those from the first difference on, once', () => {
    const file = desk.file('t.jsonl', lines(...talk(20)));
    desk.build(file);
    const other = claude('other');
    writeFileSync(file, lines(...talk(10), other.user('instead'), other.agent('done instead')));
    const result = desk.handoff(['build', file, ...inS]);
    expect([result.stdout, result.stderr]).toEqual([expect.stringContaining('turns=23 new=3 rev=2'), 'handoff: the source was rewritten from line 11 on; its turns from there were appended\n']);
    expect(desk.session().turns.slice(20).map(({ seq, class: name, meta, text }) => [seq, name, meta, text])).toEqual([
      [20, 'OTHER', 'source-rewritten', expect.any(String)], [21, 'USER', undefined, 'instead'], [22, 'AGENT', undefined, 'done instead'],
    ]);
    expect(rows()).toMatchObject([{ path: file, lines: 12, runs: [[0, 0], [10, 21]] }]);
    expect(desk.build(file, ...inS)).toContain('up-to-date');
    appendFileSync(file, lines(other.user('more')));
    expect(desk.build(file, ...inS)).toContain('turns=24 new=1 rev=3');
    expect(desk.session().turns.at(-1)).toMatchObject({ seq: 23, text: 'more' });
    // Rewritten again: it is compared with what it said last, not with what it said first.
    writeFileSync(file, lines(...talk(10), claude('other').user('instead'), claude('x').agent('third time')));
    expect(desk.build(file, ...inS)).toContain('turns=26 new=2 rev=4');
    expect(desk.session().turns.slice(24)).toMatchObject([{ seq: 24, meta: 'source-rewritten' }, { seq: 25, text: 'third time' }]);
    expect(desk.handoff(['verify', 's']).status).toBe(0);
  });

  it('that only became shorter adds one turn that says so', () => {
    const file = desk.file('t.jsonl', lines(...talk(6)));
    desk.build(file);
    writeFileSync(file, lines(...talk(4)));
    expect(desk.build(file)).toContain('turns=7 new=1 rev=2');
    expect(desk.session().turns.at(-1)).toMatchObject({ seq: 6, class: 'OTHER', meta: 'source-rewritten' });
    expect(desk.build(file)).toContain('up-to-date');
    writeFileSync(file, lines(...talk(4), claude('z').user('onward')));
    expect(desk.build(file, ...inS)).toContain('turns=8 new=1 rev=3');
    expect(desk.session().turns.at(-1)).toMatchObject({ seq: 7, class: 'USER', text: 'onward' });
  });

  it('is known by its first line at another path', () => {
    desk.capture('t.jsonl', lines(...talk(6)));
    const elsewhere = desk.file('elsewhere.jsonl', lines(...talk(3), claude('z').agent('another end')));
    const result = desk.handoff(['build', elsewhere]);
    expect([result.stdout, result.stderr]).toEqual([expect.stringContaining('turns=8 new=2 rev=2'), expect.stringContaining('rewritten from line 4 on')]);
    expect(rows()).toMatchObject([{ path: elsewhere, runs: [[0, 0], [3, 7]] }]);
  });

  it('at its very first line appends the whole of it', () => {
    const file = desk.file('t.jsonl', lines(...talk(3)));
    desk.build(file);
    writeFileSync(file, lines(...talk(3, 'other')));
    expect(desk.build(file, ...inS)).toContain('turns=7 new=4 rev=2');
    expect(desk.session().numbers).toEqual(['0', '1', '2', '3', '4', '5', '6']);
    expect(rows()).toMatchObject([{ runs: [[0, 0], [0, 4]] }]);
  });

  it('into one with bad lines is refused, and then the old one is still there to go on with', () => {
    const file = desk.file('t.jsonl', lines(...talk(4)));
    desk.build(file);
    const before = desk.contents();
    writeFileSync(file, lines(...talk(2), 'broken\n', ...talk(2, 'z')));
    expect(desk.handoff(['build', file, ...inS]).status).toBe(5);
    expect(desk.contents()).toEqual(before);
    writeFileSync(file, lines(...talk(5)));
    expect(desk.build(file)).toContain('turns=5 new=1 rev=2');
  });
});

describe('a second source', () => {
  it('is numbered behind the first, and each goes on behind what the other wrote', () => {
    const a = desk.file('a.jsonl', lines(...talk(10)));
    const b = desk.file('b.jsonl', lines(...talk(6, 'b')));
    desk.build(a, ...inS);
    expect(desk.build(b, ...inS)).toContain('turns=16 new=6 rev=2');
    expect([desk.build(a, ...inS), desk.build(b, ...inS)]).toEqual(Array(2).fill('handoff: up-to-date (s, watermark 15, rev 2)'));
    appendFileSync(a, lines(...talk(12).slice(10)));
    expect(desk.build(a, ...inS)).toContain('turns=18 new=2 rev=3');
    appendFileSync(b, lines(...talk(8, 'b').slice(6)));
    expect(desk.build(b, ...inS)).toContain('turns=20 new=2 rev=4');
    expect(desk.session().numbers).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`));
    expect(desk.session().said.slice(16)).toEqual(['USER prompt 10 of s', 'AGENT answer 11 of s', 'USER prompt 6 of b', 'AGENT answer 7 of b']);
    expect(rows().map(({ path, lines: count, runs }) => [path, count, runs])).toEqual([[a, 12, [[0, 0], [10, 16]]], [b, 8, [[0, 10], [6, 18]]]]);
    // Rewritten now, each is compared with its own turns alone.
    writeFileSync(b, lines(...talk(7, 'b'), claude('z').agent('other end')));
    expect(desk.build(b, ...inS)).toContain('turns=22 new=2 rev=5');
    writeFileSync(a, lines(...talk(11), claude('z').agent('its other end')));
    expect(desk.build(a, ...inS)).toContain('turns=24 new=2 rev=6');
    expect(desk.handoff(['verify', 's']).status).toBe(0);
  });

  it('in another session stays there, whatever ids its messages have', () => {
    const same = (session: string, text: string) => lines(claude(session).user('Go'), claude(session).agent(text, { message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text }] } }));
    expect([desk.capture('a.jsonl', same('one', 'first')), desk.capture('b.jsonl', same('two', 'second'))]).toEqual([expect.stringContaining('built one'), expect.stringContaining('built two')]);
    expect([desk.session('w/one').said, desk.session('w/two').said]).toEqual([['USER Go', 'AGENT first'], ['USER Go', 'AGENT second']]);
    // And in one session they are two turns.
    desk.build('a.jsonl', '--session', 'both');
    desk.build('b.jsonl', '--session', 'both');
    expect(desk.session('w/both').said).toEqual(['USER Go', 'AGENT first', 'USER Go', 'AGENT second']);
  });

  it('of canonical lines with numbers of their own leaves out those at or below the watermark, and says how many', () => {
    desk.capture('a.jsonl', lines(canonical(1, 'user', 'one'), canonical(5, 'assistant', 'five')));
    const result = desk.handoff(['build', desk.file('b.jsonl', lines(canonical(3, 'user', 'three'), canonical(5, 'user', 'also five'), canonical(6, 'user', 'six'), canonical(2, 'user', 'two')))]);
    expect([result.status, result.stdout]).toEqual([0, expect.stringContaining('turns=3 new=1 rev=2 late=3')]);
    expect(result.stderr).toContain('late=3');
    expect(desk.session('unsorted/c').numbers).toEqual(['1', '5', '6']);
    expect(desk.build('b.jsonl')).toContain('up-to-date');
    // What it adds later is its own again.
    appendFileSync(join(desk.dir, 'b.jsonl'), lines(canonical(9, 'assistant', 'nine')));
    expect(desk.build('b.jsonl')).toContain('turns=4 new=1 rev=3');
  });

  it('is captured still when its file is gone, which verify notes', () => {
    const file = desk.file('t.jsonl', lines(...talk(4)));
    desk.build(file);
    copyFileSync(file, join(desk.dir, 'b.jsonl'));
    unlinkSync(file);
    const verify = desk.handoff(['verify', 's']);
    expect([verify.status, verify.stdout]).toEqual([0, expect.stringMatching(/^PASS s \[w\]: .*\n  note: the source t\.jsonl is not there any more\n$/)]);
    expect(desk.build('b.jsonl')).toContain('up-to-date');
  });
});

describe('numbers', () => {
  it('follow the line of the source, so that every turn can be traced to it', () => {
    const writer = claude();
    const text = lines(writer.user('a'), '\n', { type: 'mode', mode: 'plan', sessionId: 's' }, writer.agent([{ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'b' }, { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }]), '\n\n', writer.user('c'));
    desk.capture('t.jsonl', text);
    expect(desk.session().numbers).toEqual(['0', '3', '3.1', '3.2', '6']);
    for (const { seq, text: said } of desk.session().turns) expect(text.split('\n')[seq]).toContain(said.replace(/^tool_use .*/, 'tool_use'));
  });

  it('of canonical lines are their own: out of order and double ones are all kept, each with a part of its own', () => {
    const file = desk.file('c.jsonl', lines(canonical(10, 'user', 'a'), canonical(4, 'assistant', 'b'), canonical(10, 'user', 'c'), canonical(10, 'user', 'd'), canonical(4, 'user', 'e')));
    expect(desk.build(file)).toContain('turns=5 new=5 rev=1');
    const session = desk.session('unsorted/c');
    expect([session.numbers, session.said, session.manifest.watermark]).toEqual([['10', '4', '10.1', '10.2', '4.1'], ['USER a', 'AGENT b', 'USER c', 'USER d', 'USER e'], 10]);
    appendFileSync(file, lines(canonical(4, 'user', 'f'), canonical(10, 'user', 'g'), canonical(undefined, 'user', 'h'), canonical(undefined, 'user', 'i')));
    expect(desk.build(file)).toContain('turns=9 new=4 rev=2');
    expect(session.numbers.slice(5)).toEqual(['4.2', '10.3', '11', '12']);
    expect(new Set(session.numbers).size).toBe(9);
    expect(session.said.slice(5)).toEqual(['USER f', 'USER g', 'USER h', 'USER i']);
  });

  it('may all be below zero, or fractions', () => {
    desk.capture('c.jsonl', lines(canonical(-7, 'user', 'a'), canonical(-3.5, 'assistant', 'b')));
    expect(desk.session('unsorted/c').numbers).toEqual(['-7', '-3.5']);
    expect(desk.session('unsorted/c').manifest).toMatchObject({ watermark: -3.5, turn_count: 2 });
    expect(desk.handoff(['verify', 'c']).stdout).toContain('PASS c [unsorted]: manifest sha ok / timeline=2 turns');
    expect(desk.build('c.jsonl')).toBe('handoff: up-to-date (c, watermark -3.5, rev 1)');
    desk.capture('c.jsonl', lines(canonical(-7, 'user', 'a'), canonical(-3.5, 'assistant', 'b'), canonical(undefined, 'user', 'c')));
    expect(desk.session('unsorted/c').numbers).toHaveLength(3);
  });
});

describe('role-marked text', () => {
  it('that grows adds its new turns, and what goes on with the last captured one as a turn of its own', () => {
    const file = desk.file('talk.md', 'user: Plan it\nassistant: First\nsecond\n');
    desk.build(file);
    appendFileSync(file, 'third\n\nfourth\nuser: Thanks\n');
    expect(desk.build(file)).toContain('turns=4 new=2 rev=2');
    const session = desk.session('unsorted/talk');
    expect(session.turns.map(({ seq, class: name, text, meta }) => [seq, name, text, meta])).toEqual([
      [0, 'USER', 'Plan it', undefined], [1, 'AGENT', 'First\nsecond', undefined], [3, 'AGENT', 'third\n\nfourth', 'continued'], [6, 'USER', 'Thanks', undefined],
    ]);
    expect(session.manifest.raw_sha256).toBe(sha256('user: Plan it\nassistant: First\nsecond\nthird\n\nfourth\nuser: Thanks\n'));
    expect(desk.build(file)).toContain('up-to-date');
  });

  it('that grows in the middle of its last line loses nothing, whatever the rest of that line looks like', () => {
    const file = desk.file('talk.md', 'user: Plan it\nassistant: First, ask the ');
    desk.build(file);
    for (const [more, words] of [['user: she knows', 'turns=3 new=1'], ['\r', 'turns=3 new=0'], ['\nsecond\nuser: Tha', 'turns=5 new=2'], ['nks\n', 'turns=6 new=1'], ['tool: ls\n', 'turns=7 new=1']] as const) {
      appendFileSync(file, more);
      expect(desk.build(file), more).toContain(words);
    }
    const session = desk.session('unsorted/talk');
    expect(session.said).toEqual(['USER Plan it', 'AGENT First, ask the ', 'AGENT user: she knows', 'AGENT second', 'USER Tha', 'USER nks', 'TOOL ls']);
    expect(session.turns.map(({ meta }) => meta)).toEqual([undefined, undefined, 'continued', 'continued', undefined, 'continued', undefined]);
    expect(new Set(session.numbers).size).toBe(7);
    expect([desk.build(file), desk.handoff(['verify', 'talk', '--strict']).status]).toEqual([expect.stringContaining('up-to-date'), 0]);
  });

  it('that is captured in the middle of a letter takes it when it is whole', () => {
    const bytes = Buffer.from('user: é€😀ä\n');
    const file = desk.file('talk.md', '');
    for (let at = 0; at < bytes.length; at += 1) {
      appendFileSync(file, bytes.subarray(at, at + 1));
      // The first letters are a marker without words: there is nothing to build yet.
      if (at >= 'user: é'.length) expect(desk.handoff(['build', file]).status).toBe(0);
    }
    const session = desk.session('unsorted/talk');
    expect(session.said.map((said) => said.slice('USER '.length)).join('')).toBe('é€😀ä');
    expect(desk.handoff(['verify', 'talk', '--strict']).status).toBe(0);
    // What is no letter and becomes none is waited for, and told.
    appendFileSync(file, Buffer.from([0xc3]));
    expect(desk.handoff(['build', file])).toMatchObject({ status: 0, stdout: expect.stringContaining('up-to-date'), stderr: expect.stringContaining('not finished') });
    appendFileSync(file, '\nassistant: yes\n');
    expect(desk.build(file)).toContain('rev=');
    expect(desk.session('unsorted/talk').said.at(-1)).toBe('AGENT yes');
  });

  it('that was rewritten is compared turn by turn', () => {
    const file = desk.file('talk.txt', 'user: One\nassistant: Two\nuser: Three\n');
    desk.build(file);
    writeFileSync(file, 'user: One\nassistant: Zwei\nuser: Drei\n');
    expect(desk.build(file)).toContain('turns=6 new=3 rev=2');
    expect(desk.session('unsorted/talk').said.slice(3)).toEqual([expect.stringMatching(/^OTHER The source was rewritten/), 'AGENT Zwei', 'USER Drei']);
  });
});

describe('a document that is written anew each time', () => {
  it('is known by what is in it: what was said before is not taken again, and nothing is lost that it forgets', () => {
    const chat = (...texts: string[]) => JSON.stringify({ messages: texts.map((content, n) => ({ id: content.slice(0, 2), role: n % 2 === 0 ? 'user' : 'assistant', content })) });
    const file = desk.file('chat.json', chat('a1 ask', 'b1 answer'));
    desk.build(file);
    const session = () => desk.session(desk.places()[0]);
    writeFileSync(file, chat('a1 ask', 'b1 answer', 'c1 more'));
    expect(desk.build(file)).toContain('turns=3 new=1 rev=2');
    expect(desk.build(file)).toContain('up-to-date');
    writeFileSync(file, chat('a1 ask', 'b1 another answer'));
    expect(desk.build(file)).toContain('turns=4 new=1 rev=3');
    expect(session().said).toEqual(['USER a1 ask', 'AGENT b1 answer', 'USER c1 more', 'AGENT b1 another answer']);
    expect(session().turns.at(-1)?.meta).toMatch(/supersed/);
    expect(new Set(session().numbers).size).toBe(4);
    expect(desk.handoff(['verify', 'chat', '--strict']).status).toBe(0);
  });

  it('has what is wrong with it and what was replaced in it counted once, however often it is read', () => {
    const message = (id: string, type: string, text: string) => ({ id, timestamp: '2026-01-01T00:00:00Z', type, content: [{ text }] });
    const key = `ghp_${'a1B2'.repeat(9)}`;
    const file = desk.file('log.jsonl', `${lines({ sessionId: 'g', projectHash: 'p', startTime: '2026-01-01T00:00:00Z', lastUpdated: '2026-01-01T00:00:00Z', kind: 'main' }, message('1', 'user', `use ${key}`))}{"cut":\n${lines({ id: '2', type: 'brand-new' })}`);
    const counts = () => {
      const { bad_lines, unknown, redaction } = desk.session(desk.places()[0]).manifest;
      return { bad_lines, unknown, redacted: redaction?.counts };
    };
    desk.build(file, '--allow-bad-lines');
    const once = { bad_lines: 1, unknown: { 'brand-new': 1 }, redacted: { 'github-token': 1 } };
    expect(counts()).toEqual(once);
    for (const id of ['3', '4']) {
      appendFileSync(file, lines(message(id, 'gemini', 'ok')));
      expect(desk.build(file, '--allow-bad-lines')).toContain('new=1');
      expect(counts()).toEqual(once);
    }
    appendFileSync(file, `{"cut":\n${lines(message('5', 'user', key))}`);
    desk.build(file, '--allow-bad-lines');
    expect(counts()).toEqual({ ...once, bad_lines: 2, redacted: { 'github-token': 2 } });
  });

  it('and so has one of lines that was rewritten', () => {
    const said = (last: string) => `${lines(claude().user(`use ghp_${'a1B2'.repeat(9)}`), { type: 'brand-new' }, ...talk(3))}{"cut":\n${lines(claude().agent(last))}`;
    const counts = () => {
      const { bad_lines, skipped, unknown, redaction } = desk.session().manifest;
      return { bad_lines, skipped, unknown, redacted: redaction?.counts };
    };
    const file = desk.file('t.jsonl', said('one'));
    desk.build(file, '--allow-bad-lines');
    const once = counts();
    expect(once).toMatchObject({ bad_lines: 1, unknown: { 'brand-new': 1 }, redacted: { 'github-token': 1 } });
    writeFileSync(file, said('another'));
    expect(desk.build(file, '--allow-bad-lines')).toContain('new=2');
    expect(counts()).toEqual(once);
  });
});
