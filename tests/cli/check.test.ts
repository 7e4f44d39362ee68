/** `handoff check`: what has moved since a session, told from its folder, git and transcript, without following what a transcript names. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk } from '../helpers/desk.ts';
import { claude, lines, type TranscriptRecord } from '../helpers/transcripts.ts';

let desk: Desk;
let here: string;
/** A second after the records' last time, so that the store is captured later than the session ended. */
const THEN = Date.UTC(2026, 0, 1) / 1000;

beforeEach(() => {
  desk = new Desk();
  here = join(desk.dir, 'shop');
  mkdirSync(here);
});
afterEach(() => desk.remove());

function work(name: string, content = 'x', time = THEN): string {
  const file = desk.file(join('shop', name), content);
  utimesSync(file, time, time);
  return file;
}

function git(...argv: string[]): void {
  const env = { PATH: process.env['PATH'], HOME: desk.home, GIT_COMMITTER_DATE: `${THEN - 100} +0000`, GIT_AUTHOR_DATE: `${THEN - 100} +0000` };
  const result = spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...argv], { cwd: here, encoding: 'utf8', env });
  if (result.status !== 0) throw new Error(`git ${argv.join(' ')}: ${result.stderr}`);
}

function repository(): void {
  git('init', '-q', '-b', 'main');
  work('old.ts');
  git('add', '.');
  git('commit', '-qm', 'first');
}

/** A session that edits these files, in a folder and on a branch. */
function capture(files: readonly string[], more: TranscriptRecord = { gitBranch: 'main' }, cwd = here): void {
  const writer = claude('s', cwd);
  const records = [
    writer.user('change them', more),
    ...files.flatMap((file, at) => [writer.call(`t${at}`, 'Edit', { file_path: file, old_string: 'a', new_string: 'b' }), writer.result(`t${at}`, 'The file has been updated')]),
    writer.agent('done'),
  ];
  desk.capture('s.jsonl', lines(...records), '--project', 'w');
  utimesSync(join(desk.dir, 's.jsonl'), THEN, THEN);
}

interface Checked { fresh: boolean; since: string; moved: { what: string; text: string; path?: string }[]; notes: string[] }

function check(): { status: number | null; said: Checked; moved: string[] } {
  const result = desk.handoff(['check', 's', '--json']);
  const said = JSON.parse(result.stdout) as Checked;
  return { status: result.status, said, moved: said.moved.map(({ what, text }) => `${what}: ${text}`) };
}

