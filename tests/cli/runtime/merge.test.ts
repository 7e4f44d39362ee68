import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildInto, failures } from '../../helpers/build.ts';
import { Desk, sha256, SessionFolder } from '../../helpers/desk.ts';
import { verify2 } from '../../helpers/reference-verify.ts';
import { run, type Result } from '../../helpers/run.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

interface Said { ts?: string; role?: string; text: string }

const merge = (...argv: string[]): Result => run('agents-handoff', ['merge', ...argv], { cwd: desk.dir, home: desk.home, env: { HANDOFFS_ROOT: desk.root } });
const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;
const lines = (said: readonly Said[]): string => said.map(({ ts, role = 'user', text }, seq) => `${JSON.stringify({ seq, ...(ts === undefined ? {} : { ts }), role, text })}\n`).join('');

/** Captures a session of these turns, in a project of its own name. */
async function capture(session: string, said: readonly Said[]): Promise<SessionFolder> {
  const { dir } = await buildInto(desk.root, desk.file(`${session}.jsonl`, lines(said)), { session, project: `of-${session}` }) as { dir: string };
  return new SessionFolder(dir);
}

const A = [{ ts: at(0), text: 'a one' }, { ts: at(2), role: 'assistant', text: 'a two' }, { ts: at(6), text: 'a three' }];
const B = [{ ts: at(1), text: 'b one' }, { role: 'assistant', text: 'b timeless' }, { ts: at(6), text: 'b three' }];
const merged = (): SessionFolder => desk.session('of-a/a+merge+b');

