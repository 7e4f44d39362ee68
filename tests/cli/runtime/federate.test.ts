import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../helpers/desk.ts';
import { verifyStore2 } from '../../helpers/reference-verify.ts';
import { REPOSITORY } from '../../helpers/run.ts';
import { Pair, said, type Store } from '../../helpers/stores.ts';

const ONE = ['please fix the parser', 'done'];
const TWO = [...ONE, 'and the tests', 'they pass'];
const EVIDENCE = 'RESULT: DONE\nEVIDENCE: npm test\n';

let pair: Pair;
let a: Store;
let b: Store;
beforeEach(() => { pair = new Pair(); ({ a, b } = pair); });
afterEach(() => pair.remove());

const passes = (store: Store, ...flags: string[]): void => expect(store.handoff('verify', '--all', ...flags)).toMatchObject({ status: 0, stderr: '' });
const texts = (store: Store, place: string): string[] => store.session(place).turns.map(({ text }) => text);

describe('agents-handoff federated-merge', () => {
  it('imports what is not here, verified and marked, and says so in one document', async () => {
    await b.capture('s', ONE, 'shop');
    b.session('shop/s').author(EVIDENCE);
    const { status, stdout, stderr } = a.runtime('federated-merge', '--from', '../b/store');
    const { manifest } = a.session('shop/s');
    expect(status).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toBe(`${JSON.stringify({
      ok: true, action: 'federated-merge', dry_run: false, roots: ['../b/store'],
      imported: [{ project: 'shop', session: 's', action: 'import', manifest_sha256: manifest.manifest_sha256, verify: 'PASS' }],
      skipped: 0, skipped_sessions: [], failed: [],
    }, null, 2)}\n`);
    expect(manifest).toMatchObject({ federated_from: '../b/store', federated_at: expect.stringMatching(/^\d{4}-.*Z$/), revisions: 1 });
    for (const name of ['timeline.jsonl', 'chain.jsonl', 'TOOLS.md']) expect(a.session('shop/s').bytes(name)).toEqual(b.session('shop/s').bytes(name));
    expect(a.session('shop/s').block.toString()).toBe(EVIDENCE);
    expect(a.session('shop/s').payload['provenance']).toMatchObject({ manifest_sha256: manifest.manifest_sha256 });
    expect(a.session('shop/s').text('HANDOFF.md')).toContain(`- manifest sha256: ${manifest.manifest_sha256}`);
    expect(JSON.parse(fs.readFileSync(path.join(a.root, 'INDEX.json'), 'utf8'))).toMatchObject([{ id: 's', project: 'shop', manifest_sha256: manifest.manifest_sha256 }]);
    expect(fs.readFileSync(path.join(a.root, 'projects/shop/PROJECT.md'), 'utf8')).toContain('- session s (turns=2, rev=1) :: please fix the parser');
    expect(fs.readdirSync(path.join(a.root, '.locks'))).toEqual([]);
    passes(a);
  });

  it('imports nothing twice, from the other or from itself', async () => {
    await a.capture('mine', ONE);
    await b.capture('s', ONE);
    a.take(b);
    const before = a.files();
    expect(a.take(b)).toMatchObject({ status: 0, imported: [], skipped: 1, skipped_sessions: [], failed: [] });
    expect(a.take(a)).toMatchObject({ status: 0, imported: [], skipped: 2, failed: [] });
    expect(a.files()).toEqual(before);
    expect(b.take(a).imported.map(({ session }) => session)).toEqual(['mine']);
    expect(b.take(a)).toMatchObject({ imported: [], skipped: 2 });
  });

  it('takes what goes on from our bytes, and keeps a copy of what stood here', async () => {
    await a.capture('s', ONE);
    pair.copy(a, b);
    fs.copyFileSync(path.join(a.dir, 's.jsonl'), path.join(b.dir, 's.jsonl'));
    await b.capture('s', TWO);
    a.session('w/s').author(EVIDENCE);
    const old = a.session('w/s');
    const [manifest, brief] = [old.text('manifest.json'), old.text('HANDOFF.md')];
    expect(a.take(b)).toMatchObject({ status: 0, imported: [{ project: 'w', session: 's', action: 'update', verify: 'PASS' }] });
    expect(texts(a, 'w/s')).toEqual(TWO);
    expect(a.session('w/s').block.toString()).toBe(EVIDENCE);
    expect(a.session('w/s').text('manifest.json.bak-federated')).toBe(manifest);
    const copy = path.join(a.root, '.backups/w/s', `1-${(JSON.parse(manifest) as { manifest_sha256: string }).manifest_sha256.slice(0, 8)}`);
    expect(fs.readFileSync(path.join(copy, 'HANDOFF.md'), 'utf8')).toBe(brief);
    expect(fs.readFileSync(path.join(copy, 'timeline.jsonl'), 'utf8')).toBe(`${b.session('w/s').text('timeline.jsonl').split('\n').slice(0, 2).join('\n')}\n`);
    passes(a);
    expect(a.take(b)).toMatchObject({ imported: [], skipped: 1 });
  });

  it('takes the block that comes with a session, and leaves ours in the copy', async () => {
    await a.capture('s', ONE);
    pair.copy(a, b);
    a.session('w/s').author('RESULT: OURS\n');
    b.session('w/s').author('RESULT: THEIRS\n');
    await b.capture('s', TWO);
    a.take(b);
    expect(a.session('w/s').block.toString()).toBe('RESULT: THEIRS\n');
    const [copy = ''] = fs.readdirSync(path.join(a.root, '.backups/w/s'));
    expect(fs.readFileSync(path.join(a.root, '.backups/w/s', copy, 'HANDOFF.md'), 'utf8')).toContain('RESULT: OURS');
    passes(a, '--strict');
  });

  it('leaves a session alone that went on here, whatever the other says of itself', async () => {
    await a.capture('s', ONE);
    pair.copy(a, b);
    await a.capture('s', TWO);
    for (const name of ['better', 'best', 'very-best']) b.handoff('retitle', 's', name);
    const before = a.files();
    expect(a.take(b)).toMatchObject({ status: 0, imported: [], skipped: 1, skipped_sessions: [{ session: 's', reason: 'local-is-newer' }], failed: [] });
    expect(a.files()).toEqual(before);
  });

  it('goes by revisions where the turns are the same, without a copy unless the blocks differ', async () => {
    await a.capture('s', ONE);
    pair.copy(a, b);
    b.handoff('retitle', 's', 'parser-work');
    expect(b.take(a)).toMatchObject({ imported: [], skipped_sessions: [{ reason: 'local-wins' }] });
    expect(a.take(b)).toMatchObject({ imported: [{ session: 's', action: 'update' }] });
    expect(a.places()).toEqual(['w/s']);
    expect(a.session('w/s').manifest).toMatchObject({ title: 'parser-work', revisions: 2 });
    expect(fs.existsSync(path.join(a.root, '.backups'))).toBe(false);
    expect([a.take(b), b.take(a)]).toMatchObject([{ imported: [], skipped: 1 }, { imported: [], skipped: 1 }]);

    b.session('w/parser-work').author('RESULT: THEIRS\n');
    a.session('w/s').author('RESULT: OURS\n');
    b.handoff('retitle', 's', 'parser-again');
    a.take(b);
    expect(a.session('w/s').block.toString()).toBe('RESULT: THEIRS\n');
    expect(fs.readdirSync(path.join(a.root, '.backups/w/s'))).toHaveLength(1);
    passes(a, '--strict');
  });

  it('knows a session by its id, in whatever project it lies', async () => {
    await a.capture('s', ONE, 'here');
    pair.copy(a, b);
    b.handoff('rename', 's', 'there');
    fs.copyFileSync(path.join(a.dir, 's.jsonl'), path.join(b.dir, 's.jsonl'));
    await b.capture('s', TWO);
    expect(a.take(b)).toMatchObject({ imported: [{ project: 'here', session: 's', action: 'update' }] });
    expect(a.places()).toEqual(['here/s']);
    expect(a.take(b)).toMatchObject({ imported: [], skipped: 1 });
    passes(a);
    // A build says where it lies, and no longer whose project it came from.
    await a.capture('s', [...TWO, 'three']);
    expect(a.session('here/s').manifest).toMatchObject({ project: 'here' });
    expect(a.session('here/s').text('HANDOFF.md')).toContain('**Project:** here');
    expect(b.take(a)).toMatchObject({ imported: [{ project: 'there', session: 's', action: 'update' }] });
    for (const [one, other] of [[a, b], [b, a]] as const) expect(one.take(other)).toMatchObject({ imported: [], skipped: 1 });
    passes(a);
  });

  it('imports nothing beside a session whose manifest a merge of git made unreadable, and a dry run says so too', async () => {
    await a.capture('s', ONE, 'shop');
    await b.capture('s', ONE, 'other');
    const file = a.session('shop/s').path('manifest.json');
    fs.writeFileSync(file, `<<<<<<< HEAD\n${fs.readFileSync(file, 'utf8')}=======\n{}\n>>>>>>> theirs\n`);
    fs.rmSync(path.join(a.root, 'INDEX.json'), { force: true });
    for (const flags of [['--dry-run'], []]) {
      const { status, stdout } = a.runtime('federated-merge', '--from', '../b/store', ...flags);
      expect(status).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, imported: [], failed: [{ project: 'other', session: 's', code: 'DAMAGED', error: expect.stringContaining('git left a conflict in it') }] });
    }
  });

  it('says in a dry run what it would do, and writes nothing at all', async () => {
    await b.capture('new', ONE);
    await b.capture('s', ONE);
    const tree = (dir: string): string[] => fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => `${name} ${fs.lstatSync(path.join(dir, name)).mtimeMs}`).sort();
    expect(a.take(b, '--dry-run')).toMatchObject({ dry_run: true, imported: [{ session: 'new', action: 'import' }, { session: 's', action: 'import' }] });
    expect(fs.existsSync(a.root)).toBe(false);
    await a.capture('s', [...ONE, 'another way']);
    await b.capture('s', TWO);
    const before = [tree(a.root), tree(b.root)];
    const foreseen = a.take(b, '--dry-run');
    expect([tree(a.root), tree(b.root)]).toEqual(before);
    const done = a.take(b);
    expect(foreseen.imported).toEqual(done.imported.map(({ project, session, action }) => ({ project, session, action })));
    expect(foreseen.imported).toHaveLength(3);
  });
});

