/** Lines as they come: odd characters, damage, and a last line that is still being written. */
import { constants } from 'node:buffer';
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk, sha256 } from '../../helpers/desk.ts';
import { canonical, claude, lines, talk } from '../../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

const OUTPUTS = ['HANDOFF.md', 'HANDOFF.summary.json', 'HANDOFF.llm.json', 'TOOLS.md', 'timeline.jsonl', 'manifest.json'];

describe('a record that is nested deeper than the stack', () => {
  const DEPTHS = [2_500, 3_000, 4_000, 6_000, 60_000];
  const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const call = (depth: number): string => JSON.stringify(claude().call('t1', 'Bash', { command: 'DEEP' })).replace('"DEEP"', deep(depth));
  const first = JSON.stringify(talk(1)[0]);

  it.each(DEPTHS)('is a bad line or a turn, and no fault of the program, at a depth of %i', (depth) => {
    const line = `{"seq":1,"role":"user","content":${deep(depth)}}`;
    for (const text of [`${line}\n{"seq":2,"role":"user","content":"hi"}\n`, `${first}\n${call(depth)}\n`]) {
      const { status, stderr } = desk.handoff(['build', desk.file('t.jsonl', text), '--session', `s${text.length}`], { node: [] });
      expect(status === 0 || /1 line is not readable .* \(nested too deeply\)/.test(stderr), stderr).toBe(true);
    }
  });

  it('is not saved out of a damaged line', () => {
    const { status, stderr } = desk.handoff(['build', desk.file('t.jsonl', `${first}\n{"cut${call(6_000)}\n`), '--allow-bad-lines'], { node: [] });
    expect([status, stderr]).toEqual([0, expect.stringContaining('1 bad line left out: line 2')]);
  });

  it('makes a document unreadable', () => {
    const document = `[{"role":"user","content":"hi"},{"role":"assistant","content":"a","x":${deep(60_000)}}]`;
    expect(desk.handoff(['build', desk.file('chat.json', document)], { node: [] })).toMatchObject({ status: 5, stderr: expect.stringMatching(/chat\.json is nested too deeply/) });
  });

  it('is passed over where sessions are listed', () => {
    const place = join(desk.home, '.claude/projects/-w/s.jsonl');
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, `${call(15_000)}\n${first}\n`);
    expect(desk.handoff(['sources', '--all'], { node: [] })).toMatchObject({ status: 0, stdout: expect.stringContaining('prompt 0 of s') });
  });
});

