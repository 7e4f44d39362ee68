/** Rows about verbs that look at every session of a store: each against reading the files that it cannot do without. */
import fs from 'node:fs';
import path from 'node:path';
import { expectText, type Bench, type Line } from './bench.ts';
import { inPairs, run, type Work } from './measure.ts';
import { crowded } from './rows-store.ts';

/** Reads these files of every session, one after the other; what is JSON is parsed, what is not is hashed. */
const FLOOR = `
const fs = require('node:fs');
const path = require('node:path');
const crypto = require('node:crypto');
const [names, ...roots] = process.argv.slice(1);
for (const root of roots) {
  const projects = path.join(root, 'projects');
  for (const project of fs.readdirSync(projects)) for (const session of fs.readdirSync(path.join(projects, project))) {
    if (session === 'PROJECT.md') continue;
    for (const name of names.split(',')) {
      const bytes = fs.readFileSync(path.join(projects, project, session, name));
      if (name === 'manifest.json' || name === 'HANDOFF.summary.json') JSON.parse(bytes);
      else crypto.createHash('sha256').update(bytes).digest('hex');
    }
  }
}`;
const MANIFESTS = ['manifest.json'];
const INDEXED = ['manifest.json', 'HANDOFF.summary.json'];
/** All that a session holds and `verify` answers for. */
const WHOLE = ['manifest.json', 'timeline.jsonl', 'chain.jsonl', 'HANDOFF.llm.json', 'HANDOFF.summary.json', 'TOOLS.md', 'HANDOFF.md'];

const floorOf = (bench: Bench, names: readonly string[], ...roots: string[]): Work => ({ argv: ['-e', FLOOR, names.join(','), ...roots], cwd: bench.scratch });

function bytesOf(root: string, names: readonly string[], count: number): number {
  const [project = ''] = fs.readdirSync(path.join(root, 'projects'));
  const [session = ''] = fs.readdirSync(path.join(root, 'projects', project)).filter((name) => name !== 'PROJECT.md');
  return count * names.reduce((sum, name) => sum + fs.statSync(path.join(root, 'projects', project, session, name)).size, 0);
}

/** Other rows may have built into the store. */
function among(bench: Bench): { root: string; count: number } {
  const { root } = crowded(bench);
  return { root, count: (JSON.parse(fs.readFileSync(path.join(root, 'INDEX.json'), 'utf8')) as unknown[]).length };
}

function line(bench: Bench, work: string, names: readonly string[], roots: readonly string[], ours: Work, most: number): Line {
  const { root, count } = among(bench);
  const seen = inPairs(() => run(floorOf(bench, names, ...roots)), () => run(ours), 5);
  return { work: `${work} with ${count} sessions`, value: seen.ratio, most, unit: '×', floor: seen.floor, ours: seen.ours, bytes: roots.length * bytesOf(root, names, count), spread: [seen.low, seen.high], note: `floor: reading ${names.length === WHOLE.length ? 'every file' : names.join(' and ')} of each` };
}

export function indexMany(bench: Bench): Line[] {
  const { root, count } = among(bench);
  const ours = { ...bench.runtime(root, 'index'), after: (stdout: string) => expectText(stdout, new RegExp(`"sessions":${count},"stale":0`)) };
  return [line(bench, 'index', INDEXED, [root], ours, 2)];
}

export function verifyMany(bench: Bench): Line[] {
  const { root, count } = among(bench);
  const ours = { ...bench.handoff(root, 'verify', '--all'), after: (stdout: string) => expectText(stdout, new RegExp(`handoff: ${count} checked, 0 failed`)) };
  return [line(bench, 'verify --all', WHOLE, [root], ours, 3)];
}

export function federateMany(bench: Bench): Line[] {
  const { root, count } = among(bench);
  const empty = bench.store();
  fs.mkdirSync(empty);
  const dry = (into: string, expected: RegExp): Work => ({ ...bench.runtime(into, 'federated-merge', '--from', root, '--dry-run'), after: (stdout) => expectText(stdout, expected) });
  return [
    line(bench, 'federated-merge --dry-run of an equal store', MANIFESTS, [root, root], dry(root, new RegExp(`"skipped": ${count},`)), 3),
    line(bench, 'federated-merge --dry-run into an empty store', WHOLE, [root], dry(empty, /"action": "import"[^]*"skipped": 0,/), 4),
  ];
}
