import { describe, expect, it } from 'vitest';
import { classify, type Ground } from '../../../src/execution/classify.mts';
import { platformOf } from '../../../src/execution/platform.mts';
import { parsePolicy } from '../../../src/execution/policy-shape.mts';
import { resolveRoots } from '../../../src/execution/roots.mts';
import { shippedPolicy } from '../../helpers/engine.ts';
import { fakeDisk } from './fake-disk.ts';

type Files = Parameters<typeof fakeDisk>[1];
interface Machine { system: string; repo: string; homes: string[]; env?: Record<string, string>; state?: string; files: Files; policy?: Record<string, unknown> }

/** The shipped policy on a machine of another kind. */
function ground({ system, repo, homes, env = {}, state, files, policy = {} }: Machine): Ground {
  const platform = platformOf(system);
  const disk = fakeDisk(platform, { [repo]: 'folder', ...files });
  const roots = resolveRoots(parsePolicy('p', JSON.stringify({ ...shippedPolicy(), ...policy })), state ?? platform.path.join(repo, '.agents-handoff'), { platform, env, homes, repo }, disk);
  return { repo, roots, disk, platform };
}

const classOf = (on: Ground, target: string): string => {
  const { classification, trouble } = classify(target, on);
  return trouble === undefined ? classification : `refused: ${trouble}`;
};

const WINDOWS: Machine = {
  system: 'win32', repo: 'C:\\Users\\Ute\\work\\repo', homes: ['C:\\Users\\Ute'],
  env: { SystemRoot: 'C:\\Windows', ProgramFiles: 'C:\\Program Files', PUBLIC: 'C:\\Users\\Public', APPDATA: 'C:\\Users\\Ute\\AppData\\Roaming' },
  files: {
    'C:\\Users\\Ute\\work\\repo\\src\\a.txt': 'file',
    'C:\\Users\\Ute\\work\\repo\\door': { link: 'C:\\Users\\Ute\\Documents' },
    'C:\\Users\\Ute\\work\\repo\\inner': { link: 'src' },
    'C:\\Users\\Ute\\.ssh\\id_rsa': 'file', 'C:\\Users\\Ute\\Documents\\tax.txt': 'file', 'C:\\Windows\\win.ini': 'file', 'C:\\Windows\\System32\\config\\SAM': 'file',
    'C:\\Program Files\\node\\node.exe': 'file', 'C:\\Users\\Max\\x.txt': 'file', 'D:\\data\\x': 'file',
  },
};

describe('on Windows', () => {
  const on = ground(WINDOWS);
  it.each([
    ['src\\a.txt', 'APPROVED_WORKSPACE'],
    ['SRC/A.TXT', 'APPROVED_WORKSPACE'],
    ['src\\a.txt. .', 'APPROVED_WORKSPACE'],
    ['c:\\users\\UTE\\WORK\\repo\\src\\a.txt', 'APPROVED_WORKSPACE'],
    ['\\Users\\Ute\\work\\repo\\src\\a.txt', 'APPROVED_WORKSPACE'],
    ['inner\\a.txt', 'APPROVED_WORKSPACE'],
    ['src\\new.txt', 'APPROVED_WORKSPACE'],
    ['.agents-handoff\\executions', 'APPROVED_WORKSPACE'],
    ['..\\repo-evil\\a.txt', 'PERSONAL_DATA_PATH'],
    ['src\\..\\..\\..\\notes.txt', 'PERSONAL_DATA_PATH'],
    ['door\\tax.txt', 'PERSONAL_DATA_PATH'],
    ['C:\\Users\\Ute\\.ssh\\id_rsa', 'DENIED_ROOT'],
    ['C:/USERS/ute/.SSH./id_rsa ', 'DENIED_ROOT'],
    ['..\\..\\.Aws. \\not-there', 'DENIED_ROOT'],
    ['C:\\Users\\Ute\\AppData\\Roaming\\Microsoft\\Credentials\\1', 'DENIED_ROOT'],
    ['C:\\Windows\\System32\\config\\SAM', 'DENIED_ROOT'],
    ['C:\\Users\\Max\\x.txt', 'PERSONAL_DATA_PATH'],
    ['c:\\windows\\WIN.INI', 'SYSTEM_PATH'],
    ['C:\\Program Files\\node\\node.exe', 'SYSTEM_PATH'],
    ['C:\\Program Files Evil\\x', 'EXTERNAL_PATH'],
    ['D:\\data\\x', 'EXTERNAL_PATH'],
    ['\\\\localhost\\C$\\Users\\Ute\\.ssh\\id_rsa', 'refused: is a network path'],
    ['\\\\?\\C:\\Users\\Ute\\work\\repo\\src\\a.txt', 'refused: is a device path'],
    ['src\\a.txt:stream', 'refused: names a stream of a file'],
    ['C:src\\a.txt', 'refused: is relative to the current folder of a drive'],
  ])('%s is %s', (target, expected) => {
    expect(classOf(on, target)).toBe(expected);
  });
});

