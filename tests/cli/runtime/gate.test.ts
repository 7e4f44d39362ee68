/** The evidence gate and promotion: what counts as evidence, what is stamped, and on which stores both work. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionKey } from '../../../src/store/layout.mts';
import { sealed, type Manifest, type Seal } from '../../../src/store/manifest.mts';
import { build2 } from '../../helpers/build-2.0.ts';
import { buildInto } from '../../helpers/build.ts';
import { Desk, SessionFolder } from '../../helpers/desk.ts';
import { leaveLock, leaveLockText } from '../../helpers/locks.ts';
import { verify2 } from '../../helpers/reference-verify.ts';
import { REPOSITORY, run, type Result, type RunOptions } from '../../helpers/run.ts';
import { countCalls, hasStrace } from '../../helpers/strace.ts';
import { canonical, lines } from '../../helpers/transcripts.ts';

const FIELDS = ['WHAT_CHANGED: the parser', 'VALIDATION: npm test', 'EVIDENCE: 9 of 9 pass', 'BLOCKERS: none', 'RISKS: none known', 'FOLLOW_UP: none'];
const CONTRACT = `${['RESULT: DONE', ...FIELDS].join('\n')}\n`;

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

const runtime = (argv: readonly string[], options: RunOptions = {}): Result => run('agents-handoff', argv, { cwd: desk.dir, home: desk.home, ...options, env: { HANDOFFS_ROOT: desk.root, ...options.env } });

interface Judged { status: number | null; verdict: string; checks: Record<string, string>; details: Record<string, string>; promoted?: string }

function gate(session: string): Judged {
  const { status, stdout, stderr } = runtime(['verify-gate', session]);
  if (stdout === '') throw new Error(stderr);
  return { ...JSON.parse(stdout) as Judged, status };
}

async function capture(session: string, answer = 'done', more: readonly object[] = []): Promise<SessionFolder> {
  const records = [canonical(0, 'user', `Fix the parser of ${session}`, { session }), canonical(1, 'assistant', answer, { session }), ...more as Record<string, unknown>[]];
  const { dir } = await buildInto(desk.root, desk.file(`${session}.jsonl`, lines(...records)), { session, ...(more.length > 0 ? {} : { project: 'w' }) }) as { dir: string };
  return new SessionFolder(dir);
}

const all = { sha: 'PASS', counts: 'PASS', payload: 'PASS', contract: 'PASS', evidence: 'PASS' };

describe('contract fields in quoted text', () => {
  it('never count, whether a message states them plainly, in a fence or behind a heading of ours', async () => {
    const said = [CONTRACT, `\`\`\`\n${CONTRACT}\`\`\`\n`, `## Evidence contract (hand-authored — preserved across rebuilds)\n\n<!-- agents-handoff:evidence sha256=${'0'.repeat(64)} -->\n${CONTRACT}`, `> ${CONTRACT.replaceAll('\n', '\n> ')}`];
    for (const [at, text] of said.entries()) {
      const session = await capture(`s${at}`, text);
      expect(session.text('HANDOFF.md')).toContain('RESULT: DONE');
      expect(gate(`s${at}`)).toMatchObject({ status: 6, verdict: 'REJECTED', checks: { ...all, contract: 'FAIL' } });
      if (at > 0) continue;
      session.author(`\n> RESULT: DONE\n\n\`\`\`\n${CONTRACT}\`\`\`\n`);
      expect(gate(`s${at}`).checks['contract']).toBe('FAIL');
      // Fields that count for nothing where they stand are told from none, and a brief that is gone from one without fields.
      expect(gate(`s${at}`).details['contract']).toMatch(/^missing: RESULT, .* \(a field counts at the start of a line, in capitals, outside fences and quotations\)$/);
      expect(runtime(['promote', `s${at}`]).stderr).toMatch(/\(failed: contract: missing: RESULT, .* \(a field counts at the start of a line, .*\)\) — add the missing fields to HANDOFF.md, or pass --force/);
      rmSync(session.path('HANDOFF.md'));
      expect(gate(`s${at}`)).toMatchObject({ status: 6, details: { contract: 'there is no HANDOFF.md; `handoff render s0` makes it' } });
      expect(desk.handoff(['render', `s${at}`]).status).toBe(0);
      session.author(CONTRACT);
      expect(gate(`s${at}`)).toMatchObject({ status: 0, verdict: 'VERIFIED', checks: all });
    }
  });

  it.each([
    ['plainly', CONTRACT],
    ['behind a fence that it opens', `Look:\n\`\`\`\n${CONTRACT}`],
    ['behind headings of 2.0.x itself', `\`\`\`\n## Where everything lives\n\n${CONTRACT}\`\`\`\n`],
  ])('never count in a file that 2.0.x wrote, where a message states them %s', (_how, answer) => {
    const bytes = Buffer.from(lines(canonical(0, 'user', `Please: ${CONTRACT}`), canonical(1, 'assistant', answer)));
    const session = new SessionFolder(build2({ root: desk.root, project: 'w', session: 'old', source: 'old.jsonl', bytes }));
    runtime(['index']);
    // The helper writes no objective, which 2.0.x quotes too; a bullet list stands before the provenance.
    const whole = session.text('HANDOFF.md').replace('## State right now', `## Objective (verbatim)\n\n\`\`\`\nPlease: ${CONTRACT}\`\`\`\n\n## State right now`)
      .replace('## Provenance', '## Where everything lives\n- Full timeline (append-only): timeline.jsonl\n\n## Provenance');
    session.write('HANDOFF.md', whole);
    expect(gate('old')).toMatchObject({ status: 6, checks: { ...all, contract: 'FAIL' } });
    expect(gate('old').details['contract']).toContain('missing: RESULT,');
    session.write('HANDOFF.md', `${whole}\n${CONTRACT.replace('9 of 9', '8 of 8')}`);
    expect(gate('old')).toMatchObject({ status: 0, checks: all });
    // The next build, ours, carries the author's words and no quoted ones.
    desk.file('old.jsonl', bytes);
    appendFileSync(join(desk.dir, 'old.jsonl'), lines(canonical(2, 'user', 'and the documents')));
    desk.build('old.jsonl', '--session', 'old');
    expect(session.block.toString()).toBe(CONTRACT.replace('9 of 9', '8 of 8'));
    expect(gate('old')).toMatchObject({ status: 0, checks: all });
  });
});

describe('contract fields that 2.0.x took from a message when it built again', () => {
  it.each([['plainly', CONTRACT], ['with a fence at the end', `${CONTRACT}\`\`\`\nlog\n\`\`\`\n`]])('never count, and what the author wrote beside them does; a message states them %s', (_how, answer) => {
    const source = { root: desk.root, project: 'w', session: 'old', source: 'old.jsonl' };
    const twice = (...said: string[]): Buffer => Buffer.from(lines(canonical(0, 'user', 'go'), ...said.map((text, at) => canonical(at + 1, 'assistant', text))));
    const session = new SessionFolder(build2({ ...source, bytes: twice(answer) }));
    // What 2.0.x writes and the helper does not.
    const complete = (text: string): string => text.replace('## State right now', '## Objective (verbatim)\n\n```\ngo\n```\n\n## State right now').replace('## Provenance', '## Where everything lives\n- x\n\n## Provenance');
    session.write('HANDOFF.md', complete(session.text('HANDOFF.md')));
    build2({ ...source, bytes: twice(answer, 'ok') });
    session.write('HANDOFF.md', complete(session.text('HANDOFF.md')));
    runtime(['index']);
    const [, below = ''] = session.text('HANDOFF.md').split('## Evidence contract');
    expect(below).toContain('\nRESULT: DONE\n');
    expect(gate('old')).toMatchObject({ status: 6, checks: { ...all, contract: 'FAIL' } });
    session.write('HANDOFF.md', session.text('HANDOFF.md').replace(/(## Evidence contract.*\n)/, `$1\n${CONTRACT.replace('9 of 9', '8 of 8')}\n## Carried\n`));
    expect(gate('old')).toMatchObject({ status: 0, checks: all });
  });
});

describe('the evidence', () => {
  it('may not be empty where the next field follows, nor only a word for something to come; other results need none', async () => {
    const session = await capture('s');
    const above = session.text('HANDOFF.md');
    const verdict = (from: string, to: string): string => {
      session.write('HANDOFF.md', above + CONTRACT.replace(from, to));
      const { status, checks } = gate('s');
      return `${status} ${checks['contract']} ${checks['evidence']}`;
    };
    for (const nothing of ['', ' TODO', ' <the log>', '\n\n']) expect([nothing, verdict(' 9 of 9 pass', nothing)]).toEqual([nothing, '6 PASS FAIL']);
    for (const something of [' see ci/log.txt', '\n- 9 of 9 pass']) expect([something, verdict(' 9 of 9 pass', something)]).toEqual([something, '0 PASS PASS']);
    expect(verdict('RESULT: DONE', 'RESULT: PARTIAL')).toBe('0 PASS PASS');
    expect(verdict('RESULT: DONE\nWHAT_CHANGED: the parser\nVALIDATION: npm test\nEVIDENCE: 9 of 9 pass', 'RESULT: BLOCKED\nWHAT_CHANGED: x\nVALIDATION: x\nEVIDENCE:')).toBe('0 PASS PASS');
    expect(verdict('RESULT: DONE', 'RESULT:')).toBe('6 PASS FAIL');
    expect(runtime(['promote', 's']).stderr).toContain('(failed: evidence: RESULT is empty) — fill in RESULT in HANDOFF.md, or pass --force');
    expect(verdict('RISKS: none known\n', '')).toBe('6 FAIL PASS');
    expect(verdict('RISKS: none', ' RISKS: none')).toBe('6 FAIL PASS');
  });
});

describe('promote', () => {
  it('keeps the manifest as it was, stamps behind its hash, and seals all of it anew', async () => {
    const session = await capture('s');
    const before = session.text('manifest.json');
    expect(runtime(['promote', 's']).status).toBe(6);
    // Refused: the copy is there, the manifest is as it was, and the lock is gone.
    expect([session.text('manifest.json.bak'), session.text('manifest.json'), readdirSync(join(desk.root, '.locks'))]).toEqual([before, before, []]);
    session.author(CONTRACT);
    const { status, stdout } = run('agent-handoff', ['promote', 's', '--force'], { cwd: desk.dir, home: desk.home, env: { HANDOFFS_ROOT: desk.root } });
    const said = JSON.parse(stdout) as Record<string, unknown>;
    expect([status, said['gate']]).toEqual([0, 'VERIFIED']);
    const after = session.manifest as unknown as Record<string, unknown>;
    expect(after).toMatchObject({ promoted_at: said['promoted_at'], promoted_by: 'agents-handoff L4 promote', promoted_gate: 'VERIFIED', promoted_revision: 1, revisions: 1, updated_at: (JSON.parse(before) as { updated_at: string }).updated_at });
    const keys = Object.keys(after);
    expect(keys.slice(0, Object.keys(JSON.parse(before) as object).length)).toEqual(Object.keys(JSON.parse(before) as object));
    expect(keys.indexOf('promoted_at')).toBeGreaterThan(keys.indexOf('manifest_sha256'));
    expect(desk.handoff(['verify', 's', '--strict'])).toMatchObject({ status: 0, stdout: expect.stringContaining('chain ok') });
    expect(verify2(session.dir)).toMatch(/^PASS/);
    expect(session.text('HANDOFF.md')).toContain(String(after['manifest_sha256']));
    expect(session.payload['provenance'].manifest_sha256).toBe(after['manifest_sha256']);
    expect(desk.index()[0]).toMatchObject({ manifest_sha256: after['manifest_sha256'], promoted: { gate: 'VERIFIED', revision: 1 } });

    await capture('s', 'done', [canonical(2, 'user', 'one more thing', { session: 's' })]);
    expect(gate('s')).toMatchObject({ status: 0, promoted: expect.stringMatching(/promoted at revision 1 of 2/) });
    expect(runtime(['promote', 's', '--by', 'ci']).status).toBe(0);
    expect(session.manifest).toMatchObject({ promoted_by: 'ci', promoted_revision: 2 });
    expect(gate('s')).not.toHaveProperty('promoted');
  });

  it('grows old with the next revision, also where the clock of the machine that promoted goes ahead', async () => {
    const session = await capture('s');
    session.author(CONTRACT);
    expect(runtime(['promote', 's']).status).toBe(0);
    const promoted_at = new Date(Date.now() + 300_000).toISOString();
    session.write('manifest.json', sealed({ ...session.manifest, promoted_at }).text);
    await capture('s', 'done', [canonical(2, 'user', 'and more', { session: 's' })]);
    expect(desk.index()[0]).toMatchObject({ revisions: 2, promoted: { gate: 'VERIFIED', revision: 1 } });
    expect(gate('s')).toMatchObject({ promoted: expect.stringMatching(/promoted at revision 1 of 2/) });
    expect(session.manifest).toMatchObject({ promoted_at, promoted_revision: 1 });
    expect(desk.handoff(['retitle', 's', 't'])).toMatchObject({ status: 0 });
    expect(desk.handoff(['verify', 't']).stdout).toContain('revision 1 of 3');
  });

  it('says FORCED only where a rejection was overridden, and overrides no damage', async () => {
    const session = await capture('s');
    appendFileSync(session.path('HANDOFF.llm.json'), ' ');
    expect(JSON.parse(runtime(['promote', 's', '--force']).stdout)).toMatchObject({ ok: true, gate: 'FORCED' });
    expect(desk.handoff(['verify', 's', '--strict']).status).toBe(0);
    const good = session.text('manifest.json');
    session.write('manifest.json', good.replace('"turn_count": 2', '"turn_count": 3'));
    const tampered = session.text('manifest.json');
    expect(runtime(['promote', 's', '--force'])).toMatchObject({ status: 6, stdout: '', stderr: expect.stringContaining('(failed: sha: ') });
    expect(session.text('manifest.json')).toBe(tampered);
    // Without a manifest nothing can be held against it: that is no pass.
    session.write('manifest.json', '{');
    expect(gate('s')).toMatchObject({ status: 6, checks: { sha: 'FAIL', counts: 'FAIL', payload: 'FAIL' }, details: { counts: 'not known while the manifest cannot be read' } });
    session.write('manifest.json', good);
    const bak = session.text('manifest.json.bak');
    const later = JSON.parse(good) as Manifest & { seal: Seal };
    later.seal.format = 99;
    session.write('manifest.json', sealed(later).text);
    expect(gate('s')).toMatchObject({ status: 6, checks: { sha: 'FAIL', counts: 'FAIL', payload: 'FAIL' }, details: { counts: 'not known while the seal cannot be read' } });
    expect(runtime(['promote', 's', '--force'])).toMatchObject({ status: 1, stderr: expect.stringMatching(/sealed by a newer version \(format 99\); nothing was written\n$/) });
    expect(session.text('manifest.json.bak')).toBe(bak);
  });

  it('is told apart from its neighbour of the same beginning, and excludes itself from 2.0.x and from builds', async () => {
    for (const id of ['session-2026-01-01-one', 'session-2026-01-01-two', 'session-2026']) (await capture(id)).author(CONTRACT);
    for (const id of ['session-2026-01-01-one', 'session-2026-01-01-two', 'session-2026']) expect(JSON.parse(runtime(['promote', id]).stdout)).toMatchObject({ session: id });
    // A living process of 2.0.x, by its number alone; a dead one, an empty file and garbage of a while ago hold nobody up.
    leaveLockText(desk.root, 'promote:session-2026', String(process.pid));
    expect(runtime(['promote', 'session-2026'])).toMatchObject({ status: 3, stderr: expect.stringContaining(`held by process ${process.pid}`) });
    leaveLock(desk.root, sessionKey('session-2026-01-01-two'));
    expect(runtime(['promote', 'session-2026-01-01-two']).status).toBe(3);
    for (const text of ['4194303', '', 'garbage']) {
      leaveLockText(desk.root, 'promote:session-2026', text, 5);
      leaveLockText(desk.root, sessionKey('session-2026'), text, 5);
      expect([text, runtime(['promote', 'session-2026']).status]).toEqual([text, 0]);
    }
  });
});

describe('in continuous integration', () => {
  it('the gate and promote work with HANDOFFS_ROOT alone: no home, no PATH, any folder', async () => {
    (await capture('s')).author(CONTRACT);
    const alone = { HOME: undefined, PATH: undefined, NO_COLOR: undefined, HANDOFFS_ROOT: desk.root };
    expect(runtime(['verify-gate', 's', '--format', 'github'], { env: alone, cwd: '/' })).toMatchObject({ status: 0, stdout: '::notice file='.concat(`${desk.root.slice(1)}/projects/w/s/HANDOFF.md,title=Evidence gate::w/s: VERIFIED\n`), stderr: '' });
    expect(runtime(['promote', 's', '--by', 'ci'], { env: alone, cwd: '/' })).toMatchObject({ status: 0, stderr: '' });
    expect(runtime(['verify-gate', 'w/s', '--format', 'github'], { env: { ...alone, GITHUB_WORKSPACE: desk.root } }).stdout).toBe('::notice file=projects/w/s/HANDOFF.md,title=Evidence gate::w/s: VERIFIED\n');
  });

  it('an annotation is one line whatever a session is called', async () => {
    await buildInto(desk.root, desk.file('odd.jsonl', lines(canonical(0, 'user', 'hi'))), { session: '50%,a::b\n::error::c', project: 'w' });
    const { status, stdout } = runtime(['verify-gate', '50%', '--format', 'github']);
    expect([status, stdout.split('\n').length, stdout.match(/^::/gm)]).toEqual([6, 3, ['::']]);
    expect(stdout).not.toMatch(/%(?![0-9A-F]{2})/);
  });

  it('the gate judges a checkout that nobody may write to, and promote says why it cannot', async () => {
    (await capture('s')).author(CONTRACT);
    const before = desk.contents();
    const nobody = 65_534;
    const isRoot = process.getuid?.() === 0;
    for (const name of ['.', ...readdirSync(desk.dir, { recursive: true, encoding: 'utf8' })]) {
      const path = join(desk.dir, name);
      if (isRoot) chownSync(path, nobody, nobody);
      chmodSync(path, 0o555);
    }
    const as = (...argv: string[]): Result => {
      const { status, signal, stdout, stderr } = spawnSync(process.execPath, [join(REPOSITORY, 'tools/agents-handoff.mjs'), ...argv], {
        cwd: desk.root, env: { HANDOFFS_ROOT: desk.root }, encoding: 'utf8', ...(isRoot ? { uid: nobody, gid: nobody } : {}),
      });
      return { status, signal, stdout, stderr };
    };
    expect(as('verify-gate', 's', '--format', 'github')).toMatchObject({ status: 0, stdout: expect.stringContaining('w/s: VERIFIED'), stderr: '' });
    expect(as('promote', 's')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^agents-handoff: EACCES: permission denied[^\n]*\n$/) });
    for (const name of ['.', ...readdirSync(desk.dir, { recursive: true, encoding: 'utf8' })]) chmodSync(join(desk.dir, name), 0o755);
    expect(desk.contents()).toEqual(before);
  });

  it.skipIf(!hasStrace() && process.env['REQUIRE_TOOLS'] !== '1')('the gate makes no call that would change the store (skipped where strace is missing)', async () => {
    (await capture('s')).author(CONTRACT);
    const child = (verb: string) => ({ argv: [join(REPOSITORY, 'tools/agents-handoff.mjs'), verb, 's'], env: { HANDOFFS_ROOT: desk.root }, cwd: desk.dir, store: desk.root });
    expect(countCalls(child('verify-gate'))).toEqual([]);
    expect(countCalls(child('promote')).length).toBeGreaterThan(10);
  });
});
