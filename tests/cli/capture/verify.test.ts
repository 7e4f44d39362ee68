/** What verify finds: one damage, one finding, told with what was expected and found; and that it only reads. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acquire } from '../../../src/lib/fs/lock.mts';
import { lockFile } from '../../../src/lib/fs/lock-file.mts';
import { checkSession } from '../../../src/store/checker.mts';
import { FINDINGS, type FindingId } from '../../../src/store/findings.mts';
import { sessionKey } from '../../../src/store/layout.mts';
import { Desk, sha256 } from '../../helpers/desk.ts';
import { REPOSITORY } from '../../helpers/run.ts';
import { claude, lines, talk } from '../../helpers/transcripts.ts';

let desk: Desk;
const SOURCE = lines(...talk(4), claude('z').call('t1', 'Bash', { command: 'ls' }), ...talk(2));
const CONTRACT = 'RESULT: DONE\nEVIDENCE: none\n';

beforeAll(() => {
  desk = new Desk();
  const file = desk.file('t.jsonl', SOURCE.split('\n').slice(0, 3).join('\n'));
  desk.build(file, '--session', 's');
  desk.session().author(CONTRACT);
  writeFileSync(file, SOURCE);
  desk.build(file, '--session', 's');
  cpSync(desk.root, join(desk.dir, 'kept'), { recursive: true });
});
afterAll(() => desk.remove());
beforeEach(() => {
  rmSync(desk.root, { recursive: true, force: true });
  cpSync(join(desk.dir, 'kept'), desk.root, { recursive: true });
  writeFileSync(join(desk.dir, 't.jsonl'), SOURCE);
});

interface Told { ok: boolean; sealed: boolean; findings: { id: FindingId; level: string; text: string }[] }

function verify(...flags: string[]): { status: number | null; told: Told } {
  const { status, stdout } = desk.handoff(['verify', 's', '--json', ...flags]);
  return { status, told: JSON.parse(stdout) as Told };
}

const session = () => desk.session();
const edit = (name: string, from: string | RegExp, to: string) => session().write(name, session().text(name).replace(from, to));
const crlf = (name: string) => session().write(name, session().text(name).replaceAll('\n', '\r\n'));

/** Changes the manifest as a program would that knows its hash rule, the copies of the hash included. */
function resign(change: (manifest: Record<string, unknown>) => void): void {
  const manifest = JSON.parse(session().text('manifest.json')) as Record<string, unknown>;
  const old = manifest['manifest_sha256'] as string;
  change(manifest);
  const { manifest_sha256: _old, ...rest } = manifest;
  manifest['manifest_sha256'] = sha256(JSON.stringify(rest));
  session().write('manifest.json', JSON.stringify(manifest, null, 2));
  for (const name of ['HANDOFF.llm.json', 'HANDOFF.summary.json']) edit(name, old, manifest['manifest_sha256'] as string);
}

