/** File operations that a busy or full machine refuses: tried again where it helps, undone where it does not. */
import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rename, replaceFile, writeAll } from '../../../../src/lib/fs/files.mts';
import { freshFolder } from '../../../helpers/run.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = freshFolder();
  file = join(dir, 'file');
  fs.writeFileSync(file, 'old');
});
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(dir, { recursive: true, force: true });
});

const refusal = (code: string) => Object.assign(new Error(code), { code });

/** The call fails the first `times` times with `code`. */
function failing(name: 'renameSync' | 'writeSync', code: string, times: number): { calls: () => number } {
  const real = fs[name] as (...words: unknown[]) => unknown;
  const spy = vi.spyOn(fs, name as 'renameSync').mockImplementation((...words: unknown[]) => {
    if (spy.mock.calls.length <= times) throw refusal(code);
    return real.apply(fs, words) as undefined;
  });
  return { calls: () => spy.mock.calls.length };
}

describe('rename', () => {
  it.each(['EPERM', 'EBUSY', 'EACCES'])('is tried again, with growing pauses, where %s is only for a moment', (code) => {
    const { calls } = failing('renameSync', code, 2);
    const before = performance.now();
    rename(file, join(dir, 'new'));
    expect([calls(), fs.readdirSync(dir)]).toEqual([3, ['new']]);
    expect(performance.now() - before).toBeGreaterThanOrEqual(39);
  });

  it('gives up in the end, and at once for what no waiting helps', () => {
    const lasting = failing('renameSync', 'EPERM', Infinity);
    expect(() => rename(file, join(dir, 'new'))).toThrow(expect.objectContaining({ code: 'EPERM' }));
    expect(lasting.calls()).toBe(6);
    vi.restoreAllMocks();
    const full = failing('renameSync', 'ENOSPC', Infinity);
    expect(() => rename(file, join(dir, 'new'))).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
    expect(full.calls()).toBe(1);
    expect(fs.readFileSync(file, 'utf8')).toBe('old');
  });
});

describe('replaceFile', () => {
  it.each([['renameSync', 'EPERM'], ['writeSync', 'ENOSPC'], ['writeSync', 'EIO']] as const)('leaves the old file whole and no temporary one where %s says %s', (name, code) => {
    failing(name, code, Infinity);
    expect(() => replaceFile(file, 'new', 'x')).toThrow(expect.objectContaining({ code }));
    vi.restoreAllMocks();
    expect([fs.readFileSync(file, 'utf8'), fs.readdirSync(dir)]).toEqual(['old', ['file']]);
  });

  it('writes over what a crash left under its temporary name, and not through a link that lies there', () => {
    fs.writeFileSync(`${file}.x.tmp`, 'half');
    replaceFile(file, 'new', 'x');
    fs.writeFileSync(join(dir, 'precious'), 'precious');
    fs.symlinkSync(join(dir, 'precious'), `${file}.x.tmp`);
    replaceFile(file, 'newer', 'x');
    expect([fs.readFileSync(file, 'utf8'), fs.readFileSync(join(dir, 'precious'), 'utf8'), fs.readdirSync(dir).sort()]).toEqual(['newer', 'precious', ['file', 'precious']]);
  });
});

describe('writeAll', () => {
  it('goes on where the system took only a part', () => {
    const real = fs.writeSync as (fd: number, bytes: Uint8Array, offset: number, length: number, position: number | null) => number;
    vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, bytes: Uint8Array, offset: number, length: number, position: number | null) => real(fd, bytes, offset, Math.min(length, 3), position)) as typeof fs.writeSync);
    const fd = fs.openSync(file, 'r+');
    writeAll(fd, Buffer.from('0123456789'));
    writeAll(fd, Buffer.from('abcdefgh'), 1);
    fs.closeSync(fd);
    expect(fs.readFileSync(file, 'utf8')).toBe('0abcdefgh9');
  });
});
