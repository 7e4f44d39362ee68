/** The command that is wired into a harness, run as a harness runs it: by a shell, with a hook's JSON on standard input. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HookHarness } from '../../../src/install/hooks/harnesses.mts';
import { wireHooks } from '../../../src/install/hooks/wire.mts';
import { freshFolder, REPOSITORY, run, type Result } from '../../helpers/run.ts';

// What a home may be called is not ours to choose.
const home = join(freshFolder('handoff-wired-'), 'it\'s a "home"; `touch evil` && x \u00fc');
const cwd = join(home, 'shop');
const copy = join(home, '.agents', 'skills', 'agents-handoff');
/** As npx keeps it. */
const npx = join(home, '.npm', '_npx', 'a1', 'node_modules', 'agents-handoff');

beforeAll(() => {
  mkdirSync(cwd, { recursive: true });
  for (const folder of [copy, npx]) cpSync(join(REPOSITORY, 'tools'), join(folder, 'tools'), { recursive: true });
  writeFileSync(join(copy, 'SKILL.md'), '---\nname: agents-handoff\n---\n');
});
afterAll(() => rmSync(dirname(home), { recursive: true, force: true }));

/** What a hook of each harness says, with the transcript of a session in the place where that harness keeps it. */
const SESSIONS: Record<HookHarness, { settings: string; transcript: string; fixture: string; hook: Record<string, unknown> }> = {
  'claude-code': {
    settings: '.claude/settings.json', transcript: '.claude/projects/-shop/e03d15a0-4e99-48ba-8d85-da8d3cce4a7a.jsonl', fixture: 'claude-code/steering.jsonl',
    hook: { session_id: 'e03d15a0-4e99-48ba-8d85-da8d3cce4a7a', prompt_id: 'df020d2a', permission_mode: 'bypassPermissions', effort: { level: 'medium' }, hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'ok', background_tasks: [], session_crons: [] },
  },
  codex: {
    settings: '.codex/hooks.json', transcript: '.codex/sessions/2026/11/30/rollout-2026-11-30T07-43-40-01a22b68-d613-79c0-9ca2-e0e3a77d3968.jsonl', fixture: 'codex/v0.171-codemode.jsonl',
    hook: { session_id: '01a22b68-d613-79c0-9ca2-e0e3a77d3968', hook_event_name: 'SessionEnd', reason: 'other' },
  },
  gemini: {
    settings: '.gemini/settings.json', transcript: '.gemini/tmp/shop/chats/session-2026-11-30T07-55-a592719f.jsonl', fixture: 'gemini/v0.61-coding.jsonl',
    hook: { session_id: 'a592719f-67f2-454d-8259-d6fa5fa0c244', hook_event_name: 'AfterAgent', timestamp: '2026-11-30T07:55:18.345Z', prompt: 'x', prompt_response: 'y' },
  },
  qwen: {
    settings: '.qwen/settings.json', transcript: '.qwen/projects/-shop/chats/930394ca-d3d0-4856-8e75-6a6c78a4bb82.jsonl', fixture: 'qwen/v0.24-killed.jsonl',
    hook: { session_id: '930394ca-d3d0-4856-8e75-6a6c78a4bb82', hook_event_name: 'Stop', timestamp: '2026-11-30T08:02:48.686Z', permission_mode: 'yolo', stop_hook_active: false, last_assistant_message: 'x', background_tasks: [], crons: [], context_limit: 1000000 },
  },
};
const HARNESSES = Object.keys(SESSIONS) as HookHarness[];

function commandFor(harness: HookHarness): string {
  return wireHooks({ harness, settings: join(home, SESSIONS[harness].settings), copy }).command;
}

function inputFor(harness: HookHarness): string {
  const { transcript, fixture, hook } = SESSIONS[harness];
  const path = join(home, transcript);
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    cpSync(join(REPOSITORY, 'tests', 'fixtures', fixture), path);
  }
  return JSON.stringify({ ...hook, transcript_path: path, cwd });
}

/** `sh -c` in the session's folder. Input that is undefined is never ended. */
function shell(command: string, input: string | undefined, path = `${dirname(process.execPath)}:/usr/bin:/bin`): Promise<Result> {
  const child = spawn('/bin/sh', ['-c', command], { cwd, env: { HOME: home, PATH: path } });
  const result: Result = { status: null, signal: null, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (piece: string) => { result[name] += piece; });
  child.stdin.on('error', () => {});
  if (input !== undefined) child.stdin.end(input);
  return new Promise((done) => void child.on('close', (status, signal) => {
    child.stdin.destroy();
    done({ ...result, status, signal });
  }));
}

describe('the command of a wired hook', () => {
  it('captures the session of each harness without a word on stdout, into the store that npx shows, where it verifies', async () => {
    const results = await Promise.all(HARNESSES.map((harness) => shell(commandFor(harness), inputFor(harness))));
    for (const { status, stdout, stderr } of results) {
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
      expect(stderr).toMatch(/^agents-handoff: built /);
    }
    const cli = (...argv: string[]) => run(join(npx, 'tools', 'cli.mjs'), [...argv, '--json'], { cwd, home });
    const listed = JSON.parse(cli('list').stdout) as { id: string; harness: string }[] | { sessions: { id: string; harness: string }[] };
    const rows = Array.isArray(listed) ? listed : listed.sessions;
    expect(rows.map(({ harness }) => harness).sort()).toEqual([...HARNESSES].sort());
    expect(existsSync(join(copy, 'INDEX.json'))).toBe(true);
    expect(cli('verify', '--all')).toMatchObject({ status: 0, stderr: '' });
    // The same again, from the settings themselves, is no second capture and no second entry.
    const settings = JSON.parse(readFileSync(join(home, SESSIONS.codex.settings), 'utf8')) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
    const again = await shell(settings.hooks['Stop']![0]!.hooks[0]!.command, inputFor('codex'));
    expect(again).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining('up-to-date') });
    expect(JSON.parse(cli('list').stdout)).toEqual(listed);
  });

  it('ends well and says nothing on stdout whatever comes in, or does not', async () => {
    const command = commandFor('claude-code');
    const whole = inputFor('claude-code');
    const cases: Record<string, string | undefined> = {
      nothing: '', 'no end': undefined, 'no JSON': 'Stop', 'a mark of byte order': `\ufeff${whole}`, 'no transcript': '{"hook_event_name":"Stop"}',
      'a transcript that is not there': JSON.stringify({ transcript_path: join(home, 'gone.jsonl'), cwd }), 'null as transcript': '{"transcript_path":null}',
    };
    const began = Date.now();
    const results = await Promise.all([...Object.values(cases).map((input) => shell(command, input)), shell(`${command} <&-`, '')]);
    expect(Date.now() - began).toBeLessThan(15_000);
    expect(results.map(({ status, stdout }) => [status, stdout])).toEqual(results.map(() => [0, '']));
    expect(existsSync(join(cwd, 'evil'))).toBe(false);
  });

  it('does nothing and ends well when there is no node, and when our copy is gone', async () => {
    const command = commandFor('claude-code');
    expect(await shell(command, inputFor('claude-code'), '/nonexistent')).toMatchObject({ status: 0, stdout: '' });
    renameSync(copy, `${copy}-gone`);
    expect(await shell(command, inputFor('claude-code'))).toEqual({ status: 0, signal: null, stdout: '', stderr: '' });
    renameSync(`${copy}-gone`, copy);
  });
});
