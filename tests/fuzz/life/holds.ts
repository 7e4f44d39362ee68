/** What must hold of a whole store after every step, worked out again from its files alone. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { verify2 } from '../../helpers/reference-verify.ts';

export const sha = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

export interface Line {
  seq: number;
  part?: number;
  class: string;
  text: string;
  meta?: string;
}

interface Manifest {
  session: string;
  project: string;
  harness: string;
  revisions: number;
  turn_count: number;
  counts: Record<string, number>;
  watermark: number;
  updated_at: string;
  manifest_sha256: string;
  sources: { path: string; bytes: number; lines: number; raw_sha256: string; runs: [number, number][] }[];
  seal: { revision: number; timeline_bytes: number; chain_head: string; tools_sha256: string; summary_sha256: string; payload_sha256: string };
}

export function manifestIn(dir: string): Manifest {
  return JSON.parse(fs.readFileSync(path.join(dir, 'manifest.json'), 'utf8')) as Manifest;
}

export function linesOf(dir: string): Line[] {
  const lines = fs.readFileSync(path.join(dir, 'timeline.jsonl'), 'utf8').split('\n');
  if (lines.pop() !== '') throw new Error('the timeline has no line feed at its end');
  return lines.map((line) => JSON.parse(line) as Line);
}

function demand(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(what);
}

function same(what: string, found: unknown, wanted: unknown): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
  demand(is === should, `${what}: ${is}, and should be ${should}`);
}

/** The session folders of a store. */
export function sessionsIn(root: string): string[] {
  const below = (folder: string) => (fs.existsSync(folder) ? fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => path.join(folder, name)) : []);
  return below(path.join(root, 'projects')).flatMap(below);
}

/** Throws where something in the store is not as the formats say. */
export function storeHolds(root: string): void {
  const dirs = sessionsIn(root);
  for (const dir of dirs) sessionHolds(dir);
  if (!fs.existsSync(root)) return;
  const left = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tmp\b|\.lock$|\.trash|stdin\./.test(name));
  same('left behind', left, []);
  const index = path.join(root, 'INDEX.json');
  if (!fs.existsSync(index)) return same('sessions without an index', dirs, []);
  const rows = (JSON.parse(fs.readFileSync(index, 'utf8')) as Record<string, unknown>[]).map((row) => [row['project'], row['id'], row['uuid'], row['harness'], row['turns'], row['revisions'], row['updated'], row['manifest_sha256']]);
  const wanted = dirs.map((dir) => {
    const manifest = manifestIn(dir);
    same('the project of a folder', manifest.project, path.basename(path.dirname(dir)));
    return [manifest.project, path.basename(dir), manifest.session, manifest.harness, manifest.turn_count, manifest.revisions, manifest.updated_at, manifest.manifest_sha256];
  });
  const sorted = (list: unknown[][]) => list.map((row) => JSON.stringify(row)).sort();
  same('INDEX.json', sorted(rows), sorted(wanted));
  for (const project of new Set(dirs.map((dir) => path.dirname(dir)))) {
    const page = fs.readFileSync(path.join(project, 'PROJECT.md'), 'utf8').split('\n').flatMap((line) => /^- session (\S+) (\(.*?\)) ::/.exec(line)?.slice(1, 3).join(' ') ?? []);
    const listed = dirs.filter((dir) => path.dirname(dir) === project).map((dir) => `${manifestIn(dir).session} (turns=${manifestIn(dir).turn_count}, rev=${manifestIn(dir).revisions})`);
    same('PROJECT.md', page.sort(), listed.sort());
  }
}

function sessionHolds(dir: string): void {
  const file = (name: string) => fs.readFileSync(path.join(dir, name));
  demand(verify2(dir).startsWith('PASS'), verify2(dir));
  const manifest = manifestIn(dir);
  const lines = linesOf(dir);
  const timeline = file('timeline.jsonl');
  same('turn_count', manifest.turn_count, lines.length);
  same('watermark', manifest.watermark, Math.max(...lines.map(({ seq }) => seq)));
  const counts: Record<string, number> = {};
  for (const { class: name } of lines) counts[name] = (counts[name] ?? 0) + 1;
  same('counts', Object.entries(manifest.counts).filter(([, count]) => count > 0).sort(), Object.entries(counts).sort());
  const numbers = new Set(lines.map(({ seq, part }) => `${seq}.${part ?? 0}`));
  same('different numbers', numbers.size, lines.length);

  let [from, prev] = [0, '0'.repeat(64)];
  for (const line of file('chain.jsonl').toString('utf8').split('\n').slice(0, -1)) {
    const row = JSON.parse(line) as { bytes: number; turns: number; segment_sha256: string; prev: string; head: string };
    const { head, ...rest } = row;
    same('head', head, sha(JSON.stringify(rest)));
    same('prev', row.prev, prev);
    demand(row.bytes > from, 'a row of the chain that covers nothing');
    same('segment_sha256', row.segment_sha256, sha(timeline.subarray(from, row.bytes)));
    same('turns of a row', row.turns, timeline.subarray(0, row.bytes).toString('latin1').split('\n').length - 1);
    [from, prev] = [row.bytes, head];
  }
  same('the end of the chain', [from, prev], [timeline.length, manifest.seal.chain_head]);
  same('timeline_bytes', manifest.seal.timeline_bytes, timeline.length);
  same('seal.revision', manifest.seal.revision, manifest.revisions);
  const zeros = (name: string) => sha(Buffer.from(file(name).toString('latin1').replace(`"manifest_sha256": "${manifest.manifest_sha256}`, `"manifest_sha256": "${'0'.repeat(64)}`), 'latin1'));
  same('seals', [manifest.seal.tools_sha256, manifest.seal.summary_sha256, manifest.seal.payload_sha256], [sha(file('TOOLS.md')), zeros('HANDOFF.summary.json'), zeros('HANDOFF.llm.json')]);
  const payload = JSON.parse(file('HANDOFF.llm.json').toString('utf8')) as { timeline: unknown[]; tool_calls: unknown[] };
  same('timeline of the payload', payload.timeline, lines);
  same('tool_calls of the payload', payload.tool_calls, lines.filter(({ class: name }) => name === 'TOOL'));
}
