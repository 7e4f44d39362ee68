/** Stores of 2.0.x under the built command, and stores of ours that 2.0.x goes on building. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { build2 } from '../helpers/build-2.0.ts';
import { verify2, verifyStore2 } from '../helpers/reference-verify.ts';
import { freshFolder, REPOSITORY, run, type Result } from '../helpers/run.ts';

const FIXTURES = path.join(REPOSITORY, 'tests/fixtures');
const scratch = freshFolder('handoff-compat-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
let count = 0;

interface Place { dir: string; root: string; handoff(...argv: string[]): Result; must(...argv: string[]): string }

/** A working folder with a copy of the 2.0.x store and its sources, or with an empty store. */
function place(store: 'compat' | 'empty'): Place {
  const dir = path.join(scratch, String((count += 1)));
  const root = path.join(dir, 'store');
  fs.mkdirSync(root, { recursive: true });
  if (store === 'compat') {
    fs.cpSync(path.join(FIXTURES, 'compat-store'), root, { recursive: true });
    fs.cpSync(path.join(FIXTURES, 'compat-sources'), dir, { recursive: true });
  }
  const handoff = (...argv: string[]): Result => run('handoff', argv, { cwd: dir, env: { HANDOFFS_ROOT: root } });
  return {
    dir, root, handoff,
    must(...argv) {
      const result = handoff(...argv);
      expect(`${result.status}: ${result.stderr}`).toMatch(/^0: /);
      return result.stdout;
    },
  };
}

interface Row { revision: number; foreign?: boolean; bytes: number; prev: string; head: string; segment_sha256: string }

function session(root: string, at: string) {
  const dir = path.join(root, 'projects', at);
  const text = (name: string): string => fs.readFileSync(path.join(dir, name), 'utf8');
  const timeline = text('timeline.jsonl');
  return {
    dir,
    timeline,
    brief: text('HANDOFF.md'),
    lines: timeline.trimEnd().split('\n'),
    manifest: JSON.parse(text('manifest.json')) as Record<string, unknown> & { seal?: { revision: number; chain_head: string } },
    chain: fs.existsSync(path.join(dir, 'chain.jsonl')) ? text('chain.jsonl').trimEnd().split('\n').map((line) => JSON.parse(line) as Row) : [],
  };
}