const DAMAGES: Record<FindingId, () => void> = {
  unreadable: () => { unlinkSync(session().path('timeline.jsonl')); symlinkSync('timeline.jsonl', session().path('timeline.jsonl')); },
  'manifest-unreadable': () => session().write('manifest.json', '{"session":'),
  'manifest-tampered': () => edit('manifest.json', /"turn_count": \d+/, '"turn_count": 1'),
  'seal-newer': () => resign((manifest) => { (manifest['seal'] as { format: number }).format = 2; }),
  'timeline-missing': () => unlinkSync(session().path('timeline.jsonl')),
  'timeline-length': () => edit('timeline.jsonl', /$/, '\n'),
  'turn-drift': () => session().write('timeline.jsonl', `${session().text('timeline.jsonl').split('\n').slice(0, -2).join('\n')}\n`),
  'line-ends': () => crlf('timeline.jsonl'),
  'chain-broken': () => edit('chain.jsonl', '"revision":1', '"revision":7'),
  'chain-segment': () => edit('timeline.jsonl', 'answer 1', 'ANSWER 1'),
  'chain-length': () => edit('chain.jsonl', /$/, '{"revision":9}\n'),
  'payload-missing': () => unlinkSync(session().path('HANDOFF.llm.json')),
  'payload-differs': () => session().write('HANDOFF.llm.json', '{}'),
  'payload-unreadable': () => {
    // Built by 2.0.x last: no seal covers it, so it has to parse.
    resign((manifest) => { manifest['revisions'] = 3; });
    edit('HANDOFF.llm.json', /\}$/, '');
  },
  'no-brief': () => {
    resign((manifest) => {
      manifest['merged_from'] = ['a', 'b'];
      delete manifest['seal'];
    });
    for (const name of ['HANDOFF.md', 'HANDOFF.llm.json', 'HANDOFF.summary.json', 'TOOLS.md']) unlinkSync(session().path(name));
  },
  'build-at-work': () => {
    acquire(join(desk.root, '.locks'), sessionKey('s'), 'build').note({ place: 'w/s', base: sha256(session().bytes('manifest.json')), timeline_bytes: session().bytes('timeline.jsonl').length, chain_bytes: session().bytes('chain.jsonl').length });
    edit('timeline.jsonl', /$/, '{"seq":9,"ts":"","cl');
  },
  interrupted: () => {
    const dead = { pid: 2 ** 22 + 7, host: hostname(), started: '1', token: 'a'.repeat(24), key: sessionKey('s'), operation: 'build', at: '2026-01-01T00:00:00.000Z' };
    mkdirSync(join(desk.root, '.locks'), { recursive: true });
    writeFileSync(lockFile(join(desk.root, '.locks'), sessionKey('s')), JSON.stringify({ ...dead, place: 'w/s', base: sha256(session().bytes('manifest.json')), timeline_bytes: session().bytes('timeline.jsonl').length, chain_bytes: session().bytes('chain.jsonl').length }));
    edit('timeline.jsonl', /$/, '{"seq":9,"ts":"","cl');
    session().write(`manifest.json.${dead.token}.tmp`, '{');
  },
  'summary-differs': () => unlinkSync(session().path('HANDOFF.summary.json')),
  'tools-differ': () => edit('TOOLS.md', /$/, 'more'),
  'brief-missing': () => unlinkSync(session().path('HANDOFF.md')),
  'brief-edited': () => edit('HANDOFF.md', '## State right now', 'Mine.\n\n## State right now'),
  'evidence-edited': () => edit('HANDOFF.md', 'EVIDENCE: none\n', 'EVIDENCE: plenty\n'),
  'source-gone': () => unlinkSync(join(desk.dir, 't.jsonl')),
  'source-grown': () => writeFileSync(join(desk.dir, 't.jsonl'), `${SOURCE}\n`),
  'promotion-old': () => resign((manifest) => Object.assign(manifest, { promoted_gate: 'VERIFIED', promoted_at: '2026-01-01T00:00:00.000Z', promoted_revision: 1 })),
};

