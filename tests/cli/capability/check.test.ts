/** The built probes on registries made here: every kind with every verdict, every exit code, the time limit and the state. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRegistry } from '../../../src/commands/capability/registry-file.mts';
import type { Io } from '../../../src/lib/cli/command.mts';
import { exists } from '../../../src/lib/fs/holder.mts';
import { freshFolder, REPOSITORY, run, start, type Result, type RunOptions } from '../../helpers/run.ts';

const desk = freshFolder('handoff-probes-');
const home = join(desk, 'home');
const bin = join(desk, 'bin');
const state = join(desk, 'state');
const PATH = `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`;

beforeAll(() => {
  for (const folder of [home, bin, state, join(desk, 'empty')]) mkdirSync(folder);
  file('there.txt', 'four');
  symlinkSync('nowhere', join(desk, 'dangling'));
});
afterAll(() => rmSync(desk, { recursive: true, force: true }));

function file(name: string, content: string, mode = 0o644): string {
  const path = join(desk, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

const script = (name: string, lines: string): string => file(name, `#!/bin/sh\n${lines}\n`, 0o755);

function registry(name: string, capabilities: Record<string, object>): string {
  return file(name, JSON.stringify({ schema_version: '1.0-capability-registry', capabilities: Object.entries(capabilities).map(([id, one]) => ({ id, ...one })) }));
}

function probe(argv: readonly string[], options: RunOptions = {}): Result {
  return run('capability-registry', argv, { cwd: desk, home, ...options, env: { PATH, AGENT_HANDOFF_STATE_DIR: state, ...options.env } });
}

interface Answer { ok: boolean; state: string | null; results: { id: string; verdict: string; evidence: string; required: boolean; kind: string }[] }

/** `verdict evidence` by id. */
function verdicts(result: Result): Record<string, string> {
  return Object.fromEntries((JSON.parse(result.stdout) as Answer).results.map(({ id, verdict, evidence }) => [id, `${verdict} ${evidence}`]));
}

