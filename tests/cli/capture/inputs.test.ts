/** What a build answers to each kind of input: the exit status, the sentence, and that nothing is written where it refuses. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk, sha256 } from '../../helpers/desk.ts';
import { canonical, claude, codex, lines, talk } from '../../helpers/transcripts.ts';

const hasSqlite = spawnSync(process.execPath, ['-e', "require('node:sqlite')"]).status === 0;

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

/** One sentence on stderr, nothing on stdout, nothing in the store. */
function refused(argv: string[], status: number, sentence: RegExp, options: Parameters<Desk['handoff']>[1] = {}): void {
  const result = desk.handoff(['build', ...argv], options);
  expect([result.status, result.stdout], result.stderr).toEqual([status, '']);
  expect(result.stderr).toMatch(sentence);
  expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(desk.tree()).toEqual([]);
}

describe('a build refuses', () => {
  it('a document that is nested deeper than the stack, as damage and not as a bug', () => {
    const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
    refused([desk.file('chat.json', `{"messages":[{"role":"user","content":${deep}}]}`)], 5, /^handoff: .*chat\.json is nested too deeply; nothing was written\n$/);
  });

  it('words that name no transcript, or no flag', () => {
    refused([], 2, /^handoff: build needs a transcript/);
    refused(['a.jsonl', '--sesion', 'x'], 2, /unknown flag --sesion.*--session/s);
    refused(['a.jsonl', 'b.jsonl'], 2, /b\.jsonl/);
    refused(['a.jsonl', '--max-line-bytes', '0'], 2, /--max-line-bytes/);
    refused(['a.jsonl', '--session'], 2, /--session needs a value/);
    const json = desk.handoff(['build', '--json']);
    expect([json.status, JSON.parse(json.stdout)]).toMatchObject([2, { error: { code: 'USAGE' } }]);
  });

  it('an invalid configuration, naming its key', () => {
    desk.file('t.jsonl', lines(...talk(2)));
    desk.file('handoff.config.json', '{"linkin":{}}');
    refused(['t.jsonl'], 2, /handoff\.config\.json: unknown key "linkin"/, { env: { HANDOFFS_ROOT: undefined } });
    expect(existsSync(join(desk.dir, 'handoffs'))).toBe(false);
  });

  it('a file that is missing, a folder, and a pipe that would never end', () => {
    mkdirSync(join(desk.dir, 'folder.jsonl'));
    expect(spawnSync('mkfifo', [join(desk.dir, 'pipe.jsonl')]).status).toBe(0);
    refused(['missing.jsonl'], 2, /^handoff: source not found: missing\.jsonl; .*`handoff sources`.*\n$/);
    refused(['folder.jsonl'], 2, /folder\.jsonl is a folder/);
    refused(['pipe.jsonl'], 2, /pipe\.jsonl is not a file \(a pipe or device\).*build -/);
    refused(['/dev/null'], 2, /not a file/);
    refused(['missing.jsonl/deeper'], 2, /source not found/);
  });

  it.skipIf(process.getuid?.() === 0)('a file that cannot be read', () => {
    chmodSync(desk.file('closed.jsonl', lines(...talk(2))), 0);
    refused(['closed.jsonl'], 2, /closed\.jsonl cannot be read \(EACCES\)/);
  });

  it.skipIf(hasSqlite)('a database of a harness where this Node has no SQLite, and names the way round', () => {
    desk.file('opencode.db', 'SQLite format 3\0');
    refused(['opencode.db#ses_1'], 4, /opencode\.db is an SQLite database, which this Node cannot read .*`opencode export ses_1 > session\.json`/);
  });

  it('UTF-16, compressed files, databases, pictures and documents, each named for what it is', () => {
    const text = lines(...talk(4));
    const kinds: [string, string | Uint8Array, RegExp][] = [
      ['utf16le.jsonl', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]), /UTF-16.*iconv/],
      ['utf16be.jsonl', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]), /UTF-16.*iconv/],
      ['utf16-unmarked.jsonl', Buffer.from(text, 'utf16le'), /UTF-16.*iconv/],
      ['packed.jsonl', gzipSync(text), /gzip.*gunzip/],
      ['state.db', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4080)]), /SQLite database/],
      ['shot.jsonl', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /PNG/],
      ['whole.json', JSON.stringify({ title: 'x', rows: [{ n: 1 }] }, null, 2), /JSON document/],
      ['array.json', '[{"n":1},{"n":2}]', /JSON document/],
      ['foreign.jsonl', '{"level":30,"msg":"up","pid":1}\n{"level":30,"msg":"down","pid":1}\n', /no adapter reads.*level/],
    ];
    for (const [name, content, what] of kinds) refused([desk.file(name, content)], 4, what);
    const json = desk.handoff(['build', 'packed.jsonl', '--json']);
    expect([json.status, JSON.parse(json.stdout)]).toMatchObject([4, { error: { code: 'SHAPE' } }]);
  });

  it('a file in which nobody says anything', () => {
    const silent: [string, string][] = [
      ['empty.jsonl', ''], ['blank.jsonl', '\n\n\r\n'], ['bom.jsonl', '\ufeff'], ['bare.jsonl', '{}\n{}\n'],
      ['titles.jsonl', lines({ type: 'ai-title', aiTitle: 'x', sessionId: 's' }, { type: 'ai-title', aiTitle: 'y', sessionId: 's' })],
      ['no-marker.txt', 'just some words\nand more of them\n'],
    ];
    for (const [name, content] of silent) refused([desk.file(name, content)], 4, /holds no conversation/);
  });

  it('a file that says nothing where a good handoff stands, and leaves that alone', () => {
    const file = desk.file('t.jsonl', lines(...talk(4)));
    desk.build(file);
    const before = desk.contents();
    for (const content of ['', '\n\n', '\ufeff', '{}\n{}\n', lines({ type: 'mode', mode: 'plan', sessionId: 's' })]) {
      writeFileSync(file, content);
      const result = desk.handoff(['build', file, '--session', 's']);
      expect([result.status, result.stderr], JSON.stringify(content)).toEqual([4, expect.stringContaining('holds no conversation')]);
    }
    expect(desk.handoff(['verify', 's']).status).toBe(0);
    expect(desk.contents()).toEqual(before);
  });
});

