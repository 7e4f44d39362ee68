/**
 * The real clients, fetched by npm, with the skill and its hooks installed for both, talking to a model on loopback.
 * HANDOFF_CLIENTS names a folder whose node_modules has them already; where it is empty they are put there and stay.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshFolder, REPOSITORY, run, type Result } from '../helpers/run.ts';
import { ModelServer } from './model-server.ts';

/** Those that this was seen to work with; others by HANDOFF_CLIENTS. */
const PACKAGES = ['@anthropic-ai/claude-code@2.1.332', '@openai/codex@0.171.0'];

const kept = process.env['HANDOFF_CLIENTS'];
const clients = kept ?? freshFolder('handoff-clients-');
const desk = freshFolder('handoff-client-home-');
const home = join(desk, 'a home');
const project = join(home, 'shop');
const copy = join(home, '.agents', 'skills', 'agents-handoff');
const model = new ModelServer();

beforeAll(async () => {
  for (const folder of [clients, project, join(home, '.claude'), join(home, '.codex')]) mkdirSync(folder, { recursive: true });
  if (!existsSync(join(clients, 'node_modules', '.bin', 'codex'))) {
    writeFileSync(join(clients, 'package.json'), '{"private": true}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES], { cwd: clients, stdio: 'inherit' });
  }
  await model.start();
  writeFileSync(join(home, '.claude', 'settings.json'), SETTINGS);
  writeFileSync(join(home, '.codex', 'config.toml'), `model = "model"\nmodel_provider = "here"\n[model_providers.here]\nname = "here"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\nenv_key = "HERE_KEY"\n`);
  const installed = install('install', '--harness', 'claude,codex', '--hooks');
  expect(installed, installed.stderr).toMatchObject({ status: 0 });
}, 600_000);

afterAll(async () => {
  await model.stop();
  for (const folder of [desk, ...(kept === undefined ? [clients] : [])]) rmSync(folder, { recursive: true, force: true });
});

const SETTINGS = '{\n  "includeCoAuthoredBy": false\n}\n';

const install = (...argv: string[]): Result => run(join(REPOSITORY, 'install', 'install.mjs'), argv, { cwd: project, home });
const handoff = (...argv: string[]): Result => run(join(copy, 'tools', 'handoff.mjs'), argv, { cwd: project, home });

interface Row { id: string; harness: string; turns: number }
function sessions(): Row[] {
  const { status, stdout } = handoff('list', '--json');
  // An empty store is exit 4.
  return status === 0 ? ([JSON.parse(stdout) as Row[] | { sessions: Row[] }].flatMap((one) => (Array.isArray(one) ? one : one.sessions))) : [];
}

/** One session without a person, to its end. */
function client(name: 'claude' | 'codex', argv: readonly string[]): Promise<Result> {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: home, TMPDIR: tmpdir(), HERE_KEY: 'none',
    ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', IS_SANDBOX: '1',
  };
  const child = spawn(join(clients, 'node_modules', '.bin', name), argv, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const result: Result = { status: null, signal: null, stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) child[stream].setEncoding('utf8').on('data', (piece: string) => { result[stream] += piece; });
  const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
  return new Promise((done) => void child.on('close', (status, signal) => {
    clearTimeout(timer);
    done({ ...result, status, signal });
  }));
}

const claude = (prompt: string): Promise<Result> => client('claude', ['-p', prompt, '--dangerously-skip-permissions']);
/** Hooks run only where they are trusted; the flag stands for the person who says so. */
const codex = (prompt: string): Promise<Result> => client('codex', ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--dangerously-bypass-hook-trust', prompt]);

const description = (): string => /^description: (.{40})/m.exec(readFileSync(join(copy, 'SKILL.md'), 'utf8'))?.[1] ?? 'no description';

describe('a session with the skill and its hooks installed', () => {
  it('of Claude Code: the skill is listed to the model, and the handoff is in the store and verifies', async () => {
    model.next({ text: 'I look.', call: { name: 'Bash', input: { command: 'ls -a', description: 'List files' } } }, { text: 'There is nothing in it yet.' });
    const result = await claude('What is in this folder?');
    expect(result, result.stderr).toMatchObject({ status: 0, stdout: 'There is nothing in it yet.\n' });
    expect(model.requests[0]).toContain(`agents-handoff: ${description()}`);
    const [row] = sessions();
    expect(row).toMatchObject({ harness: 'claude-code' });
    const brief = handoff('show', row?.id ?? '').stdout;
    for (const said of ['What is in this folder?', 'ls -a', 'There is nothing in it yet.']) expect(brief).toContain(said);
    expect(handoff('verify', '--all')).toMatchObject({ status: 0 });
  });

  it('of Codex: the skill is listed once, is loaded when it is named, and the handoff is in the store and verifies', async () => {
    model.next({ text: 'I look.', call: { name: 'exec_command', input: { cmd: 'ls -a' } } }, { text: 'There is nothing here.' });
    const result = await codex('Use $agents-handoff and say what is in this folder');
    expect(result, result.stderr).toMatchObject({ status: 0, stdout: 'There is nothing here.\n' });
    const first = model.requests[0] ?? '';
    expect(first.split(`- agents-handoff: ${description()}`).length - 1).toBe(1);
    expect(first).toContain('<skill>\\n<name>agents-handoff</name>');
    const row = sessions().find(({ harness }) => harness === 'codex');
    expect(handoff('show', row?.id ?? '').stdout).toContain('There is nothing here.');
    expect(handoff('verify', '--all', '--json').status).toBe(0);
    expect(sessions().length).toBe(2);
  });

  it('goes on as before where our copy is gone, and where it was removed', async () => {
    renameSync(copy, `${copy}-gone`);
    model.next({ text: 'Still here.' });
    expect(await claude('Are you there?')).toMatchObject({ status: 0, stdout: 'Still here.\n', stderr: '' });
    renameSync(`${copy}-gone`, copy);
    const before = sessions().length;
    const removed = install('remove', '--harness', 'claude,codex', '--force');
    expect(removed, removed.stderr).toMatchObject({ status: 0 });
    expect(readFileSync(join(home, '.claude', 'settings.json'), 'utf8')).toBe(SETTINGS);
    expect(existsSync(join(home, '.codex', 'hooks.json'))).toBe(false);
    model.next({ text: 'Still here.' });
    expect(await codex('Are you there?')).toMatchObject({ status: 0, stdout: 'Still here.\n' });
    expect(model.requests[0]).not.toContain('agents-handoff:');
    const store = run('handoff', ['list', '--json'], { cwd: project, home, env: { HANDOFFS_ROOT: copy } });
    expect(JSON.parse(store.stdout)).toHaveProperty('length', before);
  });
});
