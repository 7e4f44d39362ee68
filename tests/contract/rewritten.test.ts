/** A source that is rewritten more than once: each time it is compared with how it read last, whatever became of it before. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { build2 } from '../helpers/build-2.0.ts';
import { buildInto, failures, turnsOf } from '../helpers/build.ts';
import { freshFolder } from '../helpers/run.ts';

const scratch = freshFolder('handoff-rewritten-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
let count = 0;

/** Builds each state of one file in turn; gives what the session says then: text, `*` where it was rewritten. */
async function says(name: string, ...states: string[]): Promise<string> {
  count += 1;
  const root = path.join(scratch, `store-${count}`);
  const file = path.join(scratch, `${count}`, name);
  fs.mkdirSync(path.dirname(file));
  let dir = '';
  for (const state of states) {
    fs.writeFileSync(file, state);
    ({ dir } = await buildInto(root, file, { session: 's', allowBadLines: true }));
  }
  expect(failures(root)).toEqual([]);
  return turnsOf(dir).map(({ text, meta }) => (meta === 'source-rewritten' ? '*' : text)).join(' ');
}

const lines = (...records: (object | string)[]): string => records.map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`).join('');
const claude = (type: 'user' | 'assistant', ...texts: string[]): object => ({ type, uuid: `u${texts.join('')}`, parentUuid: null, sessionId: 's', timestamp: '2026-01-01T10:00:00Z', message: { id: `m${texts[0]}`, role: type, content: texts.map((text) => ({ type: 'text', text })) } });
const canonical = (seq: number, role: string, text: string): object => ({ session: 's', seq, ts: '2026-01-01T10:00:00Z', role, text });

it('a record whose first turn stood and whose second was another does not come again', async () => {
  const record = (second: string) => ({ ...claude('assistant', 'b', second), uuid: 'u', message: { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'b' }, { type: 'text', text: second }] } });
  const [a, last] = [claude('user', 'a'), claude('user', 'last')];
  expect(await says('t.jsonl', lines(a, record('c')), lines(a, record('C'), claude('user', 'd')), lines(a, record('C'), last))).toBe('a b c * C d * last');
});

it('a line that says nothing any more is not held against what follows', async () => {
  const [a, b, c] = [claude('user', 'a'), claude('assistant', 'b'), claude('user', 'c')];
  const title = { type: 'ai-title', aiTitle: 'title', sessionId: 's' };
  for (const silent of [title, 'not JSON', '']) {
    const again = [a, silent, c];
    expect(await says('t.jsonl', lines(a, b, c), lines(...again, claude('assistant', 'd')), lines(...again, claude('assistant', 'e')))).toBe('a b c * c d * e');
    expect(await says('t.jsonl', lines(a, b), lines(a, silent), lines(title, a))).toBe('a b *');
  }
});

it('lines with numbers of their own are known again, whatever the numbers are', async () => {
  const [a, b, c] = [canonical(100, 'user', 'a'), canonical(7, 'assistant', 'b'), canonical(300, 'user', 'c')];
  expect(await says('t.jsonl', lines(a, b, c), lines(a, b, canonical(300, 'user', 'C')), lines(a, b, canonical(300, 'user', 'third')))).toBe('a b c * C * third');
});

it('what it said between the turns of another source is its own still', async () => {
  count += 1;
  const root = path.join(scratch, `store-${count}`);
  const [one, two] = ['one.jsonl', 'two.jsonl'].map((name) => path.join(scratch, `${count}-${name}`)) as [string, string];
  const build = (file: string, ...records: object[]) => {
    fs.writeFileSync(file, lines(...records));
    return buildInto(root, file);
  };
  const [a, b] = [canonical(1, 'user', 'a'), canonical(20, 'assistant', 'b')];
  await build(one, a);
  await build(two, canonical(10, 'user', 'x'));
  await build(one, a, b);
  await build(one, a, b, canonical(21, 'user', 'c'));
  const { dir } = await build(one, a, b, canonical(21, 'user', 'C'));
  expect(turnsOf(dir).map(({ text }) => text.replace(/^The source .*/, '*'))).toEqual(['a', 'x', 'b', 'c', '*', 'C']);
});

it('what 2.0.x appended between two of our builds counts as said', async () => {
  count += 1;
  const root = path.join(scratch, `store-${count}`);
  const file = path.join(scratch, `${count}.jsonl`);
  const [a, b, c] = [canonical(0, 'user', 'a'), canonical(1, 'assistant', 'b'), canonical(2, 'user', 'c')];
  const state = (...records: object[]) => fs.writeFileSync(file, lines(...records));
  state(a);
  const { project } = await buildInto(root, file);
  state(a, b);
  build2({ root, project, session: 's', source: file, bytes: fs.readFileSync(file) });
  state(a, b, c);
  await buildInto(root, file);
  state(a, b, canonical(2, 'user', 'C'));
  const { dir } = await buildInto(root, file);
  expect(turnsOf(dir).map(({ text }) => text.replace(/^The source .*/, '*'))).toEqual(['a', 'b', 'c', '*', 'C']);
});

const TALK = '## User: a\nmore\n\n## Assistant: b\nand more\n';

it('a role-marked text that was captured in the middle of a turn is the same text still', async () => {
  const states = ['## User: a\n', '## User: a\nmo', '## User: a\nmore\n\n## Assistant: b\nand more\n'];
  expect(await says('talk.md', ...states, TALK.replace('and more', 'and less'))).toBe('a mo re b\nand more * b\nand less');
  // Cut back to where it was captured, it only became shorter.
  expect(await says('talk.md', ...states, '## User: a\nmo')).toBe('a mo re b\nand more *');
});

it('a copy that ends earlier is an older one, wherever it ends', async () => {
  const session = lines(claude('user', 'a'), claude('assistant', 'b'), { type: 'ai-title', aiTitle: 'title', sessionId: 's' });
  for (const [name, text, states] of [['talk.md', TALK, ['## User: a\nmo', TALK]], ['talk.md', TALK, [TALK]], ['t.jsonl', session, [session]]] as const) {
    count += 1;
    const root = path.join(scratch, `store-${count}`);
    const [file, copy] = ['one', 'two'].map((folder) => path.join(scratch, `${count}-${folder}`, name)) as [string, string];
    for (const one of [file, copy]) fs.mkdirSync(path.dirname(one));
    for (const state of states) {
      fs.writeFileSync(file, state);
      await buildInto(root, file, { session: 's' });
    }
    for (let end = text.indexOf('a') + 1; end < text.length; end += name === 'talk.md' ? 1 : 7) {
      fs.writeFileSync(copy, text.slice(0, end));
      expect((await buildInto(root, copy, { session: 's' })).action, JSON.stringify(text.slice(0, end))).toBe('up-to-date');
    }
    fs.writeFileSync(copy, text.slice(0, -1));
    expect((await buildInto(root, copy, { session: 's' })).action).toBe('up-to-date');
  }
});
