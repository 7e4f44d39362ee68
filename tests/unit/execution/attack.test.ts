/**
 * Targets that try to get bytes from outside the policy. Each is read at R0, at which most is allowed; whatever the
 * answer, its hash must be that of a file inside.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operate, type Operated } from '../../../src/execution/operate.mts';
import type { Setting } from '../../../src/execution/setting.mts';
import { sha256 } from '../../helpers/desk.ts';
import { Ground, onLinux, removeProduct } from '../../helpers/engine.ts';

const ground = new Ground();
const { dir, repo, home, outside } = ground;
const INSIDE = ['inside a', 'inside b', 'a system file'];
let setting: Setting;

beforeAll(() => {
  ground.file('repo/src/a.txt', 'inside a');
  ground.file('repo/src/deep/b.txt', 'inside b');
  ground.file('outside/secret.txt', 'outside secret');
  ground.file('outside/deep/secret.txt', 'outside deep secret');
  ground.file('src/a.txt', 'outside, beside the repository');
  ground.file('repo-evil/secret.txt', 'outside, a name that begins like the repository');
  ground.file('home/notes.txt', 'personal notes');
  ground.file('home/.ssh/id', 'a key');
  ground.file('home/repo.txt', 'personal too');
  ground.file('system/conf.txt', 'a system file');
  ground.file('system/private/key', 'a denied system file');
  const link = (to: string, name: string): void => fs.symlinkSync(to, join(repo, name));
  link('../outside', 'out');
  link(outside, 'out-absolute');
  link('../outside/secret.txt', 'secret-link.txt');
  link('out', 'chain-2');
  link('chain-2', 'chain-1');
  link('src', 'inner');
  link('loop-b', 'loop-a');
  link('loop-a', 'loop-b');
  link('self/x', 'self');
  link('..', 'up');
  link('../outside/not-yet.txt', 'dangling');
  link(join(home, '.ssh'), 'keys');
  link(home, 'home');
  link(`${dir}/system/private`, 'private');
  link('/', 'root');
  link('src/../../outside', 'crooked');
  link(`${outside}/./deep/..`, 'crooked-absolute');
  if (onLinux) {
    link('/proc/self/root', 'proc-root');
    link('/proc/self/cwd', 'proc-cwd');
    link('/dev/zero', 'zero');
    link('/dev/stdin', 'stdin');
  }
  fs.symlinkSync(join(outside, 'secret.txt'), join(repo, 'src/deep/link'));
  fs.linkSync(join(outside, 'secret.txt'), join(repo, 'hard.txt'));
  fs.linkSync(join(home, '.ssh/id'), join(repo, 'src/hard-key'));
  ground.file('repo/src/twice.txt', 'inside a');
  fs.linkSync(join(repo, 'src/twice.txt'), join(repo, 'src/twice-again.txt'));
  fs.mkdirSync(join(repo, 'node_modules'));
  fs.linkSync(join(outside, 'deep/secret.txt'), join(repo, 'node_modules/hard.txt'));
  fs.mkdirSync(join(repo, '.agents-handoff'));
  fs.symlinkSync(outside, join(repo, '.agents-handoff/out'));
  if (onLinux) execFileSync('mkfifo', [join(repo, 'pipe')]);
  const policy = ground.policy({ system_read_only_roots: [join(dir, 'system')], denied_roots: ['~/.ssh', join(dir, 'system/private'), '/proc'] });
  setting = ground.setting(policy);
});
afterAll(() => {
  ground.remove();
  removeProduct();
});

const read = (target: string, risk = 'R0'): Promise<Operated> => operate(setting, { op: 'read', risk, target }, ground.io());

/** `refused`: by the policy or at the open; `failed`: allowed and nothing to read there; or the text that was read. */
function answerOf({ outcome, facts, executed }: Operated): string {
  expect(executed).toBe(outcome === 'done');
  return outcome === 'done' ? INSIDE.find((text) => sha256(text) === facts['content_sha256']) ?? 'BYTES FROM OUTSIDE' : outcome;
}

