/** What a build leaves on disk, recomputed here from the bytes alone: hashes, chain, seal, payloads, index and pages. */
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk, sha256, type SessionFolder } from '../../helpers/desk.ts';
import { claude, lines, talk } from '../../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

const ZEROS = '0'.repeat(64);

/** Holds a session against every rule of its record; throws at the first that is broken. */
function expectSound(session: SessionFolder, source?: string): void {
  const text = session.text('manifest.json');
  const manifest = session.manifest;
  const { manifest_sha256, ...rest } = manifest;
  expect(text).toBe(JSON.stringify(manifest, null, 2));
  expect(sha256(JSON.stringify(rest))).toBe(manifest_sha256);

  const timeline = session.bytes('timeline.jsonl');
  let prev = ZEROS;
  let at = 0;
  for (const row of session.chain) {
    const { head, ...before } = row;
    expect(Object.keys(row)).toEqual(['revision', 'at', 'turns', 'bytes', 'raw_sha256', 'segment_sha256', 'prev', 'head']);
    expect([row.prev, row.segment_sha256, head]).toEqual([prev, sha256(timeline.subarray(at, row.bytes)), sha256(JSON.stringify(before))]);
    [prev, at] = [head, row.bytes];
  }
  const blank = (name: string) => sha256(session.text(name).replace(`"manifest_sha256": "${manifest_sha256}"`, `"manifest_sha256": "${ZEROS}"`));
  expect(manifest.seal).toEqual({
    format: 1, revision: manifest.revisions, timeline_bytes: timeline.length, chain_head: prev,
    tools_sha256: sha256(session.bytes('TOOLS.md')), summary_sha256: blank('HANDOFF.summary.json'), payload_sha256: blank('HANDOFF.llm.json'),
  });
  expect(at).toBe(timeline.length);
  if (source !== undefined) expect(manifest.raw_sha256).toBe(sha256(readFileSync(source)));

  const rows = timeline.toString('utf8').split('\n').slice(0, -1);
  const payload = session.text('HANDOFF.llm.json');
  // The very bytes, and provenance before them.
  expect(payload).toContain(`"timeline": [\n${rows.join(',\n')}\n]`);
  expect(payload.indexOf('"provenance"')).toBeLessThan(payload.indexOf('"timeline": ['));
  expect(Object.keys(session.payload).slice(-3)).toEqual(['provenance', 'timeline', 'tool_calls']);
  expect(session.payload['tool_calls']).toEqual(session.turns.filter((turn) => turn.class === 'TOOL'));
  for (const fields of [session.payload, session.summary]) {
    expect(fields).toMatchObject({
      session: { id: manifest.session, harness: manifest.harness, model: manifest.model }, project: manifest.project, generated_at: manifest.updated_at, evidence_class: 'OBSERVED', counts: manifest.counts,
      provenance: { sources: manifest.source_paths, raw_sha256: manifest.raw_sha256, manifest_sha256, revision: manifest.revisions, watermark: manifest.watermark, total_turns: rows.length },
    });
  }
  expect([session.payload['schema_version'], session.summary['schema_version']]).toEqual(['2.0.0', '2.0.0-summary']);
  for (const name of ['HANDOFF.llm.json', 'HANDOFF.summary.json']) expect(session.text(name).endsWith('}'), name).toBe(true);
  expect([manifest.turn_count, Object.values(manifest.counts).reduce((sum, n) => sum + n, 0)]).toEqual([rows.length, rows.length]);
  expect(new Set(session.numbers).size).toBe(rows.length);
  const brief = session.text('HANDOFF.md');
  for (const hash of [manifest_sha256, manifest.raw_sha256]) expect(brief).toContain(hash);
}

