import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { ARCHIVE_LIMITS, readPackage, unpackPackage } from '../../../src/install/archive.mts';
import { HandoffError } from '../../../src/lib/errors.mts';
import { seeded } from '../../helpers/build.ts';
import { freshFolder } from '../../helpers/run.ts';
import { packageOf, pax, sign, tar, tgz, type Entry } from '../../helpers/tarball.ts';

const desk = freshFolder('handoff-archive-');
afterAll(() => rmSync(desk, { recursive: true, force: true }));

const file = (name: string, content = 'x'): Entry => ({ name, content });
const long = (count: number): string => `package/${'n'.repeat(count)}`;

/** The sentence with which an archive is refused; what it unpacked to, where it is not. */
async function refusal(bytes: Buffer): Promise<unknown> {
  try {
    return [...(await readPackage(bytes)).keys()];
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    expect(error.code).toBe('SHAPE');
    return error.message;
  }
}

/** One archive a row, and what has to be said of it. */
const HOSTILE: readonly [string, readonly Entry[], RegExp][] = [
  ['a file above the top', [file('../evil')], /a path with dots/],
  ['a file above, in the middle', [file('package/a/../../../evil')], /a path with dots/],
  ['a path with a single dot', [file('package/./a')], /a path with dots/],
  ['an absolute path', [file('/etc/evil')], /an absolute path or an empty name/],
  ['two slashes', [file('package//a')], /an empty name/],
  ['no name', [file('')], /an empty name/],
  ['a drive', [file('package/C:evil')], /a drive or a backslash/],
  ['a drive at the top', [file('C:/evil')], /a drive or a backslash/],
  ['backslashes', [file('package\\..\\evil')], /a drive or a backslash/],
  ['a stream of a file', [file('package/a:b')], /a drive or a backslash/],
  ['a name of a device', [file('package/con.txt')], /Windows does not take/],
  ['a dot at the end of a name', [file('package/a.')], /Windows does not take/],
  ['a blank at the end of a folder', [file('package/a /b')], /Windows does not take/],
  ['a star in a name', [file('package/a*')], /Windows does not take/],
  ['a control character', [file('package/a\u001b[2Jb')], /control characters/],
  ['a line end in a name', [file('package/a\nb')], /control characters/],
  ['a NUL in a pax name', [{ type: 'x', content: pax({ path: 'package/a\0b' }) }, file('package/c')], /control characters/],
  ['a name that is not UTF-8', [{ name: Buffer.from([0x70, 0x2f, 0xff, 0xfe]) }], /not UTF-8/],
  ['a name in half of a letter', [{ name: Buffer.concat([Buffer.from('package/'), Buffer.from([0xc3])]) }], /not UTF-8/],
  ['a name of 256 bytes', [{ type: 'L', content: `${long(256)}\0` }, file('p')], /too long/],
  ['a path of over 1024 bytes', [{ type: 'x', content: pax({ path: `package/${'a/'.repeat(600)}b` }) }, file('p')], /too long/],
  ['a record of names of 70 KB', [{ type: 'L', content: `package/${'a/'.repeat(35_000)}b` }, file('p')], /a record of \d+ bytes/],
  ['dots in a pax name', [{ type: 'x', content: pax({ path: 'package/../../evil' }) }, file('package/a')], /a path with dots/],
  ['dots in a GNU name', [{ type: 'L', content: '../evil\0' }, file('package/a')], /a path with dots/],
  ['dots in a prefix', [{ name: 'evil', prefix: '../..', content: 'x' }], /a path with dots/],
  ['a file twice', [file('package/a'), file('package/a', 'y')], /"a" twice/],
  ['a file where a folder was', [file('package/a/b'), file('package/a')], /"a" twice/],
  ['a folder where a file was', [file('package/a'), file('package/a/b')], /"a" twice/],
  ['a folder entry where a file was', [file('package/a'), { name: 'package/a/', type: '5' }], /"a" twice/],
  ['names that differ in case', [file('package/README.md'), file('package/readme.md')], /one on some systems/],
  ['folders that differ in case', [file('package/Docs/a'), file('package/docs/b')], /one on some systems/],
  ['names that differ in how a letter is composed', [file('package/\u00e9'), file('package/e\u0301')], /one on some systems/],
  ['a sharp s and two', [file('package/\u00df'), file('package/SS')], /one on some systems/],
  ['a symbolic link', [{ name: 'package/a', type: '2', link: '/etc/passwd' }], /a symbolic link/],
  ['a link and then a file through it', [{ name: 'package/a', type: '2', link: '/tmp' }, file('package/a/b')], /a symbolic link/],
  ['a hard link', [{ name: 'package/a', type: '1', link: 'package/b' }], /a hard link/],
  ['a character device', [{ name: 'package/a', type: '3' }], /a device/],
  ['a block device', [{ name: 'package/a', type: '4' }], /a device/],
  ['a pipe', [{ name: 'package/a', type: '6' }], /a pipe/],
  ['a sparse file', [{ name: 'package/a', type: 'S' }], /a sparse file/],
  ['a sparse file in pax', [{ type: 'x', content: pax({ 'GNU.sparse.major': '1' }) }, file('package/a')], /a sparse file/],
  ['a long name for a link', [{ type: 'K', content: '/etc/passwd\0' }, file('package/a')], /a link with a long name/],
  ['a kind that nobody knows', [{ name: 'package/a', type: 'Z' }], /an entry of kind "Z"/],
  ['a folder with content', [{ name: 'package/a/', type: '5', content: 'x' }], /a folder with content/],
  ['a path for every file', [{ type: 'g', content: pax({ path: 'package/evil' }) }, file('package/a')], /a path for all/],
  ['a size for every file', [{ type: 'g', content: pax({ size: '1' }) }, file('package/a')], /a size for all/],
  ['a pax record longer than it is', [{ type: 'x', content: '999 path=package/a\n' }, file('package/a')], /pax record that is damaged/],
  ['a pax record shorter than it is', [{ type: 'x', content: '5 path=package/a\n' }, file('package/a')], /pax record that is damaged/],
  ['a pax record without an end', [{ type: 'x', content: '18 path=package/ab' }, file('package/a')], /pax record that is damaged/],
  ['a pax size that is no number', [{ type: 'x', content: pax({ size: '-1' }) }, file('package/a')], /size is no number/],
  ['a pax size beyond the end', [{ type: 'x', content: pax({ size: '99999999' }) }, file('package/a')], /cut off inside/],
  ['two long names for one file', [{ type: 'L', content: 'package/a\0' }, { type: 'x', content: pax({ path: 'package/b' }) }, file('package/c')], /two names for one file/],
  ['a record for a file that does not come', [file('package/a'), { type: 'x', content: pax({ path: 'package/b' }) }], /announces one more file/],
  ['a wrong checksum', [{ name: 'package/a', content: 'x', checksum: 1 }], /checksum is wrong/],
  ['a size in binary', [{ name: 'package/a', size: '\x80\0\0\0\0\0\0\0\0\0\0\x05' }], /size is no number/],
  ['a size below nothing', [{ name: 'package/a', size: '-0000000001\0' }], /size is no number/],
  ['a size of no digits', [{ name: 'package/a', size: '\0\0\0\0' }], /size is no number/],
  ['a size beyond the end', [{ name: 'package/a', content: 'x', size: 5000 }], /cut off inside/],
  ['two top folders', [file('package/a'), file('other/b')], /more than one top folder/],
  ['a file without a folder', [file('a')], /a file beside its top folder/],
  ['folders only', [{ name: 'package/', type: '5' }, { name: 'package/a/', type: '5' }], /holds no file/],
  ['nothing', [], /holds no file/],
];

