import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { lineDiff } from '../../../src/render/html/diff.mts';
import { editsOf } from '../../../src/render/html/edits.mts';
import { createItems, type Item, type Limits } from '../../../src/render/html/items.mts';
import { renderPage } from '../../../src/render/html/page.mts';
import { SCRIPT } from '../../../src/render/html/script.mts';
import { STYLE } from '../../../src/render/html/style.mts';
import { createReducer } from '../../../src/render/reduce.mts';
import type { RenderView } from '../../../src/render/view.mts';
import type { Turn } from '../../../src/transcript/turn.mts';

const LIMITS: Limits = { text: 1_000, turns: 100, editRows: 50, allEditRows: 100 };
const turn = (seq: number, of: Partial<Turn>): Turn => ({ seq, ts: `2026-01-31T09:00:${String(seq % 60).padStart(2, '0')}Z`, class: 'AGENT', text: `turn ${seq}`, ...of });
const call = (seq: number, tool: string, input: unknown, of: Partial<Turn> = {}): Turn => turn(seq, { class: 'TOOL', kind: 'call', tool, call: `c${seq}`, text: `tool_use ${tool} ${JSON.stringify(input)}`, effect: 'write', ...of });
const result = (seq: number, of: number, text: string, ok = true): Turn => turn(seq, { class: 'TOOL', kind: 'result', call: `c${of}`, text, ok });

function itemsOf(turns: readonly Turn[], limits = LIMITS) {
  const made = createItems(limits, turns.length);
  for (const one of turns) made.add(one);
  return made.result();
}
function pageOf(turns: readonly Turn[]): string {
  const reducer = createReducer();
  for (const one of turns) reducer.add(one);
  const view: RenderView = {
    session: 's', project: 'p', harness: 'h', model: 'm', updated_at: '2026-01-31T09:00:00Z', turn_count: turns.length, revisions: 1, watermark: turns.length,
    counts: {}, source_paths: ['/x'], raw_sha256: '0'.repeat(64), manifest_sha256: '0'.repeat(64),
  };
  return renderPage({ digest: reducer.digest(), view, turns });
}

describe('a difference', () => {
  it('keeps what stays, and shows three lines around a change', () => {
    const before = 'a\nb\nc\nd\ne\nf\n';
    expect(lineDiff(before, 'a\nb\nc\nd\nE\nf\n')).toEqual(['…', ' b', ' c', ' d', '-e', '+E', ' f']);
    expect(lineDiff('', 'x\n')).toEqual(['+x']);
    expect(lineDiff(before, before).filter((row) => /^[+-]/.test(row))).toEqual([]);
  });

  it('of two large texts is quick, and says that all went and all came', () => {
    const lines = (mark: string) => Array.from({ length: 20_000 }, (_, at) => `${mark}${at}`).join('\n');
    const began = performance.now();
    const rows = lineDiff(lines('a'), lines('b'));
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(rows.length).toBe(40_000);
  });

  it('has room for more new lines before one that stays than a call takes arguments', () => {
    const rows = lineDiff('stays\nold\n', `${'x\n'.repeat(130_000)}stays\nnew\n`);
    expect(rows.length).toBe(130_003);
    expect(rows.slice(-3)).toEqual([' stays', '-old', '+new']);
  });
});

describe('the edits of a call', () => {
  const changes = [{ path: 'a.js', how: 'edited' as const }];
  it.each([
    ['old_string', { old_string: 'x', new_string: 'y' }],
    ['oldString', { filePath: 'a.js', oldString: 'x', newString: 'y' }],
    ['old_str', { command: 'str_replace', old_str: 'x', new_str: 'y' }],
    ['a list', { edits: [{ oldText: 'x', newText: 'y' }] }],
    ['search blocks', { diff: '------- SEARCH\nx\n=======\ny\n+++++++ REPLACE\n' }],
  ])('are found under %s', (_name, input) => {
    expect(editsOf(`tool_use edit ${JSON.stringify(input)}`, { changes })).toEqual([{ path: 'a.js', rows: ['-x', '+y'] }]);
  });

  it('may be more lines in one search block than a call takes arguments', () => {
    const diff = `------- SEARCH\nx\n=======\n${'y\n'.repeat(150_000)}+++++++ REPLACE\n`;
    expect(editsOf(`tool_use edit ${JSON.stringify({ diff })}`, { changes })[0]?.rows.length).toBe(150_001);
  });

  it('are all new where a file is written', () => {
    expect(editsOf('tool_use Write {"file_path":"a.js","content":"x\\ny\\n"}', { changes })[0]?.rows).toEqual(['+x', '+y']);
  });

  it('are those of each file of a patch, whatever holds it', () => {
    const patch = '*** Begin Patch\n*** Update File: a.js\n@@ f\n x\n-y\n+z\n*** Add File: b.js\n+n\n*** End Patch\n';
    const wanted = [{ path: 'a.js', rows: ['… f', ' x', '-y', '+z'] }, { path: 'b.js', rows: ['+n'] }];
    expect(editsOf(`custom_tool_call apply_patch ${patch}`, { changes })).toEqual(wanted);
    expect(editsOf(`function_call shell ${JSON.stringify({ command: ['apply_patch', patch] })}`, { changes })).toEqual(wanted);
  });
});

