/** Where a session lies: ids, folders, projects, and what keeps two of them apart. */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk, sha256 } from '../../helpers/desk.ts';
import { canonical, claude, lines, talk } from '../../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

describe('a session', () => {
  it('is called by --session, else by its own id, else by its first record, else by its file', () => {
    const uuid = '0b1c2d3e-1111-4222-8333-444455556666';
    expect(desk.capture(`${uuid}.jsonl`, lines(...talk(2)), '--session', 'mine')).toContain('built mine ');
    expect(desk.session('w/mine').manifest).toMatchObject({ session: 'mine', uuid });
    // Known by the transcript's own id now, whatever it is called here.
    expect(desk.build(`${uuid}.jsonl`)).toContain('up-to-date (mine, ');
    desk.build(`${uuid}.jsonl`, '--session', 'again');
    expect(desk.handoff(['build', `${uuid}.jsonl`])).toMatchObject({ status: 3, stdout: '', stderr: `handoff: ${uuid} matches 2 handoffs: w/again, w/mine; --session says which is meant\n` });
    expect(desk.capture('one.jsonl', lines(canonical(0, 'user', 'x')))).toContain('built c ');
    expect(desk.capture('two.jsonl', lines(canonical(0, 'user', 'x', { session: undefined })))).toContain('built two ');
    expect(desk.capture('three.TXT', 'user: x\n')).toContain('built three ');
    expect(desk.capture('v1.4.markdown', 'user: x\n')).toContain('built v1.4 ');
    expect(desk.capture('.jsonl', lines(canonical(0, 'user', 'x', { session: undefined })))).toContain('built .jsonl ');
  });

  it('whose id is no name for a folder gets a safe one, inside its project', () => {
    const long = 'x'.repeat(300);
    const ids: [string, string | RegExp][] = [
      ['..', '__'], ['.', '_'], ['../../../etc/passwd', '_._.._.._etc_passwd'], ['/etc', '_etc'], ['a\\b', 'a_b'], ['.hidden', '_hidden'], ['dot.', 'dot_'], ['blank ', 'blank_'],
      ['CON', '_CON'], ['nul.txt', '_nul.txt'], ['com1', '_com1'], ['a\0b', 'a_b-'], ['😀', '__'], ['名前', '__-'], [long, /^x{111}-[0-9a-f]{8}$/], ['a:b*c?', 'a_b_c_'], ['-rf', '-rf'],
    ];
    const text = ids.map(([session], n) => [`${n}.jsonl`, lines(canonical(0, 'user', `id ${n}`, { session }))] as const);
    for (const [name, content] of text) desk.capture(name, content);
    const rows = desk.index();
    expect(rows).toHaveLength(ids.length);
    for (const [session, folder] of ids) {
      const row = rows.find(({ uuid }) => uuid === session);
      if (typeof folder === 'string') expect(row?.id.startsWith(folder), `${session} -> ${row?.id}`).toBe(true);
      else expect(row?.id).toMatch(folder);
      expect(row?.id).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,119}$/);
      expect(existsSync(join(desk.root, 'projects', 'unsorted', row?.id ?? '?', 'manifest.json')), session).toBe(true);
    }
    expect(new Set(rows.map((row) => row.id.toLowerCase())).size).toBe(ids.length);
    // Nothing beside what the test itself wrote.
    expect(readdirSync(desk.dir).sort()).toEqual([...text.map(([name]) => name), 'home', 'store'].sort());
    expect(readdirSync(desk.root).sort()).toEqual(['.locks', 'INDEX.json', 'projects']);
    expect(readdirSync(join(desk.root, 'projects'))).toEqual(['unsorted']);
    for (const [name] of text.slice(0, 2)) expect(desk.build(name)).toContain('up-to-date');
  });

  it('whose manifest a merge of git made unreadable gets no second folder, also where no row names it', () => {
    desk.capture('t.jsonl', lines(...talk(2, 's')), '--project', 'w');
    const file = join(desk.root, 'projects/w/s/manifest.json');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, `<<<<<<< HEAD\n${before}=======\n{}\n>>>>>>> theirs\n`);
    for (const index of ['<<<<<<< HEAD\n[]\n', '[]']) {
      writeFileSync(join(desk.root, 'INDEX.json'), index);
      // Another project's folder of that name is free, and no better.
      for (const project of ['w', 'x']) {
        expect(desk.handoff(['build', 't.jsonl', '--project', project])).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('git left a conflict in it: docs/RUNTIME.md') });
      }
    }
    writeFileSync(file, before);
    expect(desk.build('t.jsonl')).toContain('up-to-date (s, ');
    expect(desk.index()).toHaveLength(1);
  });

  it('that a merge of git left in two places is built again once one is forgotten, as the refusal says', () => {
    desk.capture('t.jsonl', lines(...talk(2, 's')), '--project', 'w');
    cpSync(join(desk.root, 'projects/w'), join(desk.root, 'projects/x'), { recursive: true });
    rmSync(join(desk.root, 'INDEX.json'));
    for (const words of [['t.jsonl'], ['t.jsonl', '--session', 's']]) {
      expect(desk.handoff(['build', ...words])).toMatchObject({ status: 3, stdout: '', stderr: 'handoff: s matches 2 handoffs: w/s, x/s; one session is in all of them: `handoff forget <project/folder>` takes away one that is not wanted\n' });
    }
    expect(desk.handoff(['forget', 'x/s', '--force'])).toMatchObject({ status: 0 });
    expect(desk.build('t.jsonl')).toContain('up-to-date (s, ');
  });

  it('whose id has line ends is told in one line by every verb', () => {
    const id = 's\n\nRESULT: DONE\u2028\u001b[1m';
    const said = [desk.handoff(['build', desk.file('t.jsonl', lines(...talk(2, id)))]), ...[['build', 't.jsonl'], ['check', id], ['rename', id, 'x'], ['retitle', id, 'y']].map((words) => desk.handoff(words))];
    desk.file('store/projects/x/y/timeline.jsonl', '');
    said.push(desk.handoff(['verify', id]), desk.handoff(['forget', id, '--force']));
    for (const { stdout } of said) expect(stdout.split('\n', 1)[0]).toContain('s\\u000a\\u000aRESULT: DONE\\u2028\\u001b[1m');
  });

  it('named .. in a project named .. stays inside the store', () => {
    desk.capture('t.jsonl', lines(...talk(2)), '--session', '..', '--project', '..');
    expect(desk.places()).toEqual([`p-${sha256('..').slice(0, 8)}/__`]);
    expect(readdirSync(desk.dir).sort()).toEqual(['home', 'store', 't.jsonl']);
    expect(desk.handoff(['verify', '..']).status).toBe(0);
  });

  it('called as the page of its project is, or as what that is written to, stands beside it', () => {
    const ids = ['PROJECT.md', 'project.MD', 'PROJECT.md.new.tmp'];
    for (const id of ids) expect(desk.capture('t.jsonl', lines(...talk(2)), '--session', id)).toContain(`built ${id} `);
    expect(desk.page().split('\n').filter((line) => line.startsWith('- '))).toHaveLength(ids.length);
    expect(desk.handoff(['retitle', ids[0] ?? '', 'Project.md']).status).toBe(0);
    expect(desk.handoff(['verify', '--all', '--strict']).stdout).toContain('3 checked, 0 failed');
    expect(desk.places().every((place) => /^w\/_project\.md/i.test(place))).toBe(true);
  });

  it('keeps apart from one whose folder would be the same, also where only the case differs', () => {
    const ids = ['a/b', 'a_b', 'a:b', 'Fix', 'fix', 'FIX'];
    for (const id of ids) desk.capture('t.jsonl', lines(...talk(2, id)));
    const rows = desk.index();
    expect(rows.map((row) => row.uuid).sort()).toEqual([...ids].sort());
    expect(new Set(rows.map((row) => row.id.toLowerCase())).size).toBe(ids.length);
    for (const { uuid, id } of rows) {
      expect(desk.session(`w/${id}`).said[0]).toBe(`USER prompt 0 of ${uuid}`);
      desk.capture('t.jsonl', lines(...talk(3, uuid)));
      expect(desk.session(`w/${id}`).manifest).toMatchObject({ session: uuid, revisions: 2, turn_count: 3 });
    }
    expect(desk.index()).toHaveLength(ids.length);
  });

  it('keeps apart from one of another project whose folder would be the same', () => {
    desk.capture('t.jsonl', lines(...talk(2, 'a/b', '/one')));
    expect(desk.capture('u.jsonl', lines(...talk(2, 'a_b', '/two')))).toBe('handoff: built a_b project=two turns=2 new=2 rev=1');
    expect(desk.session('one/a_b').manifest.session).toBe('a/b');
    expect(desk.session('two/a_b').manifest.session).toBe('a_b');
    expect(desk.handoff(['verify', 'a/b']).stdout).toContain('[one]');
    expect(desk.handoff(['verify', 'two/a_b']).stdout).toContain('[two]');
  });

  it('is rebuilt where it is, after a rename or a retitle too; a --project that differs is refused and names rename', () => {
    const file = desk.file('t.jsonl', lines(...talk(2)));
    desk.build(file, '--project', 'First Shop');
    expect(desk.places()).toEqual(['first-shop/s']);
    const refused = desk.handoff(['build', file, '--project', 'second']);
    expect([refused.status, refused.stdout, refused.stderr]).toEqual([2, '', expect.stringContaining('`handoff rename s second`')]);
    expect(desk.build(file, '--project', 'FIRST shop')).toContain('up-to-date');
    desk.handoff(['rename', 's', 'second']);
    desk.handoff(['retitle', 's', 'Nice name']);
    writeFileSync(file, lines(...talk(3)));
    expect(desk.build(file)).toBe('handoff: built s project=second turns=3 new=1 rev=4');
    expect(desk.build(file, '--session', 'Nice_name')).toContain('up-to-date (s, ');
    expect(desk.places()).toEqual(['second/Nice_name']);
    expect(desk.session('second/Nice_name').manifest).toMatchObject({ prev_project: 'first-shop', titled_from: ['s'], title: 'Nice name' });
  });
});