describe('one damage is one finding', () => {
  it.each(Object.entries(DAMAGES) as [FindingId, () => void][])('%s', (id, damage) => {
    expect(Object.keys(DAMAGES)).toEqual(Object.keys(FINDINGS));
    damage();
    const { status, told } = verify();
    expect(told.findings.map((finding) => finding.id)).toEqual([id]);
    expect(told.findings[0]?.level).toBe(FINDINGS[id]);
    const failed = FINDINGS[id] === 'fail';
    expect([status, told.ok]).toEqual(failed ? [1, false] : [0, true]);
    const text = desk.handoff(['verify', 's', '--strict']);
    const harmless = id === 'build-at-work' || id === 'interrupted';
    expect(text.status).toBe(harmless ? 0 : 1);
    expect(text.stdout).toMatch(harmless ? /^PASS s \[w\]: .*\n {2}note: a build (is at work|was interrupted)/ : /^FAIL s: .*\n$/);
    expect(text.stdout).toContain(told.findings[0]?.text ?? '?');
  });

  it.each([['longer than a file may have', `/${'x'.repeat(300)}`], ['with a NUL', '/x\0y'], ['that leads through a file', '/proc/version/x']])('a source of a name %s is one that is not there', (_what, name) => {
    resign((manifest) => { (manifest['sources'] as { path: string }[])[0]!.path = name; });
    expect(verify()).toMatchObject({ status: 0, told: { ok: true, findings: [{ id: 'source-gone', level: 'note' }] } });
  });

  it.each([
    ['project', 7], ['harness', []], ['model', {}], ['updated_at', null], ['source_paths', 'x'], ['counts', 7],
    ['cwd', null], ['redaction', null], ['git', { branch: 7 }], ['title', {}], ['subagents', [{ id: 7 }]], ['fork', 'x'], ['titled_from', 7], ['usage', null],
  ])('a manifest whose %s is %j cannot be read, by whichever command', (key, value) => {
    resign((manifest) => { manifest[key] = value; });
    expect(verify()).toMatchObject({ status: 1, told: { findings: [{ id: 'manifest-unreadable', text: expect.stringContaining(`${key} is not of its kind`) }] } });
    everyCommandKnowsWhatToSay();
  });

  it.each(['project', 'harness', 'model', 'created_at', 'updated_at', 'source_paths', 'raw_sha256', 'revisions', 'turn_count', 'watermark', 'counts', 'sources', 'seal', 'redaction'])('a manifest without %s is no bug to any command', (key) => {
    resign((manifest) => { manifest[key] = undefined; });
    everyCommandKnowsWhatToSay();
  });

  function everyCommandKnowsWhatToSay(): void {
    for (const argv of [['verify', 's'], ['render', 's'], ['check', 's'], ['show', 's'], ['export', 's', '--portable'], ['export', 's', '--html', 'page.html'], ['retitle', 's', 'other'], ['list'], ['build', 't.jsonl', '--session', 's']]) {
      expect(desk.handoff(argv).stderr, argv.join(' ')).not.toMatch(/^\s+at |bug/m);
    }
  }

  it('a time of the last build that is none leaves the session older than all there is', () => {
    resign((manifest) => { manifest['updated_at'] = 'x'; });
    expect(desk.handoff(['check', 's']).stderr).toBe('');
  });

  it('a sound session has none, strictly too', () => {
    expect(verify('--strict')).toEqual({ status: 0, told: expect.objectContaining({ ok: true, sealed: true, findings: [] }) });
  });

  it('that 2.0.x knows is told in its words', () => {
    DAMAGES['manifest-tampered']();
    expect(desk.handoff(['verify', 's']).stdout).toMatch(/^FAIL s: manifest tampered \(sha mismatch\) \(expected [0-9a-f]{64}, found [0-9a-f]{64}\)/);
    cpSync(join(desk.dir, 'kept'), desk.root, { recursive: true });
    DAMAGES['turn-drift']();
    expect(desk.handoff(['verify', 's']).stdout).toMatch(/^FAIL s: turn count drift \(\d+ vs manifest \d+\) \(expected \d+, found \d+\)/);
    DAMAGES['timeline-missing']();
    expect(desk.handoff(['verify', 's']).stdout).toMatch(/^FAIL s: timeline\.jsonl missing/);
  });

  it('a missing manifest of a session that the index names is a failure, and without the index nobody knows of it', () => {
    unlinkSync(session().path('manifest.json'));
    expect(verify().told.findings).toMatchObject([{ id: 'manifest-unreadable' }]);
    unlinkSync(join(desk.root, 'INDEX.json'));
    expect(desk.handoff(['verify', 's'])).toMatchObject({ status: 4, stderr: `handoff: no handoffs yet in ${desk.root}; \`handoff config\` says why it is this store\n` });
  });

  it('a manifest that a merge left with marks fails with --all, also where the index knows nothing of it, and names the way to both sides', () => {
    const file = session().path('manifest.json');
    writeFileSync(file, `<<<<<<< HEAD\n${readFileSync(file, 'utf8')}=======\n{}\n>>>>>>> theirs\n`);
    for (const index of ['<<<<<<< HEAD\n[]\n', '[]']) {
      writeFileSync(join(desk.root, 'INDEX.json'), index);
      expect(desk.handoff(['verify', '--all'])).toMatchObject({ status: 1, stdout: expect.stringMatching(/^FAIL s: manifest\.json cannot be read \(git left a conflict in it: docs\/RUNTIME\.md, "A store in git", [^]*1 checked, 1 failed/) });
      expect(desk.handoff(['verify', 's'])).toMatchObject({ status: 1, stdout: expect.stringMatching(/^FAIL s: manifest\.json cannot be read \(git left a conflict in it/) });
    }
  });

  it('a folder or a pipe in the place of a file is a file that is missing, and keeps nobody waiting', () => {
    const row = { id: 's', uuid: 's', project: 'w', harness: '', turns: 0, revisions: 0, updated: '', manifest_sha256: '' };
    const expected = {
      'manifest.json': 'manifest-unreadable', 'timeline.jsonl': 'timeline-missing', 'chain.jsonl': 'chain-broken', 'HANDOFF.llm.json': 'payload-missing',
      'HANDOFF.summary.json': 'summary-differs', 'TOOLS.md': 'tools-differ', 'HANDOFF.md': 'brief-missing',
    };
    for (const [name, id] of Object.entries(expected)) {
      const bytes = session().bytes(name);
      for (const command of process.platform === 'win32' ? ['mkdir'] : ['mkdir', 'mkfifo']) {
        rmSync(session().path(name));
        expect(spawnSync(command, [session().path(name)]).status).toBe(0);
        expect(checkSession(desk.root, row).findings.map((finding) => finding.id), `${command} ${name}`).toEqual([id]);
        rmSync(session().path(name), { recursive: true });
        session().write(name, bytes);
      }
    }
  });

  it('a store that a checkout converted to CRLF is told apart from one that was edited', () => {
    for (const name of readdirSync(session().dir)) crlf(name);
    expect(verify()).toMatchObject({ status: 1, told: { findings: [{ id: 'line-ends' }] } });
    edit('timeline.jsonl', 'answer 1', 'ANSWER 1');
    expect(verify().told.findings.map(({ id }) => id)).not.toContain('line-ends');
  });

  it('a flipped bit is found wherever it falls in the timeline, the chain, the payload and the manifest', () => {
    const row = { id: 's', uuid: 's', project: 'w', harness: '', turns: 0, revisions: 0, updated: '', manifest_sha256: '' };
    expect(checkSession(desk.root, row).findings).toEqual([]);
    for (const name of ['timeline.jsonl', 'chain.jsonl', 'HANDOFF.llm.json', 'manifest.json']) {
      const bytes = session().bytes(name);
      for (let at = 0; at < bytes.length; at += 1 + Math.floor(bytes.length / 150)) {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
        session().write(name, flipped);
        const bad = checkSession(desk.root, row).findings.filter(({ level }) => level === 'fail');
        expect(bad, `${name} at ${at}`).toHaveLength(1);
      }
      session().write(name, bytes);
    }
    // In what is only noted it is noted.
    for (const name of ['TOOLS.md', 'HANDOFF.summary.json', 'HANDOFF.md']) {
      const bytes = session().bytes(name);
      const flipped = Buffer.from(bytes);
      flipped[40] = (flipped[40] ?? 0) ^ 1;
      session().write(name, flipped);
      expect(checkSession(desk.root, row).findings, name).toMatchObject([{ level: 'note' }]);
      session().write(name, bytes);
    }
  });
});

describe('a session of 2.0.x', () => {
  /** No seal, no chain, none of our fields, and lines with four keys. */
  function make2(): void {
    const turns = session().turns.map(({ seq, ts, class: name, text }) => JSON.stringify({ seq, ts, class: name, text }));
    session().write('timeline.jsonl', `${turns.join('\n')}\n`);
    session().write('HANDOFF.md', `# Handoff: s\n\n## Evidence contract (hand-authored — preserved across rebuilds)\n\n${CONTRACT}`);
    unlinkSync(session().path('chain.jsonl'));
    resign((manifest) => {
      for (const key of ['uuid', 'title', 'cwd', 'git', 'adapter', 'sources', 'seal', 'skipped', 'redaction', 'usage', 'usage_recent', 'unknown', 'evidence_contract_sha256']) delete manifest[key];
      delete (manifest['counts'] as Record<string, number>)['OTHER'];
    });
  }

  it('verifies by its own rule, in whatever layout its manifest is written', () => {
    make2();
    const text = session().text('manifest.json');
    const line = `PASS s [w]: manifest sha ok / timeline=${session().manifest.turn_count} turns / llm json parses\n`;
    for (const layout of [text, JSON.stringify(JSON.parse(text)), JSON.stringify(JSON.parse(text), null, 4), `${text}\n\n`, text.replaceAll('\n', '\r\n'), text.replace('"watermark": 6', '"watermark": 6.0')]) {
      session().write('manifest.json', layout);
      expect(desk.handoff(['verify', 's']).stdout).toBe(line);
    }
    session().write('manifest.json', JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text) as object).sort())));
    expect(desk.handoff(['verify', 's']).stdout).toMatch(/^FAIL s: manifest tampered/);
  });

  it('fails for what 2.0.x checked, and counts turns as it did', () => {
    make2();
    const timeline = session().text('timeline.jsonl');
    for (const same of [timeline.trimEnd(), timeline.replaceAll('\n', '\r\n'), `\n\n${timeline}\n`, timeline.replace('answer 1', 'ANSWER 1')]) {
      session().write('timeline.jsonl', same);
      expect(desk.handoff(['verify', 's']).status, JSON.stringify(same.slice(-20))).toBe(0);
    }
    session().write('timeline.jsonl', `${timeline} \n`);
    expect(desk.handoff(['verify', 's']).stdout).toMatch(/^FAIL s: turn count drift/);
    session().write('timeline.jsonl', timeline);
    session().write('HANDOFF.llm.json', '[1]');
    expect(desk.handoff(['verify', 's']).status).toBe(0);
    unlinkSync(session().path('HANDOFF.llm.json'));
    expect(desk.handoff(['verify', 's']).stdout).toMatch(/^FAIL s: HANDOFF\.llm\.json is missing/);
  });
});