describe('an archive is refused that has', () => {
  it.each(HOSTILE)('%s', async (_, entries, said) => {
    expect(await refusal(tgz(entries))).toMatch(said);
  });

  it('no second block at its end', async () => {
    expect(await refusal(tgz([file('package/a')], Buffer.alloc(512)))).toMatch(/its end is missing/);
  });

  it('no end at all', async () => {
    expect(await refusal(tgz([file('package/a')], Buffer.alloc(0)))).toMatch(/its end is missing/);
  });

  it('bytes behind its end', async () => {
    expect(await refusal(tgz([file('package/a')], Buffer.concat([Buffer.alloc(1024), tar([file('package/b')])])))).toMatch(/bytes behind its end/);
  });

  it('an end that is cut, at every block and in the middle of one', async () => {
    const whole = tar([file('package/a', 'a'.repeat(700)), file('package/b')]);
    for (let length = 0; length < whole.length; length += 256) expect(await refusal(gzipSync(whole.subarray(0, length))), String(length)).toMatch(/cut off|holds no file/);
  });

  it('a gzip that is cut, changed or none', async () => {
    const whole = packageOf({ a: 'content' });
    const changed = Buffer.from(whole);
    changed[changed.length - 6] = (changed[changed.length - 6] ?? 0) ^ 1;
    for (const bytes of [whole.subarray(0, -1), whole.subarray(0, 20), changed, Buffer.from('not zipped'), Buffer.alloc(0), Buffer.concat([whole, Buffer.from('more')])]) {
      expect(await refusal(bytes)).toMatch(/no whole gzip file/);
    }
  });
});

