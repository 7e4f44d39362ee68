/** Builds that die, locks that are left, and an installation in a folder with an odd name. */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFile } from '../../../src/lib/fs/lock-file.mts';
import { sessionKey } from '../../../src/store/layout.mts';
import { Desk } from '../../helpers/desk.ts';
import { REPOSITORY, run, start } from '../../helpers/run.ts';
import { claude, lines, talk } from '../../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

const MANY = 12_000;

/** Starts a build and kills it once `due`, looked at again and again, says so; false where it was done before. */
async function killWhen(due: () => boolean): Promise<boolean> {
  const { child, done } = start('handoff', ['build', 'big.jsonl'], { cwd: desk.dir, home: desk.home, env: { HANDOFFS_ROOT: desk.root } });
  let over = false;
  void done.then(() => { over = true; });
  while (!over && !due()) await wait(1);
  child.kill('SIGKILL');
  return (await done).signal === 'SIGKILL';
}

const sizeOf = (name: string) => statSync(join(desk.session().dir, name), { throwIfNoEntry: false })?.size ?? 0;
function staged(name: string): boolean {
  try {
    return readdirSync(desk.session().dir).some((entry) => entry.startsWith(`${name}.`) && entry.endsWith('.tmp'));
  } catch {
    // A build that settles what the last one left may take the folder away at any moment.
    return false;
  }
}

describe('a build that is killed', () => {
  it('the first one, while it appends and while it renders, is as if it had never been', async () => {
    const records = talk(MANY);
    desk.file('big.jsonl', lines(...records));
    for (const due of [() => sizeOf('timeline.jsonl') > 300_000, () => staged('HANDOFF.llm.json')]) {
      expect(await killWhen(due)).toBe(true);
      expect(desk.handoff(['list']).status).toBe(4);
    }
    expect(desk.build('big.jsonl')).toBe(`handoff: built s project=w turns=${MANY} new=${MANY} rev=1`);
    expect(desk.session().numbers.every((number, at) => number === `${at}`)).toBe(true);
    expect(desk.handoff(['verify', 's']).stdout).toMatch(/^PASS /);
    expect(desk.tree().filter((name) => name.endsWith('.tmp') || name.endsWith('.lock'))).toEqual([]);
  });

  it('a later one costs no turn that was there, and its own come once', async () => {
    const records = talk(MANY);
    const half = lines(...records.slice(0, MANY / 2));
    const whole = lines(...records);
    desk.capture('big.jsonl', half);
    desk.session().author('RESULT: DONE\n');
    const committed = desk.session().bytes('timeline.jsonl');
    writeFileSync(join(desk.dir, 'big.jsonl'), whole);
    for (const due of [() => sizeOf('timeline.jsonl') > committed.length + 300_000, () => staged('HANDOFF.llm.json')]) {
      expect(await killWhen(due)).toBe(true);
      // Readers only say so.
      const verify = desk.handoff(['verify', 's']);
      expect([verify.status, verify.stdout]).toEqual([0, expect.stringMatching(/^PASS .*\n {2}note: a build was interrupted/)]);
      expect(desk.session().bytes('timeline.jsonl').subarray(0, committed.length).equals(committed)).toBe(true);
    }
    expect(desk.build('big.jsonl')).toBe(`handoff: built s project=w turns=${MANY} new=${MANY / 2} rev=2`);
    expect(desk.session().numbers.every((number, at) => number === `${at}`)).toBe(true);
    expect(desk.session().block.toString()).toBe('RESULT: DONE\n');
    expect(desk.handoff(['verify', 's', '--strict']).stdout).toMatch(/^PASS /);
    expect(desk.tree().filter((name) => name.endsWith('.tmp') || name.endsWith('.lock'))).toEqual([]);
  });

  it('by a signal that it can hear takes back what it did', async () => {
    // Signals are heard between pieces of 8 MB.
    const writer = claude();
    desk.file('big.jsonl', lines(...Array.from({ length: 100 }, () => writer.user('x'.repeat(400_000)))));
    const { child, done } = start('handoff', ['build', 'big.jsonl'], { cwd: desk.dir, home: desk.home, env: { HANDOFFS_ROOT: desk.root } });
    while (sizeOf('timeline.jsonl') === 0) await wait(1);
    child.kill('SIGTERM');
    const { status, signal } = await done;
    expect(status === 143 || signal === 'SIGTERM', `${status} ${signal}`).toBe(true);
    expect(desk.tree().filter((name) => /timeline|chain|manifest|INDEX|PROJECT/.test(name))).toEqual([]);
    expect(desk.build('big.jsonl')).toContain('turns=100 new=100 rev=1');
    expect(desk.tree().filter((name) => name.endsWith('.tmp') || name.endsWith('.lock'))).toEqual([]);
  });
});

describe('a lock that was left', () => {
  it('empty or as garbage stops nobody after two seconds, and needs nobody to clean up', () => {
    desk.capture('t.jsonl', lines(...talk(2)));
    const lock = lockFile(join(desk.root, '.locks'), sessionKey('s'));
    let count = 2;
    for (const left of ['', 'garbage\0', '{"pid":1', '999999999']) {
      writeFileSync(lock, left);
      const file = desk.file('t.jsonl', lines(...talk((count += 1))));
      if (left !== '999999999') expect(desk.handoff(['build', file]).status, left).toBe(3);
      const before = Date.now() / 1000 - 3;
      utimesSync(lock, before, before);
      expect(desk.build(file), left).toContain('new=1');
      expect(existsSync(lock)).toBe(false);
    }
  });
});

describe('an installation', () => {
  it('in a folder with blanks, quotes and letters outside ASCII works, and its store is there', () => {
    const product = join(desk.dir, "Jo Smith/ü 'q' $x %20");
    mkdirSync(product, { recursive: true });
    for (const name of ['tools', 'package.json', 'handoff.config.schema.json']) cpSync(join(REPOSITORY, name), join(product, name), { recursive: true });
    const options = { product, cwd: desk.dir, home: desk.home };
    const config = run('handoff', ['config'], options).stdout;
    expect(config).toContain(`handoff: config root=${product}\nhandoff: config source=default\n`);
    expect(config).toContain(`handoff: config schema=${join(product, 'handoff.config.schema.json')}\n`);
    const built = run('handoff', ['build', desk.file('my talk ü.jsonl', lines(...talk(2)))], options);
    expect(built.stdout).toContain(` -> ${join(product, 'projects/w/s')}\n`);
    expect(run('handoff', ['verify', 's'], options).stdout).toMatch(/^PASS s/);
    expect(readFileSync(join(product, 'projects/w/s/HANDOFF.md'), 'utf8')).toContain('my talk ü.jsonl');
  });

  it('a store behind a link is the store', () => {
    mkdirSync(join(desk.dir, 'real'));
    symlinkSync(join(desk.dir, 'real'), join(desk.dir, 'store'));
    desk.capture('t.jsonl', lines(...talk(2)));
    expect(existsSync(join(desk.dir, 'real', 'projects/w/s/manifest.json'))).toBe(true);
    expect(desk.handoff(['list'], { env: { HANDOFFS_ROOT: join(desk.dir, 'real') } }).stdout).toContain('[w]');
  });
});