describe('the record', () => {
  it('of a first build, of growth, of a second source, of a rewritten one and of new bytes without a turn is sound', () => {
    const writer = claude();
    const a = desk.file('a.jsonl', lines(writer.user('Größe 😀 "x"'), writer.call('t1', 'Edit', { file_path: '/w/a.js', old_string: '\\', new_string: '"manifest_sha256": "x"' }), writer.result('t1', 'ok')));
    desk.build(a);
    expectSound(desk.session(), a);
    const first = desk.session().manifest;
    expect(Object.keys(first).slice(0, 13)).toEqual([
      'session', 'project', 'harness', 'model', 'created_at', 'source_paths', 'watermark', 'raw_sha256', 'revisions', 'updated_at', 'turn_count', 'counts', 'manifest_sha256',
    ]);
    expect(first).toMatchObject({
      session: 's', project: 'w', harness: 'claude-code', model: '', source_paths: [a], watermark: 2, revisions: 1, turn_count: 3, counts: { USER: 1, AGENT: 0, THOUGHT: 0, TOOL: 2, OTHER: 0 },
      uuid: 's', cwd: '/w', adapter: { id: 'claude-code', version: 1 }, redaction: { on: true, counts: {} }, usage: { input: 1, output: 2 },
      sources: [{ path: a, first_line_sha256: sha256(readFileSync(a, 'utf8').split('\n')[0] ?? ''), bytes: statSync(a).size, raw_sha256: first.raw_sha256, runs: [[0, 0]] }],
    });
    expect(first.created_at).toBe(first.updated_at);

    appendFileSync(a, lines(writer.agent('done')));
    desk.build(a);
    expectSound(desk.session(), a);
    const b = desk.file('b.jsonl', lines(...talk(3, 'b')));
    desk.build(b, '--session', 's');
    expectSound(desk.session(), b);
    writeFileSync(b, lines(...talk(2, 'b')));
    desk.build(b, '--session', 's');
    expectSound(desk.session(), b);
    appendFileSync(a, lines({ type: 'mode', mode: 'plan', sessionId: 's' }));
    desk.build(a);
    expectSound(desk.session(), a);
    const last = desk.session().manifest;
    expect(last).toMatchObject({ revisions: 5, created_at: first.created_at, source_paths: [a, b], turn_count: 8 });
    expect(last.updated_at > first.updated_at).toBe(true);
    expect(desk.session().chain.map((row) => [row.revision, row.turns])).toEqual([[1, 3], [2, 4], [3, 7], [4, 8]]);
    // Keys that stood keep their place; only the seal, which is made anew, may move.
    expect(Object.keys(last).filter((key) => key in first && key !== 'seal')).toEqual(Object.keys(first).filter((key) => key !== 'seal'));
    expect(desk.handoff(['verify', 's']).stdout).toBe('PASS s [w]: manifest sha ok / timeline=8 turns / llm json parses / chain ok\n');
  });

  it('does not depend on how a session was built: in one go or line by line', () => {
    const writer = claude();
    const all = [writer.user('Go'), writer.agent([{ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'ok' }]), writer.call('t', 'Bash', { command: 'ls' }), writer.result('t', 'a\nb'), writer.agent('done'), writer.user('thanks')];
    const file = desk.file('t.jsonl', lines(...all));
    desk.build(file, '--session', 'once');
    for (let n = 1; n <= all.length; n += 1) {
      writeFileSync(file, lines(...all.slice(0, n)));
      desk.build(file, '--session', 'often');
    }
    const [once, often] = [desk.session('w/once'), desk.session('w/often')];
    expect(often.manifest.revisions).toBe(6);
    for (const name of ['timeline.jsonl', 'TOOLS.md']) expect(often.text(name).replaceAll('often', 'once'), name).toBe(once.text(name));
    const without = ({ text }: { text: string }) => text.replaceAll('often', 'once').replace(/[0-9a-f]{64}|\d{4}-\d\d-\d\dT[\d:.]+Z|[Rr]evisions?(:\*\* |=|": )\d+/g, '');
    for (const name of ['HANDOFF.md', 'HANDOFF.summary.json', 'HANDOFF.llm.json']) expect(without({ text: often.text(name) }), name).toBe(without({ text: once.text(name) }));
    expect(often.manifest).toMatchObject({ usage: once.manifest.usage, counts: once.manifest.counts, raw_sha256: once.manifest.raw_sha256 });
    expectSound(often, file);
  });

  it('is private: folders 0700, files 0600', () => {
    desk.capture('t.jsonl', lines(...talk(2)));
    for (const name of ['.', 'projects', 'projects/w', 'projects/w/s']) expect(statSync(join(desk.root, name)).mode & 0o777, name).toBe(0o700);
    for (const name of desk.tree()) expect(statSync(join(desk.root, name)).mode & 0o777, name).toBe(0o600);
    expect(desk.tree()).toEqual(['INDEX.json', 'projects/w/PROJECT.md', ...['HANDOFF.llm.json', 'HANDOFF.md', 'HANDOFF.summary.json', 'TOOLS.md', 'chain.jsonl', 'manifest.json', 'timeline.jsonl'].map((name) => `projects/w/s/${name}`)]);
  });
});

describe('the index and the pages', () => {
  it('have one row and one line a session, which follow its turns and revisions', () => {
    const file = desk.file('t.jsonl', lines(...talk(2)));
    desk.build(file);
    desk.capture('ss.jsonl', lines(...talk(2, 'ss')));
    desk.capture('other.jsonl', lines(...talk(2, 'a', '/a')));
    appendFileSync(file, lines(...talk(3).slice(2)));
    desk.build(file);
    expect(desk.index().map((row) => `${row.project}/${row.id}`)).toEqual(['a/a', 'w/s', 'w/ss']);
    const { manifest_sha256, updated_at } = desk.session().manifest;
    expect(desk.index()[1]).toEqual({ id: 's', uuid: 's', project: 'w', harness: 'claude-code', turns: 3, revisions: 2, updated: updated_at, manifest_sha256, objective: 'prompt 0 of s', source_id: 's' });
    expect(readFileSync(join(desk.root, 'INDEX.json'), 'utf8')).toBe(JSON.stringify(desk.index(), null, 2));
    expect(desk.page()).toBe('# Project: w\n\n## Sessions\n- session s (turns=3, rev=2) :: prompt 0 of s\n- session ss (turns=2, rev=1) :: prompt 0 of ss\n');
  });

  it('hold an objective and an id on one line, whatever is in them', () => {
    desk.capture('t.jsonl', lines(claude('x\n- session y (turns=9, rev=9) :: fake').user('first line\nsecond\tline <!-- x --> $& ' + '😀'.repeat(100))));
    const page = desk.page().split('\n');
    expect(page).toHaveLength(5);
    expect(page[3]).toMatch(/ \(turns=1, rev=1\) :: first line second line &lt;!-- x --&gt; \$& 😀+$/u);
    desk.build('t.jsonl', '--session', 'another');
    expect(desk.page().split('\n')).toHaveLength(6);
  });

  it('are made anew where the index is torn or gone', () => {
    desk.capture('t.jsonl', lines(...talk(2)));
    for (const torn of ['', '[\n  {\n    "id": "s"', 'null', '[{"id":"../..","project":"x","uuid":"s"}]']) {
      desk.file('store/INDEX.json', torn);
      expect(desk.handoff(['list']).stdout, torn).toContain('[w]');
      desk.capture('b.jsonl', lines(...talk(2, 'b')), '--session', `b${torn.length}`);
      expect(desk.index().filter((row) => row.uuid === 's'), torn).toHaveLength(1);
    }
  });
});

describe('an index that lost rows', () => {
  it('hides no session: where it has none at all it is not believed, and the next build of a transcript finds its own again', () => {
    const file = desk.file('t.jsonl', lines(...talk(2)));
    const grown = desk.file('grown.jsonl', lines(...talk(3)));
    desk.build(file);
    for (const [left, next, words] of [['[]', file, 'up-to-date (s, '], ['[\n  {\n    "id": "z",\n    "uuid": "z",\n    "project": "w"\n  }\n]', grown, 'turns=3 new=1 rev=2']] as const) {
      desk.file('store/INDEX.json', left);
      if (left === '[]') expect(desk.handoff(['list']).stdout).toContain('[w]  s ');
      expect(desk.build(next)).toContain(words);
      expect(desk.places()).toEqual(['w/s']);
      expect(desk.index().filter((row) => row.uuid === 's')).toMatchObject([{ id: 's', project: 'w' }]);
    }
  });
});

describe('notes that relate projects', () => {
  const objective = 'Teach the invoice parser about discount coupons and rounding';

  it('are left once for each other project whose sessions share enough words', () => {
    desk.capture('a.jsonl', lines(claude('a', '/billing').user(objective)));
    desk.capture('far.jsonl', lines(claude('f', '/weather').user('Draw isobars across northern Scandinavia')));
    expect(desk.capture('b.jsonl', lines(claude('b', '/shop').user('Show discount coupons ![x](http://x.example) <b> beside the invoice total, with rounding')))).toContain('xlink-notes=1');
    const note = readFileSync(join(desk.root, 'links', 'billing.md'), 'utf8');
    expect(note).toMatch(/^# Related work: billing\n\n- \d{4}-\d\d-\d\d shop\/b: Show discount coupons !\[x\]\\\(http:\/\/x\.example\) &lt;b&gt; beside .* <!-- xlink:shop\/b -->\n$/);
    appendFileSync(join(desk.dir, 'b.jsonl'), lines(...talk(1, 'b')));
    expect(desk.build('b.jsonl')).not.toContain('xlink-notes');
    expect(readFileSync(join(desk.root, 'links', 'billing.md'), 'utf8')).toBe(note);
    expect(desk.tree().filter((name) => name.startsWith('links/'))).toEqual(['links/billing.md']);
  });

  it('are not left where the configuration says so, or wants more in common', () => {
    desk.capture('a.jsonl', lines(claude('a', '/billing').user(objective)));
    for (const linking of [{ enabled: false }, { min_overlap_score: 0.95 }]) {
      desk.file('handoff.config.json', JSON.stringify({ linking, storage: { path: 'store' } }));
      const result = desk.handoff(['build', desk.file('b.jsonl', lines(claude('b', '/shop').user(`${objective} for Norway`))), '--session', JSON.stringify(linking)], { env: { HANDOFFS_ROOT: undefined } });
      expect([result.status, result.stdout.includes('xlink-notes')]).toEqual([0, false]);
    }
    expect(desk.tree().filter((name) => name.startsWith('links/'))).toEqual([]);
  });
});
