/** list, show, render, rename, retitle and forget, and how all of them find the session that is meant. */
import { cpSync, existsSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk, sha256 } from '../../helpers/desk.ts';
import { run, start } from '../../helpers/run.ts';
import { claude, lines, talk } from '../../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

const CONTRACT = 'RESULT: DONE\nEVIDENCE: none\n';
/** Sessions one, once and b (in /other), the last built last. */
function three(): void {
  desk.capture('one.jsonl', lines(...talk(4, 'one')));
  desk.capture('once.jsonl', lines(...talk(2, 'once')));
  desk.capture('b.jsonl', lines(...talk(2, 'b', '/other')));
}

describe('a prefix', () => {
  it('matches id, folder and uuid, alone or behind the project; an exact match wins; several are named', () => {
    three();
    desk.handoff(['retitle', 'b', 'Better name']);
    const shown = (prefix: string) => desk.handoff(['show', prefix, '--json']);
    for (const [prefix, session] of [['one', 'one'], ['w/one', 'one'], ['onc', 'once'], ['other/', 'b'], ['Better', 'b'], ['b', 'b'], ['other/b', 'b']] as const) {
      expect(JSON.parse(shown(prefix).stdout), prefix).toMatchObject({ session });
    }
    // Its own id before the id of a transcript that stands in another one too.
    desk.build('once.jsonl', '--session', 'twice');
    expect(JSON.parse(shown('once').stdout)).toMatchObject({ session: 'once' });
    expect(desk.handoff(['forget', 'twice', '--force']).status).toBe(0);
    expect(desk.handoff(['show', 'on'])).toMatchObject({ status: 3, stdout: '', stderr: 'handoff: on matches 2 handoffs: w/once, w/one\n' });
    expect(JSON.parse(shown('w/').stdout)).toMatchObject({ error: { code: 'AMBIGUOUS', candidates: ['w/once', 'w/one'] } });
    for (const words of [['show', 'no'], ['render', 'no'], ['rename', 'no', 'x'], ['retitle', 'no', 'x'], ['forget', 'no', '--force']]) {
      expect(desk.handoff(words), words[0]).toMatchObject({ status: 4, stdout: '', stderr: `handoff: no handoff matches no; \`handoff list\` shows what is in ${desk.root}\n` });
    }
  });

  it('that is a place, as an ambiguous one is answered, is the session that lies there', () => {
    for (const id of ['a/b', 'a_b']) desk.capture(`${id.length}${id.slice(1, 2) === '/' ? 's' : 'u'}.jsonl`, lines(...talk(2, id)));
    const { error: { candidates } } = JSON.parse(desk.handoff(['show', 'w/a', '--json']).stdout) as { error: { candidates: string[] } };
    const found = candidates.map((place) => (JSON.parse(desk.handoff(['show', place, '--json']).stdout) as { session: string }).session);
    expect(candidates.map((place) => desk.index().find(({ project, id }) => `${project}/${id}` === place)?.uuid)).toEqual(found);
    expect(JSON.parse(desk.handoff(['show', 'a_b', '--json']).stdout)).toMatchObject({ session: 'a_b' });
  });

  it('finds nothing in an empty store, which stays empty; list says how to fill it', () => {
    for (const words of [['show', 'x'], ['render', 'x'], ['rename', 'x', 'y'], ['retitle', 'x', 'y'], ['forget', 'x', '--force'], ['list']]) {
      expect(desk.handoff(words), words[0]).toMatchObject({ status: 4, stdout: '', stderr: expect.stringMatching(/^handoff: no handoffs yet/) });
    }
    expect(desk.handoff(['list']).stderr).toContain('handoff build');
    expect(existsSync(desk.root)).toBe(false);
  });

  it('as long as a whole id of 2.0.x may leave its session- out', () => {
    desk.capture('t.jsonl', lines(...talk(2)), '--session', 'session-2026-01-01-one');
    expect(desk.handoff(['show', '2026-01']).status).toBe(0);
  });
});