describe('a session that went on in both stores', () => {
  const BASE = Array.from({ length: 10 }, (_, i) => `turn ${i + 1}`);
  const A = [...BASE, 'eleven a'];
  const B = [...BASE, 'eleven b'];

  async function apart(): Promise<void> {
    for (const [store, own] of [[a, A], [b, B]] as const) {
      await store.capture('s', BASE);
      await store.capture('s', own);
      fs.mkdirSync(path.join(store.root, '.locks'), { recursive: true });
      fs.writeFileSync(path.join(store.root, '.locks/x.lock'), '');
      fs.writeFileSync(path.join(store.root, '.locks/y.lock.tmp'), 'garbage');
      for (const name of ['x.lock', 'timeline.sync-conflict-1.jsonl', 'timeline.jsonl.tmp']) store.session('w/s').write(name, 'debris');
      fs.mkdirSync(path.join(store.root, 'projects/w/s.sync-conflict'));
    }
  }

  it('stays twice, under the same names in both, and then both rest', async () => {
    await apart();
    const first = a.take(b);
    const second = b.take(a);
    expect([first, second]).toMatchObject([{ status: 0, failed: [] }, { status: 0, failed: [] }]);
    expect(a.places()).toEqual(b.places());
    const [winner = '', loser = ''] = a.places();
    expect([winner, loser]).toEqual(['w/s', expect.stringMatching(/^w\/s~[0-9a-f]{8}$/)]);
    for (const store of [a, b]) {
      expect([texts(store, winner).at(-1), texts(store, loser).at(-1)].sort()).toEqual(['eleven a', 'eleven b']);
      expect(store.session(loser).manifest.session).toBe(loser.slice(2));
      expect(loser.slice(-8)).toBe(sha256(store.session(loser).bytes('timeline.jsonl')).slice(0, 8));
      passes(store);
    }
    for (const name of ['timeline.jsonl', 'chain.jsonl', 'TOOLS.md']) {
      for (const place of [winner, loser]) expect(a.session(place).bytes(name)).toEqual(b.session(place).bytes(name));
    }
    const before = [a.files(), b.files()];
    for (const [to, from] of [[a, b], [b, a], [a, a], [b, b]] as const) expect(to.take(from)).toMatchObject({ status: 0, imported: [], skipped: 2, failed: [] });
    expect([a.files(), b.files()]).toEqual(before);
  });

  it.each(['ours', 'theirs'])('is won by %s where that has more revisions, and the other keeps its revision, date and block', async (who) => {
    await apart();
    (who === 'ours' ? a : b).handoff('retitle', 's', 'winner');
    const [win, lose] = who === 'ours' ? [A, B] : [B, A];
    const losing = (who === 'ours' ? b : a).session('w/s');
    losing.author(EVIDENCE);
    const { revisions, updated_at } = losing.manifest;
    const result = a.take(b);
    expect(result.imported.map(({ action }) => action)).toEqual(who === 'ours' ? ['import'] : ['import', 'update']);
    const beside = a.places().find((place) => place.includes('~')) ?? '';
    const kept = a.places().find((place) => !place.includes('~')) ?? '';
    expect([texts(a, kept), texts(a, beside)]).toEqual([win, lose]);
    expect(a.session(beside).manifest).toMatchObject({ revisions, updated_at });
    expect(a.session(beside).block.toString()).toBe(EVIDENCE);
    passes(a);
    expect(a.take(b)).toMatchObject({ imported: [], failed: [], skipped_sessions: who === 'ours' ? [{ reason: 'kept-beside' }] : [] });
  });

  it('is built on where its own source is, whichever of the two that is', async () => {
    await apart();
    a.take(b);
    b.take(a);
    for (const store of [a, b]) {
      const own = store === a ? A : B;
      const mine = store.places().find((place) => texts(store, place).at(-1) === own.at(-1)) ?? '';
      fs.writeFileSync(path.join(store.dir, 's.jsonl'), said('s', [...own, 'twelve']));
      const built = store.handoff('build', path.join(store.dir, 's.jsonl'), '--session', 's');
      expect(built).toMatchObject({ status: 0, stdout: expect.stringContaining(`built ${mine.slice(2)} project=w turns=12 new=1 rev=3`) });
      expect(store.places()).toHaveLength(2);
      passes(store);
    }
    // Each now goes on from what the other has.
    expect(a.take(b)).toMatchObject({ imported: [{ action: 'update' }], skipped_sessions: [{ reason: 'local-is-newer' }] });
    expect(b.take(a)).toMatchObject({ imported: [{ action: 'update' }], failed: [] });
    expect([a.take(b), b.take(a)]).toMatchObject([{ imported: [] }, { imported: [] }]);
    expect(a.places().map((place) => texts(a, place))).toEqual(b.places().map((place) => texts(b, place)));
  });

  it('gets no further copy each time the other goes on', async () => {
    await apart();
    a.handoff('retitle', 's', 'winner');
    a.handoff('retitle', 's', 'winner-for-long');
    a.take(b);
    await b.capture('s', [...B, 'twelve b']);
    a.take(b);
    expect(a.places()).toHaveLength(2);
    expect(texts(a, a.places().find((place) => place.includes('~')) ?? '')).toEqual([...B, 'twelve b']);
    passes(a);
  });
});