const MAC: Machine = {
  system: 'darwin', repo: '/Users/ute/repo', homes: ['/Users/ute'],
  files: {
    '/Users/ute/repo/src/a.txt': 'file', '/Users/ute/repo/door': { link: '/private/etc' }, '/Users/ute/.ssh/id': 'file', '/etc': { link: 'private/etc' }, '/private/etc/hosts': 'file',
    '/private/etc/master.passwd': 'file', '/Library/Fonts/x': 'file', '/Users/ute/Library/Keychains/login': 'file', '/Volumes/USB/x': 'file', '/private/tmp/x': 'file', '/System/x': 'file',
  },
};

describe('on macOS', () => {
  const on = ground(MAC);
  it.each([
    ['src/a.txt', 'APPROVED_WORKSPACE'],
    ['/users/UTE/Repo/SRC/A.txt', 'APPROVED_WORKSPACE'],
    ['/users/ute/.SSH/ID', 'DENIED_ROOT'],
    ['../.Ssh/new', 'DENIED_ROOT'],
    ['/Users/ute/.AWS/not-there', 'DENIED_ROOT'],
    ['/Users/ute/library/keychains/login', 'DENIED_ROOT'],
    ['/etc/master.passwd', 'DENIED_ROOT'],
    ['/.vol/1/2', 'DENIED_ROOT'],
    ['/Users/other/x', 'PERSONAL_DATA_PATH'],
    ['/Volumes/USB/x', 'PERSONAL_DATA_PATH'],
    ['door/hosts', 'SYSTEM_PATH'],
    ['/etc/hosts', 'SYSTEM_PATH'],
    ['/Library/Fonts/x', 'SYSTEM_PATH'],
    ['/private/tmp/x', 'EXTERNAL_PATH'],
    ['src/a.txt\0.png', 'refused: holds a NUL byte'],
  ])('%s is %s', (target, expected) => {
    expect(classOf(on, target)).toBe(expected);
  });
});

const LINUX: Machine = {
  system: 'linux', repo: '/srv/repo', homes: ['/home/ute', '/root'],
  files: {
    '/srv/repo/src/a.txt': 'file', '/srv/repo/out': { link: '../other' }, '/srv/repo/in': { link: '/srv/repo/src' }, '/srv/repo/dangling': { link: '/srv/other/none' },
    '/srv/repo/a': { link: 'b' }, '/srv/repo/b': { link: 'a' }, '/srv/other/x': 'file', '/srv/src/a.txt': 'file', '/home/ute/.ssh/id': 'file', '/etc/hosts': 'file', '/etc/shadow': 'file', '/proc/1/root': { link: '/' },
  },
};