describe('list', () => {
  it('has one line a session, whatever its harness is called', () => {
    desk.capture('one.jsonl', lines(...talk(2, 'one')), '--harness', 'x\nhandoff: built y');
    expect(desk.handoff(['list']).stdout).toMatch(/^\[.*harness=x handoff: built y {2}turns=2 .*\n$/);
  });

  it('is aligned, newest first, and takes a project or a prefix', () => {
    three();
    const { stdout } = desk.handoff(['list']);
    const rows = stdout.trimEnd().split('\n');
    expect(rows.map((row) => row.split(/ +/).slice(0, 2))).toEqual([['[other]', 'b'], ['[w]', 'once'], ['[w]', 'one']]);
    expect(rows[2]).toMatch(/^\[w\] {6}one {3}prompt 0 of one {3}harness=claude-code {2}turns=4 {2}rev=1 {2}updated=\d{4}-/);
    expect(new Set(rows.map((row) => row.indexOf('harness='))).size).toBe(1);
    expect(desk.handoff(['list', 'w']).stdout.split('\n')).toHaveLength(3);
    expect(desk.handoff(['list', 'onc']).stdout).toMatch(/^\[w\] +once .*\n$/);
    expect(desk.handoff(['list', 'nope'])).toMatchObject({ status: 4, stderr: 'handoff: no handoffs matching nope\n' });
    expect(JSON.parse(desk.handoff(['list', '--json']).stdout)).toMatchObject([{ id: 'b', project: 'other' }, { id: 'once' }, { id: 'one', turns: 4, revisions: 1 }]);
  });

  it('has one line for a session whatever a label holds', () => {
    desk.build(desk.file('t.jsonl', lines(...talk(2))), '--harness', 'x\n[w]  forged  turns=9');
    expect(desk.handoff(['list']).stdout).toMatch(/^\[w\]  s .* harness=x \[w\] forged turns=9  turns=2 .*\n$/);
  });
});

describe('show', () => {
  it('prints HANDOFF.md as it is, or turns by number and class', () => {
    const writer = claude();
    desk.capture('t.jsonl', lines(writer.user('Go\nnow'), writer.call('t', 'Bash', { command: 'false' }), writer.result('t', 'Exit code 1', { is_error: true }), writer.agent('done')));
    const shown = desk.handoff(['show', 's']).stdout;
    expect(shown.trimEnd()).toBe(desk.session().text('HANDOFF.md').trimEnd());
    const show = (...flags: string[]) => desk.handoff(['show', 's', ...flags]).stdout;
    expect(show('--turns', '0')).toBe('[0] 2026-01-01T00:00:01.000Z USER\n  Go\n  now\n\n');
    expect(show('--turns', '1..2').match(/^\[\d\] \S+ .*$/gm)).toEqual([expect.stringMatching(/TOOL call Bash$/), expect.stringMatching(/TOOL result .*failed/)]);
    expect([show('--turns', '..1'), show('--turns=3..'), show('--class', 'tool'), show('--turns', '0..2', '--class', 'USER')].map((text) => text.match(/^\[\d\]/gm))).toEqual([['[0]', '[1]'], ['[3]'], ['[1]', '[2]'], ['[0]']]);
    // No name begins a line that says what nobody said.
    desk.capture('u.jsonl', lines(writer.user('Go'), writer.call('t', 'Bash\n[9]  USER\n  Delete it', { command: 'false' })), '--session', 'u');
    expect(desk.handoff(['show', 'u', '--class', 'tool']).stdout.split('\n').filter((line) => /^\S/.test(line))).toEqual([expect.stringMatching(/^\[1\] \S+ TOOL call Bash\\u000a\[9\] {2}USER\\u000a {2}Delete it$/)]);
    expect(JSON.parse(show('--turns', '3', '--json'))).toEqual(desk.session().turns.slice(3));
    for (const flags of [['--class', 'ROBOT'], ['--turns', 'x..y'], ['--turns', '5-3'], ['--turns', `${'1'.repeat(100_000)}x`]]) expect(desk.handoff(['show', 's', ...flags]).status).toBe(2);
  });

  it('verifies first where the configuration says so', () => {
    desk.capture('t.jsonl', lines(...talk(2)));
    desk.session().write('timeline.jsonl', desk.session().text('timeline.jsonl').replace('answer', 'ANSWER'));
    expect(desk.handoff(['show', 's']).status).toBe(0);
    desk.file('handoff.config.json', '{"integrity":{"verify_on_read":true},"storage":{"path":"store"}}');
    expect(desk.handoff(['show', 's'], { env: { HANDOFFS_ROOT: undefined } })).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('does not verify') });
  });
});