describe('handoff check', () => {
  it('is fresh where nothing has moved, and writes nothing', () => {
    repository();
    work('a.ts');
    capture([join(here, 'a.ts'), 'old.ts']);
    const before = [desk.snapshot(), desk.snapshot(here)];
    expect(check()).toMatchObject({ status: 0, said: { fresh: true, since: '2026-01-01T00:00:06.000Z', moved: [], notes: [] } });
    expect([desk.snapshot(), desk.snapshot(here)]).toEqual(before);
    const text = desk.handoff(['check', 's']);
    expect(text).toMatchObject({ status: 0, stdout: 'handoff: fresh s [w] since 2026-01-01T00:00:06.000Z\n' });
  });

  it('names files that were written later, are gone or came back', () => {
    for (const name of ['a.ts', 'gone.ts', 'back.ts']) work(name);
    const writer = claude('s', here);
    desk.capture('s.jsonl', lines(
      writer.user('change them'), writer.call('1', 'Edit', { file_path: join(here, 'a.ts') }), writer.result('1', 'ok'), writer.call('2', 'Edit', { file_path: 'gone.ts' }), writer.result('2', 'ok'),
      writer.call('3', 'apply_patch', { input: '*** Begin Patch\n*** Delete File: back.ts\n*** End Patch' }), writer.result('3', 'ok'), writer.agent('done'),
    ), '--project', 'w');
    work('a.ts', 'y', THEN + 60);
    rmSync(join(here, 'gone.ts'));
    const { status, moved } = check();
    expect(status).toBe(1);
    expect(moved).toEqual(['file: a.ts was written after the session', 'file: gone.ts is gone', 'file: back.ts is there again: the session had deleted it']);
    expect(desk.handoff(['check', 's']).stdout).toMatch(/^handoff: stale s \[w\] since .*: 3 moved\n {2}file: a\.ts was written after the session\n/);
  });

  it('says so where git does not tell what is uncommitted', () => {
    repository();
    work('a.ts');
    capture(['old.ts']);
    writeFileSync(join(here, '.git/index'), 'no index');
    expect(check()).toMatchObject({ said: { notes: ['git does not tell what is uncommitted'] } });
  });

  it('names another branch, and later commits', () => {
    repository();
    capture(['old.ts']);
    git('checkout', '-q', '-b', 'fix');
    expect(check().moved).toEqual(['branch: the branch was main, and is fix']);
    git('checkout', '-q', 'main');
    spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-q', '--allow-empty', '-m', 'later'], { cwd: here, env: { PATH: process.env['PATH'], HOME: desk.home } });
    expect(check().moved).toEqual([expect.stringMatching(/^commit: 1 commit since, now at [0-9a-f]{12}$/) as string]);
  });

  it('compares with the recorded commit where there is one', () => {
    repository();
    const head = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: here, encoding: 'utf8' }).stdout.trim();
    const record = (commit_hash: string): string => lines(
      { timestamp: '2026-01-01T00:00:00.000Z', type: 'session_meta', payload: { id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: here, originator: 'codex_cli_rs', cli_version: '0.130.0', git: { branch: 'main', commit_hash } } },
      { timestamp: '2026-01-01T00:00:01.000Z', type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'change them' }] } },
    );
    desk.capture('s.jsonl', record(head), '--project', 'w');
    expect(check()).toMatchObject({ status: 0 });
    git('commit', '-q', '--allow-empty', '-m', 'later');
    expect(check().moved).toEqual([expect.stringMatching(`^commit: 1 commit since ${head.slice(0, 12)}, now at `) as string]);
    rmSync(desk.root, { recursive: true });
    desk.capture('s.jsonl', record('0123456789abcdef0123456789abcdef01234567'), '--project', 'w');
    expect(check().moved).toEqual(['commit: the session\'s commit 0123456789ab is not in this repository']);
  });

  it('tells uncommitted work that is newer from what the session left', () => {
    repository();
    work('a.ts');
    work('other.ts');
    capture(['a.ts']);
    expect(check()).toMatchObject({ status: 0, said: { notes: ['1 other uncommitted path, all older than the session\'s end'] } });
    git('mv', 'old.ts', 'moved.ts');
    work('other.ts', 'y', THEN + 60);
    const { status, moved } = check();
    expect(status).toBe(1);
    // What git renamed keeps its time.
    expect(moved).toEqual(['tree: 1 uncommitted path that the session did not leave so: other.ts']);
  });

  it('takes neither its store nor the transcript for work', () => {
    repository();
    const writer = claude('s', here);
    const file = work('logs/s.jsonl', lines(writer.user('change them', { gitBranch: 'main' }), writer.agent('done')), Date.now() / 1000);
    const env = { HANDOFFS_ROOT: join(here, '.context/handoffs') };
    expect(desk.handoff(['build', file], { env }).status).toBe(0);
    const result = desk.handoff(['check', 's', '--json'], { env });
    expect(JSON.parse(result.stdout)).toMatchObject({ fresh: true, moved: [] });
  });

  it('names a transcript that has grown, holds other bytes or is gone', () => {
    capture([], {});
    const file = join(desk.dir, 's.jsonl');
    const bytes = readFileSync(file);
    utimesSync(file, Date.now() / 1000 + 60, Date.now() / 1000 + 60);
    expect(check()).toMatchObject({ status: 0 });
    writeFileSync(file, bytes.toString('latin1').replace('done', 'DONE'), 'latin1');
    utimesSync(file, Date.now() / 1000 + 60, Date.now() / 1000 + 60);
    expect(check().moved).toEqual(['source: the transcript s.jsonl was written since it was captured']);
    appendFileSync(file, '{}\n');
    expect(check().moved).toEqual(['source: the transcript s.jsonl has grown by 3 bytes']);
    renameSync(file, `${file}.old`);
    expect(check().moved).toEqual(['source: the transcript s.jsonl is not there any more']);
  });

  it('says that the folder is not here', () => {
    capture(['a.ts'], {}, join(desk.dir, 'nowhere'));
    expect(check().moved).toEqual([`folder: the session's folder is not here: ${join(desk.dir, 'nowhere')}`]);
    rmSync(desk.root, { recursive: true });
    desk.capture('s.jsonl', '{"role":"user","text":"Fix the parser","session":"s"}\n');
    expect(check()).toMatchObject({ status: 0, said: { notes: ['the record names no folder: files and git were not compared'] } });
  });

  it('looks at no path outside the session\'s folder, by name or through a link', () => {
    const outside = desk.file('outside/secret.ts', 'x');
    symlinkSync(join(desk.dir, 'outside'), join(here, 'link'));
    symlinkSync(outside, join(here, 'file-link'));
    const now = Date.now() / 1000 + 60;
    utimesSync(outside, now, now);
    capture([outside, '../outside/secret.ts', 'link/secret.ts', 'link/missing/x.ts', '/etc/passwd', '..', here], {});
    const { status, said } = check();
    expect([status, said.moved]).toEqual([0, []]);
    // Two names of one file are one.
    expect(said.notes[0]).toBe('6 changed files lie outside the session\'s folder and were not looked at');
  });

  it('runs nothing that the repository configures, and shows no secret of a branch\'s name', () => {
    repository();
    capture(['old.ts']);
    const mark = join(desk.dir, 'ran');
    // A status cleans a file whose entry differs from the index, by the program that the repository names for it.
    desk.file('shop/.git/info/attributes', '* filter=x=y\n');
    for (const key of ['core.fsmonitor', 'core.pager', 'core.sshCommand', 'core.editor', 'diff.external', 'filter.x=y.clean', 'filter.x=y.process']) git('config', key, `touch ${mark}`);
    work('old.ts', 'y');
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    git('symbolic-ref', 'HEAD', `refs/heads/fix/${secret}`);
    const result = desk.handoff(['check', 's']);
    expect(result.status).toBe(1);
    expect(result.stdout).toContain('branch: the branch was main, and is fix/');
    expect(result.stdout + result.stderr).not.toContain(secret);
    expect(desk.snapshot(desk.dir)['ran']).toBeUndefined();
  });
});
