/** What confines a child, tried by a child. */
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runConfined } from '../../../src/execution/spawn.mts';
import type { ExecutionRecord } from '../../../src/execution/records.mts';
import { sha256 } from '../../helpers/desk.ts';
import { Ground, installed, removeProduct } from '../../helpers/engine.ts';
import { start } from '../../helpers/run.ts';

const grounds: Ground[] = [];
function fresh(): Ground {
  const ground = new Ground();
  grounds.push(ground);
  return ground;
}
afterAll(() => {
  for (const ground of grounds) ground.remove();
  removeProduct();
});

const spawned = (ground: Ground, words: readonly string[], more: readonly string[] = []) =>
  ground.told(['run', '--risk', 'R1', '--op', 'spawn', ...words.flatMap((word) => ['--arg', word]), ...more]);
const outputOf = (record: ExecutionRecord): string => (record['stdout'] as { text: string }).text;

describe('a child', () => {
  it('is stopped by Node when it reads a home, writes outside, starts a process, loads an addon or makes a way out', () => {
    const ground = fresh();
    ground.file('home/notes.txt', 'personal');
    ground.file('repo-evil/secret.txt', 'outside');
    ground.file('outside/secret.txt', 'outside');
    ground.file('repo/in.txt', 'inside');
    ground.file('repo/fake.node', 'no addon');
    ground.file('repo/try.mjs', `
      import fs from 'node:fs';
      import { spawnSync } from 'node:child_process';
      import { createRequire } from 'node:module';
      import { Worker } from 'node:worker_threads';
      const [home, outside, evil] = process.argv.slice(2);
      const said = {};
      const attempt = (name, act) => { try { act(); said[name] = 'went through'; } catch (error) { said[name] = error.code ?? error.message; } };
      attempt('read home', () => fs.readFileSync(home + '/notes.txt'));
      attempt('list home', () => fs.readdirSync(home));
      attempt('read outside by ..', () => fs.readFileSync('../outside/secret.txt'));
      attempt('read a neighbour', () => fs.readFileSync(evil + '/secret.txt'));
      attempt('write outside', () => fs.writeFileSync(outside + '/written', 'x'));
      attempt('remove outside', () => fs.rmSync(outside + '/secret.txt'));
      attempt('link out', () => fs.symlinkSync(outside, 'made-link'));
      attempt('link out, relative', () => fs.symlinkSync('../outside', 'made-link-2'));
      attempt('hard link in', () => fs.linkSync(outside + '/secret.txt', 'made-hard'));
      attempt('rename in', () => fs.renameSync(outside + '/secret.txt', 'taken'));
      attempt('process', () => { const { error } = spawnSync(process.execPath, ['-e', '0']); if (error) throw error; });
      attempt('shell', () => { const { error } = spawnSync('sh', ['-c', 'true']); if (error) throw error; });
      attempt('addon', () => createRequire(import.meta.url)('./fake.node'));
      attempt('worker', () => new Worker('0', { eval: true }));
      // Where this Node has it at all.
      attempt('database outside', () => { const { DatabaseSync } = createRequire(import.meta.url)('node:sqlite'); new DatabaseSync(outside + '/made.db').exec('create table a (b)'); });
      attempt('read inside', () => fs.readFileSync('in.txt'));
      attempt('write inside', () => fs.writeFileSync('made.txt', 'x'));
      console.log(JSON.stringify({ said, cwd: process.cwd(), env: Object.keys(process.env).sort(), argv: process.argv.slice(2).length }));
    `);
    mkdirSync(join(ground.repo, 'below'));
    const { status, said } = ground.told(
      ['run', '--risk', 'R1', '--op', 'spawn', '--args', `try.mjs ${ground.home}  ${ground.outside}`, '--arg', join(ground.dir, 'repo-evil')],
      { cwd: join(ground.repo, 'below'), env: { NODE_OPTIONS: '--no-warnings', TOKEN: 'secret', LANG: 'C', LD_PRELOAD: '' } },
    );
    expect([status, said]).toEqual([0, { executed: true, exit_code: 0, signal: null, record: expect.any(String) }]);
    const record = ground.record(said['record']);
    const told = JSON.parse(outputOf(record)) as { said: Record<string, string>; cwd: string; env: string[]; argv: number };
    const inside = ['read inside', 'write inside'];
    for (const [what, came] of Object.entries(told.said)) {
      if (inside.includes(what)) expect(came, what).toBe('went through');
      else expect(came, what).toMatch(what === 'database outside' ? /^ERR_UNKNOWN_BUILTIN_MODULE$/ : /^ERR_(ACCESS_DENIED|DLOPEN_DISABLED)$/);
    }
    expect(Object.keys(told.said)).toHaveLength(17);
    expect(told).toMatchObject({ cwd: ground.repo, env: ['LANG', 'NO_COLOR', 'PATH'], argv: 3 });
    expect([existsSync(join(ground.outside, 'written')), existsSync(join(ground.outside, 'secret.txt')), existsSync(join(ground.repo, 'made.txt'))]).toEqual([false, true, true]);
    expect(record).toMatchObject({
      op: 'spawn', verdict: 'ALLOWED', executed: true, outcome: 'done', exit_code: 0, effect: 'unknown', time_limit_ms: 15_000, real_target: ground.repo,
      confinement: {
        by: expect.stringMatching(/^--(experimental-)?permission$/), node: process.versions.node, folders: [ground.repo],
        forbids: expect.arrayContaining(['files outside these folders', 'child processes', 'native addons', 'worker threads']),
        not_covered: expect.arrayContaining(['links made in a workspace while it runs', 'signals to other processes of the same user', 'processor time and memory within the time limit']),
      },
    });
  });

  it('finds the record of its own decision on the disk when it begins, and a package without package.json is no hindrance', () => {
    const ground = fresh();
    ground.file('repo/look.cjs', `const fs = require('fs'); const [name] = fs.readdirSync('.agents-handoff/executions'); console.log(fs.readFileSync('.agents-handoff/executions/' + name, 'utf8'));`);
    const { status, said } = spawned(ground, ['look.cjs']);
    expect(status).toBe(0);
    expect(JSON.parse(outputOf(ground.record(said['record'])))).toMatchObject({ enforced_before_execution: true, verdict: 'ALLOWED', executed: null, outcome: 'begun', args: ['look.cjs'], confinement: { folders: [ground.repo] } });
  });

  it('is not kept from the network, from signals and from traces that Node writes, as its record says', async () => {
    const ground = fresh();
    let reached = false;
    const server = createServer((socket) => {
      reached = true;
      socket.end();
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as AddressInfo;
    const traces = join(ground.outside, 'traces');
    const trace = `const v8 = require('v8'); for (const flag of ['--redirect-code-traces-to=${traces}', '--redirect-code-traces', '--trace-opt', '--print-opt-code']) v8.setFlagsFromString(flag); const work = (a) => { let s = 0; for (let i = 0; i < 1e5; i++) s += a ^ i; return s; }; for (let i = 0; i < 100; i++) work(i);`;
    const { done } = start('runtime-engine', ['run', '--risk', 'R1', '--op', 'spawn', '--arg', '-e', '--arg', `process.kill(${process.pid}, 0); ${trace} require('net').connect(${port}, '127.0.0.1').on('close', () => process.exit(0)).resume()`], { cwd: ground.repo, home: ground.home, product: installed() });
    const { status, stdout } = await done;
    server.close();
    const { not_covered } = ground.record((JSON.parse(stdout) as { record: string }).record)['confinement'] as { not_covered: string[] };
    expect(not_covered).toEqual(expect.arrayContaining(['signals to other processes of the same user', 'files that Node writes about itself, as reports and traces are']));
    expect(existsSync(traces)).toBe(true);
    expect([status, reached]).toEqual(not_covered.includes('the network') ? [0, true] : [expect.anything(), false]);
  });

  it.each([
    ['a code of its own', ['-e', 'process.exitCode = 7'], 7, { executed: true, exit_code: 7, signal: null }],
    ['no code', ['-e', 'process.kill(process.pid, "SIGKILL")'], 1, { executed: true, exit_code: null, signal: 'SIGKILL' }],
    ['a script that is not there', ['none.mjs'], 1, { executed: true, exit_code: 1, signal: null }],
  ])('that ends with %s gives that on', (_, words, exit, told) => {
    const ground = fresh();
    const { status, said } = spawned(ground, words);
    expect([status, said]).toEqual([exit, { ...told, record: expect.any(String) }]);
    expect(ground.record(said['record'])).toMatchObject({ ...told, outcome: told.exit_code === null ? 'failed' : 'done' });
  });

  it.each([
    ['R0', ['mark.cjs'], 3, 'DENIED', /for reading/],
    ['R2', ['mark.cjs'], 4, 'NEEDS_AUTH', /authorization/],
    ['R9', ['mark.cjs'], 3, 'DENIED', /no risk R9/],
    ['R1', ['--allow-child-process', 'mark.cjs'], 3, 'DENIED', /--allow-child-process is no flag/],
    ['R1', ['mark.cjs', 'and', '--env-file=../outside/x'], 3, 'DENIED', /--env-file is no flag/],
  ])('at %s with %j is not started: exit %s', (risk, words, exit, verdict, why) => {
    const ground = fresh();
    ground.file('repo/mark.cjs', `require('fs').writeFileSync('started', '')`);
    // In one word of the line: this program's own Node would look for some of them in words of their own.
    const { status, said } = ground.told(['run', '--risk', risk, '--op', 'spawn', '--args', words.join(' ')]);
    expect([status, said]).toEqual([exit, { verdict, reason: expect.stringMatching(why), risk, level: risk === 'R9' ? null : expect.any(String), classification: 'APPROVED_WORKSPACE', executed: false, record: expect.any(String) }]);
    expect(ground.record(said['record'])).toMatchObject({ verdict, executed: false, outcome: 'refused', args: words });
    expect(existsSync(join(ground.repo, 'started'))).toBe(false);
  });

  it('is not started where a link in the workspace leads out, or a file there has a name elsewhere', () => {
    const ground = fresh();
    ground.file('repo/mark.cjs', `require('fs').writeFileSync('started', '')`);
    ground.file('outside/secret.txt', 'outside');
    ground.file('repo/src/deep/a.txt');
    const go = (...more: string[]) => spawned(ground, ['mark.cjs'], more);
    const out = join(ground.repo, 'src/deep/out');
    for (const [to, why] of [[ground.outside, /leads to .*outside$/], ['../../../outside/secret.txt', /leads to .*secret\.txt$/], ['../../../outside/none', /leads to .*none$/], ['..//..//..', /leads to/], ['out', /more than 40 links/]] as const) {
      symlinkSync(to, out);
      const { status, said } = go();
      expect([status, said['verdict'], said['executed']]).toEqual([3, 'DENIED', false]);
      expect(said['reason']).toMatch(why);
      unlinkSync(out);
    }
    linkSync(join(ground.outside, 'secret.txt'), out);
    expect(go()).toMatchObject({ status: 3, said: { reason: expect.stringMatching(/has 2 names, and only 1 in the workspaces/) } });
    expect(existsSync(join(ground.repo, 'started'))).toBe(false);
    const accepting = go('--policy', ground.policy({ hard_links: 'accept' }));
    expect([accepting.status, ground.record(accepting.said['record'])['confinement']]).toEqual([0, expect.objectContaining({ not_covered: expect.arrayContaining(['hard links in the workspaces']) })]);
    unlinkSync(out);
    // Links that stay inside are no way out, nor are files that a package manager linked.
    symlinkSync('../../mark.cjs', out);
    mkdirSync(join(ground.repo, 'node_modules'));
    linkSync(join(ground.outside, 'secret.txt'), join(ground.repo, 'node_modules/linked'));
    const tools = go();
    expect([tools.status, ground.record(tools.said['record'])['confinement']]).toEqual([0, expect.objectContaining({ not_covered: expect.arrayContaining(['hard links below node_modules and .git/objects']) })]);
    expect(go('--policy', ground.policy({ hard_links: 'refuse' })).status).toBe(3);
  });

  it('is not started where a workspace holds what the policy denies, or lies in it', () => {
    const ground = fresh();
    ground.file('repo/mark.cjs', `require('fs').writeFileSync('started', '')`);
    ground.file('outside/vault/work/a.txt');
    for (const [changes, why] of [
      [{ denied_roots: ['keys/private'] }, /the denied root .*keys\/private lies in the workspace/],
      [{ approved_workspaces: ['.', join(ground.outside, 'vault/work')], denied_roots: [join(ground.outside, 'vault')] }, /the workspace .*vault\/work lies in a denied root/],
    ] as const) {
      const { status, said } = spawned(ground, ['mark.cjs'], ['--policy', ground.policy(changes)]);
      expect([status, said]).toMatchObject([3, { verdict: 'DENIED', executed: false, reason: expect.stringMatching(why) }]);
    }
    expect(existsSync(join(ground.repo, 'started'))).toBe(false);
  });

  it('is not started where the workspace has a name that Node would read as a pattern', () => {
    const ground = fresh();
    mkdirSync(join(ground.dir, 'a*/.git'), { recursive: true });
    const { status, said } = ground.told(['run', '--risk', 'R1', '--op', 'spawn', '--args', '-e 0'], { cwd: join(ground.dir, 'a*') });
    expect([status, said['reason']]).toEqual([3, expect.stringMatching(/\* or a comma/)]);
  });

  it('ends with the program that started it, and the record says so', async () => {
    const ground = fresh();
    ground.file('repo/wait.cjs', `require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000);`);
    const { child, done } = start('runtime-engine', ['run', '--risk', 'R1', '--op', 'spawn', '--args', 'wait.cjs'], { cwd: ground.repo, home: ground.home, product: installed() });
    await until(() => existsSync(join(ground.repo, 'pid')) && readFileSync(join(ground.repo, 'pid'), 'utf8') !== '');
    child.kill('SIGTERM');
    expect(await done).toMatchObject({ status: 143 });
    await until(() => !alive(Number(readFileSync(join(ground.repo, 'pid'), 'utf8'))));
    expect(ground.records()).toEqual([expect.objectContaining({ verdict: 'ALLOWED', executed: true, outcome: 'failed', error: expect.stringMatching(/ended by a signal/) })]);
  });
});

describe('a process, in this one', () => {
  const base = { node: process.execPath, env: { PATH: process.env['PATH'] }, onSignal: () => () => {} };

  it('ends at its time limit with all that it started', async () => {
    const ground = fresh();
    const grandchild = `setInterval(() => require('fs').writeFileSync('beat', String(Date.now())), 20)`;
    const words = ['-e', `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { stdio: 'inherit' }); setInterval(() => {}, 1000)`];
    const ended = await runConfined({ ...base, words, cwd: ground.repo, limitMs: 1500 });
    expect(ended).toMatchObject({ started: true, exit_code: null, signal: 'SIGKILL', timed_out: true });
    const last = readFileSync(join(ground.repo, 'beat'), 'utf8');
    await new Promise((later) => setTimeout(later, 150));
    expect(readFileSync(join(ground.repo, 'beat'), 'utf8')).toBe(last);
  });

  it('leaves nothing behind that it started, when it ends by itself', async () => {
    const ground = fresh();
    const grandchild = `require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000)`;
    const words = ['-e', `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { stdio: 'inherit' }).unref(); const t = setInterval(() => { if (require('fs').existsSync('pid')) clearInterval(t) }, 10)`];
    expect(await runConfined({ ...base, words, cwd: ground.repo, limitMs: 10_000 })).toMatchObject({ exit_code: 0, timed_out: false });
    await until(() => !alive(Number(readFileSync(join(ground.repo, 'pid'), 'utf8'))));
  });

  it('may write without end, and little of it is kept', async () => {
    const ground = fresh();
    const piece = 'x'.repeat(1 << 20);
    const ended = await runConfined({ ...base, words: ['-e', `for (let i = 0; i < 24; i++) process.stdout.write('x'.repeat(1 << 20)); process.stderr.write('end')`], cwd: ground.repo, limitMs: 15_000 });
    if (!ended.started) throw new Error(ended.error);
    expect(ended.stdout).toMatchObject({ bytes: 24 << 20, sha256: sha256(piece.repeat(24)), left_out_bytes: (24 << 20) - 65536 });
    expect(ended.stdout.text.length).toBeLessThan(70_000);
    expect(ended.stderr).toMatchObject({ bytes: 3, text: 'end', left_out_bytes: 0 });
  });

  it('that cannot be started is told as such', async () => {
    const ground = fresh();
    expect(await runConfined({ ...base, node: join(ground.dir, 'no-node'), words: ['-e', '0'], cwd: ground.repo, limitMs: 1000 })).toEqual({ started: false, error: expect.stringMatching(/ENOENT/) });
    expect(await runConfined({ ...base, words: ['x'.repeat(4 << 20)], cwd: ground.repo, limitMs: 1000 })).toMatchObject({ started: false });
  });
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (holds()) return;
    await new Promise((later) => setTimeout(later, 20));
  }
  throw new Error('it did not come to that in ten seconds');
}