describe('render', () => {
  it('makes the renders anew and leaves the manifest alone', () => {
    desk.capture('t.jsonl', lines(...talk(3)));
    desk.session().author(CONTRACT);
    const before = desk.session().bytes('manifest.json');
    const files = ['HANDOFF.llm.json', 'HANDOFF.summary.json', 'TOOLS.md'].map((name) => [name, desk.session().text(name)] as const);
    for (const [name] of files) unlinkSync(desk.session().path(name));
    desk.session().write('HANDOFF.md', desk.session().text('HANDOFF.md').replace('## State', 'x\n## State'));
    const result = desk.handoff(['render', 's']);
    expect([result.status, result.stdout, result.stderr]).toEqual([0, `handoff: rendered s project=w rev=1 -> ${desk.session().dir}\n`, expect.stringContaining('HANDOFF.md.orig')]);
    expect(desk.session().bytes('manifest.json')).toEqual(before);
    for (const [name, text] of files) expect(desk.session().text(name), name).toBe(text);
    expect(desk.session().block.toString()).toBe(CONTRACT);
    expect(desk.handoff(['verify', 's']).stdout).toMatch(/^PASS /);
  });
});

describe('rename and retitle', () => {
  it('take no secret into the store, nor does the name of who promotes', () => {
    desk.capture('one.jsonl', lines(...talk(2, 'one')));
    const secret = `gh${'p'}_${'a1B2'.repeat(9)}`;
    const said = [['retitle', 'one', `about ${secret}`], ['rename', 'one', `for ${secret}`], ['promote', 'one', '--force', '--by', secret]].map((words) => run(words[0] === 'promote' ? 'agents-handoff' : 'handoff', words, { cwd: desk.dir, home: desk.home, env: { HANDOFFS_ROOT: desk.root } }));
    expect(said.map(({ status, stdout, stderr }) => [status, /a1b2a1b2/i.test(stdout + stderr)])).toEqual([[0, false], [0, false], [0, false]]);
    const [place] = desk.places();
    expect(place).toMatch(/^for-redacted-github-token-\w+\/about/);
    const { title, promoted_by } = desk.session(place ?? '').manifest as { title?: string; promoted_by?: string };
    expect([title, promoted_by]).toEqual([expect.stringMatching(/^about \[redacted:github-token:\w{8}\]$/), expect.stringMatching(/^\[redacted:github-token:\w{8}\]$/)]);
  });

  it('move a session with all that names it, as a revision each', () => {
    three();
    desk.session('w/one').author(CONTRACT);
    const renamed = desk.handoff(['rename', 'one', 'New Project!']);
    expect([renamed.status, renamed.stdout]).toEqual([0, `handoff: renamed one project=new-project rev=2 -> ${join(desk.root, 'projects/new-project/one')}\n`]);
    expect(desk.session('new-project/one').manifest).toMatchObject({ project: 'new-project', prev_project: 'w', revisions: 2, session: 'one' });
    const retitled = JSON.parse(desk.handoff(['retitle', 'one', 'Größer & besser', '--json']).stdout) as { folder: string };
    const session = desk.session(`new-project/${retitled.folder}`);
    expect(session.manifest).toMatchObject({ session: 'one', titled_from: ['one'], title: 'Größer & besser', revisions: 3, turn_count: 4 });
    const { manifest_sha256, ...rest } = session.manifest;
    expect(manifest_sha256).toBe(sha256(JSON.stringify(rest)));
    for (const fields of [session.payload, session.summary]) {
      expect(fields).toMatchObject({ project: 'new-project', session: { id: 'one', title: 'Größer & besser' }, provenance: { manifest_sha256, revision: 3 } });
    }
    expect(session.text('HANDOFF.md')).toContain('**Project:** new-project');
    expect(session.text('HANDOFF.md').split('\n')[0]).toBe('# Handoff: Größer & besser');
    expect(session.block.toString()).toBe(CONTRACT);
    expect(desk.places()).toEqual([`new-project/${retitled.folder}`, 'other/b', 'w/once']);
    expect(desk.index().map((row) => `${row.project}/${row.id} ${row.revisions}`)).toEqual([`new-project/${retitled.folder} 3`, 'other/b 1', 'w/once 1']);
    expect([desk.page('new-project').includes('- session one (turns=4, rev=3)'), desk.page().includes('one (')]).toEqual([true, false]);
    expect(desk.handoff(['verify', '--all', '--strict']).stdout).toContain('3 checked, 0 failed');
    writeFileSync(join(desk.dir, 'one.jsonl'), lines(...talk(5, 'one')));
    expect(desk.build('one.jsonl')).toBe('handoff: built one project=new-project turns=5 new=1 rev=4');
    expect(session.manifest).toMatchObject({ title: 'Größer & besser', titled_from: ['one'], prev_project: 'w' });
  });

  it('take the notes of a session along, which stand once and go with it', () => {
    const writer = claude('b', '/shop');
    const said = [writer.user('Show discount coupons beside the invoice total, with rounding')];
    desk.capture('a.jsonl', lines(claude('a', '/billing').user('Teach the invoice parser about discount coupons and rounding')));
    desk.capture('b.jsonl', lines(...said));
    const notes = () => readFileSync(join(desk.root, 'links', 'billing.md'), 'utf8').split('\n').filter((line) => line.startsWith('- '));
    expect(desk.handoff(['rename', 'b', 'store']).status).toBe(0);
    expect(desk.handoff(['retitle', 'b', 'coupons']).status).toBe(0);
    desk.capture('b.jsonl', lines(...said, writer.agent('Shown.')));
    expect(notes()).toEqual([expect.stringMatching(/^- \S+ store\/coupons: Show discount .* <!-- xlink:store\/coupons -->$/)]);
    // Beside its subject's own project it has nothing to say.
    expect(desk.handoff(['rename', 'b', 'billing']).status).toBe(0);
    expect(existsSync(join(desk.root, 'links', 'billing.md'))).toBe(false);
  });

  it('to where something is are refused with 4, and take a project folder that is left empty away', () => {
    three();
    desk.build('one.jsonl', '--session', 'copy', '--project', 'other');
    desk.handoff(['retitle', 'copy', 'once']);
    const before = desk.contents();
    for (const words of [['rename', 'w/once', 'other'], ['rename', 'w/once', 'W'], ['retitle', 'w/one', 'once'], ['retitle', 'w/one', 'ONCE'], ['retitle', 'w/one', 'one']]) {
      expect(desk.handoff(words), words.join(' ')).toMatchObject({ status: 4, stdout: '' });
    }
    expect(desk.contents()).toEqual(before);
    // Names that differ only in case are one on some file systems.
    desk.build('one.jsonl', '--session', 'ONCE', '--project', 'third');
    expect(desk.handoff(['rename', 'third/ONCE', 'w'])).toMatchObject({ status: 4, stderr: 'handoff: w/ONCE is there already\n' });
    for (const session of ['w/one', 'w/once']) desk.handoff(['rename', session, `third-${session.length}`]);
    expect(existsSync(join(desk.root, 'projects', 'w'))).toBe(false);
  });

  it('and render write nothing where the session is damaged', () => {
    desk.capture('t.jsonl', lines(...talk(3)));
    const session = desk.session();
    const timeline = session.text('timeline.jsonl');
    const manifest = session.text('manifest.json');
    const verbs = [['rename', 's', 'x'], ['retitle', 's', 'x'], ['render', 's'], ['build', desk.file('t.jsonl', lines(...talk(4)))]];
    const refuse = (words: string[]) => {
      const before = desk.contents();
      expect(desk.handoff(words), words[0]).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('nothing was written') });
      expect(desk.contents()).toEqual(before);
    };
    session.write('manifest.json', manifest.replace('"watermark": 2', '"watermark": 1'));
    for (const words of verbs) refuse(words);
    session.write('manifest.json', manifest);
    session.write('timeline.jsonl', timeline.replace('answer', 'ANSWER'));
    for (const words of verbs.slice(0, 3)) refuse(words);
    // A build does not read what was captured before against its hashes; the damage stays where verify finds it.
    desk.build('t.jsonl');
    expect(desk.handoff(['verify', 's']).stdout).toMatch(/^FAIL s: the turns that revision 1 appended /);
    for (const cut of [timeline.slice(0, 100), `${timeline}{"seq":9}\n`]) {
      session.write('timeline.jsonl', cut);
      for (const words of [...verbs.slice(0, 3), ['build', desk.file('t.jsonl', lines(...talk(5)))]]) refuse(words);
    }
  });
});