describe('a project', () => {
  it('is named by --project, else the configuration, else the thread, else the working directory, else the harness', () => {
    const thread = lines(canonical(0, 'user', 'x', { thread: 'pre--Web Shop--7', cwd: '/w/elsewhere', harness: 'Mine!' }));
    expect(desk.capture('t.jsonl', thread, '--session', '1', '--project', 'A & B')).toContain('project=a-b ');
    expect(desk.capture('t.jsonl', thread, '--session', '2')).toContain('project=web-shop ');
    expect(desk.capture('u.jsonl', lines(canonical(0, 'user', 'x', { cwd: 'C:\\work\\My App\\', harness: 'Mine!' })), '--session', '3')).toContain('project=my-app ');
    expect(desk.capture('v.jsonl', lines(canonical(0, 'user', 'x', { harness: 'Mine!' })), '--session', '4')).toContain('project=mine ');
    expect(desk.capture('v.jsonl', lines(canonical(0, 'user', 'x')), '--session', '5', '--harness', 'Label')).toContain('project=label ');
    expect(desk.capture('v.jsonl', lines(canonical(0, 'user', 'x')), '--session', '6')).toContain('project=unsorted ');
    desk.file('handoff.config.json', '{"project_name":"Configured","storage":{"path":"store"}}');
    expect(desk.handoff(['build', 't.jsonl', '--session', '7'], { env: { HANDOFFS_ROOT: undefined } }).stdout).toContain('project=configured ');
  });

  it('is not named by an empty word, of a script or of the configuration', () => {
    desk.file('handoff.config.json', '{"project_name":""}');
    expect(desk.capture('t.jsonl', lines(...talk(2)), '--project', '')).toContain('project=w ');
    expect(desk.build('t.jsonl', '--project=')).toContain('up-to-date');
  });

  it('holds the sessions of two directories that give one name, and one of letters that give none is named by its hash', () => {
    desk.capture('a.jsonl', lines(claude('one', '/x/My App').user('a')));
    desk.capture('b.jsonl', lines(claude('two', '/y/my-app').user('b')));
    expect(desk.capture('c.jsonl', lines(claude('three', '/z/名前').user('c')))).toContain(`project=p-${sha256('名前').slice(0, 8)} `);
    expect(desk.places()).toEqual(['my-app/one', 'my-app/two', `p-${sha256('名前').slice(0, 8)}/three`]);
    expect([desk.session('my-app/one').manifest.cwd, desk.session('my-app/two').manifest.cwd]).toEqual(['/x/My App', '/y/my-app']);
    for (const [name, slug] of [['con', '_con'], ['.git', '_git'], ['x'.repeat(60), 'x'.repeat(48)], ['--', `p-${sha256('--').slice(0, 8)}`]] as const) {
      expect(desk.handoff(['build', desk.file('d.jsonl', lines(claude(`in-${name}`).user('d'))), `--project=${name}`]).stdout).toContain(`project=${slug} `);
    }
  });
});