describe('a remote store that is not to be trusted', () => {
  it('is not followed out of its folders, waited for or believed, and what is sound in it is imported all the same', async () => {
    const outside = path.join(pair.dir, 'outside');
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, 'secret'), 'secret');
    await a.capture('mine', ONE);
    const names = ['good', 'link-manifest', 'link-timeline', 'link-brief', 'fifo', 'folder', 'tampered', 'turns', 'tail', 'payload', 'kinds', 'newer', 'no-json', 'huge', 'gone'];
    for (const name of names) await b.capture(name, ONE);
    const of = (name: string): ReturnType<Store['session']> => b.session(`w/${name}`);
    const relink = (name: string, file: string): void => {
      fs.renameSync(of(name).path(file), path.join(outside, `${name}.${file}`));
      fs.symlinkSync(path.join(outside, `${name}.${file}`), of(name).path(file));
    };
    relink('link-manifest', 'manifest.json');
    relink('link-timeline', 'timeline.jsonl');
    relink('link-brief', 'HANDOFF.md');
    fs.rmSync(of('fifo').path('timeline.jsonl'));
    expect(spawnSync('mkfifo', [of('fifo').path('timeline.jsonl')]).status).toBe(0);
    fs.rmSync(of('folder').path('TOOLS.md'));
    fs.mkdirSync(of('folder').path('TOOLS.md'));
    reseal(of('kinds'), (manifest) => { manifest['sources'] = 'none'; });
    reseal(of('newer'), (manifest) => { (manifest['seal'] as { format: number }).format = 99; });
    reseal(of('turns'), (manifest) => { manifest['turn_count'] = 3; });
    of('tampered').write('manifest.json', of('tampered').text('manifest.json').replace('"revisions": 1', '"revisions": 7'));
    fs.appendFileSync(of('tail').path('timeline.jsonl'), '{"seq":9,"ts":"","class":"USER","text":"more"}\n');
    of('payload').write('HANDOFF.llm.json', '{}');
    of('no-json').write('manifest.json', '{"session":');
    fs.truncateSync(of('huge').path('timeline.jsonl'), 2 ** 40);
    fs.rmSync(of('gone').path('timeline.jsonl'));
    fs.symlinkSync(outside, path.join(b.root, 'projects/linked-project'));
    fs.symlinkSync(b.session('w/good').dir, path.join(b.root, 'projects/w/linked-session'));
    fs.symlinkSync('..', path.join(b.root, 'projects/w/up'));

    const before = [listed(outside), listed(b.root), a.session('w/mine').text('manifest.json')];
    for (const flags of [['--dry-run'], []]) {
      const result = a.take(b, ...flags);
      expect(result).toMatchObject({ status: 1, ok: false, imported: [{ session: 'good', action: 'import' }], skipped: 0 });
      expect(result.failed.map(({ session }) => session).sort()).toEqual(names.filter((name) => name !== 'good').sort());
      const why = Object.fromEntries(result.failed.map(({ session = '', error }) => [session, error]));
      for (const name of ['link-manifest', 'link-timeline', 'link-brief', 'fifo', 'folder']) expect(why[name]).toMatch(/not a plain file/);
      expect(why['turns']).toMatch(/turn count drift/);
      expect(why['tampered']).toMatch(/sha mismatch/);
      expect(why['tail']).toMatch(/turn count drift|bytes/);
      expect(why['payload']).toMatch(/payload/);
      expect(why['kinds']).toMatch(/"sources"/);
      expect(why['newer']).toMatch(/newer version/);
      expect(why['no-json']).toMatch(/not JSON/);
      expect(result.stderr.trimEnd().split('\n').every((line) => /^agents-handoff: \S/.test(line))).toBe(true);
      for (const link of ['linked-project', 'w/linked-session', 'w/up']) expect(result.stderr).toContain(`: projects/${link} is a link, which is not followed\n`);
    }
    expect([listed(outside), listed(b.root), a.session('w/mine').text('manifest.json')]).toEqual(before);
    expect(a.places()).toEqual(['w/good', 'w/mine']);
    expect(fs.readdirSync(path.join(a.root, '.locks'))).toEqual([]);
    passes(a);
  });

  it('gives names, and never a way out of its own folder', async () => {
    const odd: Record<string, string> = { dots: '../../../evil', windows: 'con', shouted: 'S', blank: ' x ', other: 'dots' };
    for (const name of Object.keys(odd)) await b.capture(name, [`this is ${name}`, 'yes']);
    for (const [name, id] of Object.entries(odd)) reseal(b.session(`w/${name}`), (manifest) => { manifest['session'] = id; manifest['project'] = '../..'; });
    fs.renameSync(path.join(b.root, 'projects/w'), path.join(b.root, 'projects/Odd Project ☃'));
    fs.renameSync(path.join(b.root, 'projects/Odd Project ☃/blank'), path.join(b.root, 'projects/Odd Project ☃/aux . '));
    const outside = listed(pair.dir).filter((name) => !name.startsWith('a/'));
    const result = a.take(b);
    // A liar can seal what he likes: that is why no name of his is a path.
    expect(result).toMatchObject({ status: 0, failed: [] });
    expect(result.imported.map(({ session }) => session).sort()).toEqual(Object.values(odd).sort());
    expect(listed(pair.dir).filter((name) => !name.startsWith('a/'))).toEqual(outside);
    expect(a.places().every((place) => /^odd-project\/[\w.+~-]+$/.test(place))).toBe(true);
    expect(a.places()).toHaveLength(5);
    passes(a);
  });

  it('may grow while it is read', async () => {
    await b.capture('s', Array.from({ length: 400 }, (_, i) => `turn ${i} ${'x'.repeat(4000)}`));
    const file = b.session('w/s').path('HANDOFF.md');
    const writer = spawnWriter(file);
    try {
      const result = a.take(b);
      expect(result).toMatchObject({ status: 0, imported: [{ session: 's' }] });
      expect(a.session('w/s').bytes('HANDOFF.md').length).toBeLessThan(64 << 20);
      passes(a);
    } finally {
      writer.kill('SIGKILL');
    }
  });

  it('need not be there, and the next one is looked at all the same', async () => {
    await b.capture('s', ONE);
    const empty = path.join(pair.dir, 'empty');
    fs.mkdirSync(empty);
    const linked = path.join(pair.dir, 'linked');
    fs.mkdirSync(linked);
    fs.symlinkSync(path.join(b.root, 'projects'), path.join(linked, 'projects'));
    const file = path.join(pair.dir, 'file');
    fs.writeFileSync(file, '');
    expect(a.take(path.join(b.root, 'projects/w')).failed).toMatchObject([{ error: `${b.root}/projects/w has no folder projects/: it is no store, but ${b.root} is one` }]);
    const result = a.take(path.join(pair.dir, 'nowhere'), '--from', empty, '--from', linked, '--from', file, '--from', b.root);
    expect(result).toMatchObject({ status: 1, ok: false, imported: [{ session: 's' }] });
    expect(result.failed.map(({ root, code }) => [path.basename(root), code])).toEqual([['nowhere', 'SOURCE'], ['empty', 'SOURCE'], ['linked', 'SOURCE'], ['file', 'SOURCE']]);
    expect(result.failed.slice(1).map(({ error }) => error)).toEqual([
      expect.stringMatching(/has no folder projects\/: it is no store$/), expect.stringMatching(/has a link for projects\/, which is not followed; name the store/), expect.stringMatching(/is a file; a store is the folder/),
    ]);
  });
});

