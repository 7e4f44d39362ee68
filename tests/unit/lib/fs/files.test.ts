import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, readText, removeQuietly, rename, replaceFile, syncFolder, writeAll } from '../../../../src/lib/fs/files.mts';
import { freshFolder } from '../../../helpers/run.ts';

const scratch = freshFolder('handoff-files-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
let dir = '';
beforeEach(() => { dir = fs.mkdtempSync(path.join(scratch, 'case-')); });
const at = (name: string): string => path.join(dir, name);
const posix = process.platform !== 'win32';
const notRoot = posix && process.getuid?.() !== 0;

describe('replaceFile', () => {
  it('makes a private file where there was none, and leaves nothing beside it', () => {
    replaceFile(at('new'), 'text €', 'mark');
    expect(fs.readFileSync(at('new'), 'utf8')).toBe('text €');
    if (posix) expect(fs.statSync(at('new')).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(dir)).toEqual(['new']);
  });

  it('replaces the whole file, also by a shorter one and by bytes', () => {
    fs.writeFileSync(at('file'), 'a long old text');
    replaceFile(at('file'), Uint8Array.of(0, 255), 'mark', false);
    expect([...fs.readFileSync(at('file'))]).toEqual([0, 255]);
  });

  it('writes over a temporary file that a crash left, even one that cannot be written', () => {
    fs.writeFileSync(at('file.mark.tmp'), 'what a crash left, longer than the new', { mode: 0o400 });
    replaceFile(at('file'), 'new', 'mark');
    expect(fs.readFileSync(at('file'), 'utf8')).toBe('new');
    expect(fs.readdirSync(dir)).toEqual(['file']);
  });

  it.skipIf(!posix)('never writes through a link: neither in the place of the temporary file nor of the target', () => {
    fs.writeFileSync(at('victim'), 'safe');
    fs.symlinkSync(at('victim'), at('file.mark.tmp'));
    fs.symlinkSync(at('victim'), at('file'));
    replaceFile(at('file'), 'new', 'mark');
    expect(fs.readFileSync(at('victim'), 'utf8')).toBe('safe');
    expect(fs.readFileSync(at('file'), 'utf8')).toBe('new');
    expect(fs.lstatSync(at('file')).isSymbolicLink()).toBe(false);
  });

  it.skipIf(!posix)('does not follow a link of a temporary name that leads nowhere', () => {
    fs.symlinkSync(at('nowhere'), at('file.mark.tmp'));
    replaceFile(at('file'), 'new', 'mark');
    expect(fs.readdirSync(dir)).toEqual(['file']);
  });

  it('leaves the old file and no temporary one where it fails', () => {
    fs.mkdirSync(at('folder'));
    fs.writeFileSync(at('folder/x'), '');
    expect(() => replaceFile(at('folder'), 'new', 'mark')).toThrow();
    expect(fs.readdirSync(dir)).toEqual(['folder']);
    expect(() => replaceFile(at('missing/file'), 'new', 'mark')).toThrow(/ENOENT/);
  });

  it('gives another mark a name of its own', () => {
    fs.writeFileSync(at('file.other.tmp'), 'another writer');
    replaceFile(at('file'), 'new', 'mark');
    expect(fs.readdirSync(dir).sort()).toEqual(['file', 'file.other.tmp']);
  });
});

describe('the small ones', () => {
  it('writeAll writes at a place, or goes on at the file\'s own', () => {
    const fd = fs.openSync(at('file'), 'w+');
    writeAll(fd, Buffer.from('abc'));
    writeAll(fd, Buffer.from('def'));
    writeAll(fd, Buffer.from('XY'), 1);
    writeAll(fd, Buffer.alloc(0));
    fs.closeSync(fd);
    expect(fs.readFileSync(at('file'), 'utf8')).toBe('aXYdef');
  });

  it('makeFolder makes private folders and names the topmost that is new', () => {
    expect(makeFolder(at('a/b/c'))).toBe(at('a'));
    expect(makeFolder(at('a/b/c'))).toBeUndefined();
    expect(makeFolder(at('a/b/d/e'))).toBe(at('a/b/d'));
    if (posix) expect(fs.statSync(at('a/b')).mode & 0o777).toBe(0o700);
  });

  it('rename throws at once where there is nothing to move', () => {
    const began = Date.now();
    expect(() => rename(at('none'), at('some'))).toThrow(/ENOENT/);
    expect(Date.now() - began).toBeLessThan(500);
  });

  it.skipIf(!notRoot)('rename tells a refusal after it has tried for about a second (not as root)', () => {
    fs.writeFileSync(at('file'), '');
    fs.chmodSync(dir, 0o500);
    try {
      expect(() => rename(at('file'), at('other'))).toThrow(/EACCES/);
    } finally {
      fs.chmodSync(dir, 0o700);
    }
  });

  it('readText takes a folder for no file', () => {
    expect(readText(at('none'))).toBeUndefined();
    fs.writeFileSync(at('file'), 'text');
    expect(readText(at('file'))).toBe('text');
    expect(readText(at('file/below'))).toBeUndefined();
    expect(readText(dir)).toBeUndefined();
  });

  it('removeQuietly and syncFolder take what is there', () => {
    removeQuietly(at('none'));
    fs.writeFileSync(at('file'), '');
    removeQuietly(at('file'));
    expect(fs.readdirSync(dir)).toEqual([]);
    syncFolder(dir);
  });
});

it.skipIf(process.platform === 'win32')('a pipe that nobody writes into holds no text and keeps nobody waiting (skipped on Windows, which has none)', () => {
  const folder = freshFolder('handoff-pipe-');
  try {
    execFileSync('mkfifo', [path.join(folder, 'INDEX.json')]);
    expect(readText(path.join(folder, 'INDEX.json'))).toBeUndefined();
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

describe('makeFolder', () => {
  it('makes what is missing, says the first that it made, and nothing where all is there', () => {
    expect(makeFolder(at('a/b/c'))).toBe(at('a'));
    expect(makeFolder(at('a/b/d'))).toBe(at('a/b/d'));
    expect(makeFolder(at('a/b'))).toBeUndefined();
    if (posix) expect(fs.statSync(at('a/b/c')).mode & 0o777).toBe(0o700);
    fs.writeFileSync(at('file'), '');
    expect(() => makeFolder(at('file'))).toThrow(/EEXIST/);
    expect(() => makeFolder(at('file/x'))).toThrow(/ENOTDIR/);
  });

  it.skipIf(process.platform !== 'linux')('comes to an end where a folder takes no new one', () => {
    expect(() => makeFolder('/proc/none/x')).toThrow(/ENOENT/);
  });
});