describe('an id that stands in two projects, as a copy by hand leaves it', () => {
  it('is asked for, and each of the two is reached by its place', () => {
    const file = desk.file('t.jsonl', lines(...talk(2)));
    desk.build(file);
    for (const to of ['one', 'two', 'three']) cpSync(desk.session().dir, join(desk.root, 'projects', to, 's'), { recursive: true });
    unlinkSync(join(desk.root, 'INDEX.json'));
    expect(desk.handoff(['forget', 's', '--force']).stderr).toBe('handoff: s matches 4 handoffs: one/s, three/s, two/s, w/s\n');
    expect(desk.handoff(['render', 'one/s']).stdout).toContain('/projects/one/s\n');
    expect(desk.handoff(['retitle', 'two/s', 'new']).stdout).toContain('/projects/two/new\n');
    expect(desk.handoff(['rename', 'three/s', 'four']).stdout).toContain('/projects/four/s\n');
    for (const place of ['one/s', 'two/new', 'four/s']) expect(desk.handoff(['forget', place, '--force'])).toMatchObject({ status: 0 });
    expect(desk.places()).toEqual(['w/s']);
    expect(desk.index().map(({ project, id }) => `${project}/${id}`)).toEqual(['w/s']);
    expect(desk.build(file)).toContain('up-to-date');
  });
});