describe('stores of 2.0.x, of git, and sessions without a brief', () => {
  it('imports what 2.0.x wrote, which 2.0.x still finds sound, and rests', () => {
    const compat = path.join(pair.dir, 'compat');
    fs.cpSync(path.join(REPOSITORY, 'tests/fixtures/compat-store'), compat, { recursive: true });
    expect(a.take(compat)).toMatchObject({ status: 0, failed: [], skipped: 0, imported: [{ project: 'archive' }, { project: 'docs' }, { project: 'shop' }] });
    expect(verifyStore2(a.root).map(({ line, rebuildable }) => `${line.slice(0, 4)} ${rebuildable}`)).toEqual(['PASS true', 'PASS true', 'PASS true']);
    expect(a.session('docs/prices').text('timeline.jsonl')).toBe(fs.readFileSync(path.join(compat, 'projects/docs/prices/timeline.jsonl'), 'utf8'));
    passes(a);
    expect(a.take(compat)).toMatchObject({ imported: [], skipped: 3 });
    expect(a.runtime('index')).toMatchObject({ status: 0 });
  });

  it('takes a merged session that has no brief yet, and its brief once there is one', async () => {
    await b.capture('one', ONE);
    await b.capture('two', TWO);
    expect(b.runtime('merge', 'one', 'two').status).toBe(0);
    expect(a.take(b).imported).toMatchObject([{ session: 'one', verify: 'PASS' }, { session: 'one+merge+two', verify: 'no brief yet' }, { session: 'two' }]);
    b.runtime('merge', 'one', 'two', '--render');
    a.take(b);
    b.take(a);
    expect([a.take(b), b.take(a)]).toMatchObject([{ imported: [], skipped: 3 }, { imported: [], skipped: 3 }]);
    passes(b);
  });

  it('two clones of a store in git that both went on are healed by index', async () => {
    const git = (cwd: string, ...argv: string[]): ReturnType<typeof spawnSync> => spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=main', ...argv], { cwd, encoding: 'utf8' });
    await a.capture('shared', ONE);
    expect(a.handoff('config', '--init-git').status).toBe(0);
    git(a.root, 'init', '-q');
    git(a.root, 'add', '-A');
    git(a.root, 'commit', '-qm', 'first');
    expect(git(pair.dir, 'clone', '-q', a.root, b.root).status).toBe(0);
    for (const [store, name] of [[a, 'from-a'], [b, 'from-b']] as const) {
      await store.capture(name, ONE);
      git(store.root, 'add', '-A');
      git(store.root, 'commit', '-qm', name);
    }
    git(a.root, 'pull', '-q', '--no-rebase', b.root);
    expect(fs.readFileSync(path.join(a.root, 'INDEX.json'), 'utf8')).toContain('<<<<<<<');
    // Even before it is healed, what lies here is not imported a second time.
    expect(a.take(b, '--dry-run')).toMatchObject({ imported: [], skipped: 2 });
    expect(a.runtime('index')).toMatchObject({ status: 0, stdout: expect.stringContaining('"sessions":3') });
    expect(fs.readFileSync(path.join(a.root, 'projects/w/PROJECT.md'), 'utf8').match(/^- session .*$|^[<=>]{7}/gm)).toHaveLength(3);
    passes(a);
  });
});

