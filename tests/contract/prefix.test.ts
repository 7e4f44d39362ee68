/**
 * Prefix stability through the whole build: a transcript that is built again and again while it grows gives the same
 * timeline, byte for byte, as one that is built when it is complete.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { HandoffError } from '../../src/lib/errors.mts';
import { buildInto, failures, seeded, timelineOf } from '../helpers/build.ts';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';
import { transcriptsFolder } from '../helpers/truth.ts';

const FIXTURES = path.join(REPOSITORY, 'tests/fixtures');
const scratch = freshFolder('handoff-prefix-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
let count = 0;
/** All of it with `npm run test:fault`, which sets HANDOFF_WHOLE; else a part. */
const WHOLE = process.env['HANDOFF_WHOLE'] === '1';
/** Cuts that are tried alone, of each fixture: spread over it. */
const MOST_ALONE = WHOLE ? 20 : 3;

/** What a build may say of a transcript that holds nothing to capture yet; anything else fails the test. */
const TOO_EARLY = ['NO_TURNS', 'SHAPE'];

/** Builds `bytes` at each of the cuts, then whole, as one file that grows; gives the timeline at each cut. */
async function grow(name: string, bytes: Buffer, cuts: readonly number[]): Promise<Buffer[]> {
  count += 1;
  const root = path.join(scratch, `store-${count}`);
  const file = path.join(scratch, `${count}`, name);
  fs.mkdirSync(path.dirname(file));
  const timelines: Buffer[] = [];
  let dir = '';
  for (const cut of [...cuts, bytes.length]) {
    fs.writeFileSync(file, bytes.subarray(0, cut));
    try {
      ({ dir } = await buildInto(root, file));
      timelines.push(timelineOf(dir));
    } catch (error) {
      const early = error instanceof HandoffError && TOO_EARLY.includes(error.code) && timelines.length === 0 && cut < bytes.length;
      if (!early) throw new Error(`at byte ${cut} of ${bytes.length} of ${name}`, { cause: error });
    }
  }
  expect(failures(root)).toEqual([]);
  fs.rmSync(root, { recursive: true });
  return timelines;
}

async function atOnce(name: string, bytes: Buffer): Promise<Buffer> {
  const [timeline] = await grow(name, bytes, []);
  return timeline ?? Buffer.alloc(0);
}

/** Each cut's timeline begins the next one's, and the last is that of a build at once. */
async function expectStable(name: string, bytes: Buffer, cuts: readonly number[]): Promise<void> {
  const whole = await atOnce(name, bytes);
  expect(whole.length).toBeGreaterThan(0);
  const timelines = await grow(name, bytes, cuts);
  timelines.forEach((timeline, at) => {
    if (whole.subarray(0, timeline.length).equals(timeline)) return;
    expect(timeline.toString(), `timeline after build ${at + 1}`).toBe(whole.subarray(0, timeline.length).toString());
  });
  expect(timelines.at(-1)?.equals(whole)).toBe(true);
}

/** Offsets behind each line end but the last. */
function lineCuts(bytes: Buffer): number[] {
  const cuts: number[] = [];
  for (let at = bytes.indexOf(10); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(10, at + 1)) cuts.push(at + 1);
  return cuts;
}

function fixtures(...harnesses: string[]): [string, Buffer][] {
  return harnesses.flatMap((harness) => fs.readdirSync(path.join(FIXTURES, harness))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name): [string, Buffer] => [`${harness}/${name}`, fs.readFileSync(path.join(FIXTURES, harness, name))]));
}

const lines = (...records: object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** Numbers that jump, repeat, run back, are text, or are not there; blank lines; several turns in a record. */
const CANONICAL = lines(
  { session: 'c-1', seq: 5, ts: '2026-01-01T10:00:00Z', role: 'user', text: 'Count the €uros 🧮' },
  { seq: 5, role: 'assistant', text: 'the same number again' },
  { role: 'assistant', text: 'no number' },
  { seq: 2, role: 'assistant', text: 'a number that runs back' },
  { seq: '9', role: 'user', text: 'a number as text' },
) + '\n' + lines(
  { seq: 9, role: 'assistant', content: [{ type: 'text', text: 'two' }, { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'a' } }] },
  { seq: 9, role: 'tool', content: [{ type: 'tool_result', tool_use_id: 't1', content: '' }] },
  { role: 'user', text: 'password=hunter2hunter2 and AKIAABCDEFGHIJKLMNOP', seq: 1.5 },
  { role: 'assistant', text: 'last' },
);