const SESSIONS = [['docs/prices', 'p.jsonl'], ['shop/grown-twice', 'g.jsonl'], ['archive/codex-qa', 'c.jsonl']] as const;
const MORE: Record<string, object[]> = {
  'p.jsonl': [{ seq: 2, ts: '2026-10-08T11:00:00Z', role: 'user', text: 'And the discounts?' }, { seq: 3, ts: '2026-10-08T11:00:03Z', role: 'assistant', text: 'In discounts.md.' }],
  'g.jsonl': [{ type: 'user', uuid: 'u-new', parentUuid: null, sessionId: '8f270d69-3165-45a6-bdce-65c5722964d5', cwd: '/home/dev/shop', timestamp: '2026-11-30T09:00:00.000Z', message: { role: 'user', content: 'And the discounts?' } }],
  'c.jsonl': [{ timestamp: '2026-11-30T09:00:00.000Z', type: 'event_msg', payload: { type: 'user_message', message: 'And the discounts?' } }, { timestamp: '2026-11-30T09:00:00.000Z', type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And the discounts?' }] } }],
};
const records = (of: readonly object[]): string => of.map((record) => `${JSON.stringify(record)}\n`).join('');
const said = (from: number, to: number): object[] => Array.from({ length: to - from }, (_, at) => ({ seq: from + at, ts: `2026-01-01T00:00:${String(from + at).padStart(2, '0')}Z`, role: (from + at) % 2 === 0 ? 'user' : 'assistant', text: `turn ${from + at}` }));
const BLOCK = 'RESULT: DONE\nWHAT_CHANGED: prices.md\nVALIDATION: read again\nEVIDENCE: prices.md, 12 rows\nBLOCKERS: none\nRISKS: none\nFOLLOW_UP: none\n';

describe('a store that 2.0.x wrote', () => {
  it('lists, shows and verifies, and none of it changes a byte', () => {
    const { root, must } = place('compat');
    const before = hashes(root);
    expect(must('list').split('\n').filter((line) => line !== '').map((line) => line.split(/ +/).slice(0, 2).join(' '))).toEqual(['[archive] codex-qa', '[docs] prices', '[shop] grown-twice']);
    expect(must('list', 'docs')).toContain('prices');
    expect(must('show', 'prices')).toContain('Done, in prices.md.');
    expect(must('show', 'grown', '--class', 'AGENT')).toContain('whole cents');
    const verified = must('verify', '--all');
    for (const [at] of SESSIONS) {
      const line = verify2(path.join(root, 'projects', at));
      expect(line).toMatch(/^PASS /);
      expect(verified.split('\n')).toContain(line);
    }
    expect(hashes(root)).toEqual(before);
  });

  it.each(SESSIONS)('%s: its own source is up to date, from another folder and under another name too', (at, source) => {
    const { dir, root, must } = place('compat');
    const before = hashes(root);
    fs.mkdirSync(path.join(dir, 'moved'));
    fs.renameSync(path.join(dir, source), path.join(dir, 'moved/other.jsonl'));
    expect(must('build', 'moved/other.jsonl', '--session', path.basename(at))).toContain('handoff: up-to-date (');
    expect(hashes(root)).toEqual(before);
  });

  it.each(SESSIONS)('%s: a source that has grown adds what is new behind what 2.0.x captured', (at, source) => {
    const { dir, root, must } = place('compat');
    const old = session(root, at);
    fs.appendFileSync(path.join(dir, source), records(MORE[source] ?? []));
    expect(must('build', source, '--session', path.basename(at))).toMatch(/ new=[12] /);
    const now = session(root, at);
    expect(now.timeline.startsWith(old.timeline)).toBe(true);
    expect(now.lines.filter((line) => line.includes('"text":"And the discounts?"') && line.includes('"class":"USER"'))).toHaveLength(1);
    expect(now.chain.map(({ revision, foreign }) => ({ revision, foreign }))).toEqual([{ revision: old.manifest['revisions'], foreign: true }, { revision: Number(old.manifest['revisions']) + 1, foreign: undefined }]);
    expect(now.chain[0]?.segment_sha256).toBe(sha(old.timeline));
    expect(now.manifest.seal?.chain_head).toBe(now.chain[1]?.head);
    // What 2.0.x wrote into the manifest stays there, in its order.
    expect(Object.keys(now.manifest).slice(0, Object.keys(old.manifest).length)).toEqual(Object.keys(old.manifest));
    for (const key of ['session', 'project', 'harness', 'created_at', 'promoted_at', 'promoted_by', 'promoted_gate', 'prev_project']) expect(now.manifest[key]).toEqual(old.manifest[key]);
    expect(must('verify', path.basename(at))).toContain(' / chain ok');
    expect(verify2(now.dir)).toMatch(/^PASS /);
    expect(must('build', source, '--session', path.basename(at))).toContain('up-to-date');
  });

  it('keeps the evidence block byte for byte, over two builds', () => {
    const { dir, root, must } = place('compat');
    for (const more of MORE['p.jsonl'] ?? []) {
      fs.appendFileSync(path.join(dir, 'p.jsonl'), records([more]));
      must('build', 'p.jsonl', '--session', 'prices');
      expect(session(root, 'docs/prices').brief.split('-->\n').at(-1)).toBe(BLOCK);
    }
    expect(session(root, 'docs/prices').manifest['evidence_contract_sha256']).toBe(sha(BLOCK));
  });

  it('says of a promotion of 2.0.x, which names no revision, that more was written since', () => {
    const { dir, root, handoff, must } = place('compat');
    const marks = (): string[] => [/VERIFIED.*/.exec(must('list'))?.[0] ?? '', handoff('show', 'prices').stderr, must('verify', 'prices').split('\n').slice(1).join('')];
    // Its index knows of no promotion; a row of ours does.
    expect(marks()).toEqual(['', '', '']);
    run('agents-handoff', ['index'], { env: { HANDOFFS_ROOT: root } });
    expect(marks()).toEqual(['VERIFIED', '', '']);
    fs.appendFileSync(path.join(dir, 'p.jsonl'), records(MORE['p.jsonl'] ?? []));
    must('build', 'p.jsonl', '--session', 'prices');
    expect(marks()).toEqual(['VERIFIED at revision 1 of 2', expect.stringContaining('promoted at revision 1 of 2\n'), expect.stringContaining('promoted at revision 1 of 2')]);
    expect(session(root, 'docs/prices').brief).toContain('\n- promoted: VERIFIED at revision 1 of 2\n');
    must('export', 'prices', '--html', path.join(dir, 'page.html'));
    expect(fs.readFileSync(path.join(dir, 'page.html'), 'utf8')).toContain('"promoted_when":"at revision 1 of 2"');
    expect(JSON.parse(run('agents-handoff', ['verify-gate', 'prices'], { env: { HANDOFFS_ROOT: root } }).stdout)).toMatchObject({ verdict: 'VERIFIED', promoted: 'promoted at revision 1 of 2' });
    must('retitle', 'prices', 'dear');
    expect(must('list', 'docs')).toContain('VERIFIED at revision 1 of 3');
  });

  it('takes what stands above the watermark where the bytes are not the ones that were hashed', () => {
    const { dir, root, must } = place('empty');
    // 2.0.x hashed the text with U+FFFD in the place of a byte that is not UTF-8.
    const bytes = Buffer.concat([Buffer.from('{"seq":0,"role":"user","text":"caf'), Buffer.from([0xe9]), Buffer.from('"}\n'), Buffer.from(records(said(1, 4)))]);
    build2({ root, project: 'shop', session: 'w', source: 'w.jsonl', bytes });
    fs.writeFileSync(path.join(dir, 'w.jsonl'), Buffer.concat([bytes, Buffer.from(records(said(4, 6)))]));
    expect(must('build', 'w.jsonl', '--session', 'w')).toContain('turns=6 new=2 rev=2');
    expect(must('build', 'w.jsonl', '--session', 'w')).toContain('up-to-date');
    fs.appendFileSync(path.join(dir, 'w.jsonl'), records(said(6, 7)));
    expect(must('build', 'w.jsonl', '--session', 'w')).toContain('turns=7 new=1 rev=3');
    must('verify', 'w');
  });

  it('of two lines of which the last had no end when 2.0.x captured it', () => {
    const { dir, root, must } = place('empty');
    const bytes = Buffer.from(records(said(0, 2)).trimEnd());
    build2({ root, project: 'shop', session: 'w', source: 'elsewhere.jsonl', bytes });
    fs.writeFileSync(path.join(dir, 'w.jsonl'), bytes);
    expect(must('build', 'w.jsonl', '--session', 'w')).toContain('up-to-date');
    fs.writeFileSync(path.join(dir, 'w.jsonl'), records(said(0, 3)));
    expect(must('build', 'w.jsonl', '--session', 'w')).toContain('turns=3 new=1 rev=2');
    expect(session(root, 'shop/w').lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([0, 1, 2]);
  });

  it('is moved out of the older layout by a build, and by nothing else', () => {
    const { root, handoff, must } = place('compat');
    fs.renameSync(path.join(root, 'projects/docs/prices'), path.join(root, 'prices'));
    expect(handoff('show', 'prices').status).not.toBe(0);
    expect(fs.existsSync(path.join(root, 'prices'))).toBe(true);
    const result = handoff('build', 'p.jsonl', '--session', 'prices');
    expect(result.stderr).toContain('migrated legacy prices -> projects/docs');
    expect(result.stdout).toContain('up-to-date');
    expect(must('verify', 'prices')).toMatch(/^PASS /);
    expect(fs.existsSync(path.join(root, 'prices'))).toBe(false);
  });
});

describe('a session that 2.0.x goes on building', () => {
  /** Ours at 4 lines, 2.0.x at `upTo`, the file as it stands then. */
  function shared(upTo: number, ending = '\n'): Place & { file: string; at: string } {
    const here = place('empty');
    const file = path.join(here.dir, 's.jsonl');
    fs.writeFileSync(file, records(said(0, 4)));
    expect(here.must('build', 's.jsonl', '--project', 'shop')).toContain('turns=4 new=4 rev=1');
    const bytes = Buffer.from(records(said(0, upTo)).slice(0, -1) + ending);
    build2({ root: here.root, project: 'shop', session: 's', source: 's.jsonl', bytes });
    fs.writeFileSync(file, bytes);
    return { ...here, file, at: 'shop/s' };
  }

  it('verifies under its own rule before the next build, and says nothing of a chain', () => {
    const { root, at, must } = shared(6);
    const before = session(root, at);
    expect(before.manifest.seal?.revision).toBe(1);
    expect(before.manifest['revisions']).toBe(2);
    expect(verify2(before.dir)).toMatch(/^PASS /);
    const verified = must('verify', 's');
    expect(verified).toMatch(/^PASS s \[shop\]: manifest sha ok \/ timeline=6 turns \/ llm json parses$/m);
  });

  it.each([['with the file as 2.0.x saw it', '\n'], ['where 2.0.x saw a last line without its end', '']])('its lines count, and the chain goes on with a row that says so: %s', (_name, ending) => {
    const { root, at, must, file } = shared(6, ending);
    expect(must('build', 's.jsonl')).toContain('up-to-date');
    fs.writeFileSync(file, records(said(0, 9)));
    expect(must('build', 's.jsonl')).toContain('turns=9 new=3 rev=3');
    const now = session(root, at);
    expect(now.lines.map((line) => (JSON.parse(line) as { text: string }).text)).toEqual(said(0, 9).map((record) => (record as { text: string }).text));
    expect(now.chain.map(({ revision, foreign }) => [revision, foreign])).toEqual([[1, undefined], [2, true], [3, undefined]]);
    const ends = [0, ...now.chain.map(({ bytes }) => bytes)];
    const timeline = fs.readFileSync(path.join(now.dir, 'timeline.jsonl'));
    now.chain.forEach((row, index) => {
      expect(row.segment_sha256).toBe(sha(timeline.subarray(ends[index], ends[index + 1])));
      expect(row.prev).toBe(now.chain[index - 1]?.head ?? '0'.repeat(64));
    });
    expect(must('verify', 's')).toContain('timeline=9 turns / llm json parses / chain ok');
    expect(verify2(now.dir)).toMatch(/^PASS /);
    expect(must('build', 's.jsonl')).toContain('up-to-date');
  });

  it('may be built by both in turn, many times', () => {
    const { root, must, file } = shared(6);
    for (let lines = 7; lines < 20; lines += 6) {
      const bytes = Buffer.from(records(said(0, lines)));
      fs.writeFileSync(file, bytes);
      expect(must('build', 's.jsonl')).toContain(`turns=${lines} `);
      const more = Buffer.from(records(said(0, lines + 1)));
      build2({ root, project: 'shop', session: 's', source: 's.jsonl', bytes: more });
      fs.writeFileSync(file, more);
      expect(must('verify', 's')).toMatch(/^PASS /);
      expect(verifyStore2(root)).toEqual([{ line: expect.stringMatching(/^PASS /) as string, rebuildable: true }]);
    }
    fs.appendFileSync(file, records(said(20, 21)));
    expect(must('build', 's.jsonl')).toContain('turns=21 ');
    expect(must('verify', 's')).toContain('chain ok');
  });

  it('an edit of what 2.0.x appended is found once our chain covers it', () => {
    const { root, at, handoff, must, file } = shared(6);
    fs.writeFileSync(file, records(said(0, 8)));
    must('build', 's.jsonl');
    const timeline = path.join(session(root, at).dir, 'timeline.jsonl');
    fs.writeFileSync(timeline, fs.readFileSync(timeline, 'utf8').replace('turn 5', 'turn V'));
    const result = handoff('verify', 's');
    expect(result.status).toBe(1);
    expect(result.stdout).toContain('revision 2');
    expect(verify2(path.join(root, 'projects', at))).toMatch(/^PASS /);
  });

  it('has its evidence block carried by both', () => {
    const { root, at, must, file } = shared(6);
    const brief = path.join(root, 'projects', at, 'HANDOFF.md');
    fs.appendFileSync(brief, `\n${BLOCK}`);
    fs.writeFileSync(file, records(said(0, 7)));
    must('build', 's.jsonl');
    expect(fs.readFileSync(brief, 'utf8').endsWith(`-->\n${BLOCK}`)).toBe(true);
    build2({ root, project: 'shop', session: 's', source: 's.jsonl', bytes: Buffer.from(records(said(0, 8))) });
    fs.writeFileSync(file, records(said(0, 9)));
    must('build', 's.jsonl');
    expect(fs.readFileSync(brief, 'utf8').endsWith(`-->\n${BLOCK}`)).toBe(true);
  });

  it.each([['rename', ['rename', 's', 'store'], 'store/s'], ['retitle', ['retitle', 's', 'titled'], 'shop/titled'], ['render', ['render', 's'], 'shop/s']] as const)('%s between its builds leaves a seal that covers nothing new', (_verb, argv, at) => {
    const { root, must, file } = shared(6);
    must(...argv);
    const now = session(root, at);
    expect(now.manifest.seal?.revision ?? 0).toBeLessThan(Number(now.manifest['revisions']));
    expect(verify2(now.dir)).toMatch(/^PASS /);
    must('verify', 's');
    fs.writeFileSync(file, records(said(0, 8)));
    expect(must('build', 's.jsonl')).toContain('turns=8 new=2');
    expect(session(root, at).chain.map(({ foreign }) => foreign)).toEqual([undefined, true, undefined]);
    expect(must('verify', 's')).toContain('chain ok');
  });
});

it('every store that we write passes the verify of 2.0.x: shapes, rewritten sources, second sources, re-sealed sessions', () => {
  const { dir, root, must } = place('compat');
  const write = (name: string, text: string): string => {
    fs.writeFileSync(path.join(dir, name), text);
    return name;
  };
  must('build', 'g.jsonl');
  must('build', 'c.jsonl');
  must('build', write('notes.md', 'user: one\nassistant: two\n'));
  must('build', write('two.jsonl', records(said(0, 4))), '--session', 'joined');
  must('build', write('three.jsonl', records(said(10, 14))), '--session', 'joined');
  must('build', write('two.jsonl', records([...said(0, 2), ...said(7, 9)])), '--session', 'joined');
  must('build', write('odd.jsonl', records([{ session: 'odd \ud800 id/..', role: 'user', text: 'lone \ud800 surrogate \u2028 and \u0000' }, { role: 'assistant', text: '\r\n\r' }, { role: 'assistant', text: 'x' }])));
  must('retitle', 'joined', 'another name');
  must('rename', 'notes', 'papers');
  const found = verifyStore2(root);
  expect(found).toHaveLength(8);
  for (const { line, rebuildable } of found) {
    expect(line).toMatch(/^PASS /);
    expect(rebuildable).toBe(true);
  }
  expect(must('verify', '--all')).toContain('8 checked, 0 failed');
});

function sha(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Every file under `root` with its hash. */
function hashes(root: string): Record<string, string> {
  const files = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => fs.statSync(path.join(root, name)).isFile());
  return Object.fromEntries(files.sort().map((name) => [name, sha(fs.readFileSync(path.join(root, name)))]));
}