const NUL = '\0';
const attacks: [string, string][] = [
  // Traversal.
  ['../outside/secret.txt', 'refused'], ['src/../../outside/secret.txt', 'refused'], ['src/deep/../../../outside/secret.txt', 'refused'], ['./././../outside/secret.txt', 'refused'],
  ['../repo-evil/secret.txt', 'refused'], ['../../../../../../../../../../etc/hostname', 'refused'], [`${repo}/../outside/secret.txt`, 'refused'], [`${repo}-evil/secret.txt`, 'refused'],
  ['not-there/../../outside/secret.txt', 'refused'], ['src/a.txt/../../../outside/secret.txt', 'refused'], ['..', 'refused'], ['../', 'refused'], [`${dir}/repo/./../outside/./secret.txt`, 'refused'],
  // `out/..` is the parent of the folder outside, not of the repository.
  ['out/../src/a.txt', 'refused'], ['out/../outside/secret.txt', 'refused'], ['inner/../../outside/secret.txt', 'refused'],
  // Absolute and home.
  [join(outside, 'secret.txt'), 'refused'], [join(home, 'notes.txt'), 'refused'], [join(home, '.ssh/id'), 'refused'], [join(home, '.ssh'), 'refused'], ['../home/.ssh/id', 'refused'], ['../home/notes.txt', 'refused'],
  ['/etc/passwd', 'refused'], ['/', 'refused'], [`//${outside}/secret.txt`, 'refused'], [join(dir, 'system/private/key'), 'refused'], [join(dir, 'system/../outside/secret.txt'), 'refused'],
  // Links.
  ['out/secret.txt', 'refused'], ['out/deep/secret.txt', 'refused'], ['out-absolute/secret.txt', 'refused'], ['secret-link.txt', 'refused'], ['chain-1/secret.txt', 'refused'], ['chain-2/secret.txt', 'refused'],
  ['loop-a', 'refused'], ['loop-a/x', 'refused'], ['self', 'refused'], ['up/outside/secret.txt', 'refused'], ['up/up/x', 'refused'], ['dangling', 'refused'], ['keys/id', 'refused'], ['home/notes.txt', 'refused'],
  ['private/key', 'refused'], ['crooked/secret.txt', 'refused'], ['crooked-absolute/secret.txt', 'refused'], ['src/deep/link', 'refused'], ['.agents-handoff/out/secret.txt', 'refused'],
  [`root${outside}/secret.txt`, 'refused'], ['inner/deep/link', 'refused'], ['out/', 'refused'], ['out/.', 'refused'],
  // Hard links: no path shows them, but their number does.
  ['hard.txt', 'refused'], ['src/hard-key', 'refused'], ['inner/hard-key', 'refused'], ['node_modules/hard.txt', 'refused'], ['src/twice.txt', 'refused'], ['src/twice-again.txt', 'refused'],
  // Odd names.
  [`src/a.txt${NUL}`, 'refused'], [`${NUL}`, 'refused'], [`src/a.txt${NUL}/../../../outside/secret.txt`, 'refused'], ['', 'refused'],
  ['src/a.txt.', 'failed'], ['src/a.txt ', 'failed'], ['SRC/A.TXT', 'failed'], ['src\\a.txt', 'failed'], ['..\\outside\\secret.txt', 'failed'], ['~/notes.txt', 'failed'], ['~/.ssh/id', 'failed'], ['$HOME/notes.txt', 'failed'],
  ['%HOME%/notes.txt', 'failed'], ['..%2foutside%2fsecret.txt', 'failed'], ['....//outside/secret.txt', 'failed'], [`file://${outside}/secret.txt`, 'failed'], ['src/a.txt\n../outside/secret.txt', 'failed'],
  ['\\\\server\\share\\secret.txt', 'failed'], ['C:\\outside\\secret.txt', 'failed'], ['．．/outside/secret.txt', 'failed'], ['-', 'failed'], ['--policy', 'failed'],
  ['a'.repeat(300), 'refused'], [`${'a/'.repeat(3000)}x`, 'refused'],
  // What is no file.
  ['src', 'failed'], ['.', 'failed'], ['src/', 'failed'], ['.git', 'failed'], ['src/a.txt/x', 'failed'], ['not-there.txt', 'failed'],
];
const onlyOnLinux: [string, string][] = [
  [`/proc/self/root${outside}/secret.txt`, 'refused'], ['/proc/self/cwd/../outside/secret.txt', 'refused'], ['/proc/self/environ', 'refused'], ['/proc/1/environ', 'refused'], ['/proc/self/fd/0', 'refused'], ['/proc/self/mem', 'refused'],
  [`proc-root${outside}/secret.txt`, 'refused'], ['proc-cwd/../outside/secret.txt', 'refused'], [`/proc/thread-self/root${outside}/secret.txt`, 'refused'],
  ['/dev/stdin', 'refused'], ['/dev/fd/0', 'refused'], ['/dev/zero', 'refused'], ['/dev/null', 'refused'], ['zero', 'refused'], ['stdin', 'refused'], ['pipe', 'failed'],
];
const honest: [string, string][] = [
  ['src/a.txt', 'inside a'], ['./src//a.txt', 'inside a'], ['src/deep/../a.txt', 'inside a'], ['inner/a.txt', 'inside a'], ['inner/deep/b.txt', 'inside b'], [join(repo, 'src/a.txt'), 'inside a'], ['up/repo/src/a.txt', 'inside a'],
  [`root${repo}/src/a.txt`, 'inside a'], ['src/a.txt/', 'inside a'], [join(dir, 'system/conf.txt'), 'a system file'],
];