const claude = (uuid: string, parentUuid: string | null, type: string, content: unknown): object => ({ type, uuid, parentUuid, sessionId: 's-1', cwd: '/w', timestamp: '2026-01-01T10:00:00Z', message: { id: `m${uuid}`, role: type, content } });
const TINY_CLAUDE = lines(
  claude('1', null, 'user', 'Grüße 👋'),
  claude('2', '1', 'assistant', [{ type: 'thinking', thinking: 'hm' }, { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }]),
  claude('3', '2', 'user', [{ type: 'tool_result', tool_use_id: 't', content: 'a\nb', is_error: true }]),
  claude('4', '3', 'assistant', [{ type: 'text', text: 'two files' }]),
);

const TEXT = 'before any marker\n\n## User: What is 2+2?\nand 3+3?\n\n## Assistant: 4\n```\nuser: not a marker\n```\n## User: thanks\n## Tool: ran\nok\n\n## Assistant: 6\n';

describe('a transcript that is built at every line gives the timeline of one that is built at once', () => {
  it.each([...fixtures('claude-code', 'codex', 'pi', 'copilot'), ['canonical.jsonl', Buffer.from(CANONICAL)] as [string, Buffer]])('%s', async (name, bytes) => {
    await expectStable(path.basename(name), bytes, lineCuts(bytes));
  });

  it.each([...fixtures('claude-code', 'codex', 'pi', 'copilot'), ['canonical.jsonl', Buffer.from(CANONICAL)] as [string, Buffer]])('%s, each cut alone', async (name, bytes) => {
    const whole = await atOnce(path.basename(name), bytes);
    const cuts = lineCuts(bytes);
    const step = Math.ceil(cuts.length / MOST_ALONE);
    for (const cut of cuts.filter((_, at) => at % step === 0)) {
      const timeline = (await grow(path.basename(name), bytes, [cut])).at(-1);
      expect(timeline?.equals(whole), `cut at ${cut}`).toBe(true);
    }
  });

  it('with CRLF line ends and a byte order mark', async () => {
    const bytes = Buffer.from(`\ufeff${TINY_CLAUDE.replaceAll('\n', '\r\n')}`);
    await expectStable('bom.jsonl', bytes, lineCuts(bytes));
    expect((await atOnce('bom.jsonl', bytes)).equals(await atOnce('lf.jsonl', Buffer.from(TINY_CLAUDE)))).toBe(true);
  });

  it('in role-marked text at the borders of turns', async () => {
    const bytes = Buffer.from(TEXT);
    const borders = [...TEXT.matchAll(/^## /gm)].map(({ index }) => index);
    await expectStable('talk.md', bytes, borders);
    const whole = await atOnce('talk.md', bytes);
    for (const cut of borders) expect((await grow('talk.md', bytes, [cut])).at(-1)?.equals(whole), `cut at ${cut}`).toBe(true);
  });
});

describe('a transcript that is built at every byte gives the timeline of one that is built at once (every fifth byte without HANDOFF_WHOLE)', () => {
  it.each([['canonical', CANONICAL], ['Claude Code', TINY_CLAUDE], ['Claude Code with CRLF', TINY_CLAUDE.replaceAll('\n', '\r\n')]])('%s', async (_name, text) => {
    const bytes = Buffer.from(text);
    await expectStable('bytes.jsonl', bytes, Array.from({ length: bytes.length - 1 }, (_, at) => at + 1).filter((cut) => WHOLE || cut % 5 === bytes.length % 5));
  });
});

const LARGE = ['claude-code/big-inline.jsonl', 'claude-code/tui-long.jsonl', 'claude-code/v2.1.197-big.jsonl', 'claude-code/coding-tools.jsonl', 'codex/large-output.jsonl', 'codex/tui.jsonl', 'codex/v0.110.0-resumed.jsonl', 'codex/codemode.jsonl'];
const folder = transcriptsFolder();
const SEED = Number(process.env['HANDOFF_SEED'] ?? 20261130);
const CUTS = WHOLE ? 10 : 2;

describe.skipIf(folder === undefined)(`recorded sessions cut at random bytes (seed ${SEED}${folder === undefined ? '; not on this machine: set HANDOFF_TRANSCRIPTS' : ''})`, () => {
  it.each(LARGE)('%s', async (name) => {
    const bytes = fs.readFileSync(path.join(folder ?? '', name));
    const random = seeded(SEED);
    const ends = lineCuts(bytes);
    // Half of the cuts fall anywhere, half right before, at or behind a line's end.
    const cuts = Array.from({ length: CUTS }, (_, at) => (at % 2 === 0
      ? 1 + Math.floor(random() * (bytes.length - 1))
      : (ends[Math.floor(random() * ends.length)] ?? 1) - Math.floor(random() * 3)));
    await expectStable(path.basename(name), bytes, [...new Set(cuts)].sort((a, b) => a - b));
  });
});