describe('the rows of the timeline', () => {
  it('have a call and its result in one', () => {
    const { items } = itemsOf([turn(1, { class: 'USER' }), call(2, 'Bash', { command: 'ls' }), result(3, 2, 'a.js')]);
    expect(items.map(({ at, end }) => [at, end])).toEqual([['1', undefined], ['2', 'ok']]);
    expect(items[1]?.results?.map(({ at, text }) => [at, text])).toEqual([['3', 'a.js']]);
    expect(items[1]?.about).toBe('ls');
  });

  it('say that a call has no result, and give a row to a result without a call', () => {
    const { items } = itemsOf([call(1, 'Bash', { command: 'ls' }), result(2, 99, 'lost')]);
    expect(items.map(({ end, text }) => [end, text.slice(0, 4)])).toEqual([['no result', 'tool'], ['ok', 'lost']]);
  });

  it('show only edits that were made', () => {
    const edit = { file_path: 'a.js', old_string: 'x', new_string: 'y' };
    const { edits } = itemsOf([call(1, 'Edit', edit), result(2, 1, 'no', false), call(3, 'Edit', edit), result(4, 3, 'done'), call(5, 'Edit', edit)]);
    expect(edits).toEqual([{ path: 'a.js', at: '3', tool: 'Edit', rows: '-x\n+y' }]);
  });

  it('have those of a sub-agent together, below one of their own', () => {
    const { items } = itemsOf([turn(1, {}), turn(2, { side: 'a' }), turn(3, {}), turn(4, { side: 'a' }), turn(5, { side: 'b' })]);
    expect(items.map(({ at, class: kind, in: group, depth }) => [at, kind, group, depth])).toEqual([
      ['1', 'AGENT', undefined, undefined], ['a', 'SUB', undefined, undefined], ['2', 'AGENT', 1, 1], ['4', 'AGENT', 1, 1], ['3', 'AGENT', undefined, undefined], ['b', 'SUB', undefined, undefined], ['5', 'AGENT', 5, 1],
    ]);
  });

  it('place the transcript of a sub-agent where its time falls', () => {
    const made = createItems(LIMITS, 2);
    made.add(turn(1, {}));
    made.add(turn(30, {}));
    made.thread('child', 'look around', [turn(20, { side: 'x' }), turn(21, { side: 'x' })]);
    const { items } = made.result();
    expect(items.map(({ at, far }) => [at, far])).toEqual([['1', undefined], ['child', undefined], ['20', true], ['21', true], ['30', undefined]]);
  });

  it('are the last ones where there are too many, with their texts cut and what is left counted', () => {
    const { items, turnsLeft } = itemsOf(Array.from({ length: 150 }, (_, at) => turn(at, { text: 'é'.repeat(1_500) })));
    expect([items.length, turnsLeft, items[0]?.at, items[0]?.text.length, items[0]?.left]).toEqual([100, 50, '50', 1_000, 500]);
  });

  it('show control and bidi characters instead of passing them on', () => {
    const item = itemsOf([turn(1, { text: 'a\u001b[31m\u202eb', meta: '\u2066m' })]).items[0] as Item;
    expect([item.text, item.meta]).toEqual(['a\\x1b[31m<U+202E>b', '<U+2066>m']);
  });
});