describe('the command', () => {
  it('--all checks every session, prints a line each and a count, and fails if one does', () => {
    desk.capture('b.jsonl', lines(...talk(2, 'b', '/other')));
    const all = desk.handoff(['verify', '--all']);
    expect([all.status, all.stdout]).toEqual([0, expect.stringMatching(/^PASS b \[other\]: .*\nPASS s \[w\]: .*\nhandoff: 2 checked, 0 failed\n$/)]);
    DAMAGES['chain-segment']();
    const bad = desk.handoff(['verify', '--all']);
    expect([bad.status, bad.stdout]).toEqual([1, expect.stringMatching(/^PASS b .*\nFAIL s: .*revision 1 .*\nhandoff: 2 checked, 1 failed\n$/)]);
    const json = desk.handoff(['verify', '--all', '--json']);
    expect([json.status, JSON.parse(json.stdout)]).toMatchObject([1, { ok: false, sessions: 2, failed: 1, results: [{ ok: true, session: 'b' }, { ok: false, session: 's', findings: [{ id: 'chain-segment', expected: expect.any(String), found: expect.any(String) }] }] }]);
    unlinkSync(join(desk.dir, 'b.jsonl'));
    cpSync(join(desk.dir, 'kept', 'projects'), join(desk.root, 'projects'), { recursive: true });
    expect(desk.handoff(['verify', '--all', '--strict'])).toMatchObject({ status: 1, stdout: expect.stringMatching(/^FAIL b: the source b\.jsonl is not there.*\nPASS s/) });
  });

  it('ends with 2 without a prefix, 3 where it is ambiguous, 4 where nothing matches or there is no store', () => {
    desk.capture('b.jsonl', lines(...talk(2, 'ss')));
    desk.capture('b.jsonl', lines(...talk(2, 'st')));
    expect(desk.handoff(['verify'])).toMatchObject({ status: 2, stderr: expect.stringContaining('needs a prefix') });
    expect(desk.handoff(['verify', 's', '--all']).status).toBe(2);
    expect(desk.handoff(['verify', 's']).status).toBe(0);
    expect(desk.handoff(['verify', 'w/s'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^PASS s /) });
    expect(desk.handoff(['verify', 'w/'])).toMatchObject({ status: 3, stdout: '', stderr: 'handoff: w/ matches 3 handoffs: w/s, w/ss, w/st\n' });
    const json = desk.handoff(['verify', 'w/', '--json']);
    expect([json.status, JSON.parse(json.stdout)]).toMatchObject([3, { error: { code: 'AMBIGUOUS', candidates: ['w/s', 'w/ss', 'w/st'] } }]);
    expect(desk.handoff(['verify', 'nobody'])).toMatchObject({ status: 4, stderr: expect.stringContaining('nobody') });
    for (const flag of ['s', '--all']) expect(desk.handoff(['verify', flag], { env: { HANDOFFS_ROOT: join(desk.dir, 'none') } })).toMatchObject({ status: 4, stderr: expect.stringContaining(`no handoffs yet in ${join(desk.dir, 'none')}; `) });
    expect(readdirSync(desk.dir)).not.toContain('none');
  });

  it('and the other readers write nothing, and work in a store that cannot be written', () => {
    const before = desk.snapshot();
    const readers = [['verify', 's'], ['verify', '--all', '--strict'], ['list'], ['show', 's'], ['show', 's', '--turns', '1..3'], ['config']];
    for (const words of readers) expect(desk.handoff(words).status, words.join(' ')).toBe(0);
    expect(desk.snapshot()).toEqual(before);
    // Root may write anywhere, so it reads as somebody else.
    const isRoot = process.getuid?.() === 0;
    chmodSync(desk.dir, 0o755);
    const modes = (folder: number, file: number, path = desk.root) => {
      for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? folder : file);
      chmodSync(path, folder);
    };
    modes(0o555, 0o444);
    try {
      for (const words of readers) {
        const read = spawnSync(process.execPath, [join(REPOSITORY, 'tools/handoff.mjs'), ...words], {
          cwd: desk.dir, encoding: 'utf8', env: { PATH: process.env['PATH'], HANDOFFS_ROOT: desk.root, HOME: '/nonexistent', NO_COLOR: '1' }, ...(isRoot ? { uid: 65534, gid: 65534 } : {}),
        });
        expect([read.status, read.stderr], words.join(' ')).toEqual([0, '']);
      }
    } finally {
      modes(0o755, 0o644);
    }
  });

  it('a folder that was moved by hand is found where it is once the index is made anew', () => {
    mkdirSync(join(desk.root, 'projects', 'elsewhere'));
    renameSync(session().dir, join(desk.root, 'projects', 'elsewhere', 's'));
    unlinkSync(join(desk.root, 'INDEX.json'));
    expect(desk.handoff(['verify', 'elsewhere/s'])).toMatchObject({ status: 0 });
    expect(readFileSync(join(desk.root, 'projects', 'elsewhere', 's', 'manifest.json'), 'utf8')).toContain('"project": "w"');
  });
});
