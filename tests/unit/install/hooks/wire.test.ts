import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOOKS, type HookHarness } from '../../../../src/install/hooks/harnesses.mts';
import { unwireHooks, wireHooks, type HookRecord } from '../../../../src/install/hooks/wire.mts';
import { readSettings, writeSettings } from '../../../../src/install/hooks/settings-file.mts';
import { HandoffError } from '../../../../src/lib/errors.mts';
import { sha256 } from '../../../helpers/desk.ts';
import { freshFolder } from '../../../helpers/run.ts';

let home: string;
let settings: string;
beforeEach(() => {
  home = freshFolder('handoff-hooks-');
  settings = join(home, '.claude', 'settings.json');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const SETTINGS = '{\n  // mine\n  "model": "opus",\n}\n';
const copy = (): string => join(home, '.agents/skills/agents-handoff');
const wire = (harness: HookHarness = 'claude-code', more: { dryRun?: boolean; copy?: string } = {}): HookRecord => wireHooks({ harness, settings, copy: copy(), ...more });
const text = (file = settings): string => readFileSync(file, 'utf8');
/** All files below the home, with what is in them. */
const files = (): Record<string, string> => Object.fromEntries(readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => {
  const file = join(entry.parentPath, entry.name);
  return [file.slice(home.length + 1), text(file)];
}));

function put(content: string | Buffer, file = settings): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** The sentence of a refusal, after which every file is as it was. */
function refusal(work: () => unknown): string {
  const before = files();
  try {
    work();
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    expect(files()).toEqual(before);
    return `${error.code}: ${error.message}`;
  }
  throw new Error('nothing was refused');
}

describe('wireHooks', () => {
  it.each(Object.keys(HOOKS) as HookHarness[])('gives a record that is enough to take it out again, for %s', (harness) => {
    put(SETTINGS);
    const record = wire(harness);
    expect(record).toEqual({
      harness, settings, events: HOOKS[harness].events, command: expect.stringMatching(/^\[ -f '.*' \] && node '.*' auto --hook \|\| true$/),
      entry_sha256: expect.stringMatching(/^[0-9a-f]{64}$/), backup: `${settings}.agents-handoff.bak`,
    });
    const wired = text();
    const entry = { type: 'command', command: record.command, ...HOOKS[harness].fields };
    expect(sha256(JSON.stringify(entry))).toBe(record.entry_sha256);
    expect(wired.split(JSON.stringify(record.command)).length - 1).toBe(record.events.length);
    expect(text(record.backup)).toBe(SETTINGS);

    expect(wire(harness)).toEqual(record);
    expect(text()).toBe(wired);
    expect(unwireHooks(record)).toBe('removed');
    expect(files()).toEqual({ '.claude/settings.json': SETTINGS });
    expect(unwireHooks(record)).toBe('absent');
    expect(files()).toEqual({ '.claude/settings.json': SETTINGS });
  });

  it('makes a file that is missing, private, and takes it away again', () => {
    const record = wire();
    expect(record.backup).toBeUndefined();
    expect(statSync(settings).mode & 0o777).toBe(0o600);
    expect(JSON.parse(text())).toHaveProperty('hooks.SessionEnd');
    expect(wire()).toEqual(record);
    expect(unwireHooks(record)).toBe('removed');
    expect(existsSync(settings)).toBe(false);
    expect(unwireHooks(record)).toBe('absent');
  });

  it('leaves a file that it made where something else is in it by now', () => {
    const record = wire();
    put(text().replace('{\n', '{\n  "model": "opus",\n'));
    expect(unwireHooks(record)).toBe('removed');
    expect(text()).toBe('{\n  "model": "opus"\n}\n');
  });

  it.each(['', '{}', '{\n}\n', '{"hooks":{}}', '{\n  "hooks": {\n    "Stop": []\n  }\n}\n', '{"hooks":{"Stop":[{"hooks":[]}]}}'])('puts back what says nothing, as it was: %j', (before) => {
    put(before);
    expect(unwireHooks(wire())).toBe('removed');
    expect(files()).toEqual({ '.claude/settings.json': before });
  });

  it('keeps the mark of byte order, and mode and owner', () => {
    const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(SETTINGS)]);
    put(bytes);
    chmodSync(settings, 0o640);
    const record = wire();
    expect(readFileSync(settings).subarray(0, 4).toString('latin1')).toBe('\xef\xbb\xbf{');
    expect(statSync(settings).mode & 0o777).toBe(0o640);
    expect(statSync(record.backup!).mode & 0o777).toBe(0o600);
    expect(unwireHooks(record)).toBe('removed');
    expect(readFileSync(settings).equals(bytes)).toBe(true);
    expect(statSync(settings).mode & 0o777).toBe(0o640);
  });

  it('writes nothing when it is dry, and says the same', () => {
    put(SETTINGS);
    const { backup: _, ...record } = wire('claude-code', { dryRun: true });
    expect(files()).toEqual({ '.claude/settings.json': SETTINGS });
    expect(wire()).toMatchObject(record);
    rmSync(join(home, '.claude'), { recursive: true });
    wire('claude-code', { dryRun: true });
    expect(existsSync(join(home, '.claude'))).toBe(false);
  });

  it('goes through a link to the real file and leaves the link', () => {
    const real = join(home, 'dotfiles', 'claude.json');
    put(SETTINGS, real);
    mkdirSync(dirname(settings));
    symlinkSync(real, join(home, 'dotfiles', 'middle'));
    symlinkSync('../dotfiles/middle', settings);
    const record = wire();
    expect(lstatSync(settings).isSymbolicLink()).toBe(true);
    expect(lstatSync(real).isFile()).toBe(true);
    expect(text(real)).toContain('auto --hook');
    expect(record).toMatchObject({ settings, backup: `${settings}.agents-handoff.bak` });
    expect(readdirSync(join(home, 'dotfiles')).sort()).toEqual(['claude.json', 'middle']);
    expect(unwireHooks(record)).toBe('removed');
    expect(lstatSync(settings).isSymbolicLink()).toBe(true);
    expect(text(real)).toBe(SETTINGS);
  });

  it('writes over what a killed run left half-written, and leaves what is somebody else\'s', () => {
    put(SETTINGS);
    put('half', `${settings}.agents-handoff.tmp`);
    put('mine', `${settings}.mine.tmp`);
    const record = wire();
    expect(readdirSync(dirname(settings)).filter((name) => name.endsWith('.tmp'))).toEqual([`${basename(settings)}.mine.tmp`]);
    expect(unwireHooks(record)).toBe('removed');
    expect(text(settings)).toBe(SETTINGS);
  });

  it('keeps every state that it replaced, and removes the backup that is no longer needed', () => {
    put(SETTINGS);
    const first = wire();
    const wired = text();
    const second = wire('claude-code', { copy: join(home, 'other') });
    expect([first.backup, second.backup]).toEqual([`${settings}.agents-handoff.bak`, `${settings}.agents-handoff.2.bak`]);
    expect(text(second.backup)).toBe(wired);
    expect(unwireHooks(first)).toBe('removed');
    expect(unwireHooks(second)).toBe('removed');
    expect(text()).toBe(SETTINGS);
  });
});