describe('the page', () => {
  const hostile = '</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> \u2028 &lt; ${x} ]]>';
  const page = pageOf([turn(1, { class: 'USER', text: hostile }), call(2, hostile, { command: hostile }), turn(3, { text: hostile, side: hostile })]);

  it('holds two blocks of JSON and one program, whatever was said', () => {
    expect(page.match(/<script/g)).toHaveLength(3);
    expect(page.match(/<\/script>/g)).toHaveLength(3);
    expect(page).not.toContain('onerror=alert(2)>');
    expect(page).not.toContain('<!--');
    const turns = JSON.parse(/id="turns">(.*?)<\/script>/.exec(page)?.[1] ?? '') as Item[];
    expect(turns[0]?.text).toBe(hostile.replace('\u2028', '<U+2028>'));
  });

  it('allows its own script and style by their hashes, and nothing else', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(policy.split('; ')).toEqual(["default-src 'none'", `script-src ${hash(SCRIPT)}`, `style-src ${hash(STYLE)}`, "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"]);
    expect(page).toContain(`<script>${SCRIPT}</script>`);
    expect(page).toContain(`<style>${STYLE}</style>`);
  });

  it('has a program that parses, ends no element and never takes markup', () => {
    expect(() => new Script(SCRIPT)).not.toThrow();
    expect(SCRIPT).not.toMatch(/<\/|<!--|innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|\bFunction\(|DOMParser/);
    expect(STYLE).not.toMatch(/<|url\(|@import/);
    expect(page.replace(SCRIPT, '').replace(STYLE, '').replace(/<script type="application\/json".*<\/script>/g, '')).not.toMatch(/\son\w+=|\sstyle=|\ssrc=|\shref=/);
  });

  it('is the same for the same turns', () => {
    const turns = [turn(1, { class: 'USER' }), turn(2, {})];
    expect(pageOf(turns)).toBe(pageOf(turns));
  });
});

describe('the page says what the brief says of the end', () => {
  const dataOf = (turns: readonly Turn[]): { told: Record<string, unknown>; digest: { prompts: { note: string }[] } } => {
    const json = /<script type="application\/json" id="data">([^]*?)<\/script>/.exec(pageOf(turns))?.[1] ?? '';
    return JSON.parse(json) as { told: Record<string, unknown>; digest: { prompts: { note: string }[] } };
  };
  const ask = (seq: number, text: string): Turn => turn(seq, { class: 'USER', text });

  it('where its last answer failed, and of what asks nothing', () => {
    const { told, digest } = dataOf([ask(0, 'Fix it'), turn(1, { text: 'On it.' }), turn(2, { class: 'OTHER', meta: 'api-error', text: 'Overloaded' }), ask(3, '/cost')]);
    expect(told['unfinished']).toBe(' Its last answer failed, seq 2: the work it was asked for may not be done.');
    expect(digest.prompts.map(({ note }) => note)).toEqual(['', 'client command, asks nothing']);
  });

  it('of claims, and of commands behind the last test', () => {
    const turns = [ask(0, 'Fix it'), call(1, 'Bash', { command: 'npm test' }), result(2, 1, 'ok'), call(3, 'Bash', { command: 'rm a.js' }), result(4, 3, ''), turn(5, { text: 'All tests pass.' })];
    expect(dataOf(turns).told).toEqual({ unfinished: '', claims: true, changedSince: [3], changing: [3] });
    expect(dataOf([ask(0, 'Fix it'), turn(1, { text: 'Fixed.' })]).told).toEqual({ unfinished: '', claims: false, changedSince: [], changing: [] });
  });

  it('where a call was refused, stopped, or either of both', () => {
    const unwanted = 'The user doesn\'t want to proceed with this tool use.';
    const turns = [
      call(0, 'Bash', { command: 'a' }, { effect: 'unknown' }), result(1, 0, `${unwanted} To tell you how to proceed, the user said:\nno`, false),
      call(2, 'Bash', { command: 'b' }, { effect: 'unknown' }), result(3, 2, unwanted, false),
      call(4, 'exec_command', { cmd: 'c' }, { effect: 'unknown' }), result(5, 4, 'aborted by user', false),
      call(6, 'exec_command', { cmd: 'd' }, { effect: 'unknown' }), result(7, 6, 'aborted by user', false), turn(8, { class: 'OTHER', meta: 'ended', call: 'c6', ok: true, exit: 0 }),
      call(9, 'Bash', { command: 'e' }), result(10, 9, 'no such file', false),
    ];
    expect(itemsOf(turns).items.filter((item) => item.tool !== undefined).map((item) => item.end)).toEqual(['refused', 'refused or stopped', 'failed, stopped', 'ok', 'failed']);
  });
});