describe('characters', () => {
  it('separators of Unicode, form feeds and vertical tabs inside a string end no line', () => {
    const odd = 'one\u2028two\u2029three\u0085four\ffive\vsix\rseven';
    const raw = JSON.stringify(claude().user(odd)).replaceAll('\\f', '\\u000c');
    expect(desk.capture('t.jsonl', `${raw}\n`)).toBe('handoff: built s project=w turns=1 new=1 rev=1');
    expect(desk.session().turns).toMatchObject([{ seq: 0, text: odd }]);
    expect(desk.session().payload['timeline']).toHaveLength(1);
  });

  it('a BOM, CRLF and blank lines change nothing but the numbers of the lines', () => {
    const [first, second, third] = talk(3) as [object, object, object];
    const text = `\ufeff${JSON.stringify(first)}\r\n\r\n${JSON.stringify(second)}\r\n   \r\n\n${JSON.stringify(third)}\r\n`;
    expect(desk.capture('t.jsonl', text)).toBe('handoff: built s project=w turns=3 new=3 rev=1');
    expect(desk.session().turns.map(({ seq, text: said }) => [seq, said])).toEqual([[0, 'prompt 0 of s'], [2, 'answer 1 of s'], [5, 'prompt 2 of s']]);
    expect(desk.session().manifest).toMatchObject({ raw_sha256: sha256(text), watermark: 5 });
    for (const name of OUTPUTS) expect(desk.session().text(name).includes('\r'), name).toBe(false);
    expect(desk.capture('talk.md', '\ufeffuser: Plan\r\nwith care\r\n\r\nassistant: Yes\r\n')).toContain('turns=2');
    expect(desk.session('unsorted/talk').said).toEqual(['USER Plan\nwith care', 'AGENT Yes']);
  });

  it('a lone surrogate and a cut inside a pair leave every output well formed', () => {
    const writer = claude();
    const long = `${'x'.repeat(1999)}😀${'y'.repeat(300)}`;
    const table = `${'z'.repeat(119)}👩‍👩‍👧 and more`;
    const text = lines(writer.user('x \ud83d y'), writer.user(table), writer.agent(`${'w'.repeat(1199)}😀${'v'.repeat(1199)}😀`), writer.user(long));
    desk.capture('t.jsonl', text, '--objective', long);
    const session = desk.session();
    for (const name of OUTPUTS) {
      const bytes = session.bytes(name);
      expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes), name).not.toThrow();
      expect(bytes.toString('utf8').match(/\\ud[89a-f][0-9a-f]{2}/gi), name).toBeNull();
    }
    expect(session.turns[0]?.text).toBe('x \ufffd y');
    expect(session.text('HANDOFF.md').split('\ufffd')).toHaveLength(desk.session().text('HANDOFF.md').split('x \ufffd y').length);
    expect(desk.page().includes('\ufffd')).toBe(false);
  });

  it('bytes that are not UTF-8 are read with U+FFFD, noted, and hashed as they are', () => {
    const [before = '', after = ''] = JSON.stringify(claude().user('caf#')).split('#');
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xe9]), Buffer.from(after), Buffer.from('\n')]);
    const result = desk.handoff(['build', desk.file('t.jsonl', bytes)]);
    expect([result.status, result.stderr]).toEqual([0, expect.stringMatching(/^handoff: 1 lines? .*not UTF-8.*U\+FFFD.*\n$/)]);
    expect([desk.session().turns[0]?.text, desk.session().manifest.raw_sha256]).toEqual(['caf\ufffd', sha256(bytes)]);
    expect(desk.build('t.jsonl')).toBe('handoff: up-to-date (s, watermark 0, rev 1)');
  });

  it('dollar patterns, fences, pipes and comments in a text stay what they are', () => {
    const hostile = "say $& and $` and $' and $1 $$ please ``` ~~~ <!-- x --> | a | b\n```\n## Evidence contract (hand-authored\n";
    desk.capture('t.jsonl', lines(claude().user(hostile)));
    expect(desk.session().turns[0]?.text).toBe(hostile);
    expect(desk.page()).toContain("say $& and $` and $' and $1 $$ please");
    expect(desk.page().split('\n')).toHaveLength(5);
    expect(desk.session().text('HANDOFF.md')).toContain("say $& and $` and $' and $1 $$ please ``` ~~~ <!-- x --> | a | b");
    // A fence that its text cannot close, and only the one marker that is ours.
    expect(desk.session().block.toString()).toBe('');
    expect(desk.handoff(['verify', 's', '--strict']).status).toBe(0);
    desk.session().author('RESULT: kept\n');
    desk.capture('t.jsonl', lines(...talk(1), claude().user(hostile)));
    expect(desk.session().block.toString()).toBe('RESULT: kept\n');
  });
});