describe('limits', () => {
  const small = { entries: 3, fileBytes: 1000, totalBytes: 2000 };
  const judge = (entries: readonly Entry[]) => readPackage(tgz(entries), small);

  it('are those of entries, of one file and of all of them', async () => {
    await expect(judge([1, 2, 3].map((n) => file(`package/${n}`)))).resolves.toHaveProperty('size', 3);
    await expect(judge([1, 2, 3, 4].map((n) => file(`package/${n}`)))).rejects.toThrow(/more than 3 entries/);
    await expect(judge([file('package/a', 'x'.repeat(1001))])).rejects.toThrow(/a file of 1001 bytes/);
    await expect(judge([1, 2, 3].map((n) => file(`package/${n}`, 'x'.repeat(900))))).rejects.toThrow(/more than 2000 bytes/);
  });

  it('stop a bomb while it is unzipped', async () => {
    const bomb = tgz([{ name: 'package/a', content: Buffer.alloc(16 << 20) }]);
    expect(bomb.length).toBeLessThan(100_000);
    await expect(readPackage(bomb, { ...small, totalBytes: 1 << 20 })).rejects.toThrow(/unzips to more than/);
    expect(ARCHIVE_LIMITS.totalBytes + ARCHIVE_LIMITS.entries * 2048).toBeLessThan(160 << 20);
  });
});

describe('an archive is read that has', () => {
  it('a name in a prefix, in pax, of GNU, a size in pax, folders and a comment for all', async () => {
    const deep = `package/${'d'.repeat(120)}`;
    const files = await readPackage(tgz([
      { type: 'g', content: pax({ comment: 'a commit' }) },
      { name: 'package/', type: '5' },
      { name: 'short', prefix: 'package/in', content: '1' },
      { type: 'x', content: pax({ path: `${deep}/\u00fc`, mtime: '1.5' }) }, file('cut', '2'),
      { type: 'L', content: `${deep}/gnu\0` }, file('cut', '3'),
      { type: 'x', content: pax({ size: '1' }) }, { name: 'package/sized', content: '4', size: 1 },
      { name: 'package/old', type: '\0', content: '5', magic: 'ustar  \0' },
      { name: 'package/empty', content: '' },
    ]));
    expect([...files].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
      ['in/short', '1'], [`${'d'.repeat(120)}/\u00fc`, '2'], [`${'d'.repeat(120)}/gnu`, '3'], ['sized', '4'], ['old', '5'], ['empty', ''],
    ]);
  });

  it('more zeros at its end than it needs', async () => {
    expect(await refusal(tgz([file('package/a')], Buffer.alloc(10_240)))).toEqual(['a']);
  });
});

describe('unpackPackage', () => {
  it('writes private files below a folder that it makes, and names them sorted by bytes', async () => {
    const into = join(desk, 'new', 'er');
    expect(await unpackPackage(packageOf({ 'b/c': 'two', 'a': 'one', 'b/B': 'three' }), into)).toEqual(['a', 'b/B', 'b/c']);
    expect(readFileSync(join(into, 'b', 'c'), 'utf8')).toBe('two');
    expect(statSync(join(into, 'b')).mode & 0o777).toBe(0o700);
    expect(statSync(join(into, 'b', 'c')).mode & 0o777).toBe(0o600);
  });

  it('writes nothing of an archive whose last entry is refused', async () => {
    const into = join(desk, 'refused');
    await expect(unpackPackage(tgz([file('package/a'), file('package/../../evil')]), into)).rejects.toThrow(/nothing of it was unpacked/);
    expect(existsSync(into)).toBe(false);
  });

  it('does not touch a folder that is not empty, and goes through no link in it', async () => {
    const into = join(desk, 'full');
    const outside = join(desk, 'outside');
    mkdirSync(into);
    mkdirSync(outside);
    symlinkSync(outside, join(into, 'a'));
    await expect(unpackPackage(packageOf({ 'a/b': 'x' }), into)).rejects.toThrow(/is not empty/);
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(into)).toEqual(['a']);
  });
});

