import { describe, expect, it } from 'vitest';
import { createCapture } from '../../../src/execution/capture-output.mts';
import { confinementOf, unspeakable, wordsOf } from '../../../src/execution/confinement.mts';
import { problemOfArgs } from '../../../src/execution/node-args.mts';
import { environmentOf } from '../../../src/execution/spawn.mts';
import { sha256 } from '../../helpers/desk.ts';

describe('the words for a confined Node', () => {
  it.each([
    ['a.mjs'], ['a.mjs --allow-child-process'], ['-e 1'], ['-p 1+1'], ['--eval=1'], ['--check a.mjs'], ['--no-warnings --enable-source-maps a.mjs -x'], ['-- --odd-name.mjs'], ['--input-type=module -e 1'], ['--input-type module -e 1'], ['-v'],
  ])('%s may run', (line) => {
    expect(problemOfArgs(line.split(' '))).toBeUndefined();
  });

  it.each([
    '--allow-child-process a.mjs', '--allow-fs-read=/ a.mjs', '--allow-fs-write=* a.mjs', '--allow_fs_read=/ a.mjs', '--allow-addons a.mjs', '--allow-worker a.mjs', '--allow-wasi a.mjs',
    '--no-permission a.mjs', '--no-experimental-permission a.mjs', '--env-file=/etc/x a.mjs', '--env-file /etc/x a.mjs', '--require ./x a.mjs', '-r ./x', '--import ./x a.mjs', '--loader ./x a.mjs',
    '--inspect a.mjs', '--inspect-brk=0.0.0.0 a.mjs', '--openssl-config=/x a.mjs', '--test', '--watch a.mjs', '--cpu-prof a.mjs', '--icu-data-dir=/x a.mjs', '--experimental-config-file=x', '--run x',
    '-e 1 --allow-child-process', '-p --allow-child-process 1', '-pe 1 --allow-worker', '-e --allow-worker', '--no-warnings --allow-addons a.mjs', '--input-type --allow-addons',
    'a.mjs --env-file=/etc/x', 'a.mjs -- --env-file=x', '-- a.mjs --env-file x', 'a.mjs --env-file-if-exists=x', 'a.mjs --experimental-config-file=x', '-- a.mjs --experimental-config-file x', 'a.mjs --experimental-default-config-file', '-e 1 -- --experimental-default-config-file',
    '-ra', '-i', '-', '--expose-internals a.mjs', '--build-snapshot a.mjs', '--title x --allow-addons',
  ])('%s may not', (line) => {
    expect(problemOfArgs(line.split(' '))).toMatch(/is no flag that a confined process may have/);
  });

  it('that are none, or hold a NUL byte, may not', () => {
    expect(problemOfArgs([])).toBe('there is nothing to run');
    expect(problemOfArgs(['a.mjs', 'x\0'])).toBe('a word holds a NUL byte');
  });
});

describe('confinement', () => {
  it('goes by the name that this Node has for its permission model', () => {
    const older = confinementOf(new Set(['--experimental-permission']), '20.20.2', ['/w'], 'refuse');
    const newer = confinementOf(new Set(['--permission', '--experimental-permission']), '22.23.3', ['/w', '/x'], 'tools');
    expect(wordsOf(older)).toEqual(['--experimental-permission', '--allow-fs-read=/w', '--allow-fs-write=/w']);
    expect(wordsOf(newer)).toEqual(['--permission', '--allow-fs-read=/w', '--allow-fs-write=/w', '--allow-fs-read=/x', '--allow-fs-write=/x']);
    const database = confinementOf(new Set(['--permission', '--no-experimental-sqlite']), '24.21.0', ['/w'], 'tools');
    expect([wordsOf(database).slice(0, 2), database.switched_off]).toEqual([['--permission', '--no-experimental-sqlite'], ['node:sqlite']]);
    expect(older).toMatchObject({ by: '--experimental-permission', node: '20.20.2', folders: ['/w'] });
    expect(older.not_covered).toContain('the network');
    expect(newer.not_covered).toContain('hard links below node_modules and .git/objects');
  });

  it('says that nothing confines where this Node has none, and that the network is covered where it is', () => {
    const none = confinementOf(new Set(), '19.0.0', ['/w'], 'refuse');
    expect([none.by, wordsOf(none), none.forbids]).toEqual([null, [], []]);
    expect(none.not_covered).toEqual(expect.arrayContaining(['files outside the workspaces', 'child processes', 'native addons', 'the network']));
    const net = confinementOf(new Set(['--permission', '--allow-net']), '25.0.0', ['/w'], 'refuse');
    expect(net.forbids).toContain('the network');
    expect(net.not_covered).not.toContain('the network');
  });

  it('does not speak of a folder that Node would take for more than one', () => {
    expect(unspeakable(['/w', '/w*'])).toBe('/w*');
    expect(unspeakable(['/a,/etc'])).toBe('/a,/etc');
    expect(unspeakable(['/a b'])).toBeUndefined();
  });

  it('leaves of the environment what cannot load code', () => {
    expect(environmentOf({ PATH: '/bin', NODE_OPTIONS: '--allow-addons', LD_PRELOAD: 'x', HOME: '/h', TOKEN: 't', LANG: 'C', NODE_PATH: 'x', OPENSSL_CONF: 'x' })).toEqual({ PATH: '/bin', LANG: 'C' });
  });
});

describe('what a child wrote', () => {
  it('is hashed and counted whole, and kept at its beginning and end', () => {
    const capture = createCapture();
    const pieces = Array.from({ length: 50 }, (_, i) => Buffer.from(`${i}`.padStart(4096, '.')));
    for (const piece of pieces) capture.add(piece);
    const whole = Buffer.concat(pieces);
    const { text, ...rest } = capture.result();
    expect(rest).toEqual({ bytes: whole.length, sha256: sha256(whole), left_out_bytes: whole.length - 65536 });
    expect(text.startsWith(whole.subarray(0, 32768).toString())).toBe(true);
    expect(text.endsWith(whole.subarray(-32768).toString())).toBe(true);
    expect(text).toContain(`[${whole.length - 65536} bytes left out]`);
  });

  it('is kept without its secrets', () => {
    const capture = createCapture();
    const said = `token ghp_${'a1B2'.repeat(9)}\n`;
    capture.add(Buffer.from(said));
    expect(capture.result()).toMatchObject({ bytes: said.length, sha256: sha256(said), text: expect.stringMatching(/^token \[redacted:[^\]]+\]\n$/) });
  });
});
