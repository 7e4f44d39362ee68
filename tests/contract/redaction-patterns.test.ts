/** The configuration's own patterns take words out of a session and never a turn, whatever they match. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildInto, failures, timelineOf, turnsOf } from '../helpers/build.ts';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';
import { claude, lines } from '../helpers/transcripts.ts';
import { CALL_LEAD, type Turn } from '../../src/transcript/turn.mts';

const scratch = freshFolder('handoff-patterns-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

const FIXTURES = path.join(REPOSITORY, 'tests', 'fixtures');
const SAMPLES = ['claude-code/compact-2.1.jsonl', 'claude-code/steering.jsonl', 'codex/v0.44-killed.jsonl', 'codex/v0.171-parallel.jsonl', 'copilot', 'gemini/v0.36-coding.json', 'gemini/v0.61-resumed.jsonl', 'opencode/v1.18-killed-resumed.json', 'pi', 'qwen']
  .map((name) => path.join(FIXTURES, name))
  .map((place) => (fs.statSync(place).isDirectory() ? firstTranscript(place) : place));

function firstTranscript(dir: string): string {
  const found = fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl')).sort()[0];
  if (found === undefined) throw new Error(`no transcript in ${dir}`);
  return path.join(dir, found);
}

let stores = 0;

async function built(file: string, patterns: string[], options = {}): Promise<{ root: string; dir: string; turns: Turn[] }> {
  const root = path.join(scratch, `store-${++stores}`);
  const { dir } = await buildInto(root, file, { redactionPatterns: patterns, ...options });
  return { root, dir, turns: turnsOf(dir) };
}

/** What tells turns apart and what kind they are. */
function shape(turns: readonly Turn[]): unknown[] {
  return turns.map(({ text, tool, ...rest }) => rest);
}

const plainly = new Map<string, Promise<unknown[]>>();

function plain(file: string): Promise<unknown[]> {
  let turns = plainly.get(file);
  if (turns === undefined) plainly.set(file, (turns = built(file, []).then((without) => shape(without.turns))));
  return turns;
}

describe.each(SAMPLES.map((file) => [path.relative(FIXTURES, file), file]))('%s', (_name, file) => {
  it.each([['the word by which a client says who speaks', 'user|assistant'], ['its ids', '[0-9a-f]{8}-[0-9a-f-]{27}'], ['long words', '[A-Za-z0-9_-]{16,}'], ['times', '\\d\\d'], ['names of its keys', 'text|type|content|payload'], ['everything', '.+']])('keeps every turn where a pattern matches %s', async (_what, pattern) => {
    const clean = await built(file, [pattern]);
    expect(shape(clean.turns)).toEqual(await plain(file));
    expect(failures(clean.root)).toEqual([]);
  });

  it('has nothing left of what is said that a pattern matches', async () => {
    const { turns } = await built(file, ['[a-z]+']);
    const left = turns.map(({ text }) => text.replace(CALL_LEAD, '').replaceAll(/\[redacted:[\w:-]+\]|\\[nt]|\b(?:true|false|null)\b/g, '')).filter((text) => /[a-z]/.test(text));
    expect(left).toEqual([]);
  });
});

it('a call is searched string by string, so that its words are found as they were meant', async () => {
  const writer = claude();
  const file = path.join(scratch, 'call.jsonl');
  fs.writeFileSync(file, lines(writer.user('Look'), writer.call('t1', 'Read', { file_path: 'C:\\Users\\Ada\\notes.txt', of: { 'Ada "the first"': 1 } })));
  const { turns } = await built(file, ['C:\\\\Users\\\\Ada', 'Ada "the']);
  expect(turns.find(({ kind }) => kind === 'call')?.text).toBe(`tool_use Read ${JSON.stringify({ file_path: '[redacted:custom]\\notes.txt', of: { '[redacted:custom] first"': 1 } })}`);
});

it('cuts of a session give what building it at once gives', async () => {
  const whole = SAMPLES[0] as string;
  const bytes = fs.readFileSync(whole);
  const file = path.join(scratch, 'cut.jsonl');
  const root = path.join(scratch, 'cut');
  const options = { redactionPatterns: ['[a-f]\\w+'] };
  fs.writeFileSync(file, bytes.subarray(0, bytes.indexOf(10, bytes.length / 2) + 1));
  await buildInto(root, file, options);
  fs.writeFileSync(file, bytes);
  const { dir } = await buildInto(root, file, options);
  const once = await built(file, options.redactionPatterns);
  expect(timelineOf(dir)).toEqual(timelineOf(once.dir));
  const counts = (folder: string): unknown => (JSON.parse(fs.readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as { redaction: { counts: unknown } }).redaction.counts;
  expect(counts(dir)).toEqual(counts(once.dir));
});

it('sessions whose ids a pattern matches stay apart', async () => {
  const root = path.join(scratch, 'apart');
  const options = { redactionPatterns: ['customer-\\d+'] };
  const dirs = new Set<string>();
  for (const name of ['customer-4711', 'customer-4712']) {
    const file = path.join(scratch, `${name}.jsonl`);
    fs.writeFileSync(file, lines({ seq: 0, role: 'user', session: name, content: `Call ${name}` }, { seq: 1, role: 'assistant', content: 'Done.' }));
    dirs.add((await buildInto(root, file, options)).dir);
  }
  expect([...dirs].map((dir) => path.basename(dir))).toEqual([expect.stringMatching(/^redacted/), expect.stringMatching(/^redacted/)].map(() => expect.not.stringContaining('customer')));
  expect(dirs.size).toBe(2);

  // As the person names them, too: one would be taken for the other, and its turns for those that stand there.
  const named = new Set<string>();
  for (const session of ['customer-4713', 'customer-4714']) {
    const file = path.join(scratch, `${session}.jsonl`);
    fs.writeFileSync(file, lines({ seq: 0, role: 'user', content: `Call ${session}` }, { seq: 1, role: 'assistant', content: 'Done.' }));
    const { dir } = await buildInto(root, file, { ...options, session });
    expect(turnsOf(dir)).toHaveLength(2);
    named.add(dir);
  }
  expect(named.size).toBe(2);
});
