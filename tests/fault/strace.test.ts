import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callsOffMain, countCalls, failAt, killAt, skipWithoutStrace, type Child } from '../helpers/strace.ts';

/** Writes a file the careful way, then says so. Reads and prints in between, which must not count. */
const WRITER = `
const fs = require('node:fs');
const root = process.argv[1];
const staged = root + '/a.' + process.pid + '0123abcd.tmp';
const fd = fs.openSync(staged, 'wx');
fs.writeSync(fd, 'one');
process.stdout.write('said\\n');
fs.readFileSync(__filename === '[eval]' ? process.execPath : __filename, { flag: 'r' }).length;
fs.writeSync(fd, 'two');
fs.fsyncSync(fd);
fs.closeSync(fd);
try { fs.renameSync(staged, root + '/a'); } catch (error) { fs.unlinkSync(staged); console.error(error.code); process.exitCode = 1; }
`;

describe.skipIf(skipWithoutStrace())('faults put into a process (skipped where strace is missing)', () => {
  let store: string;
  const child = (script: string): Child => ({ argv: ['-e', script, store], env: {}, cwd: os.tmpdir(), store });
  const empty = (): void => {
    for (const name of fs.readdirSync(store)) fs.rmSync(path.join(store, name));
  };

  beforeEach(() => {
    store = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'handoff-strace-')));
  });
  afterEach(() => fs.rmSync(store, { recursive: true, force: true }));

  it('counts only what changes the store, with random names made equal', () => {
    const calls = countCalls(child(WRITER));
    expect(calls.map((call) => `${call.name} ${call.where}`)).toEqual([
      'openat a.*.tmp', 'write a.*.tmp', 'write a.*.tmp', 'fsync a.*.tmp', 'rename a.*.tmp -> a',
    ]);
    // The word on stdout was a write too, and has a number.
    expect(calls[2]!.ordinal).toBeGreaterThan(calls[1]!.ordinal + 1);
  });

  it('kills before the call and after all that came before', () => {
    const calls = countCalls(child(WRITER));
    empty();
    const ended = killAt(child(WRITER), calls[2]!);
    expect(ended).toMatchObject({ signal: 'SIGKILL', status: null, hit: true });
    const [left] = fs.readdirSync(store);
    expect(fs.readFileSync(path.join(store, left!), 'utf8')).toBe('one');
  });

  it('kills at every call that was counted', () => {
    for (const call of countCalls(child(WRITER))) {
      empty();
      expect(killAt(child(WRITER), call), call.where).toMatchObject({ signal: 'SIGKILL', hit: true });
      expect(fs.existsSync(path.join(store, 'a'))).toBe(false);
    }
  });

  it('makes one call fail with the error that was asked for', () => {
    const calls = countCalls(child(WRITER));
    empty();
    const ended = failAt(child(WRITER), calls[4]!, 'EACCES');
    expect(ended).toMatchObject({ status: 1, hit: true, stderr: 'EACCES\n' });
    expect(fs.readdirSync(store)).toEqual([]);
  });

  it('says so when the call that was struck is another one', () => {
    const calls = countCalls(child(WRITER));
    empty();
    expect(killAt(child(WRITER), { ...calls[1]!, ordinal: calls[1]!.ordinal + 1 }).hit).toBe(false);
  });

  it('sees changes that other threads make', () => {
    const writer = `require('node:fs').promises.writeFile(process.argv[1] + '/b', 'x')`;
    expect(callsOffMain(child(writer)).map((call) => call.where)).toContain('b');
    expect(callsOffMain(child(WRITER))).toEqual([]);
  });
});
