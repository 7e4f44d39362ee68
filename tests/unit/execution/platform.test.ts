import { describe, expect, it } from 'vitest';
import { isWithin, mayBeWithin, platformOf, trouble } from '../../../src/execution/platform.mts';
import { expandRoot } from '../../../src/execution/roots-text.mts';

const linux = platformOf('linux');
const darwin = platformOf('darwin');
const win32 = platformOf('win32');

describe('names that are refused before they are looked up', () => {
  it.each([
    ['C:\\repo\\a\0b', 'holds a NUL byte'],
    ['\\\\?\\C:\\repo\\a', 'is a device path'],
    ['\\\\.\\PhysicalDrive0', 'is a device path'],
    ['\\??\\C:\\repo', 'is a device path'],
    ['//?/C:/repo', 'is a device path'],
    ['\\\\server\\share\\a', 'is a network path'],
    ['//localhost/C$/Users', 'is a network path'],
    ['C:a.txt', 'is relative to the current folder of a drive'],
    ['D:', 'is relative to the current folder of a drive'],
    ['src\\a.txt:hidden', 'names a stream of a file'],
    ['C:\\repo\\a.txt::$DATA', 'names a stream of a file'],
    ['src\\NUL', 'names a device'],
    ['con.txt', 'names a device'],
    ['src/COM1 .log', 'names a device'],
    ['lpt¹', 'names a device'],
    ['CONIN$', 'names a device'],
    ['', 'is empty'],
  ])('on Windows %j %s', (target, why) => {
    expect(trouble(target, win32)).toBe(why);
  });

  it.each(['src\\a.txt', 'C:\\repo\\console.txt', 'C:/repo/nullable', '\\repo\\a', '..\\x', 'a.b.c'])('on Windows %j is looked up', (target) => {
    expect(trouble(target, win32)).toBeUndefined();
  });

  it('on POSIX systems only an empty name and one with a NUL byte are', () => {
    for (const platform of [linux, darwin]) {
      expect(trouble('a\0b', platform)).toBe('holds a NUL byte');
      expect(trouble('', platform)).toBe('is empty');
      for (const odd of ['\\\\server\\share', 'C:a', 'con', 'a:b', ' ', 'a.', '-x']) expect(trouble(odd, platform)).toBeUndefined();
    }
  });
});

describe('being within a root', () => {
  it('goes by whole components', () => {
    expect(isWithin('/repo', '/repo', linux)).toBe(true);
    expect(isWithin('/repo', '/repo/a', linux)).toBe(true);
    expect(isWithin('/repo', '/repo-evil/a', linux)).toBe(false);
    expect(isWithin('/', '/anything', linux)).toBe(true);
    expect(isWithin('C:\\', 'C:\\x', win32)).toBe(true);
    expect(isWithin('C:\\repo', 'C:\\repository', win32)).toBe(false);
  });

  it('may be by another spelling where the system takes that for the same', () => {
    expect(mayBeWithin('C:\\Users\\U\\.ssh', 'c:\\users\\u\\.SSH. \\id', win32)).toBe(true);
    expect(mayBeWithin('/Users/u/.ssh', '/users/U/.SSH/id', darwin)).toBe(true);
    expect(mayBeWithin('/Users/Jose\u0301', '/Users/jos\u00e9/x', darwin)).toBe(true);
    expect(mayBeWithin('/home/u/.ssh', '/home/u/.SSH/id', linux)).toBe(false);
    expect(isWithin('/Users/u', '/users/u', darwin)).toBe(false);
  });
});

describe('a root as a policy writes it', () => {
  const posix = { platform: linux, env: { DATA: '/data', ODD: 'relative' }, homes: ['/home/u', '/root'], repo: '/repo' };
  const windows = { platform: win32, env: { SystemRoot: 'C:\\Windows', 'ProgramFiles(x86)': 'C:\\Program Files (x86)', PUBLIC: 'C:\\Users\\Public' }, homes: ['C:\\Users\\u'], repo: 'D:\\repo' };

  it.each([
    ['.', ['/repo']],
    ['.context', ['/repo/.context']],
    ['/etc', ['/etc']],
    ['~', ['/home/u', '/root']],
    ['~/.ssh', ['/home/u/.ssh', '/root/.ssh']],
    ['$DATA/x', ['/data/x']],
    ['${DATA}/x', ['/data/x']],
    ['50%', ['/repo/50%']],
  ])('on POSIX systems %s is %j', (written, paths) => {
    expect(expandRoot(written, posix)).toEqual({ paths });
  });

  it.each([
    ['.', ['D:\\repo']],
    ['~\\.ssh', ['C:\\Users\\u\\.ssh']],
    ['~/.ssh', ['C:\\Users\\u\\.ssh']],
    ['%SystemRoot%\\System32', ['C:\\Windows\\System32']],
    ['%ProgramFiles(x86)%', ['C:\\Program Files (x86)']],
    ['%PUBLIC%\\..', ['C:\\Users']],
    ['C:\\$Recycle.Bin', ['C:\\$Recycle.Bin']],
  ])('on Windows %s is %j', (written, paths) => {
    expect(expandRoot(written, windows)).toEqual({ paths });
  });

  it('of another system, or of a variable without a path, stands for nothing and says why', () => {
    for (const written of ['%SystemRoot%', 'C:\\x', '\\\\server\\share']) expect(expandRoot(written, posix)).toEqual({ skipped: 'a form of Windows' });
    for (const written of ['/etc', '$DATA/x']) expect(expandRoot(written, windows)).toEqual({ skipped: 'a form of POSIX systems' });
    expect(expandRoot('$NONE/x', posix)).toEqual({ skipped: 'NONE is not set to an absolute path' });
    expect(expandRoot('$ODD/x', posix)).toEqual({ skipped: 'ODD is not set to an absolute path' });
    expect(expandRoot('%NONE%\\x', windows)).toEqual({ skipped: 'NONE is not set to an absolute path' });
  });

  it('that is no name anywhere is wrong, on every system', () => {
    for (const around of [posix, windows]) {
      expect(expandRoot('~other/x', around)).toEqual({ wrong: 'only ~ alone stands for a home' });
      expect(expandRoot('a/\ud800', around)).toEqual({ wrong: 'half a letter stands in no name of a file' });
    }
  });
});
