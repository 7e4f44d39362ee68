/** Whole builds of records that have broken tools like this one: pictures, kept outputs, unknown types, what nobody typed, sources that are gone. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderSession } from '../../src/capture/reseal.mts';
import { readBrief, sectionOf } from '../helpers/brief.ts';
import { buildInto, checkedAll, failures, rowsOf, timelineOf } from '../helpers/build.ts';
import { SessionFolder, sha256 } from '../helpers/desk.ts';
import { freshFolder } from '../helpers/run.ts';
import { claude, codex, lines, type TranscriptRecord } from '../helpers/transcripts.ts';

let scratch: string;
let root: string;
beforeEach(() => {
  scratch = freshFolder('handoff-records-');
  root = path.join(scratch, 'store');
});
afterEach(() => fs.rmSync(scratch, { recursive: true, force: true }));

function write(name: string, content: string): string {
  const file = path.join(scratch, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  return file;
}

async function captured(file: string): Promise<SessionFolder & { notes: string[] }> {
  const notes: string[] = [];
  const session = new SessionFolder((await buildInto(root, file, { notes })).dir);
  expect(failures(root)).toEqual([]);
  return Object.assign(session, { notes });
}

const section = (session: SessionFolder, name: string) => sectionOf(readBrief(session.text('HANDOFF.md')), name);
const outputs = ['timeline.jsonl', 'TOOLS.md', 'HANDOFF.md', 'HANDOFF.llm.json', 'HANDOFF.summary.json', 'manifest.json'];

describe('a picture', () => {
  const bytes = Buffer.alloc(192 * 1024, 'a picture of a cat\n');
  const data = bytes.toString('base64');
  const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };

  it('in many lines is a stub in each, no base64 in any output, and one picture by its hash', async () => {
    const writer = claude();
    const session = await captured(write('s.jsonl', lines(
      writer.user([{ type: 'text', text: 'Draw this again' }, block]),
      ...Array.from({ length: 30 }, () => writer.user([{ type: 'text', text: 'once more' }, block])),
      writer.call('t1', 'Read', { file_path: '/w/cat.png' }), writer.result('t1', [block]),
      writer.user(`and this: data:image/png;base64,${data} please`), writer.agent('Drawn.'),
    )));
    const stub = `[image image/png ${bytes.length} bytes sha256:${sha256(bytes)}]`;
    expect(session.turns.filter(({ text }) => text.includes(stub))).toHaveLength(33);
    for (const name of outputs) {
      expect(session.text(name), name).not.toMatch(/[A-Za-z0-9+/=]{200}/);
      expect(session.bytes(name).length, name).toBeLessThan(40_000);
    }
    const row = { seq: 0, kind: 'image', type: 'image/png', bytes: bytes.length, sha256: sha256(bytes), times: 33 };
    expect([session.payload['media'], session.summary['media']]).toEqual([[row], [row]]);
    expect(section(session, 'What was asked').lines.slice(-2)).toEqual([
      '1 picture or file was shown, told apart by hash; the transcript has the bytes:',
      `- seq 0: image image/png, ${bytes.length} bytes, sha256 ${sha256(bytes).slice(0, 12)}, 33 times`,
    ]);
  });

  it('of another hash is another one, and those beyond five are in the payload', async () => {
    const writer = claude();
    const pictures = Array.from({ length: 7 }, (_, n) => ({ ...block, source: { ...block.source, data: Buffer.from(`picture ${n}`).toString('base64') } }));
    const session = await captured(write('s.jsonl', lines(writer.user([{ type: 'text', text: 'Compare' }, ...pictures]), writer.agent('ok'))));
    expect((session.payload['media'] as { times: number }[]).map(({ times }) => times)).toEqual(Array(7).fill(1));
    expect(section(session, 'What was asked').lines.at(-1)).toBe('- *and 2 more: HANDOFF.llm.json*');
  });
});

describe('an output that the client kept in a file', () => {
  const says = (where: string): string => `<persisted-output>\nOutput too large (459KB). Full output saved to: ${where}\n\nPreview (first 2KB):\nrow 1\n</persisted-output>`;
  const talk = (where: string): TranscriptRecord[] => {
    const writer = claude();
    return [writer.user('Export it'), writer.call('t1', 'Bash', { command: 'npm run export' }), writer.result('t1', says(where)), writer.agent('9,000 rows.')];
  };
  const kept = (session: SessionFolder): string[] => session.turns.filter(({ meta }) => meta === 'kept-output').map(({ text }) => text);

  it('is read from the session\'s own folder, without its secrets', async () => {
    const key = ['sk', 'proj', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0'].join('-');
    write('s/tool-results/b1.txt', `row 1\nrow 9000\nexport API_TOKEN=${key}\n`);
    const session = await captured(write('s.jsonl', lines(...talk('/home/dev/.claude/projects/-w/s/tool-results/b1.txt'))));
    expect(kept(session)).toEqual([expect.stringMatching(/^row 1\nrow 9000\nexport API_TOKEN=\[redacted:/)]);
    expect(session.turns.find(({ meta }) => meta === 'kept-output')).toMatchObject({ class: 'OTHER', seq: 2, part: 1, call: 't1' });
    for (const name of outputs) expect(session.text(name), name).not.toContain(key);
    expect(session.summary['pending']).toEqual([]);
    // What was captured stays when the client clears its files away.
    fs.rmSync(path.join(scratch, 's'), { recursive: true });
    fs.appendFileSync(path.join(scratch, 's.jsonl'), lines(claude().user('Thanks')));
    expect(kept(await captured(path.join(scratch, 's.jsonl')))).toHaveLength(1);
  });

  it('that was cleared away does not make its transcript a rewritten one', async () => {
    write('s/tool-results/b1.txt', 'row 1\nrow 9000\n');
    const records = talk('/x/tool-results/b1.txt');
    const file = write('s.jsonl', lines(...records));
    await captured(file);
    fs.rmSync(path.join(scratch, 's'), { recursive: true });
    fs.writeFileSync(file, lines(...records).replace('9,000 rows.', '9,001 rows.'));
    const session = await captured(file);
    expect(session.notes).toEqual(['the source was rewritten from line 4 on; its turns from there were appended']);
    expect([kept(session).length, session.turns.length, session.said.at(-1)]).toEqual([1, 7, 'AGENT 9,001 rows.']);
  });

  it.each([
    ['outside of it', () => write('secret.txt', 'not yours'), (dir: string) => `${dir}/secret.txt`, 'it does not lie in the folder of this session'],
    ['by a name with a way out', () => write('secret.txt', 'not yours'), () => '/x/tool-results/..', 'it does not lie in the folder of this session'],
    ['that is not there', () => '', () => '/x/tool-results/gone.txt', 'it cannot be read'],
    ['behind a link', () => { write('secret.txt', 'not yours'); fs.mkdirSync(path.join(scratch, 's/tool-results'), { recursive: true }); fs.symlinkSync('../../secret.txt', path.join(scratch, 's/tool-results/b1.txt')); }, () => '/x/tool-results/b1.txt', 'there is a link on the way to it'],
    ['in a folder behind a link', () => { write('other/tool-results/b1.txt', 'not yours'); fs.symlinkSync('other', path.join(scratch, 's')); }, () => '/x/tool-results/b1.txt', 'there is a link on the way to it'],
    ['that is a folder', () => { fs.mkdirSync(path.join(scratch, 's/tool-results/b1.txt'), { recursive: true }); }, () => '/x/tool-results/b1.txt', 'it is no plain file'],
    ['that is larger than what is read', () => fs.truncateSync(write('s/tool-results/b1.txt', ''), 9 << 20), () => '/x/tool-results/b1.txt', 'it has 9437184 bytes and 8388608 are the most'],
  ])('%s is named as not included, and never read', async (_name, make, where, why) => {
    make();
    const session = await captured(write('s.jsonl', lines(...talk(where(scratch)))));
    expect(kept(session)).toEqual([`[the whole output is not included, ${why}: ${where(scratch)}]`]);
    expect(session.text('timeline.jsonl')).not.toContain('not yours');
  });
});

describe('records of types that nobody knows', () => {
  const strange = (type: string, n: number): TranscriptRecord => ({ type, x: n });

  it('are counted by type and cost nothing else; a few of them are not worth a word', async () => {
    const writer = claude();
    const talk = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? writer.user(`prompt ${n}`) : writer.agent(`answer ${n}`)));
    const session = await captured(write('s.jsonl', lines(...talk, strange('brand-new', 1))));
    expect(session.manifest.unknown).toEqual({ 'brand-new': 1 });
    expect([session.turns.length, session.notes]).toEqual([20, []]);
    expect(session.text('HANDOFF.md')).not.toContain('not known here');
  });

  it('are told by the build and in the brief where they are a tenth of all', async () => {
    const writer = claude();
    const file = write('s.jsonl', lines(writer.user('Fix it'), ...[1, 2, 3].map((n) => strange('brand-new', n)), strange('b|c', 4), writer.agent('Done.')));
    const session = await captured(file);
    expect(session.manifest.unknown).toEqual({ 'brand-new': 3, 'b|c': 1 });
    expect(session.notes).toEqual([expect.stringContaining('4 of 6 records are of types that are not known here, and what they say is missing: brand-new (3), b')]);
    expect(section(session, 'Provenance').lines).toContain('- 4 of 6 records are of types that are not known here, and what they say is missing: brand-new (3), b|c (1)');
    expect(session.said).toEqual(['USER Fix it', 'AGENT Done.']);
  });

  it('beside kinds of calls that are known leave these as they are', async () => {
    const writer = codex('01a22b68-0000-7000-8000-000000000001');
    const item = (payload: TranscriptRecord): TranscriptRecord => ({ timestamp: '2026-01-01T00:00:09.000Z', type: 'response_item', payload });
    const session = await captured(write('r.jsonl', lines(
      writer.meta(), writer.message('user', 'Patch it'), item({ type: 'custom_tool_call', name: 'apply_patch', call_id: 'c1', input: '*** Begin Patch' }), item({ type: 'custom_tool_call_output', call_id: 'c1', output: 'Success.' }),
      item({ type: 'brand_new_item', x: 1 }), writer.message('assistant', 'Patched.'),
    )));
    expect(session.turns.filter((turn) => turn.class === 'TOOL').map(({ kind, tool }) => [kind, tool])).toEqual([['call', 'apply_patch'], ['result', undefined]]);
    expect(Object.values(session.manifest.unknown ?? {})).toEqual([1]);
    expect(session.summary['pending']).toEqual([]);
  });
});

describe('what nobody typed', () => {
  it.each([
    ['Claude Code, flagged and nothing else', lines(claude().user('You have new mail.', { isMeta: true }), claude().user('Fix the parser'), claude().agent('ok'))],
    ['Gemini CLI, its context', lines(
      { sessionId: 'g', projectHash: 'a'.repeat(64), startTime: '2026-01-01T00:00:00.000Z', lastUpdated: '2026-01-01T00:00:00.000Z', kind: 'main' },
      { $set: { messages: [{ id: 'm0', timestamp: '2026-01-01T00:00:00.000Z', type: 'user', content: '<session_context>\nThis is the Gemini CLI. The folder is /w.\n</session_context>' }] } },
      { id: 'm1', timestamp: '2026-01-01T00:00:01.000Z', type: 'user', content: 'Fix the parser' },
      { id: 'm2', timestamp: '2026-01-01T00:00:02.000Z', type: 'gemini', content: 'ok', model: 'g-1' },
    )],
    ['Codex, its environment and instructions', lines(
      codex('c').meta(), codex('c').message('user', '# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>'), codex('c').message('user', '<environment_context>\n  <cwd>/w</cwd>\n</environment_context>'),
      codex('c').message('user', 'Fix the parser'), codex('c').message('assistant', 'ok'),
    )],
  ])('is no prompt and no objective: %s', async (_name, text) => {
    const session = await captured(write('s.jsonl', text));
    expect(session.summary['objective']).toBe('Fix the parser');
    expect(section(session, 'What was asked').rows.map((row) => row[2])).toEqual(['Fix the parser']);
  });

  it('is a compaction of Codex: its summary is the model\'s, the objective is from before it, the last request from behind it', async () => {
    const writer = codex('c');
    const session = await captured(write('r.jsonl', lines(
      writer.meta(), writer.message('user', 'Build the parser'), writer.message('assistant', 'ok'),
      { timestamp: '2026-01-01T00:00:05.000Z', type: 'compacted', payload: { message: 'The user wants a lexer.', replacement_history: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'The user wants a lexer.' }] }] } },
      writer.message('user', 'now add docs'), writer.message('assistant', 'done'),
    )));
    expect(session.summary).toMatchObject({ objective: 'Build the parser', compactions: 1 });
    expect(section(session, 'What was asked').rows.map((row) => row[2])).toEqual(['Build the parser', 'now add docs']);
    expect(session.turns.find(({ meta }) => meta === 'compaction-summary')).toMatchObject({ class: 'OTHER', text: 'The user wants a lexer.' });
  });
});

describe('a handoff whose transcript is gone', () => {
  it('verifies with a note, is rendered again to the same, and a build of the path stops with a sentence', async () => {
    const writer = claude();
    const file = write('s.jsonl', lines(writer.user('Fix it'), writer.agent('Done.')));
    const session = await captured(file);
    const before = [timelineOf(session.dir), session.bytes('HANDOFF.md')];
    fs.rmSync(file);
    expect(checkedAll(root).map(({ findings }) => findings.map(({ id, level }) => [id, level]))).toEqual([[['source-gone', 'note']]]);
    await expect(buildInto(root, file)).rejects.toMatchObject({ code: 'SOURCE' });
    for (const name of ['HANDOFF.md', 'HANDOFF.llm.json']) fs.rmSync(path.join(session.dir, name));
    const [row] = rowsOf(root);
    if (row === undefined) throw new Error('no row');
    await renderSession({ root, rules: { maxBriefTokens: 30_000, tools: {} }, onSignal: () => () => {} }, row);
    expect([timelineOf(session.dir), session.bytes('HANDOFF.md')]).toEqual(before);
    expect(failures(root)).toEqual([]);
  });
});