describe('agents-handoff merge', () => {
  it('puts two sessions into one, in the order of time, and says so in one line', async () => {
    await capture('a', A);
    await capture('b', B);
    const result = merge('a', 'b');
    expect(result).toMatchObject({ status: 0, stderr: '' });
    expect(result.stdout).toBe('{"ok":true,"action":"merged","into":"a+merge+b","turns":6,"project":"of-a","revision":1,"changed":true,"rendered":false,"next":"handoff render a+merge+b"}\n');
    expect(merged().turns.map(({ seq, text }) => `${seq} ${text}`)).toEqual(['1 a one', '2 b one', '3 b timeless', '4 a two', '5 a three', '6 b three']);
    expect(fs.readdirSync(merged().dir).sort()).toEqual(['chain.jsonl', 'manifest.json', 'timeline.jsonl']);
    expect(merged().manifest).toMatchObject({
      session: 'a+merge+b', project: 'of-a', harness: 'merged', merged_from: ['a', 'b'], watermark: 6, turn_count: 6, revisions: 1,
      counts: { USER: 4, AGENT: 2, THOUGHT: 0, TOOL: 0, OTHER: 0 }, raw_sha256: sha256(merged().bytes('timeline.jsonl')),
      source_paths: [path.join(desk.dir, 'a.jsonl'), path.join(desk.dir, 'b.jsonl')],
    });
    const notes = fs.readFileSync(path.join(desk.root, 'links/of-b.md'), 'utf8');
    expect(notes.match(/<!-- merged:a\+merge\+b -->/g)).toHaveLength(1);
    expect(desk.index().find(({ id }) => id === 'a+merge+b')).toMatchObject({ project: 'of-a', turns: 6 });
    expect(desk.page('of-a')).toContain('- session a+merge+b (turns=6, rev=1)');
  });

  it('names a folder to render that is one word, and in the brief whom it was made of', async () => {
    await capture('a', A);
    await capture('b c', B);
    expect(JSON.parse(merge('a', 'b c').stdout)).toMatchObject({ into: 'a+merge+b c', next: 'handoff render a+merge+b_c' });
    expect(desk.handoff(['render', 'a+merge+b_c']).status).toBe(0);
    expect(desk.handoff(['show', 'a+merge+b_c']).stdout).toContain('\n**Merged from:** a, b c; the turns of both stand here');
  });

  it('reads each of the two by itself, though they ran at once and gave their calls the same ids', async () => {
    const claude = (name: string, late: number): string => Array.from({ length: 3 }, (_, turn) => {
      const record = (step: number, type: string, content: unknown): string => {
        const number = turn * 3 + step;
        return `${JSON.stringify({ type, message: { role: type, content }, uuid: `${name}${number}`, parentUuid: number === 0 ? null : `${name}${number - 1}`, isSidechain: false, timestamp: at(number * 2 + late), sessionId: name })}\n`;
      };
      return record(0, 'user', `${name} asks ${turn}`) + record(1, 'assistant', [{ type: 'tool_use', id: `t${turn}`, name: 'Bash', input: { command: `echo ${name} ${turn}` } }]) + record(2, 'user', [{ type: 'tool_result', tool_use_id: `t${turn}`, content: 'ok', is_error: false }]);
    }).join('');
    for (const [late, name] of ['a', 'b'].entries()) await buildInto(desk.root, desk.file(`${name}.jsonl`, claude(name, late)), { session: name, project: 'of-a' });
    expect(merge('a', 'b', '--render').status).toBe(0);
    const brief = merged().text('HANDOFF.md');
    expect(brief).not.toContain('abandoned branch');
    expect(brief.match(/^\| \d+ \| ok \| echo [ab] \d \|$/gm)).toHaveLength(6);
    expect(merged().turns.slice(0, 2)).toMatchObject([{ id: 'a0', from: 'a' }, { id: 'b0', from: 'b' }]);
  });

  it('has no brief until it is rendered, and is told so by verify, the gate and the index', async () => {
    await capture('a', A);
    await capture('b', B);
    merge('a', 'b');
    expect(desk.handoff(['verify', 'a+merge+b'])).toMatchObject({ status: 1, stdout: expect.stringMatching(/^FAIL a\+merge\+b: no brief yet; `handoff render a\+merge\+b` makes it\n$/) });
    const gate = run('agents-handoff', ['verify-gate', 'a+merge+b'], { env: { HANDOFFS_ROOT: desk.root } });
    expect([gate.status, (JSON.parse(gate.stdout) as { checks: object }).checks]).toEqual([6, { sha: 'PASS', counts: 'PASS', payload: 'FAIL', contract: 'FAIL', evidence: 'PASS' }]);
    expect(JSON.parse(run('agents-handoff', ['index'], { env: { HANDOFFS_ROOT: desk.root } }).stdout)).toMatchObject({ stale_sessions: ['a+merge+b (missing HANDOFF.md)'] });
    const before = merged().text('manifest.json');
    expect(desk.handoff(['render', 'a+merge+b'])).toMatchObject({ status: 0 });
    expect(merged().text('manifest.json')).toBe(before);
    expect(desk.handoff(['verify', '--all'])).toMatchObject({ status: 0 });
    expect(verify2(merged().dir)).toMatch(/^PASS/);
  });

  it('makes the renders with --render, sealed like those of a build', async () => {
    await capture('a', A);
    await capture('b', B);
    expect(JSON.parse(merge('a', 'b', '--render').stdout)).toMatchObject({ rendered: true, changed: true });
    expect(desk.handoff(['verify', 'a+merge+b', '--strict'])).toMatchObject({ status: 0, stdout: expect.stringContaining('chain ok') });
    expect(merged().payload['timeline']).toHaveLength(6);
    expect(verify2(merged().dir)).toMatch(/^PASS/);
  });

  it('changes nothing where the same is merged again, and renders what was not rendered where it is asked to', async () => {
    await capture('a', A);
    await capture('b', B);
    merge('a', 'b');
    const before = desk.snapshot(merged().dir);
    const notes = fs.readFileSync(path.join(desk.root, 'links/of-b.md'), 'utf8');
    expect(JSON.parse(merge('a', 'b').stdout)).toMatchObject({ ok: true, action: 'merged', turns: 6, revision: 1, changed: false });
    expect(desk.snapshot(merged().dir)).toEqual(before);
    expect(JSON.parse(merge('a', 'b', '--render').stdout)).toMatchObject({ revision: 1, changed: true, rendered: true });
    const rendered = desk.snapshot(merged().dir);
    expect(JSON.parse(merge('a', 'b').stdout)).toMatchObject({ revision: 1, changed: false, rendered: true });
    expect(desk.snapshot(merged().dir)).toEqual(rendered);
    expect(fs.readFileSync(path.join(desk.root, 'links/of-b.md'), 'utf8')).toBe(notes);
    expect(desk.tree().filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('makes a new revision of changed inputs, keeps the old folder and the evidence block', async () => {
    await capture('a', A);
    await capture('b', B);
    merge('a', 'b', '--render');
    merged().author('RESULT: DONE\nEVIDENCE: seen\n');
    const old = desk.contents(merged().dir);
    const { revisions, manifest_sha256 } = merged().manifest;
    await capture('a', [...A, { ts: at(9), text: 'a four' }]);
    expect(JSON.parse(merge('a', 'b').stdout)).toMatchObject({ revision: 2, turns: 7, rendered: true });
    expect(merged().block.toString()).toBe('RESULT: DONE\nEVIDENCE: seen\n');
    expect(merged().turns.at(-1)).toMatchObject({ seq: 7, text: 'a four' });
    const kept = path.join(desk.root, '.backups/of-a/a+merge+b', `${revisions}-${manifest_sha256.slice(0, 8)}`);
    expect(desk.contents(kept)).toEqual(old);
    expect(desk.handoff(['verify', '--all', '--strict'])).toMatchObject({ status: 0 });
    // Who forgets it is told what still holds its words, wherever it went meanwhile.
    expect(desk.handoff(['rename', 'a+merge+b', 'elsewhere']).status).toBe(0);
    const forgot = desk.handoff(['forget', 'a+merge+b', '--force', '--json']);
    expect(JSON.parse(forgot.stdout)).toEqual({ action: 'forgot', session: 'a+merge+b', project: 'elsewhere', copies: [kept] });
    expect(forgot.stderr).toBe(`handoff: copies from before it was replaced hold its words still: ${kept}\n`);
  });

  it('says of one whose manifest cannot be read why, and writes nothing', async () => {
    await capture('a', A);
    await capture('b', B);
    fs.writeFileSync(path.join(desk.root, 'projects/of-a/a/manifest.json'), '{');
    fs.unlinkSync(path.join(desk.root, 'INDEX.json'));
    const before = desk.contents();
    expect(merge('a', 'b')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('the manifest of a cannot be read: it is not JSON; nothing was written') });
    expect(desk.contents()).toEqual(before);
  });

  it('leaves the two as they are, whose own ids still name them', async () => {
    const a = await capture('a', A);
    const b = await capture('b', B);
    const before = [desk.snapshot(a.dir), desk.snapshot(b.dir)];
    merge('a', 'b', '--render');
    expect([desk.snapshot(a.dir), desk.snapshot(b.dir)]).toEqual(before);
    expect(desk.handoff(['verify', 'a'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^PASS a \[/) });
    expect(desk.build(path.join(desk.dir, 'a.jsonl'), '--session', 'a')).toMatch(/up-to-date \(a,/);
  });

  it('keeps the order of a timeline that has no times, and puts it behind the other', async () => {
    await capture('a', [{ text: 'a one' }, { text: 'a two' }]);
    await capture('b', [{ text: 'b one' }, { ts: at(1), text: 'b two' }]);
    await capture('c', [{ text: 'c one' }, { text: 'c two' }]);
    merge('a', 'b');
    expect(merged().turns.map(({ text }) => text)).toEqual(['a one', 'a two', 'b one', 'b two']);
    merge('b', 'c');
    expect(desk.session('of-b/b+merge+c').turns.map(({ text }) => text)).toEqual(['b one', 'b two', 'c one', 'c two']);
  });

  it('compares times and not their spelling', async () => {
    await capture('a', [{ ts: '2026-01-01T02:00:00+02:00', text: 'at midnight' }, { ts: '2026-01-01T00:00:02Z', text: 'two seconds later' }]);
    await capture('b', [{ ts: '2026-01-01T00:00:01.000Z', text: 'one second later' }]);
    merge('a', 'b');
    expect(merged().turns.map(({ text }) => text)).toEqual(['at midnight', 'one second later', 'two seconds later']);
  });

  it('needs no source: what is held is enough', async () => {
    await capture('a', A);
    await capture('b', B);
    fs.rmSync(path.join(desk.dir, 'a.jsonl'));
    fs.rmSync(path.join(desk.dir, 'b.jsonl'));
    expect(merge('a', 'b', '--render').status).toBe(0);
    expect(failures(desk.root)).toEqual([]);
  });

  it('refuses a session whose timeline is not the sealed one, and writes nothing', async () => {
    const a = await capture('a', A);
    await capture('b', B);
    a.write('timeline.jsonl', a.text('timeline.jsonl').replace('a one', 'a won'));
    const before = desk.contents();
    const result = merge('a', 'b');
    expect(result).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('chain broken') });
    expect(desk.contents()).toEqual(before);
  });

  it.each([
    [['a'], 2, 'needs'],
    [['a', 'a'], 2, 'with itself'],
    [['a', 'nobody'], 3, 'no handoff matches nobody'],
    [['a', 'b', '--what'], 2, 'unknown flag'],
  ])('merge %j exits with %i', async (argv, status, words) => {
    await capture('a', A);
    await capture('b', B);
    expect(merge(...argv)).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(words) });
  });

  it('says where a merged one is merged with one of its own, so that turns come twice', async () => {
    await capture('a', A);
    await capture('b', B);
    expect(merge('a', 'b')).toMatchObject({ status: 0, stderr: '' });
    expect(merge('a+merge+b', 'a')).toMatchObject({ status: 0, stderr: 'agents-handoff: both hold a: its turns stand in a+merge+b+merge+a more than once\n' });
  });

  it('waits for nobody: a session that is being built is held', async () => {
    await capture('a', A);
    await capture('b', B);
    const key = sha256('merge:a+b').slice(0, 24);
    fs.mkdirSync(path.join(desk.root, '.locks'), { recursive: true });
    fs.writeFileSync(path.join(desk.root, '.locks', `${key}.lock`), String(process.pid));
    expect(merge('a', 'b')).toMatchObject({ status: 3, stderr: expect.stringContaining(`process ${process.pid}`) });
    expect(fs.existsSync(merged().dir)).toBe(false);
  });
});