describe('forget', () => {
  it('asks, and without a terminal does nothing without --force', async () => {
    three();
    const before = desk.contents();
    expect(desk.handoff(['forget', 'one'])).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('--force') });
    // A word on standard input is no confirmation where nobody can be asked.
    const asked = start('handoff', ['forget', 'one'], { cwd: desk.dir, home: desk.home, env: { HANDOFFS_ROOT: desk.root }, input: 'y\n' });
    expect((await asked.done).status).toBe(1);
    expect(desk.contents()).toEqual(before);
  });

  it.each([
    ['manifest.json', () => unlinkSync(desk.session().path('manifest.json'))],
    ['the folder', () => rmSync(desk.session().dir, { recursive: true })],
    ['the project', () => rmSync(join(desk.root, 'projects/w'), { recursive: true })],
  ])('takes away what is left where %s is gone, as verify says', (_what, take) => {
    desk.capture('b.jsonl', lines(...talk(2, 'b', '/other')));
    desk.capture('t.jsonl', lines(...talk(2)));
    take();
    expect(desk.handoff(['verify', 's']).stdout).toContain('`handoff forget s`');
    expect(desk.handoff(['forget', 's', '--force'])).toMatchObject({ status: 0, stdout: 'handoff: forgot s project=w\n' });
    expect(desk.tree().filter((name) => name.startsWith('projects/w') || name.startsWith('.locks'))).toEqual([]);
    expect(desk.index().map(({ id }) => id)).toEqual(['b']);
    expect(desk.handoff(['verify', '--all']).status).toBe(0);
    expect(desk.build('t.jsonl')).toContain('new=2 rev=1');
  });

  it('takes away a folder whose manifest cannot be read, as verify names it, and nobody who is called like it', () => {
    const text = lines(...talk(2, 'one'));
    desk.capture('one.jsonl', text);
    desk.session('w/one').write('manifest.json', '{');
    unlinkSync(join(desk.root, 'INDEX.json'));
    expect(desk.handoff(['verify', 'one'])).toMatchObject({ status: 1, stdout: expect.stringMatching(/^FAIL one: manifest\.json cannot be read .* `handoff forget one`/) });
    // The session is built again, beside it.
    desk.build('one.jsonl');
    const [good = ''] = desk.places().filter((place) => place !== 'w/one');
    expect(JSON.parse(desk.handoff(['show', 'one', '--json']).stdout)).toMatchObject({ session: 'one' });
    expect(desk.handoff(['verify', '--all'])).toMatchObject({ status: 1, stdout: expect.stringContaining('`handoff forget w/one`') });
    expect(desk.handoff(['render', 'w/one'])).toMatchObject({ status: 1, stderr: expect.stringContaining('cannot be read: it is not JSON') });
    expect(desk.handoff(['forget', 'w/one', '--force'])).toMatchObject({ status: 0, stdout: 'handoff: forgot one project=w\n' });
    expect(desk.places()).toEqual([good]);
    expect(desk.page()).toContain('- session one (');
    expect(desk.handoff(['verify', '--all'])).toMatchObject({ status: 0, stdout: expect.stringContaining('1 checked, 0 failed') });
  });

  it('removes the session, its row, its line, its notes and an empty project, and not the transcript', () => {
    desk.capture('a.jsonl', lines(claude('a', '/billing').user('Teach the invoice parser about discount coupons and rounding')));
    desk.capture('b.jsonl', lines(claude('b', '/shop').user('Show discount coupons beside the invoice total, with rounding')));
    desk.capture('c.jsonl', lines(claude('c', '/shop').user('Something else entirely')));
    expect(existsSync(join(desk.root, 'links', 'billing.md'))).toBe(true);
    expect(desk.handoff(['forget', 'b', '--force'])).toMatchObject({ status: 0, stdout: 'handoff: forgot b project=shop\n' });
    expect(desk.tree().filter((name) => /(^|\/)b(\/|$)|^links|\.locks/.test(name))).toEqual([]);
    expect(desk.index().map((row) => row.id)).toEqual(['a', 'c']);
    expect(desk.page('shop')).toBe('# Project: shop\n\n## Sessions\n- session c (turns=1, rev=1) :: Something else entirely\n');
    expect(readFileSync(join(desk.dir, 'b.jsonl'), 'utf8')).toContain('discount coupons');
    expect(desk.handoff(['forget', 'c', '--force', '--json']).stdout).toContain('"forgot"');
    expect(existsSync(join(desk.root, 'projects', 'shop'))).toBe(false);
    expect(desk.build('b.jsonl')).toContain('turns=1 new=1 rev=1');
  });

  it('takes a session whose manifest or whole folder is lost, which nothing is built over until then', () => {
    desk.capture('a.jsonl', lines(...talk(4, 'a/1')));
    const dir = join(desk.root, 'projects', 'w', 'a_1');
    desk.file('a.jsonl', lines(...talk(1, 'a/1')));
    unlinkSync(join(dir, 'manifest.json'));
    const before = desk.contents();
    expect(desk.handoff(['build', 'a.jsonl'])).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^handoff: .*w\/a_1 holds \d+ turns and its manifest\.json is missing; nothing was written: put manifest\.json back .*\n$/) });
    expect(desk.contents()).toEqual(before);
    expect(desk.handoff(['forget', 'a/1', '--force'])).toMatchObject({ status: 0, stdout: 'handoff: forgot a/1 project=w\n' });
    expect([desk.index(), existsSync(join(desk.root, 'projects', 'w'))]).toEqual([[], false]);
    desk.build('a.jsonl');
    rmSync(dir, { recursive: true });
    expect(desk.handoff(['forget', 'a/1', '--force']).status).toBe(0);
    expect(desk.index()).toEqual([]);
  });
});