describe('a few thousand broken archives', () => {
  const good = tar([
    { name: 'package/', type: '5' },
    file('package/package.json', '{"name":"x"}'),
    { type: 'x', content: pax({ path: 'package/tools/lib/\u00fcber.mjs', mtime: '12' }) }, file('package/tools', 'y'.repeat(600)),
    { type: 'L', content: `package/${'deep/'.repeat(25)}file\0` }, file('cut', 'z'),
    { name: 'short', prefix: 'package/in', content: '' },
  ]);
  const INTERESTING = ['../', '/', '\\', '\0', 'C:', '2', '1', 'x', 'L', '5', 'g', '7', '9', '\u00ff', ' ', '.', 'package/'];

  /** One to three changes; half of the time the headers are signed anew, so that what they say is believed. */
  function broken(random: () => number): Buffer {
    const pick = (below: number): number => Math.floor(random() * below);
    let bytes = Buffer.from(good);
    for (let changes = 1 + pick(3); changes > 0; changes--) {
      const at = pick(bytes.length);
      // Most of an archive is filling: half of the changes go where the headers have their words.
      const aimed = random() < 0.5 ? Math.min(pick(bytes.length / 512) * 512 + [0, 8, 124, 130, 156, 257, 345][pick(7)]!, bytes.length - 1) : at;
      const kind = pick(6);
      if (kind === 0) bytes[aimed] = pick(256);
      else if (kind === 1) bytes.write(INTERESTING[pick(INTERESTING.length)]!, aimed, 'latin1');
      else if (kind === 2) bytes = Buffer.from(bytes.subarray(0, at));
      else if (kind === 3) bytes = Buffer.concat([bytes.subarray(0, at & ~511), bytes.subarray((at & ~511) + 512)]);
      else if (kind === 4) bytes = Buffer.concat([bytes.subarray(0, at & ~511), bytes.subarray(pick(bytes.length) & ~511)]);
      else bytes[aimed] = (bytes[aimed] ?? 0) ^ (1 << pick(8));
      if (bytes.length < 512) break;
    }
    if (random() < 0.7) for (let at = 0; at + 512 <= bytes.length; at += 512) if (bytes.toString('latin1', at + 257, at + 262) === 'ustar') sign(bytes.subarray(at, at + 512));
    return bytes;
  }

  it('are refused with a sentence, or give names that lead nowhere else', async () => {
    const seed = 20_261_130;
    const random = seeded(seed);
    const sentences = new Map<string, number>();
    let read = 0;
    for (let turn = 0; turn < 4000; turn++) {
      const zipped = gzipSync(broken(random), { level: 1 });
      const where = `seed ${seed}, turn ${turn}`;
      let files: Map<string, Buffer>;
      try {
        files = await readPackage(zipped);
      } catch (error) {
        if (!(error instanceof HandoffError) || error.code !== 'SHAPE') throw new Error(where, { cause: error });
        const kind = error.message.replace(/"[^]*"|\d+/g, '');
        sentences.set(kind, (sentences.get(kind) ?? 0) + 1);
        continue;
      }
      read += 1;
      const folded = new Set([...files.keys()].map((name) => name.normalize('NFC').toLowerCase()));
      expect(folded.size, where).toBe(files.size);
      for (const name of files.keys()) {
        expect(join('/into', name).startsWith('/into/') && !/(^|\/)\.{0,2}(\/|$)|[\\:\u0000-\u001f]/.test(name), `${where}: ${JSON.stringify(name)}`).toBe(true);
      }
    }
    // The changes have to reach all of the reader, and some have to do no harm.
    expect(read).toBeGreaterThan(200);
    expect(sentences.size).toBeGreaterThan(15);
  });

  it('and what is read of them is written below the folder, every time', async () => {
    const random = seeded(7);
    const into = join(desk, 'fuzz', 'into');
    const canary = join(desk, 'fuzz', 'canary');
    mkdirSync(join(desk, 'fuzz'));
    writeFileSync(canary, 'alive');
    let written = 0;
    for (let turn = 0; turn < 400; turn++) {
      const names = await unpackPackage(gzipSync(broken(random), { level: 1 }), into).catch((error: unknown) => {
        if (!(error instanceof HandoffError)) throw error;
      });
      if (names === undefined) continue;
      written += 1;
      const found = readdirSync(into, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
      expect(found.every((entry) => entry.isFile()) && found.length === names.length).toBe(true);
      rmSync(into, { recursive: true });
    }
    expect(written).toBeGreaterThan(20);
    expect(readdirSync(join(desk, 'fuzz')).sort()).toEqual(['canary']);
    expect(readFileSync(canary, 'utf8')).toBe('alive');
  });
});
