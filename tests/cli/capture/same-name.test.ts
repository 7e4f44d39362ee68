/** Two files of one name that say nothing of their session: the name alone must not make one of two conversations. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk } from '../../helpers/desk.ts';
import { run } from '../../helpers/run.ts';
import { canonical, lines } from '../../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

const anonymous = (...texts: string[]): string => lines(...texts.map((text, seq) => canonical(seq, 'user', text, { session: undefined })));

describe('a file whose name is all that says whose session it is', () => {
  it.each([
    ['text', 'notes.txt', 'user: fix the parser\nassistant: done\n', 'user: paint the fence\nassistant: which?\n'],
    ['text that begins alike', 'notes.txt', 'user: hello\nassistant: done\n', 'user: hello\nassistant: which?\n'],
    ['canonical lines', 'log.jsonl', anonymous('fix the parser'), anonymous('paint the fence', 'in red')],
  ])('is refused where the session of its name has another source that is still there: %s', (_what, name, one, other) => {
    const first = desk.file(`a/${name}`, one);
    const second = desk.file(`b/${name}`, other);
    desk.build(first);
    const before = desk.contents();
    const result = desk.handoff(['build', second]);
    const session = name.replace(/\..*/, '');
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toBe(`handoff: ${second} has no id of its own, and ${session} is the session of ${first}: give it a --session of its own, or --session ${session} to make it a source of that one too\n`);
    expect(run('agents-handoff', ['auto', '--source', second], { cwd: desk.dir, home: desk.home, env: { HANDOFFS_ROOT: desk.root } })).toMatchObject({ status: 2 });
    expect(desk.contents()).toEqual(before);
    expect(desk.build(second, '--session', 'second')).toContain('built second ');
    expect(desk.build(second, '--session', session)).toContain(`built ${session} `);
    expect(desk.session(`unsorted/${session}`).manifest.source_paths).toEqual([first, second]);
    expect(desk.build(second)).toContain('up-to-date');
  });

  it('is the same session where it is a copy, older or newer, or where the other file has gone', () => {
    const text = 'user: fix the parser\nassistant: done\n';
    const first = desk.file('a/notes.txt', text);
    desk.build(first);
    expect(desk.build(desk.file('b/notes.txt', text))).toContain('up-to-date');
    expect(desk.build(desk.file('c/notes.txt', 'user: fix the parser\n'))).toContain('up-to-date');
    expect(desk.build(desk.file('d/notes.txt', `${text}user: more\n`))).toContain('new=1');
    rmSync(join(desk.dir, 'a'), { recursive: true });
    rmSync(join(desk.dir, 'd'), { recursive: true });
    expect(desk.build(desk.file('e/notes.txt', 'user: fix the lexer\nassistant: done\n'))).toContain('built notes ');
  });
});
