/** `auto`: a session's last lines are never lost, and nothing is captured under a second name or by two at once. */
import { appendFileSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk } from '../../helpers/desk.ts';
import { deadPid, leaveLockText } from '../../helpers/locks.ts';
import { run, type Result } from '../../helpers/run.ts';
import { lines, talk } from '../../helpers/transcripts.ts';

let desk: Desk;
let file: string;
beforeEach(() => {
  desk = new Desk();
  file = desk.file('s.jsonl', lines(...talk(2)));
});
afterEach(() => desk.remove());

const auto = (...argv: string[]): Result & { said: Record<string, unknown> } => {
  const result = run('agents-handoff', ['auto', '--source', 's.jsonl', ...argv], { cwd: desk.dir, home: desk.home, env: { HANDOFFS_ROOT: desk.root } });
  return { ...result, said: result.stdout === '' ? {} : JSON.parse(result.stdout) as Record<string, unknown> };
};
/** As if the file had last been written so many seconds ago. */
const aged = (seconds: number): void => utimesSync(file, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);
const more = (from: number, to: number): void => appendFileSync(file, lines(...talk(to).slice(from)));

describe('auto', () => {
  it('leaves a fresh handoff alone, and takes what was written a moment after a capture once the source is quiet', () => {
    expect(auto('--project', 'My Shop!').said).toMatchObject({ ok: true, action: 'captured', output: expect.stringMatching(/^handoff: built s project=my-shop turns=2 new=2 rev=1 -> \//) });
    // Known under the project's slug, whatever is typed.
    expect(auto('--project', 'My Shop!').said).toMatchObject({ ok: true, action: 'skip-fresh', session: 's', source_mtime_ms: expect.any(Number), manifest_at: desk.session('my-shop/s').manifest.updated_at });
    more(2, 4);
    expect(auto().said['action']).toBe('skip-fresh');
    aged(61);
    expect(auto().said).toMatchObject({ action: 'captured', output: expect.stringContaining('turns=4 new=2 rev=2') });
    aged(61);
    // Quiet, and all of it captured.
    expect(auto().said['action']).toBe('skip-fresh');
    more(4, 5);
    aged(-61);
    expect(auto().said).toMatchObject({ action: 'captured', output: expect.stringContaining('turns=5 new=1 rev=3') });
  });

  it('knows a session by the name that a build gives it where the one that was typed holds a secret', () => {
    const typed = `s-gh${'p'}_${'a1B2'.repeat(9)}`;
    const first = auto('--session', typed);
    expect([first.said['action'], first.stdout.includes('a1B2')]).toEqual(['captured', false]);
    const again = auto('--session', typed);
    expect([again.said['action'], again.stdout.includes('a1B2')]).toEqual(['skip-fresh', false]);
  });

  it('finds its session after it was given another name', () => {
    auto('--project', 'w');
    expect(desk.handoff(['retitle', 's', 'better-name']).status).toBe(0);
    expect(auto().said).toMatchObject({ action: 'skip-fresh', session: 's' });
    more(2, 3);
    expect(auto('--min-fresh-ms', '-3600000').said).toMatchObject({ action: 'captured' });
    expect(desk.places()).toEqual(['w/better-name']);
  });

  it('does not wait for a capture that is in flight, and takes over from one that died', () => {
    leaveLockText(desk.root, 'auto:w/s', String(process.pid));
    expect(auto('--project', 'w')).toMatchObject({ status: 3, stdout: '', stderr: expect.stringMatching(/^agents-handoff: the lock \S+ is held by process \d+\n$/) });
    for (const [text, age] of [[String(deadPid()), 0], ['', 3], ['{"pid":', 3]] as const) {
      leaveLockText(desk.root, 'auto:w/s', text, age);
      rmSync(join(desk.root, 'projects'), { recursive: true, force: true });
      rmSync(join(desk.root, 'INDEX.json'), { force: true });
      expect([text, auto('--project', 'w').said['action']]).toEqual([text, 'captured']);
    }
    expect(readdirSync(join(desk.root, '.locks'))).toEqual([]);
  });

  it('passes on what the build refuses; what it captured outlives its source', () => {
    appendFileSync(file, 'no json\n');
    expect(auto()).toMatchObject({ status: 1, said: { ok: false, action: 'failed', error: { code: 'BAD_LINES', message: expect.stringContaining('3 (invalid JSON)') } }, stderr: expect.stringMatching(/^agents-handoff: 1 line is not readable/) });
    expect(desk.tree()).toEqual([]);
    file = desk.file('s.jsonl', lines(...talk(2)));
    auto('--project', 'w');
    desk.capture('other.jsonl', lines(...talk(2, 'other')), '--project', 'w');
    rmSync(file);
    expect(auto()).toMatchObject({ status: 2, stderr: expect.stringMatching(/^agents-handoff: source not found: s\.jsonl; .*\n$/) });
    expect(desk.handoff(['verify', 's'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^PASS s [^]*source/) });
    expect(run('agents-handoff', ['merge', 's', 'other', '--render'], { cwd: desk.dir, env: { HANDOFFS_ROOT: desk.root } }).status).toBe(0);
    expect(desk.handoff(['verify', '--all']).status).toBe(0);
    // Its source is there again, longer: the build goes on from what it has.
    file = desk.file('s.jsonl', lines(...talk(3)));
    expect(auto('--min-fresh-ms', '-3600000').said).toMatchObject({ output: expect.stringContaining('turns=3 new=1 rev=2') });
  });
});