describe('damage', () => {
  const good = talk(20);
  const cut = JSON.stringify(good[3]).slice(0, 40);

  it('in the only line there is, is damage too: it is told by its line, and whole records are saved out of it', () => {
    const glued = good.slice(0, 2).map((record) => JSON.stringify(record)).join('');
    for (const [name, text] of [['t.jsonl', `${glued}\n`], ['t', glued], ['u.jsonl', '{"role":"user","text":"a" bad}\n']] as const) {
      const refused = desk.handoff(['build', desk.file(name, text)]);
      expect([refused.status, refused.stderr], name).toEqual([5, expect.stringContaining(`1 line is not readable in ${desk.dir}/${name}: 1 (invalid JSON)`)]);
    }
    expect(desk.build('t.jsonl', '--allow-bad-lines')).toBe('handoff: built s project=w turns=2 new=2 rev=1 bad-lines=1');
    expect(desk.session().said).toEqual(['USER prompt 0 of s', 'AGENT answer 1 of s']);
    // The client has only begun to write.
    const begun = desk.handoff(['build', desk.file('u.jsonl', cut)]);
    expect([begun.status, begun.stderr]).toEqual([4, expect.stringMatching(/^handoff: the last line is not finished[^\n]*\nhandoff: [^\n]* holds no conversation/)]);
  });

  it('stops a build with exit 5, the first five numbers and the reason, and nothing is written', () => {
    const nul = '\0'.repeat(512);
    const long = JSON.stringify(claude('s').user('x'.repeat(5000)));
    const text = lines(...good.slice(0, 5), `${cut}\n`, `${nul}\n`, ...good.slice(5), 'no json\n', `${JSON.stringify(good[0])}${JSON.stringify(good[1])}\n`, `${long}\n`, '}\n', '}\n');
    const file = desk.file('t.jsonl', text);
    const result = desk.handoff(['build', file, '--max-line-bytes', '4096']);
    expect([result.status, result.stdout, desk.tree()]).toEqual([5, '', []]);
    expect(result.stderr).toContain(`7 lines are not readable in ${file}: 6 (invalid JSON), 7 (NUL bytes), 23 (invalid JSON), 24 (invalid JSON), 25 (longer than --max-line-bytes) +2 more`);
    const json = JSON.parse(desk.handoff(['build', file, '--json']).stdout) as { error: { code: string; lines: { line: number; offset: number }[] } };
    expect(json.error).toMatchObject({ code: 'BAD_LINES', count: 6 });
    expect(json.error.lines[0]).toEqual({ line: 6, offset: Buffer.byteLength(lines(...good.slice(0, 5))), reason: 'invalid JSON' });
  });

  it('with --allow-bad-lines costs only what is not whole, and is told with line and offset', () => {
    // A cut line; NULs alone; NULs before a good record; two records glued; a record glued to the rest of another.
    const text = lines(
      ...good.slice(0, 4), `${cut}\n`, ...good.slice(4, 8), `${'\0'.repeat(512)}\n`, `${'\0'.repeat(64)}${JSON.stringify(good[8])}\n`,
      `${JSON.stringify(good[9])}${JSON.stringify(good[10])}\n`, `${cut}${JSON.stringify(good[11])}\n`, ...good.slice(12),
    );
    const file = desk.file('t.jsonl', text);
    const result = desk.handoff(['build', file, '--allow-bad-lines']);
    expect([result.status, result.stdout]).toEqual([0, expect.stringMatching(/^handoff: built s project=w turns=20 new=20 rev=1 bad-lines=5 -> /)]);
    expect(result.stderr).toMatch(new RegExp(`^handoff: 5 bad lines .*line 5 at byte ${Buffer.byteLength(lines(...good.slice(0, 4)))} \\(invalid JSON\\), line 10 at byte \\d+ \\(NUL bytes\\), line 11 `));
    expect(desk.session().turns.map((turn) => turn.text)).toEqual(talk(20).map((_, n) => `${n % 2 === 0 ? 'prompt' : 'answer'} ${n} of s`));
    expect(desk.session().manifest).toMatchObject({ bad_lines: 5 });
    for (const name of OUTPUTS) expect(desk.session().bytes(name).includes(0), name).toBe(false);
    // What follows on is numbered by its line, and damage that was told is not told again.
    appendFileSync(file, lines(claude('s').user('more')));
    const more = desk.handoff(['build', file]);
    expect([more.status, more.stdout, more.stderr]).toEqual([0, expect.stringMatching(/ turns=21 new=1 rev=2 -> /), '']);
    expect(desk.session().turns.at(-1)?.seq).toBe(text.split('\n').length - 1);
  });

  it('a cut line in the middle of many costs that line alone', () => {
    const many = talk(100);
    const result = desk.handoff(['build', desk.file('t.jsonl', lines(...many.slice(0, 50), `${JSON.stringify(many[50]).slice(0, 40)}\n`, ...many.slice(50))), '--allow-bad-lines', '--json']);
    expect(JSON.parse(result.stdout)).toMatchObject({ turns: 100, bad_lines: 1 });
    expect(desk.session().numbers.slice(48, 52)).toEqual(['48', '49', '51', '52']);
  });

  it('a line longer than --max-line-bytes is left out whole, also where it is the last or the first', () => {
    const long = JSON.stringify(claude('s').user('x'.repeat(5000)));
    for (const [name, text] of [['last', lines(...talk(2), `${long}\n`)], ['first', lines(`${long}\n`, ...talk(2))], ['open', lines(...talk(2), long)]] as const) {
      const result = desk.handoff(['build', desk.file(`${name}.jsonl`, text), '--session', name, '--max-line-bytes', '4096', '--allow-bad-lines']);
      expect([result.status, result.stdout], name).toEqual([0, expect.stringContaining('turns=2 new=2 rev=1 bad-lines=1')]);
    }
  });
});