describe('verdicts, each with what was seen', () => {
  it('of files, folders, git, features and kinds', () => {
    execFileSync('git', ['init', '-q', '-b', 'main', join(desk, 'repo')]);
    const made = registry('kinds.json', {
      file: { kind: 'file-exists', target: 'there.txt' },
      folder: { kind: 'file-exists', target: 'empty' },
      gone: { kind: 'file-exists', target: 'gone.txt' },
      below: { kind: 'file-exists', target: 'there.txt/below' },
      link: { kind: 'file-exists', target: 'dangling' },
      current: { kind: 'file-exists', target: '<cwd>/there.txt' },
      named: { kind: 'file-exists', target: '<cwd>.txt' },
      aimless: { kind: 'file-exists' },
      blank: { kind: 'file-exists', target: ' ' },
      writable: { kind: 'dir-writable', target: 'empty' },
      notFolder: { kind: 'dir-writable', target: 'there.txt' },
      noFolder: { kind: 'dir-writable', target: 'gone' },
      inTree: { kind: 'git', target: 'repo' },
      outside: { kind: 'git', target: '/' },
      noPlace: { kind: 'git' },
      confined: { kind: 'node-feature', target: 'permission-model' },
      sqlite: { kind: 'node-feature', target: 'sqlite' },
      feature: { kind: 'node-feature', target: 'toString' },
      teapot: { kind: 'teapot', target: 'x' },
      inherited: { kind: 'constructor', target: 'x' },
    });
    const result = probe(['check', '--registry', made, '--json']);
    expect(verdicts(result)).toEqual({
      file: `healthy ${desk}/there.txt is a file of 4 bytes`,
      folder: `healthy ${desk}/empty is a folder`,
      gone: `unhealthy ${desk}/gone.txt is not there`,
      below: `unhealthy ${desk}/there.txt/below is not there`,
      link: `unhealthy ${desk}/dangling is a link to nothing`,
      current: `healthy ${desk}/there.txt is a file of 4 bytes`,
      named: `unhealthy ${desk}/<cwd>.txt is not there`,
      aimless: 'unknown it is declared without a target',
      blank: 'unknown it is declared without a target',
      writable: `healthy a file was written into ${desk}/empty and removed`,
      notFolder: `unhealthy no file can be written into ${desk}/there.txt (ENOTDIR)`,
      noFolder: `unhealthy no file can be written into ${desk}/gone (ENOENT)`,
      inTree: expect.stringMatching(/^healthy git version [\d.]+, work tree .*\/repo$/),
      outside: expect.stringMatching(/^unhealthy git version [\d.]+, and \/ lies in no work tree \(exit 128 in \d+ ms: fatal: not a git repository/),
      noPlace: 'unknown it is declared without a target',
      confined: expect.stringMatching(/^healthy v\d+\S* \{"write":"ERR_ACCESS_DENIED","start":"ERR_ACCESS_DENIED"\}$/),
      sqlite: expect.stringMatching(isBuiltin('node:sqlite') ? /^healthy v\S+ sqlite \d/ : /^unhealthy it was tried: Error \[ERR_UNKNOWN_BUILTIN_MODULE\]/),
      feature: 'unknown no feature "toString" is known (known: permission-model, sqlite)',
      teapot: expect.stringMatching(/^unknown nothing here can probe the kind "teapot" \(known: file-exists, /),
      inherited: expect.stringMatching(/^unknown nothing here can probe the kind "constructor"/),
    });
    expect(readdirSync(join(desk, 'empty'))).toEqual([]);
    expect(result.status).toBe(1);
    expect(result.stderr).toBe('');
  });

  it('of commands, which no shell reads and which get no keys', () => {
    script('tools/say', 'echo "said: $*"');
    script('fails', 'echo "to stdout" >&2; exit 3');
    script('noisy', 'while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done | head -c 3000000');
    const made = registry('commands.json', {
      node: { kind: 'command', command: '<node>', args: ['--version'] },
      byTarget: { kind: 'command', target: '<node>', args: ['--version'] },
      path: { kind: 'command', command: './tools/say', args: ['$(touch evil)', '; touch evil', '`touch evil`', '*'] },
      fails: { kind: 'command', command: './fails' },
      killed: { kind: 'command', command: '<node>', args: ['-e', 'process.kill(process.pid, "SIGKILL")'] },
      missing: { kind: 'command', command: 'no-such-program-here' },
      refused: { kind: 'command', command: './there.txt' },
      noisy: { kind: 'command', command: './noisy' },
      keys: { kind: 'command', command: '<node>', args: ['-p', 'Object.keys(process.env).filter((name) => /KEY|NODE_OPTIONS/.test(name)).join() || "none"'] },
      prints: { kind: 'command', command: '<node>', args: ['-p', '"\\u001b[31m" + "ghp_" + "a1B2".repeat(9) + "\\u202e"'] },
      aimless: { kind: 'command', args: ['x'] },
    });
    const result = probe(['check', '--registry', made, '--json'], { env: { SOME_API_KEY: 'secret', NODE_OPTIONS: '--no-warnings' } });
    expect(verdicts(result)).toEqual({
      node: expect.stringMatching(/^healthy <node> --version: exit 0 in \d+ ms: v\d+/),
      byTarget: expect.stringMatching(/^healthy <node> --version: exit 0/),
      path: expect.stringMatching(/^healthy .*: said: \$\(touch evil\) ; touch evil `touch evil` \*$/),
      fails: expect.stringMatching(/^unhealthy \.\/fails: exit 3 in \d+ ms: to stdout$/),
      killed: expect.stringMatching(/^unhealthy .*: it was ended by SIGKILL$/),
      missing: 'unhealthy no-such-program-here: there is no such program',
      refused: expect.stringMatching(/^unhealthy \.\/there\.txt: it could not be started \(spawn .*EACCES\)$/),
      noisy: expect.stringMatching(/^healthy \.\/noisy: exit 0 in \d+ ms: a+$/),
      keys: expect.stringMatching(/^healthy .*: none$/),
      prints: expect.stringMatching(/^healthy [^\u0000-\u001f]*$/),
      aimless: 'unknown it is declared without a command',
    });
    expect(result.stdout + readFileSync(join(state, 'capability-state.json'), 'utf8')).not.toContain('ghp_a1B2');
    expect(existsSync(join(desk, 'evil'))).toBe(false);
  });

  it('of harnesses: their program, its version, their folder', () => {
    script('bin/claude', 'echo "2.1.332 (Claude Code)"');
    script('bin/pi', 'echo "broken" >&2; exit 1');
    script('bin/copilot', 'echo "no number"');
    for (const name of ['.claude', '.codex', 'moved']) mkdirSync(join(home, name));
    const harnesses = Object.fromEntries(['claude-code', 'codex', 'gemini', 'pi', 'copilot', 'abacus'].map((target) => [target, { kind: 'harness', target }]));
    const made = registry('harnesses.json', harnesses);
    expect(verdicts(probe(['check', '--registry', made, '--json']))).toEqual({
      'claude-code': `healthy version 2.1.332; its folder is ${home}/.claude`,
      codex: `unknown its folder is ${home}/.codex, and no program codex is on the PATH`,
      gemini: `unhealthy its folder ${home}/.gemini is not there, and no program gemini is on the PATH`,
      pi: expect.stringMatching(/^unhealthy its folder .*\.pi\/agent is not there; pi --version: exit 1 in \d+ ms: broken$/),
      copilot: expect.stringMatching(/^unhealthy .*; copilot --version: exit 0 in \d+ ms: no number$/),
      abacus: expect.stringMatching(/^unknown no harness "abacus" is known \(known: claude-code, codex, /),
    });
    const elsewhere = verdicts(probe(['check', '--registry', made, 'claude-code', '--json'], { env: { CLAUDE_CONFIG_DIR: join(home, 'moved'), HOME: undefined } }));
    expect(elsewhere).toEqual({ 'claude-code': `healthy version 2.1.332; its folder is ${home}/moved` });
    expect(verdicts(probe(['check', '--registry', made, 'gemini', '--json'], { env: { HOME: undefined } }))['gemini']).toMatch(/^unhealthy no home is known/);
  });

  it('without git on the PATH', () => {
    const made = registry('nogit.json', { git: { kind: 'git', target: '.', required: false } });
    expect(verdicts(probe(['check', '--registry', made, '--json'], { env: { PATH: join(desk, 'empty') } }))).toEqual({ git: 'unhealthy git --version: there is no such program' });
  });
});

describe('exit codes and words', () => {
  const good = { kind: 'file-exists', target: 'there.txt' };
  const bad = { kind: 'file-exists', target: 'gone' };
  const strange = { kind: 'teapot', target: 'x' };

  it('0: every required one is healthy, whatever the optional ones are', () => {
    const made = registry('ok.json', { good, bad: { ...bad, required: false }, strange: { ...strange, required: false } });
    const result = probe(['check', '--registry', made]);
    expect(result).toMatchObject({ status: 0, stderr: '' });
    expect(result.stdout.split('\n')).toEqual([
      `capability-registry: OK registry=${made}`,
      `  [healthy] good — ${desk}/there.txt is a file of 4 bytes`,
      `  [unhealthy] bad (optional) — ${desk}/gone is not there`,
      expect.stringMatching(/^ {2}\[unknown\] strange \(optional\) — /),
      '',
    ]);
    expect(probe(['check', '--registry', registry('none.json', {})]).status).toBe(0);
  });

  it('1: a required one is unhealthy, or unknown', () => {
    const made = registry('fail.json', { good, bad, strange });
    const result = probe(['check', '--registry', made]);
    expect([result.status, result.stdout.split('\n')[0]]).toEqual([1, `capability-registry: FAIL registry=${made}`]);
    expect([probe(['check', '--registry', made, 'good']).status, probe(['check', '--registry', made, 'strange']).status]).toEqual([0, 1]);
  });

  it('2: no registry that can be read, and wrong words; 4: an id that is not declared', () => {
    const made = registry('two.json', { good });
    const cases: [readonly string[], number, string, RegExp][] = [
      [['check', '--registry', join(desk, 'gone.json')], 2, 'CONFIG', /there is no registry file .*gone\.json/],
      [['list', '--registry', desk], 2, 'CONFIG', /there is no registry file /],
      [['check', '--registry', file('text.json', 'capabilities:')], 2, 'CONFIG', /text\.json is not JSON/],
      [['check', '--registry', file('bare.json', '{"schema_version":"1.0-capability-registry"}')], 2, 'CONFIG', /"capabilities" is missing/],
      [['check', '--frobnicate'], 2, 'USAGE', /unknown flag --frobnicate/],
      [['check', 'a', 'b'], 2, 'USAGE', /one word too many/],
      [['probe'], 2, 'USAGE', /probe/],
      [['check', '--registry', made, 'goo'], 4, 'NO_MATCH', /no capability "goo" is declared in .*two\.json \(declared: good\)/],
      [['list', '--registry', made, 'goo'], 4, 'NO_MATCH', /no capability "goo"/],
    ];
    for (const [argv, status, code, said] of cases) {
      const result = probe([...argv, '--json']);
      expect([result.status, JSON.parse(result.stdout)], argv.join(' ')).toEqual([status, { error: expect.objectContaining({ code, message: expect.stringMatching(said) }) }]);
    }
  });

  it('the shipped registry is the one where none is named, also through the umbrella', () => {
    const result = run('cli', ['capabilities', 'check', 'capture-engine'], { cwd: desk, home, env: { AGENT_HANDOFF_STATE_DIR: join(desk, 'umbrella') } });
    expect(result.stdout).toBe(`capability-registry: OK registry=capability-registry.json\n  [healthy] capture-engine — ${join(REPOSITORY, 'tools/handoff.mjs')} is a file of ${readFileSync(join(REPOSITORY, 'tools/handoff.mjs')).length} bytes\n`);
    expect(existsSync(join(desk, 'umbrella', 'capability-state.json'))).toBe(true);
  });
});

describe('time', () => {
  it('a probe that hangs is ended with all that it started, and holds nobody', async () => {
    script('hangs', 'sleep 20 & echo $! > "$1"; exec 2>&-; sleep 20');
    script('leaves', 'sleep 20 & echo $! > left; exit 0');
    script('bin/gemini', 'sleep 20');
    const made = registry('hangs.json', {
      ...Object.fromEntries([1, 2, 3, 4].map((n) => [`hangs${n}`, { kind: 'command', command: './hangs', args: [`pid${n}`], timeout_ms: 1500 }])),
      gemini: { kind: 'harness', target: 'gemini', timeout_ms: 1500 },
      quick: { kind: 'file-exists', target: 'there.txt' },
      leaves: { kind: 'command', command: './leaves' },
    });
    const began = Date.now();
    const result = probe(['check', '--registry', made, '--json']);
    // One after the other they would take 7.5 s.
    expect(Date.now() - began).toBeLessThan(6000);
    const found = verdicts(result);
    for (const id of ['hangs1', 'hangs4', 'gemini']) expect(found[id]).toMatch(/^unhealthy .*it did not end within 1500 ms, and was ended with all that it had started$/);
    expect(found['quick']).toMatch(/^healthy/);
    expect(found['leaves']).toMatch(/^healthy \.\/leaves: exit 0/);
    const pids = ['pid1', 'pid2', 'pid3', 'pid4', 'left'].map((name) => Number(readFileSync(join(desk, name), 'utf8')));
    await expect.poll(() => pids.filter(exists), { timeout: 10_000 }).toEqual([]);
    rmSync(join(bin, 'gemini'));
  });

  it('a signal ends the probes that run', async () => {
    const made = registry('signal.json', { hangs: { kind: 'command', command: './hangs', args: ['pid'], timeout_ms: 60_000 } });
    const { child, done } = start('capability-registry', ['check', '--registry', made], { cwd: desk, home, env: { PATH, AGENT_HANDOFF_STATE_DIR: state } });
    await expect.poll(() => existsSync(join(desk, 'pid')) && readFileSync(join(desk, 'pid'), 'utf8').endsWith('\n'), { timeout: 15_000 }).toBe(true);
    child.kill('SIGTERM');
    const ended = await done;
    expect([ended.status, ended.signal]).toEqual([143, null]);
    const pid = Number(readFileSync(join(desk, 'pid'), 'utf8'));
    await expect.poll(() => exists(pid), { timeout: 10_000 }).toBe(false);
  });
});

describe('the state', () => {
  const file1 = (): string => registry('state1.json', { a: { kind: 'file-exists', target: 'there.txt' }, b: { kind: 'file-exists', target: 'gone' } });
  const kept = (): { registry: string; results: { id: string; verdict: string; checked_at: string }[] } => JSON.parse(readFileSync(join(state, 'capability-state.json'), 'utf8'));

  it('keeps the others when one is checked, and list shows it', () => {
    const made = file1();
    rmSync(join(state, 'capability-state.json'), { force: true });
    expect(probe(['list', '--registry', made]).stdout).toBe(`capability-registry: 2 declared (${made})\n  a kind=file-exists (required) NEVER-CHECKED\n  b kind=file-exists (required) NEVER-CHECKED\n`);
    expect(existsSync(join(state, 'capability-state.json'))).toBe(false);

    expect(JSON.parse(probe(['check', '--registry', made, '--json']).stdout)).toMatchObject({ ok: false, state: join(state, 'capability-state.json') });
    const first = kept();
    expect(first).toMatchObject({ schema_version: '1.0-capability-state', generated_at: expect.any(String), registry: made, results: [{ id: 'a', verdict: 'healthy' }, { id: 'b', verdict: 'unhealthy' }] });
    expect(readFileSync(join(state, 'capability-state.json'), 'utf8')).toBe(`${JSON.stringify(first, null, 2)}\n`);

    file('gone', 'now here');
    expect(probe(['check', '--registry', made, 'b']).status).toBe(0);
    const second = kept();
    expect(second.results).toEqual([first.results[0], expect.objectContaining({ id: 'b', verdict: 'healthy' })]);
    rmSync(join(desk, 'gone'));
    expect(probe(['list', '--registry', made]).stdout).toContain(`  a kind=file-exists (required) last=healthy at ${first.results[0]?.checked_at}\n  b kind=file-exists (required) last=healthy at ${second.results[1]?.checked_at}\n`);
    expect(JSON.parse(probe(['list', '--registry', made, 'b', '--json']).stdout)).toMatchObject({ registry: made, capabilities: [{ id: 'b' }], last_state: second });
  });

  it('of 2.0.x is read, of another registry is not, and a damaged one is as good as none', () => {
    const made = file1();
    const old = { schema_version: '1.0-capability-state', generated_at: '2026-01-01T00:00:00.000Z', registry: made, results: [{ id: 'a', verdict: 'healthy', evidence: 'x', required: true, kind: 'file-exists' }, null, 'b'] };
    file('state/capability-state.json', JSON.stringify(old));
    expect(probe(['list', '--registry', made]).stdout).toContain('a kind=file-exists (required) last=healthy at 2026-01-01T00:00:00.000Z');
    for (const damaged of ['{', '[]', 'null', JSON.stringify({ ...old, results: 1 }), JSON.stringify({ ...old, registry: `${made}x` })]) {
      file('state/capability-state.json', damaged);
      expect(probe(['list', '--registry', made]).stdout, damaged).toMatch(/a kind=file-exists \(required\) NEVER-CHECKED/);
    }
    expect(probe(['check', '--registry', made, 'a']).status).toBe(0);
    expect(kept().results.map(({ id }) => id)).toEqual(['a']);
  });

  it('that cannot be kept changes no verdict', () => {
    const result = probe(['check', '--registry', file1(), 'a', '--json'], { env: { AGENT_HANDOFF_STATE_DIR: join(desk, 'there.txt', 'state') } });
    expect(result.status).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ ok: true, state: null });
    expect(result.stderr).toMatch(/^capability-registry: the results were not kept: ENOTDIR/);
  });
});

it('a state directory that is a link out of the repository is exit 2, for whoever wrote the repository would say what is written where', () => {
  const repo = join(desk, 'linked');
  mkdirSync(join(repo, '.git'), { recursive: true });
  symlinkSync(home, join(repo, '.agents-handoff'));
  const io = { cwd: repo, env: {}, home: join(repo, 'node_modules/agents-handoff') } as unknown as Io;
  const made = registry('linked.json', { a: { kind: 'file-exists', target: 'there.txt' } });
  expect(() => openRegistry(io, made, undefined)).toThrowError(expect.objectContaining({ code: 'CONFIG', message: expect.stringMatching(/leads out of the repository, to .*home$/) }));
  rmSync(join(repo, '.agents-handoff'));
  symlinkSync('inside', join(repo, '.agents-handoff'));
  expect(openRegistry(io, made, undefined).state).toBe(join(repo, '.agents-handoff/capability-state.json'));
});