describe('a build takes', () => {
  it('a Claude Code transcript, a Codex rollout, canonical lines and role-marked text by what the lines are', () => {
    const c = codex('0199c1d2-0000-7000-8000-000000000001', '/w/rollouts');
    const claudeSays = desk.capture('a.txt', lines(...talk(2)));
    const codexSays = desk.capture('rollout.jsonl', lines(c.meta(), c.message('user', 'List files'), c.call('x', 'shell', { command: ['ls'] }), c.output('x', 'a.js'), c.message('assistant', 'One file')));
    const canonicalSays = desk.capture('c.log', lines(canonical(1, 'user', 'Count', { harness: 'mine' }), canonical(2, 'assistant', 'One')));
    const textSays = desk.capture('Talk it over.md', '## User: Plan it\nwith care\n\n## Assistant: Done\n');
    expect([claudeSays, codexSays, canonicalSays, textSays]).toEqual([
      'handoff: built s project=w turns=2 new=2 rev=1',
      'handoff: built 0199c1d2-0000-7000-8000-000000000001 project=rollouts turns=4 new=4 rev=1',
      'handoff: built c project=mine turns=2 new=2 rev=1',
      'handoff: built Talk it over project=unsorted turns=2 new=2 rev=1',
    ]);
    expect(desk.session('rollouts/0199c1d2-0000-7000-8000-000000000001').turns.map((turn) => [turn.seq, turn.class, turn.kind])).toEqual([
      [1, 'USER', undefined], [2, 'TOOL', 'call'], [3, 'TOOL', 'result'], [4, 'AGENT', undefined],
    ]);
    expect(desk.session('unsorted/Talk_it_over').said).toEqual(['USER Plan it\nwith care', 'AGENT Done']);
    expect([desk.session('mine/c').manifest.harness, desk.session('unsorted/Talk_it_over').manifest.harness]).toEqual(['mine', 'unknown']);
  });

  it('standard input, by its content', () => {
    const text = lines(...talk(4));
    const first = desk.handoff(['build', '-'], { input: text });
    expect([first.status, first.stdout]).toEqual([0, expect.stringMatching(/^handoff: built s project=w turns=4 new=4 rev=1 -> /)]);
    expect(desk.session().manifest).toMatchObject({ source_paths: ['-'], raw_sha256: sha256(text) });
    const grown = desk.handoff(['build', '--source', '-'], { input: text + lines(...talk(6).slice(4)) });
    expect(grown.stdout).toMatch(/^handoff: built s project=w turns=6 new=2 rev=2 /);
    expect(desk.handoff(['build', '-'], { input: text + lines(...talk(6).slice(4)) }).stdout).toMatch(/^handoff: up-to-date \(s, watermark 5, rev 2\)\n$/);
    const named = desk.handoff(['build', '-', '--session', 'notes', '--project', 'desk'], { input: 'user: Plan\nassistant: Yes\n' });
    expect(named.stdout).toMatch(/^handoff: built notes project=desk turns=2 new=2 rev=1 /);
    expect(desk.tree().filter((name) => name.startsWith('.locks'))).toEqual([]);
  });

  it('no standard input that is empty, or that names no session', () => {
    refused(['-'], 2, /names no session.*--session/, { input: 'user: Plan\nassistant: Yes\n' });
    refused(['-'], 2, /names no session.*--session/, { input: lines({ role: 'user', text: 'Plan' }) });
    refused(['-'], 4, /^handoff: standard input holds no conversation/, { input: '' });
  });

  it('records without text, counted as skipped', () => {
    const writer = claude();
    const result = desk.handoff(['build', desk.file('t.jsonl', lines(writer.user('Go'), { type: 'mode', mode: 'plan', sessionId: 's' }, '[1]\n', '"word"\n', writer.agent('Gone'))), '--json']);
    expect(JSON.parse(result.stdout)).toMatchObject({ action: 'built', session: 's', project: 'w', turns: 2, new: 2, revision: 1, skipped: 3, bad_lines: 0 });
    expect(desk.session().manifest).toMatchObject({ skipped: 3, watermark: 4 });
  });
});