describe('settings are refused, and stay as they are,', () => {
  it('when they are read-only, for root too', () => {
    put(SETTINGS);
    chmodSync(settings, 0o444);
    expect(refusal(wire)).toMatch(/^IO: .*settings\.json is read-only; it was not changed/);
    expect(refusal(() => wire('claude-code', { dryRun: true }))).toMatch(/is read-only/);
    chmodSync(settings, 0o644);
    const record = wire();
    chmodSync(settings, 0o444);
    expect(refusal(() => unwireHooks(record))).toMatch(/is read-only/);
  });

  it.each([
    ['cannot be read', Buffer.from('{"a": 1'), /^SHAPE: .*settings\.json was not changed: it is not JSON that can be read: .* line 1/],
    ['have hooks of another shape', Buffer.from('{"hooks": []}'), /^SHAPE: .*was not changed: "hooks" are no object/],
    ['are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /^SHAPE: .*it is not UTF-8/],
    ['are UTF-16', Buffer.from('\ufeff{}', 'utf16le'), /^SHAPE: .*it is not UTF-8/],
    ['are far too large', Buffer.alloc((16 << 20) + 1, ' '), /^SHAPE: .*it has 16777217 bytes/],
  ])('when they %s', (_, bytes, said) => {
    put(bytes);
    expect(refusal(wire)).toMatch(said);
  });

  it('when they are a folder, or a link to nothing', () => {
    mkdirSync(settings, { recursive: true });
    expect(refusal(wire)).toMatch(/it is not a file/);
    rmSync(settings, { recursive: true });
    symlinkSync(join(home, 'gone.json'), settings);
    expect(refusal(wire)).toMatch(/a link to a file that is not there/);
    expect(existsSync(join(home, 'gone.json'))).toBe(false);
  });

  it('when they change while they are read', () => {
    put(SETTINGS);
    const before = readSettings(settings);
    put('{"written": "by the harness"}');
    expect(refusal(() => writeSettings(settings, before, '{}'))).toMatch(/^SHAPE: .*it changed while it was read/);
  });

  it('when the path of the copy would become another one', () => {
    put(SETTINGS);
    expect(refusal(() => wire('claude-code', { copy: '/a\nb' }))).toMatch(/^DENIED: .*a control character, so no hook of claude-code can name it: install for claude-code without --hooks/);
    expect(refusal(() => wire('gemini', { copy: '/a/$HOME/b' }))).toMatch(/^DENIED: .*a sign that gemini replaces/);
    expect(wire('codex', { copy: '/a/$HOME/b' }).command).toContain("'/a/$HOME/b/tools/agents-handoff.mjs'");
  });

  it('on Windows, where the command is none', () => {
    put(SETTINGS);
    const platform = vi.spyOn(os, 'platform').mockReturnValue('win32');
    expect(refusal(wire)).toMatch(/^DENIED: .*not wired on Windows/);
    platform.mockRestore();
  });
});

describe('unwireHooks', () => {
  it('leaves a hook that the user put into our group, and our command where it was put by hand', () => {
    put(SETTINGS);
    const record = wire();
    const entry = JSON.stringify({ type: 'command', command: record.command, timeout: 30 });
    put(text()
      .replace(/("Stop": \[\s*\{\s*"hooks": \[\s*\{[^}]*\})/, '$1, {"type": "command", "command": "theirs"}')
      .replace('"model"', `"hand": ${entry},\n  "model"`));
    expect(unwireHooks(record)).toBe('removed');
    const { hooks } = JSON.parse(text().replace('// mine', '').replace(/,\n}/, '}')) as { hooks: unknown };
    expect(hooks).toEqual({ Stop: [{ hooks: [{ type: 'command', command: 'theirs' }] }] });
    expect(text()).toContain(`"hand": ${entry}`);
    // What it was before is worth keeping as long as it differs from what is there.
    expect(text(record.backup)).toBe(SETTINGS);
    expect(unwireHooks(record)).toBe('absent');
  });

  it('says changed for an entry that somebody changed, and leaves it', () => {
    put(SETTINGS);
    const record = wire();
    put(text().replace('"timeout": 30', '"timeout": 9'));
    expect(unwireHooks(record)).toBe('changed');
    expect(text()).toContain('"timeout": 9');
    expect(text()).not.toContain('"timeout": 30');
    expect(unwireHooks(record)).toBe('changed');
  });

  it('says absent where the file is gone, or is no JSON and has nothing of ours', () => {
    const record = wire();
    rmSync(settings);
    expect(unwireHooks(record)).toBe('absent');
    put('{ broken');
    expect(unwireHooks(record)).toBe('absent');
    put(`{ broken ${JSON.stringify(record.command)}`);
    expect(refusal(() => unwireHooks(record))).toMatch(/^SHAPE: .*was not changed/);
  });
});

describe('a record that somebody else wrote', () => {
  it.each([
    ['the settings themselves', () => settings],
    ['a file with the same in it', () => join(home, 'copy.json')],
    ['a file of another folder with a name of ours', () => join(home, 'other/settings.json.agents-handoff.bak')],
  ])('does not get %s deleted as a backup', (_, backup) => {
    put(SETTINGS);
    put(SETTINGS, backup());
    const before = files();
    expect(unwireHooks({ harness: 'claude-code', settings, events: ['Stop'], command: 'x', entry_sha256: 'y', backup: backup() })).toBe('absent');
    expect(files()).toEqual(before);
  });

  it('for a harness that is not known is of no hook', () => {
    put('{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}');
    const record = { harness: 'constructor' as HookHarness, settings, events: ['Stop'], command: 'x', entry_sha256: sha256('{"hooks":[{"type":"command","command":"x"}]}') };
    expect(unwireHooks(record)).toBe('absent');
  });
});