describe('on Linux', () => {
  const on = ground(LINUX);
  it.each([
    ['src/a.txt', 'APPROVED_WORKSPACE'],
    ['in/a.txt', 'APPROVED_WORKSPACE'],
    ['out/../src/a.txt', 'EXTERNAL_PATH'],
    ['out/x', 'EXTERNAL_PATH'],
    ['dangling', 'EXTERNAL_PATH'],
    ['missing/../out/x', 'EXTERNAL_PATH'],
    ['src/a.txt/../../../other/x', 'EXTERNAL_PATH'],
    ['missing/deep/new.txt', 'APPROVED_WORKSPACE'],
    ['/srv/Repo/src/a.txt', 'EXTERNAL_PATH'],
    ['/home/ute/.ssh/id', 'DENIED_ROOT'],
    ['/root/.ssh/id', 'DENIED_ROOT'],
    ['/home/max/x', 'PERSONAL_DATA_PATH'],
    ['/etc/hosts', 'SYSTEM_PATH'],
    ['/etc/shadow', 'DENIED_ROOT'],
    ['/proc/1/environ', 'DENIED_ROOT'],
    ['/proc/1/root/etc/shadow', 'DENIED_ROOT'],
    ['/proc/1/root/srv/other/x', 'EXTERNAL_PATH'],
    ['a', 'refused: cannot be looked at: a goes through more than 40 links'],
  ])('%s is %s', (target, expected) => {
    expect(classOf(on, target)).toBe(expected);
  });

  it('a folder that is a denied one by another name is denied', () => {
    const platform = platformOf('linux');
    const plain = fakeDisk(platform, { '/srv/repo/seen/key': 'file', '/home/ute/.ssh/key': 'file' });
    const disk = { ...plain, identity: (file: string) => (file === '/srv/repo/seen' ? '/home/ute/.ssh' : plain.identity(file)) };
    const roots = resolveRoots(parsePolicy('p', JSON.stringify(shippedPolicy())), '/srv/repo/.agents-handoff', { platform, env: {}, homes: ['/home/ute'], repo: '/srv/repo' }, disk);
    expect(classify('seen/key', { repo: '/srv/repo', roots, disk, platform }).classification).toBe('DENIED_ROOT');
  });
});

describe('a workspace or a state directory', () => {
  it.each([
    ['the home directory', { ...LINUX, repo: '/home/ute' }],
    ['what holds the home directory', { ...LINUX, repo: '/home' }],
    ['the root of everything', { ...LINUX, repo: '/' }],
    ["the account's home, whatever HOME says", { ...LINUX, repo: '/root', homes: ['/tmp/x', '/root'] }],
    ['a system root', { ...LINUX, repo: '/usr' }],
    ['a personal root as state', { ...LINUX, state: '/home/ute/Documents' }],
    ['a home as state', { ...LINUX, state: '/home/ute' }],
    ['the home in other letters', { ...MAC, repo: '/users/UTE' }],
    ['the home on Windows', { ...WINDOWS, repo: 'C:\\Users\\Ute' }],
    ['a drive that holds it', { ...WINDOWS, policy: { approved_workspaces: ['C:\\'] } }],
    ['a system root on Windows as state', { ...WINDOWS, state: 'C:\\WINDOWS' }],
    ['a link to the home', { ...LINUX, policy: { approved_workspaces: ['/srv/link'] }, files: { ...LINUX.files, '/srv/link': { link: '/home/ute' } } }],
  ] satisfies [string, Machine][])('that is or holds %s is refused', (_, machine) => {
    expect(() => ground(machine)).toThrowError(expect.objectContaining({ code: 'CONFIG', message: expect.stringMatching(/is or holds .*may not become a workspace/) }));
  });

  it('that a link in the repository makes of a folder elsewhere is refused', () => {
    const files: Files = { ...LINUX.files, '/srv/repo/.context': { link: '/srv/other' }, '/srv/repo/state': { link: '/srv/other' } };
    expect(() => ground({ ...LINUX, files })).toThrow('the approved workspace /srv/repo/.context leads out of the repository, to /srv/other');
    expect(() => ground({ ...LINUX, files, policy: { approved_workspaces: [] }, state: '/srv/repo/state' })).toThrow('the state directory /srv/repo/state leads out of the repository');
  });

  it('may lie in a home, and in a system folder', () => {
    expect(classOf(ground({ ...LINUX, repo: '/home/ute/repo' }), 'x')).toBe('APPROVED_WORKSPACE');
    expect(classOf(ground({ ...LINUX, repo: '/usr/src/repo' }), 'x')).toBe('APPROVED_WORKSPACE');
    expect(classOf(ground({ ...LINUX, state: '/home/ute/.local/state/engine' }), '/home/ute/.local/state/engine/x')).toBe('APPROVED_WORKSPACE');
  });
});
