/** A folder of the store that this user may not look into, as a command that ran as somebody else leaves one: the rest goes on. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Desk } from '../../helpers/desk.ts';
import { REPOSITORY } from '../../helpers/run.ts';
import { lines, talk } from '../../helpers/transcripts.ts';

const isPosix = process.platform !== 'win32';
// Root may look anywhere, so it hands the desk to somebody else.
const isRoot = process.getuid?.() === 0;
const OTHER = { uid: 65534, gid: 65534 };

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
  desk.capture('a.jsonl', lines(...talk(2, 'a')));
  desk.capture('z.jsonl', lines(...talk(2, 'z')), '--project', 'zed');
  if (isRoot) for (const name of ['.', ...readdirSync(desk.dir, { recursive: true, encoding: 'utf8' })]) chownSync(join(desk.dir, name), OTHER.uid, OTHER.gid);
});
afterEach(() => desk.remove());

function handoff(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(REPOSITORY, 'tools/handoff.mjs'), ...words], {
    cwd: desk.dir, encoding: 'utf8', env: { PATH: process.env['PATH'], HANDOFFS_ROOT: desk.root, HOME: '/nonexistent', NO_COLOR: '1' }, ...(isRoot ? OTHER : {}),
  });
}
const place = (name: string): string => join(desk.root, 'projects', name);

/** Runs `work` while nobody may look into `path`. */
function shut(path: string, work: () => void): void {
  const { mode } = lstatSync(path);
  chmodSync(path, 0);
  try {
    work();
  } finally {
    chmodSync(path, mode);
  }
}

it.skipIf(!isPosix).each(['zed', 'zed/z', 'zed/z/manifest.json'])('%s: others are listed, checked and built, and it is named', (name) => {
  shut(place(name), () => {
    const all = handoff('verify', '--all');
    expect(all).toMatchObject({ status: 1, stdout: expect.stringMatching(/^PASS a .*\nFAIL z: cannot be read \(EACCES.*\nhandoff: 2 checked, 1 failed\n$/) });
    expect(handoff('build', 'a.jsonl', '--session', 'b')).toMatchObject({ status: 0, stderr: '' });
    unlinkSync(join(desk.root, 'INDEX.json'));
    const list = handoff('list');
    expect([list.status, list.stdout.trimEnd().split('\n').length]).toEqual([0, 2]);
    expect(list.stderr).toMatch(/^handoff: left out: EACCES: permission denied, .*zed.*\n$/);
    expect(handoff('verify', '--all')).toMatchObject({ status: 1, stdout: expect.stringMatching(/\nFAIL (z|zed): cannot be read \(EACCES.*\nhandoff: 3 checked, 1 failed\n$/) });
    expect(handoff('verify', 'zed/z').status).toBe(1);
    expect(handoff('build', 'a.jsonl', '--session', 'c')).toMatchObject({ status: 0, stderr: '' });
    // It would hide what it has no row of.
    expect(existsSync(join(desk.root, 'INDEX.json'))).toBe(false);
  });
  expect(handoff('build', 'a.jsonl', '--session', 'd').status).toBe(0);
  expect(desk.index().map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'z']);
});

it.skipIf(!isPosix)('no session is moved into it, and the one that was to be stays as it was', () => {
  const before = desk.contents();
  shut(place('zed'), () => {
    expect(handoff('rename', 'a', 'zed')).toMatchObject({ status: 1, stderr: expect.stringMatching(/^handoff: EACCES: permission denied, .*zed'\n$/) });
  });
  expect(desk.contents()).toEqual(before);
});
