import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { HandoffError } from '../../../../src/lib/errors.mts';
import { lifeOf, ownHolder } from '../../../../src/lib/fs/holder.mts';
import { acquire, type Lock } from '../../../../src/lib/fs/lock.mts';
import { newToken, temporaryName } from '../../../../src/lib/fs/temporary.mts';
import { allLocks, holderOf, lockFile, recordsOf } from '../../../../src/lib/fs/lock-file.mts';
import { freshFolder } from '../../../helpers/run.ts';
import { importBuilt } from '../../../helpers/built.ts';

const scratch = freshFolder('handoff-lock-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
let dir = '';
let file = '';
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(scratch, 'case-'));
  file = lockFile(dir, 'k');
});

/** No process has a number beyond the highest that systems give. */
const NOBODY = 2 ** 22 + 1;
const take = (waitMs = 0): Lock => acquire(dir, 'k', 'test', waitMs);
const written = (): Record<string, unknown> => JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;

/** What a lock says that somebody else holds. */
function put(facts: Record<string, unknown>, at = file): void {
  fs.writeFileSync(at, JSON.stringify({ ...ownHolder(), token: 'f'.repeat(24), key: 'k', operation: 'build', at: '2026-01-01T00:00:00.000Z', ...facts }));
}

function age(seconds: number, at = file): void {
  const then = Date.now() / 1000 - seconds;
  fs.utimesSync(at, then, then);
}