describe('a read of a hostile target gives no bytes from outside the policy', () => {
  it.each(attacks)('%j: %s', async (target, expected) => {
    expect(answerOf(await read(target))).toBe(expected);
  });

  it.skipIf(!onLinux).each(onlyOnLinux)('%j: %s (Linux)', async (target, expected) => {
    expect(answerOf(await read(target))).toBe(expected);
  });

  it.each(honest)('and %j gives what is inside: %s', async (target, expected) => {
    expect(answerOf(await read(target))).toBe(expected);
  });

  it('and every one of them left a record that says the same', async () => {
    const records = ground.records();
    expect(attacks.length).toBeGreaterThanOrEqual(60);
    expect(records.length).toBeGreaterThanOrEqual(attacks.length + honest.length);
    for (const { outcome, executed, verdict, enforced_before_execution, policy, content_sha256 } of records) {
      expect([executed, content_sha256 !== undefined]).toEqual([outcome === 'done', outcome === 'done']);
      if (outcome === 'done') expect(verdict).toBe('ALLOWED');
      expect([enforced_before_execution, policy]).toEqual([true, setting.source]);
    }
  });
});

describe('what changed between the decision and the open', () => {
  /** Judges `target`, lets `change` happen, and then reads: what a slow reader and a fast attacker come to. */
  async function afterwards(target: string, change: () => void): Promise<Operated> {
    return operate(setting, { op: 'read', risk: 'R0', target }, ground.io(), { beforeAct: change });
  }
  const swapped = join(repo, 'swap');

  it.each([
    ['a link in the place of the file', () => fs.symlinkSync(join(outside, 'secret.txt'), join(swapped, 'f')), /a link has taken its place/],
    ['a hard link in the place of the file', () => fs.linkSync(join(outside, 'secret.txt'), join(swapped, 'f')), /another file has taken its place/],
    ['another file in its place', () => fs.writeFileSync(join(swapped, 'f'), 'another'), /another file has taken its place/],
  ] as const)('%s is refused, and the record says why', async (_, change, why) => {
    fs.rmSync(swapped, { recursive: true, force: true });
    ground.file('repo/swap/f', 'inside a');
    // Kept open, so that the number of its inode is not given to the next file.
    const kept = fs.openSync(join(swapped, 'f'), 'r');
    const result = await afterwards('swap/f', () => {
      fs.unlinkSync(join(swapped, 'f'));
      change();
    });
    fs.closeSync(kept);
    expect(result).toMatchObject({ outcome: 'refused', executed: false, decision: { verdict: 'DENIED' } });
    expect(ground.record(result.record.place)).toMatchObject({ verdict: 'ALLOWED', outcome: 'refused', executed: false, reason: expect.stringMatching(why) });
  });

  it('a folder on the way that became a link is refused, also where the very same file lies behind it', async () => {
    fs.rmSync(swapped, { recursive: true, force: true });
    ground.file('repo/swap/f', 'inside a');
    const result = await afterwards('swap/f', () => {
      fs.renameSync(swapped, join(outside, 'moved'));
      fs.symlinkSync(join(outside, 'moved'), swapped);
    });
    expect(result).toMatchObject({ outcome: 'refused', facts: { reason: expect.stringMatching(/outside\/moved.* since it was judged$/) } });
    fs.rmSync(join(outside, 'moved'), { recursive: true });
  });

  it('a file that was not there when it was judged is refused', async () => {
    const result = await afterwards('late.txt', () => fs.writeFileSync(join(repo, 'late.txt'), 'x'));
    expect(result).toMatchObject({ outcome: 'refused', facts: { reason: 'nothing was there when it was judged' } });
  });

  it('a file that is gone, or a pipe in its place, is an error that keeps nobody waiting', async () => {
    ground.file('repo/gone.txt');
    expect(await afterwards('gone.txt', () => fs.unlinkSync(join(repo, 'gone.txt')))).toMatchObject({ outcome: 'failed', facts: { error: expect.stringMatching(/ENOENT/) } });
    if (!onLinux) return;
    ground.file('repo/soon-a-pipe');
    expect(await afterwards('soon-a-pipe', () => {
      fs.unlinkSync(join(repo, 'soon-a-pipe'));
      execFileSync('mkfifo', [join(repo, 'soon-a-pipe')]);
    })).toMatchObject({ outcome: 'failed', facts: { error: expect.stringMatching(/is a pipe/) } });
  });
});
