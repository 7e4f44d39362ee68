/** tools/ready/: what V8 compiled of the parts when they were built, so that a command starts sooner. It must never be what decides. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/run.ts';
import { VERSION } from '../../src/lib/version.mts';

const NODE = `${process.version}-${process.platform}-${process.arch}-${statSync(process.execPath).size}`;
const OTHER = VERSION.replace(/\d$/, 'x');
const require = createRequire(import.meta.url);
const { sumOf } = require('../../scripts/build/modules.cjs')(require, '') as { sumOf(bytes: Uint8Array): number };
let copy: string;

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'handoff-ready-'));
  cpSync(join(REPOSITORY, 'tools'), join(copy, 'tools'), { recursive: true, preserveTimestamps: true });
});
afterEach(() => rmSync(copy, { recursive: true }));

/** The part with the version in it. */
const part = (): string => join(copy, 'tools/parts/first.cjs');
const ready = (): string => join(copy, 'tools/ready', NODE, 'first.bin');
const version = (node = process.execPath) => {
  const { status, stdout, stderr } = spawnSync(node, [join(copy, 'tools/handoff.mjs'), '--version'], { env: {}, encoding: 'utf8' });
  return { status, stdout, stderr };
};
/** The part with another version in it, as long as it was. */
const changed = (): string => readFileSync(part(), 'latin1').replaceAll(`'${VERSION}'`, `'${OTHER}'`);
const whole = { status: 0, stdout: `${VERSION}\n`, stderr: '' };
/** A file of tools/ready/ of which V8 cannot tell that it was made of other code than lies beside it. */
function forge(): void {
  const data = new Script(changed()).createCachedData();
  const sum = Buffer.alloc(4);
  sum.writeInt32LE(sumOf(data));
  writeFileSync(ready(), Buffer.concat([data, readFileSync(part()), sum]));
}
const other = { ...whole, stdout: `${OTHER}\n` };

describe('what V8 compiled of the parts', () => {
  it('is taken by the Node that built it, and no part was built without a word of it', () => {
    const folder = join(REPOSITORY, 'tools/ready', NODE);
    const taken = readdirSync(folder).map((name) => {
      const file = join(REPOSITORY, 'tools/parts', name.replace('.bin', '.cjs'));
      const { cachedDataRejected } = new Script(readFileSync(file, 'latin1'), { cachedData: readFileSync(join(folder, name)).subarray(0, -4 - statSync(file).size) });
      return [name, cachedDataRejected];
    });
    expect(taken.filter(([, rejected]) => rejected !== false)).toEqual([]);
    expect(taken.map(([name]) => name)).toEqual(expect.arrayContaining(['first.bin', 'capture.bin', 'capture-more.bin', 'render.bin', 'store.bin', 'transcript-redaction.bin']));
  });

  it('is the same, byte for byte, wherever and however often the package is built', () => {
    for (const name of ['scripts/build', 'examples/transcript.jsonl', 'package.json', 'capability-registry.json', 'permission-policy.json']) cpSync(join(REPOSITORY, name), join(copy, name), { recursive: true });
    rmSync(join(copy, 'tools/ready'), { recursive: true });
    const { status, stderr } = spawnSync(process.execPath, [join(copy, 'scripts/build/ready.mjs')], { env: {}, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const folder = join('tools/ready', NODE);
    const names = readdirSync(join(REPOSITORY, folder));
    expect(readdirSync(join(copy, folder))).toEqual(names);
    expect(names.filter((name) => !readFileSync(join(copy, folder, name)).equals(readFileSync(join(REPOSITORY, folder, name))))).toEqual([]);
  });

  it('names no folder of the machine that built it, in its files or in a stack trace', () => {
    const folder = join(REPOSITORY, 'tools/ready', NODE);
    expect(readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(REPOSITORY.replace(/\/$/, '')))).toEqual([]);
    writeFileSync(join(copy, 'bug.cjs'), "Object.fromEntries = () => { throw new TypeError('made up'); };");
    const { stderr } = spawnSync(process.execPath, ['--require', join(copy, 'bug.cjs'), join(copy, 'tools/handoff.mjs'), 'show', 'x'], { env: {}, encoding: 'utf8' });
    expect(stderr).toMatch(/TypeError: made up\n[^]*\(agents-handoff\/tools\/parts\/[a-z-]+\.cjs:\d+:\d+\)/);
    expect(stderr).not.toContain(REPOSITORY.replace(/\/$/, ''));
  });

  it('is passed over where the part was changed since, also to one that is as long, and whatever times a copy gave', () => {
    writeFileSync(part(), changed());
    utimesSync(part(), 1, 1);
    expect(version()).toEqual(other);
  });

  it('is taken whatever times the files have, as npm gives them', () => {
    forge();
    utimesSync(ready(), 1, 1);
    expect(version()).toEqual(other);
  });

  it('is passed over by another build of the same version, which may differ in what V8 does not compare', () => {
    forge();
    const node = join(copy, 'node');
    copyFileSync(process.execPath, node);
    appendFileSync(node, ' ');
    expect([version(), version(node)]).toEqual([other, whole]);
  });

  it.each(['a page of zeros', 'half of it', 'nothing in it'])('is passed over where a crash left it unwritten: %s', (damage) => {
    const bytes = readFileSync(ready());
    if (damage === 'a page of zeros') writeFileSync(ready(), bytes.fill(0, 4096, 8192));
    else truncateSync(ready(), damage === 'half of it' ? bytes.length >> 1 : 0);
    expect(version()).toEqual(whole);
  });

  it('is not needed', () => {
    rmSync(join(copy, 'tools/ready'), { recursive: true });
    expect(version()).toEqual(whole);
  });
});
