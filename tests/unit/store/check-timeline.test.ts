/** What `verify` says of a timeline that is not as its manifest says, and of one that a build is writing. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { acquire } from '../../../src/lib/fs/lock.mts';
import { sha256 } from '../../../src/lib/hash-chain.mts';
import { sessionKey, storePaths } from '../../../src/store/layout.mts';
import { checkSession } from '../../../src/store/checker.mts';
import { buildInto, rowsOf } from '../../helpers/build.ts';
import { freshFolder } from '../../helpers/run.ts';

const scratch = freshFolder('handoff-check-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
let count = 0;

const line = (at: number): string => `${JSON.stringify({ session: 's', seq: at, role: at % 2 === 0 ? 'user' : 'assistant', text: `turn ${at}` })}\n`;

/** A session of two revisions, and a look at what is found in it. */
async function session() {
  const root = path.join(scratch, `store-${(count += 1)}`);
  const source = path.join(scratch, `s-${count}.jsonl`);
  fs.writeFileSync(source, line(0) + line(1));
  const { dir } = await buildInto(root, source);
  fs.appendFileSync(source, line(2));
  await buildInto(root, source);
  const timeline = path.join(dir, 'timeline.jsonl');
  const [row] = rowsOf(root);
  if (row === undefined) throw new Error('no row');
  return { root, dir, timeline, text: fs.readFileSync(timeline, 'utf8'), found: () => checkSession(root, row).findings.map(({ id }) => id) };
}

describe('one damage of a timeline is one finding', () => {
  it('nothing is found in a session as it was written', async () => {
    expect((await session()).found()).toEqual([]);
  });

  it.each([
    ['a turn is edited and keeps its length', (text: string) => text.replace('turn 1', 'turn I'), 'chain-segment'],
    ['a turn is edited and grows', (text: string) => text.replace('turn 1', 'turn one'), 'timeline-length'],
    ['a turn is taken out', (text: string) => text.slice(text.indexOf('\n') + 1), 'turn-drift'],
    ['a turn is added', (text: string) => text + text.slice(0, text.indexOf('\n') + 1), 'timeline-length'],
    ['a blank line is added', (text: string) => `${text}\n`, 'timeline-length'],
    ['a part of a turn is added', (text: string) => `${text}{"seq"`, 'timeline-length'],
    ['a last line end is missing', (text: string) => text.slice(0, -1), 'timeline-length'],
    ['every line end is converted', (text: string) => text.replaceAll('\n', '\r\n'), 'line-ends'],
    ['line ends are converted and a turn is edited', (text: string) => text.replaceAll('\n', '\r\n').replace('turn 1', 'turn I'), 'timeline-length'],
    ['line ends are converted and a turn is added', (text: string) => (text + text.slice(0, text.indexOf('\n') + 1)).replaceAll('\n', '\r\n'), 'timeline-length'],
  ])('%s', async (_name, change, finding) => {
    const { timeline, text, found } = await session();
    fs.writeFileSync(timeline, change(text));
    expect(found()).toEqual([finding]);
  });

  it('it is missing', async () => {
    const { timeline, found } = await session();
    fs.unlinkSync(timeline);
    expect(found()).toEqual(['timeline-missing']);
  });

  it('its chain is cut, or edited', async () => {
    const { dir, found } = await session();
    const chain = path.join(dir, 'chain.jsonl');
    const rows = fs.readFileSync(chain, 'utf8');
    fs.writeFileSync(chain, rows.slice(0, rows.indexOf('\n') + 1));
    expect(found()).toEqual(['chain-broken']);
    fs.writeFileSync(chain, rows.replace('"turns":2', '"turns":3'));
    expect(found()).toEqual(['chain-broken']);
  });
});

describe('bytes behind the committed end', () => {
  it('are no damage while a lock names that end, and are damage when it is gone', async () => {
    const { root, dir, timeline, text, found } = await session();
    const lock = acquire(storePaths(root).locks, sessionKey('s'), 'build');
    const base = sha256(fs.readFileSync(path.join(dir, 'manifest.json')));
    lock.note({ place: path.relative(storePaths(root).projects, dir), base, timeline_bytes: text.length, chain_bytes: 0 });
    fs.appendFileSync(timeline, `${text}{"half`);
    expect(found()).toEqual(['build-at-work']);
    lock.release();
    expect(found()).toEqual(['timeline-length']);
  });

  it('are no damage while the lock of the next holder still carries the record of a dead one', async () => {
    const { root, dir, timeline, text, found } = await session();
    const { locks } = storePaths(root);
    const base = sha256(fs.readFileSync(path.join(dir, 'manifest.json')));
    const dead = acquire(locks, sessionKey('s'), 'build');
    dead.note({ place: path.relative(storePaths(root).projects, dir), base, timeline_bytes: text.length, chain_bytes: 0 });
    fs.writeFileSync(dead.file, JSON.stringify({ ...(JSON.parse(fs.readFileSync(dead.file, 'utf8')) as object), pid: 2 ** 22 + 1 }));
    fs.appendFileSync(timeline, 'what the dead one wrote\n');
    expect(found()).toEqual(['interrupted']);
    const next = acquire(locks, sessionKey('s'), 'build');
    expect(next.left).toHaveLength(1);
    expect(found()).toEqual(['build-at-work']);
    next.release();
  });

  it('are damage where the lock names another end', async () => {
    const { root, dir, timeline, text, found } = await session();
    const lock = acquire(storePaths(root).locks, sessionKey('s'), 'build');
    const base = sha256(fs.readFileSync(path.join(dir, 'manifest.json')));
    lock.note({ place: path.relative(storePaths(root).projects, dir), base, timeline_bytes: text.length + 5, chain_bytes: 0 });
    fs.appendFileSync(timeline, '\n\n\n\n\n\n\n');
    expect(found()).toContain('timeline-length');
    lock.release();
  });
});