describe('an older layout', () => {
  it('is moved into projects/ by the next build, and nothing else is', () => {
    desk.capture('t.jsonl', lines(...talk(2)), '--project', 'shop');
    renameSync(join(desk.root, 'projects', 'shop', 's'), join(desk.root, 's'));
    desk.file('store/INDEX.json', '[]');
    const foreign = { 'notes/readme.md': 'mine', 'half/manifest.json': '{"session":"half"}', 'broken/manifest.json': '{', 'tools/manifest.json': '{"session":"tools","manifest_sha256":"x"}' };
    for (const [name, content] of Object.entries(foreign)) desk.file(`store/${name}`, content);
    rmSync(join(desk.root, 'projects'), { recursive: true });
    expect(desk.handoff(['list']).stderr).toMatch(/^handoff: no handoffs yet in .*; `handoff build <transcript>` moves 1 of an older layout into it\n$/);
    desk.file('store/projects/shop/s/kept', 'mine');
    const build = () => desk.handoff(['build', desk.file('b.jsonl', lines(...talk(2, 'b')))]);
    expect(build()).toMatchObject({ status: 0, stderr: 'handoff: legacy s stays where it is: projects/shop has a folder of its name\n' });
    rmSync(join(desk.root, 'projects/shop'), { recursive: true });
    const result = build();
    expect([result.status, result.stderr]).toEqual([0, 'handoff: migrated legacy s -> projects/shop\n']);
    expect(desk.places()).toEqual(['broken/manifest.json', 'half/manifest.json', 'shop/s', 'w/b', 'tools/manifest.json']);
    for (const [name, content] of Object.entries(foreign)) expect(readFileSync(join(desk.root, name), 'utf8')).toBe(content);
    expect(desk.index().map((row) => row.id)).toEqual(['s', 'b']);
    expect(desk.handoff(['verify', 's']).status).toBe(0);
    expect(desk.build('t.jsonl')).toContain('up-to-date');
  });

  it('stays where its place is taken', () => {
    desk.capture('t.jsonl', lines(...talk(2)));
    mkdirSync(join(desk.root, 's'));
    const text = desk.session().text('manifest.json');
    writeFileSync(join(desk.root, 's', 'manifest.json'), text);
    const result = desk.handoff(['build', 't.jsonl']);
    expect([result.status, result.stdout, existsSync(join(desk.root, 's', 'manifest.json'))]).toEqual([0, expect.stringContaining('up-to-date'), true]);
  });
});
