/** One damaged byte or bit in a session's files: `verify` finds it, wherever it falls. */
import fs from 'node:fs';
import path from 'node:path';
import { checkSession } from '../../../src/store/checker.mts';
import type { IndexRow } from '../../../src/store/index-file.mts';
import { buildInto, rowsOf } from '../../helpers/build.ts';
import { freshFolder, REPOSITORY } from '../../helpers/run.ts';
import type { Target } from '../fuzz.ts';
import { below, pick, type Random } from '../mutate.ts';

interface Store {
  dir: string;
  root: string;
  row: IndexRow;
  session: string;
  files: Record<string, Buffer>;
}

let store: Promise<Store> | undefined;

const COMMITTED = ['manifest.json', 'timeline.jsonl', 'chain.jsonl', 'HANDOFF.llm.json'];
const RENDERED = ['HANDOFF.summary.json', 'TOOLS.md'];

/** A session of three revisions. */
async function make(): Promise<Store> {
  const dir = freshFolder('handoff-fuzz-store-');
  const root = path.join(dir, 'store');
  const source = fs.readFileSync(path.join(REPOSITORY, 'tests/fixtures/claude-code/steering.jsonl'), 'utf8').trimEnd().split('\n');
  const file = path.join(dir, 't.jsonl');
  for (const part of [0.4, 0.7, 1]) {
    fs.writeFileSync(file, `${source.slice(0, Math.ceil(source.length * part)).join('\n')}\n`);
    await buildInto(root, file);
  }
  const [row] = rowsOf(root);
  if (row === undefined) throw new Error('the store of the target holds no session');
  const session = path.join(root, 'projects', row.project, row.id);
  const files = Object.fromEntries([...COMMITTED, ...RENDERED].map((name) => [name, fs.readFileSync(path.join(session, name))]));
  if (checkSession(root, row).findings.length > 0) throw new Error('the store of the target is not sound');
  return { dir, root, row, session, files };
}

async function run(random: Random): Promise<string> {
  store ??= make();
  const { root, row, session, files } = await store;
  const name = pick(random, random() < 0.9 ? COMMITTED : RENDERED);
  const bytes = files[name] as Buffer;
  const damaged = damage(random, bytes);
  if (damaged.equals(bytes)) return 'no change';
  fs.writeFileSync(path.join(session, name), damaged);
  try {
    const { findings } = checkSession(root, row);
    const found = findings.filter(({ level }) => COMMITTED.includes(name) ? level === 'fail' : true);
    if (found.length > 0) return COMMITTED.includes(name) ? 'found' : 'noted';
    if (sameValues(name, bytes, damaged)) return 'blanks between values';
    throw new Error(`not found: ${name}, ${changeOf(bytes, damaged)}`);
  } finally {
    fs.writeFileSync(path.join(session, name), bytes);
  }
}

function damage(random: Random, bytes: Buffer): Buffer {
  const at = below(random, bytes.length);
  const cut = (middle: number[], end: number) => Buffer.concat([bytes.subarray(0, at), Buffer.from(middle), bytes.subarray(end)]);
  switch (below(random, 5)) {
    case 0: return cut([(bytes[at] ?? 0) ^ (1 << below(random, 8))], at + 1);
    case 1: return cut([below(random, 256)], at + 1);
    case 2: return cut([], at + 1);
    case 3: return cut([below(random, 256)], at);
    default: return cut([], at + 1 + below(random, 200));
  }
}

/** The hashes of manifest.json and chain.jsonl are over their values, so a blank more or less between two is none of theirs. */
function sameValues(name: string, before: Buffer, after: Buffer): boolean {
  if (name !== 'manifest.json' && name !== 'chain.jsonl') return false;
  const values = (bytes: Buffer): string => {
    const text = bytes.toString('utf8');
    const documents = name === 'manifest.json' ? [text] : text.split('\n').filter((line) => line !== '');
    return JSON.stringify(documents.map((document) => JSON.parse(document) as unknown));
  };
  try {
    return values(before) === values(after);
  } catch {
    return false;
  }
}

function changeOf(before: Buffer, after: Buffer): string {
  let at = 0;
  while (before[at] === after[at]) at += 1;
  const around = (bytes: Buffer) => JSON.stringify(bytes.subarray(Math.max(0, at - 30), at + 30).toString('latin1'));
  return `byte ${at}: ${around(before)} became ${around(after)}`;
}

export const stores: Target = { name: 'stores', share: 40, run, end: () => { void store?.then(({ dir }) => fs.rmSync(dir, { recursive: true, force: true })); store = undefined; } };