describe('the last line', () => {
  it('is left for the next build while its JSON only ends too early, and then taken once', () => {
    const whole = lines(...talk(4));
    const start = Buffer.byteLength(lines(...talk(3)));
    for (const [at, cutAt] of [[0, start + 1], [1, start + 40], [2, whole.length - 2]] as const) {
      const file = desk.file(`${at}.jsonl`, whole.slice(0, cutAt));
      const first = desk.handoff(['build', file, '--session', `s${at}`]);
      expect([first.status, first.stderr, first.stdout], `${cutAt}`).toEqual([0, 'handoff: the last line is not finished; the next build takes it\n', expect.stringContaining('turns=3 new=3 rev=1')]);
      expect(desk.session(`w/s${at}`).manifest).toMatchObject({ watermark: 2, raw_sha256: sha256(whole.slice(0, start)) });
      const same = desk.handoff(['build', file, '--session', `s${at}`]);
      expect([same.status, same.stdout]).toEqual([0, `handoff: up-to-date (s${at}, watermark 2, rev 1)\n`]);
      writeFileSync(file, whole);
      expect(desk.build(file, '--session', `s${at}`)).toContain('turns=4 new=1 rev=2');
      expect(desk.session(`w/s${at}`).numbers).toEqual(['0', '1', '2', '3']);
    }
  });

  it('counts without a newline where it is whole, and growing behind it begins a line', () => {
    const whole = lines(...talk(3));
    const file = desk.file('t.jsonl', whole.slice(0, -1));
    expect(desk.build(file)).toContain('turns=3 new=3 rev=1');
    appendFileSync(file, '\n');
    expect(desk.build(file)).toContain('turns=3 new=0 rev=2');
    appendFileSync(file, lines(...talk(6).slice(3)).slice(0, -1));
    expect(desk.build(file)).toContain('turns=6 new=3 rev=3');
    appendFileSync(file, `\n${lines(...talk(7).slice(6))}`);
    expect(desk.build(file)).toContain('turns=7 new=1 rev=4');
    expect(desk.session().numbers).toEqual(['0', '1', '2', '3', '4', '5', '6']);
    expect(desk.session().manifest).toMatchObject({ raw_sha256: sha256(lines(...talk(7))), sources: [{ lines: 7, runs: [[0, 0]] }] });
  });

  it('is damage where its JSON is wrong and not only short', () => {
    for (const tail of ['{"type":user', '{"type":"user"}}', '\0\0\0']) {
      const result = desk.handoff(['build', desk.file('t.jsonl', lines(...talk(2), tail))]);
      expect([result.status, result.stderr], tail).toEqual([5, expect.stringContaining(': 3 (')]);
    }
  });
});

describe('size', () => {
  it('a line of 20 MB is one turn', () => {
    const half = Buffer.alloc(10 << 20, 'x');
    const [head = '', tail = ''] = JSON.stringify(canonical(0, 'user', '#')).split('#');
    const file = desk.file('t.jsonl', Buffer.concat([Buffer.from(head), half, half, Buffer.from(tail), Buffer.from(`\n${JSON.stringify(canonical(1, 'assistant', 'Long'))}\n`)]));
    expect(desk.build(file)).toBe('handoff: built c project=unsorted turns=2 new=2 rev=1');
    expect(desk.session('unsorted/c').bytes('timeline.jsonl').length).toBeGreaterThan(20 << 20);
    expect(desk.session('unsorted/c').bytes('HANDOFF.md').length).toBeLessThan(50_000);
  });

  it('a last line that no string can hold is told as too long, and no bug', () => {
    const file = desk.file('t.jsonl', `${lines(...talk(2))}{"type":"user","message":"`);
    truncateSync(file, constants.MAX_STRING_LENGTH + 10_000); // a hole: the disk holds next to nothing
    expect(desk.handoff(['build', file])).toMatchObject({ status: 5, stderr: expect.stringContaining(': 3 (longer than --max-line-bytes)') });
  });

  // Stands for files of several GB, whose recipe is this one repeated 600 times: what is held is one line, not the file.
  it('a transcript much larger than the heap is read in bounded memory', () => {
    const writer = claude();
    const parts = Array.from({ length: 45 }, () => lines(writer.agent('z'.repeat(1 << 20))));
    const file = desk.file('t.jsonl', lines(claude().user('Go'), ...parts));
    const small = { node: ['--max-old-space-size=40'] };
    expect(desk.handoff(['build', file], small).stdout).toContain('turns=46 new=46 rev=1');
    expect(desk.handoff(['verify', 's'], small).status).toBe(0);
    expect(desk.handoff(['build', file], small).stdout).toContain('up-to-date');
  });
});