describe('how federated-merge ends', () => {
  it('is 2 without --from, and 0 with --help', () => {
    expect(a.runtime('federated-merge')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('--from') });
    expect(a.runtime('federated-merge', '--help').status).toBe(0);
  });

  it('is 3 where another federation is at work, and 1 where a session is held', async () => {
    await b.capture('s', ONE);
    const lock = (key: string): string => path.join(a.root, '.locks', `${sha256(key).slice(0, 24)}.lock`);
    fs.mkdirSync(path.join(a.root, '.locks'), { recursive: true });
    fs.writeFileSync(lock('federated-merge'), String(process.pid));
    expect(a.runtime('federated-merge', '--from', b.root)).toMatchObject({ status: 3, stderr: expect.stringContaining(`process ${process.pid}`) });
    fs.renameSync(lock('federated-merge'), lock('session:s'));
    expect(a.take(b)).toMatchObject({ status: 1, imported: [], failed: [{ session: 's', code: 'HELD' }] });
    fs.rmSync(lock('session:s'));
    expect(a.take(b)).toMatchObject({ status: 0, imported: [{ session: 's' }] });
  });

  it('is 1 where a session here is damaged, which stays as it is', async () => {
    await a.capture('s', ONE);
    pair.copy(a, b);
    fs.copyFileSync(path.join(a.dir, 's.jsonl'), path.join(b.dir, 's.jsonl'));
    await b.capture('s', TWO);
    a.session('w/s').write('manifest.json', a.session('w/s').text('manifest.json').replace('"revisions": 1', '"revisions": 2'));
    const before = a.files();
    expect(a.take(b)).toMatchObject({ status: 1, imported: [], failed: [{ session: 's', code: 'DAMAGED' }] });
    expect(a.files()).toEqual(before);
  });
});

/** Changes a manifest and gives it the hash that fits, as a liar would. */
function reseal(session: ReturnType<Store['session']>, change: (manifest: Record<string, unknown>) => void): void {
  const manifest = JSON.parse(session.text('manifest.json')) as Record<string, unknown>;
  const old = String(manifest['manifest_sha256']);
  change(manifest);
  delete manifest['manifest_sha256'];
  const hash = sha256(JSON.stringify(manifest));
  session.write('manifest.json', JSON.stringify({ ...manifest, manifest_sha256: hash }, null, 2));
  for (const name of ['HANDOFF.llm.json', 'HANDOFF.summary.json']) session.write(name, session.text(name).replace(old, hash));
}

function listed(dir: string): string[] {
  return fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
}

/** A process that appends to a file for as long as it lives. */
function spawnWriter(file: string): { kill(signal: NodeJS.Signals): unknown } {
  const code = `const fs = require('fs'); const fd = fs.openSync(${JSON.stringify(file)}, 'a'); const end = Date.now() + 20000; setInterval(() => { if (Date.now() > end) process.exit(); fs.writeSync(fd, 'more\\n'.repeat(100)); }, 1);`;
  return spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
}