function refusal(work: () => unknown): HandoffError {
  try {
    work();
  } catch (error) {
    if (error instanceof HandoffError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('a lock that is a link to nowhere', () => {
  it('is told, and not waited for without end', { timeout: 20_000 }, () => {
    fs.symlinkSync(path.join(dir, 'nowhere'), file);
    const refused = refusal(() => take());
    expect([refused.code, refused.message]).toEqual(['HELD', `${file} can be neither taken nor read: remove it`]);
    expect(fs.readdirSync(dir)).toEqual([path.basename(file)]);
  });
});

describe('a free lock', () => {
  it('is taken whole under a private name that tells who holds it, and goes with its release', () => {
    const lock = take();
    expect(written()).toMatchObject({ pid: process.pid, host: os.hostname(), key: 'k', operation: 'test', token: lock.token });
    expect(path.basename(lock.file)).toMatch(/^[0-9a-f]{24}\.lock$/);
    if (process.platform !== 'win32') expect(fs.statSync(lock.file).mode & 0o777).toBe(0o600);
    expect(lock.left).toEqual([]);
    expect(fs.readdirSync(dir)).toEqual([path.basename(file)]);
    lock.release();
    expect(fs.readdirSync(dir)).toEqual([]);
    lock.release();
  });

  it('is one of its key: another key is free', () => {
    const one = take();
    const two = acquire(dir, 'other', 'test');
    expect(allLocks(dir).map(({ record }) => record?.key).sort()).toEqual(['k', 'other']);
    one.release();
    two.release();
  });

  it('makes its folder', () => {
    const lock = acquire(path.join(dir, 'a/b'), 'k', 'test');
    lock.release();
    expect(fs.existsSync(path.join(dir, 'a/b'))).toBe(true);
  });
});

describe('a lock that the file system refuses', () => {
  it('names the folder above its own, and not a temporary file, and keeps the system\'s word', () => {
    fs.writeFileSync(path.join(dir, 'file'), '');
    for (const place of ['file', 'file/below']) {
      const store = path.join(dir, place);
      expect(() => acquire(path.join(store, '.locks'), 'k', 'test'), place).toThrow(expect.objectContaining({ code: 'ENOTDIR', message: `ENOTDIR: not a directory: nothing can be written in ${store}` }));
    }
  });
});

describe('a take-over whose process has died', () => {
  it('keeps nobody waiting', () => {
    put({ pid: NOBODY });
    put({ pid: NOBODY }, `${file}.taking`);
    const began = Date.now();
    take().release();
    expect(Date.now() - began).toBeLessThan(1_000);
    expect(fs.readdirSync(dir)).toEqual([]);
  });
});

describe('a held lock', () => {
  it('is refused at once, and the sentence names the holder', () => {
    const lock = take();
    const began = Date.now();
    const error = refusal(take);
    expect(Date.now() - began).toBeLessThan(500);
    expect(error.code).toBe('HELD');
    expect(error.message).toContain(`process ${process.pid} on ${os.hostname()} (test, since `);
    expect(fs.readdirSync(dir)).toEqual([path.basename(file)]);
    lock.release();
    take().release();
  });

  it('is waited for as long as one asks', () => {
    put({});
    const began = Date.now();
    expect(refusal(() => take(200)).code).toBe('HELD');
    expect(Date.now() - began).toBeGreaterThanOrEqual(180);
    expect(Date.now() - began).toBeLessThan(2000);
  });

  it('by a process of another host is never taken, and the sentence names unlock', () => {
    put({ host: 'another-host', pid: NOBODY });
    age(1000);
    expect(refusal(take).message).toContain('unlock');
    expect(holderOf(dir, 'k')?.life).toBe('elsewhere');
    expect(written()).toMatchObject({ host: 'another-host' });
  });

  it('by a process whose start cannot be told is alive while a process of that number is', () => {
    put({ started: '' });
    expect(holderOf(dir, 'k')?.life).toBe('alive');
    put({ started: '', pid: NOBODY });
    expect(holderOf(dir, 'k')?.life).toBe('dead');
  });

  it('with a bare number, as 2.0.x makes it, is held while that process lives', () => {
    fs.writeFileSync(file, String(process.pid));
    expect(refusal(take).message).toContain(`process ${process.pid}`);
  });
});

describe('a lock whose holder is gone', () => {
  it('is taken over, and its record is handed on', () => {
    put({ pid: NOBODY, place: 'p/s', base: null });
    const lock = take();
    expect(lock.left).toMatchObject([{ pid: NOBODY, token: 'f'.repeat(24), place: 'p/s', base: null }]);
    expect(written()).toMatchObject({ pid: process.pid, token: lock.token });
    expect(fs.readdirSync(dir)).toEqual([path.basename(file)]);
    lock.release();
  });

  it('is told by the end of a process that really ran', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    put({ pid });
    expect(lifeOf({ pid, host: os.hostname(), started: '' })).toBe('dead');
    take().release();
  });

  it('is told from a process that took its number later, by the start', () => {
    put({ started: 'another:1' });
    const lock = take();
    expect(lock.left).toHaveLength(1);
    lock.release();
  });

  it.skipIf(process.platform !== 'linux')('is told from a child that nobody has waited for yet', async () => {
    const child = spawn('sh', ['-c', 'sleep 0.2 & exec sleep 5'], { stdio: 'ignore' });
    // The child of the shell becomes one that has ended and is not waited for, since `sleep 5` waits for nobody.
    await new Promise((resolve) => setTimeout(resolve, 700));
    const zombie = fs.readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && new RegExp(`^\\d+ \\(.*\\) Z ${child.pid} `, 's').test(quietly(`/proc/${pid}/stat`)));
    child.kill('SIGKILL');
    if (zombie !== undefined) expect(lifeOf({ pid: Number(zombie), host: os.hostname(), started: '' })).toBe('dead');
  });

  it('with a bare number is taken where no such process is, or it began after the lock was made', () => {
    fs.writeFileSync(file, String(NOBODY));
    const lock = take();
    expect(lock.left).toEqual([]);
    lock.release();
    fs.writeFileSync(file, String(process.pid));
    age(os.uptime() + 10);
    take().release();
  });

  it.each([['empty', ''], ['garbage', 'not a lock at all'], ['half of a record', '{"pid":12,"host"'], ['a record without a token', JSON.stringify({ pid: 1, host: 'x', key: 'k', operation: 'o', at: 'a' })], ['a token that leads out of its folder', JSON.stringify({ pid: NOBODY, host: os.hostname(), token: '../../x', key: 'k', operation: 'o', at: 'a' })], ['null', 'null'], ['a number that no process can have', '99999999999999']])('%s: is held while it is fresh, and dead after two seconds', (_name, text) => {
    fs.writeFileSync(file, text);
    expect(refusal(take)).toMatchObject({ code: 'HELD', message: expect.stringContaining('try again') });
    // A clock that was set back leaves files of a time that is still to come.
    for (const seconds of [3, -60]) {
      fs.writeFileSync(file, text);
      age(seconds);
      const lock = take();
      expect(lock.left).toEqual([]);
      lock.release();
    }
  });

  it('does not hand on what is no record', () => {
    put({ pid: NOBODY, left: [null, 7, 'x', {}, { token: '../x' }, { token: 'a'.repeat(24), place: 'p/s' }] });
    const lock = take();
    expect(lock.left.map(({ token }) => token)).toEqual(['a'.repeat(24), 'f'.repeat(24)]);
    lock.release();
  });
});

describe('what a dead holder left', () => {
  it('stays in the lock until the next one notes its own work, whoever dies before', () => {
    put({ pid: NOBODY, token: '1'.repeat(24), place: 'p/one' });
    take();
    // The second dies before it settled what the first left.
    fs.writeFileSync(file, JSON.stringify({ ...written(), pid: NOBODY }));
    const third = take();
    expect(third.left.map(({ place }) => place)).toEqual(['p/one', undefined]);
    const held = holderOf(dir, 'k');
    expect(held === undefined ? [] : recordsOf(held).map(({ pid }) => pid)).toEqual([NOBODY, NOBODY, process.pid]);
    third.note({ place: 'p/three' });
    expect(written()).toMatchObject({ place: 'p/three', token: third.token });
    expect(written()).not.toHaveProperty('left');
    third.release();
  });
});

describe('the holder', () => {
  it('adds facts in one step, and keeps earlier ones', () => {
    const lock = take();
    lock.note({ place: 'a/b', base: null });
    lock.note({ base: 'x' });
    expect(written()).toMatchObject({ place: 'a/b', base: 'x', token: lock.token, pid: process.pid });
    lock.stillMine();
    lock.release();
  });

  it.each([['removed', () => fs.unlinkSync(file)], ['somebody else\'s', () => put({})], ['garbage', () => fs.writeFileSync(file, '')]])('whose lock is %s may not go on, and takes nothing away', (_name, change) => {
    const lock = take();
    change();
    const before = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
    expect(refusal(() => lock.stillMine()).code).toBe('HELD');
    expect(refusal(() => lock.note({ place: 'a/b' })).code).toBe('HELD');
    lock.release();
    expect(fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined).toBe(before);
  });
});

describe('what a crash leaves beside a lock', () => {
  it('is swept by the next who takes any lock: temporary files of the dead, those of another host after a day, and take-overs of more than two seconds ago', () => {
    const names = {
      dead: `${'a'.repeat(24)}.lock.${NOBODY}.${newToken()}.tmp`,
      alive: temporaryName(`${'a'.repeat(24)}.lock`),
      stdin: `stdin.${NOBODY}.${newToken()}.tmp`,
      elsewhere: `stdin.${NOBODY}.${'d'.repeat(24)}.tmp`,
      gone: `stdin.${process.pid}.${'e'.repeat(24)}.tmp`,
      foreign: 'notes.tmp',
      taking: `${'e'.repeat(24)}.lock.taking`,
      fresh: `${'f'.repeat(24)}.lock.taking`,
    };
    for (const name of Object.values(names)) fs.writeFileSync(path.join(dir, name), '');
    age(3, path.join(dir, names.taking));
    age(25 * 60 * 60, path.join(dir, names.gone));
    take().release();
    expect(fs.readdirSync(dir).sort()).toEqual([names.alive, names.elsewhere, names.foreign, names.fresh].sort());
  });

  it('does not keep a dead lock for longer than its own two seconds', () => {
    put({ pid: NOBODY });
    fs.writeFileSync(`${file}.taking`, '');
    age(1.5, `${file}.taking`);
    const lock = take();
    expect(lock.left).toHaveLength(1);
    lock.release();
    expect(fs.readdirSync(dir)).toEqual([]);
  });
});

describe('many processes', () => {
  const script = (rounds: number): string => `
    import fs from 'node:fs';
    ${importBuilt('lib/fs/lock', 'acquire')}
    for (let round = 0; round < ${rounds}; round += 1) {
      const lock = acquire(process.argv[1], 'k', 'test', 30000);
      fs.appendFileSync(process.argv[2], 'in ' + lock.left.length + '\\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 8);
      lock.stillMine();
      fs.appendFileSync(process.argv[2], 'out\\n');
      lock.release();
    }`;

  async function together(count: number, rounds: number): Promise<{ log: string[]; errors: string[] }> {
    const log = path.join(scratch, `log-${path.basename(dir)}`);
    const errors = await Promise.all(Array.from({ length: count }, () => new Promise<string>((resolve) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script(rounds), dir, log]);
      let said = '';
      child.stderr.on('data', (piece: Buffer) => { said += piece.toString(); });
      child.on('close', (code) => resolve(code === 0 ? '' : `${code}: ${said}`));
    })));
    return { log: fs.readFileSync(log, 'utf8').trimEnd().split('\n'), errors: errors.filter((text) => text !== '') };
  }

  it.each([
    ['one dead holder', () => put({ pid: NOBODY, place: 'p/s' }), 1],
    ['a lock that nobody can read', () => { fs.writeFileSync(file, ''); age(3); }, 0],
    ['a dead holder and a take-over that crashed', () => { put({ pid: NOBODY }); fs.writeFileSync(`${file}.taking`, ''); age(3, `${file}.taking`); }, 1],
    ['a dead holder and a take-over whose process has died', () => { put({ pid: NOBODY }); put({ pid: NOBODY }, `${file}.taking`); }, 1],
    ['nobody', () => {}, 0],
  ])('get the lock one after the other, and only one of them what was left by %s', async (_name, prepare, left) => {
    prepare();
    const { log, errors } = await together(6, 5);
    expect(errors).toEqual([]);
    expect(log).toHaveLength(60);
    expect(log.every((line, at) => (at % 2 === 0 ? line.startsWith('in ') : line === 'out'))).toBe(true);
    expect(log.filter((line) => line === 'in 1')).toHaveLength(left);
    expect(fs.readdirSync(dir)).toEqual([]);
  });
});

function quietly(name: string): string {
  try {
    return fs.readFileSync(name, 'latin1');
  } catch {
    return '';
  }
}
