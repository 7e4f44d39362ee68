/** What readers do with a manifest or an index whose values are of another kind: anybody can give a file a hash that fits. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseRows } from '../../../src/store/index-file.mts';
import { promotedRevision } from '../../../src/lib/promotion.mts';
import { readManifest, sealed, type Manifest } from '../../../src/store/manifest.mts';
import { freshFolder } from '../../helpers/run.ts';

const folder = freshFolder('handoff-manifest-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hash = 'a'.repeat(64);
const whole = {
  session: 's', project: 'w', harness: 'h', model: '', created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z', source_paths: ['-'], watermark: 0, raw_sha256: hash,
  revisions: 2, turn_count: 1, counts: { USER: 1 }, manifest_sha256: '', uuid: 'u', title: 't', cwd: '/w', objective: 'o', pinned: ['model'], git: { branch: 'b' }, adapter: { id: 'a', version: 1 },
  sources: [{ path: '-', first_line_sha256: hash, bytes: 1, raw_sha256: hash, lines: 1, runs: [[0, 0]] }],
  seal: { format: 1, revision: 2, timeline_bytes: 1, chain_head: hash, tools_sha256: hash, summary_sha256: hash, payload_sha256: hash },
  promoted_at: '2026-01-01T00:00:00.000Z', promoted_gate: 'VERIFIED', parent_session: 'p', fork: { of: 'x', by: 'y' }, subagents: [{ id: 'i', path: 'p', title: 't' }],
  unknown: { x: 1 }, redaction: { on: true, counts: {} }, usage: { input: 1 }, usage_running: { before: {}, last: {} }, usage_recent: { m: { input: 1 } },
} as unknown as Manifest;

function stateOf(change: Record<string, unknown>): string {
  const file = join(folder, 'manifest.json');
  writeFileSync(file, sealed({ ...whole, ...change } as Manifest).text);
  const read = readManifest(file);
  return read.state === 'unreadable' ? read.reason : `${read.state}${read.state === 'read' && read.sound ? ', sound' : ''}`;
}

it('a manifest is read as it is written, with keys that nobody knows and without those of this version', () => {
  expect(stateOf({ mine: [1], federated_from: { any: 'thing' } })).toBe('read, sound');
  expect(stateOf(Object.fromEntries(Object.keys(whole).slice(13).map((key) => [key, undefined])))).toBe('read, sound');
  expect(stateOf({ seal: { format: 2, lengths: 'elsewhere' } })).toBe('read, sound');
});

it.each(['project', 'harness', 'model', 'source_paths', 'counts', 'uuid', 'title', 'cwd', 'objective', 'pinned', 'git', 'adapter', 'sources', 'seal', 'promoted_at', 'promoted_gate', 'parent_session', 'fork', 'subagents',
  'unknown', 'redaction', 'usage', 'usage_running', 'usage_recent'])('a manifest whose %s is of another kind is not read, and the key is named', (key) => {
  for (const value of [null, 5, [null]]) expect(stateOf({ [key]: value }), JSON.stringify(value)).toBe(`${key} is not of its kind`);
});

it('a seal without a length is none to go by', () => {
  for (const value of ['x', -1, 1.5, null]) expect(stateOf({ seal: { ...whole.seal, timeline_bytes: value } })).toBe('seal is not of its kind');
});

it('an index in which one row says something of another kind is not believed', () => {
  const row = { id: 's', uuid: 's', project: 'w', harness: 'h', turns: 1, revisions: 1, updated: '2026', manifest_sha256: hash };
  expect(parseRows(JSON.stringify([row, { id: 'old', uuid: 'old', project: 'w' }]))).toHaveLength(2);
  for (const change of [{ harness: 5 }, { title: {} }, { objective: [] }, { updated: null }, { source_id: 1 }, { promoted: 'VERIFIED' }, { promoted: { gate: 1 } }, { id: '../x' }]) {
    expect(parseRows(JSON.stringify([row, { ...row, ...change }])), JSON.stringify(change)).toBeUndefined();
  }
});

it('a promotion is that of the last revision where it is newer, else of the one that it names', () => {
  const at = (promoted_at: string, promoted_revision?: number) => promotedRevision({ ...whole, promoted_at, ...(promoted_revision === undefined ? {} : { promoted_revision }) });
  expect([at('2026-01-01T00:00:01Z'), at('2026-01-01T00:00:01Z', 1), at('2025-01-01T00:00:00Z', 1), at('2025-01-01T00:00:00Z')]).toEqual([2, 2, 1, undefined]);
});
