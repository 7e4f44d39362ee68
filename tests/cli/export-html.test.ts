/** `handoff export <prefix> --html <file>`: where the page goes and what is in it. What a browser makes of it: tests/browser. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Desk } from '../helpers/desk.ts';
import { claude, lines, talk } from '../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

function captured(): void {
  const writer = claude('s');
  desk.capture('s.jsonl', lines(writer.user('Fix the parser'), writer.call('t1', 'Agent', { description: 'Find callers', prompt: 'Find all callers' }), writer.agent('Fixed.')));
}
const turnsIn = (file: string): { text: string; class: string }[] => JSON.parse(/id="turns">(.*?)<\/script>/.exec(readFileSync(file, 'utf8'))?.[1] ?? '') as { text: string; class: string }[];

describe('export --html', () => {
  it('writes one private file, in the place of an older one, and says where it is', () => {
    captured();
    const file = desk.file('page.html', 'older');
    const result = desk.handoff(['export', 's', '--html', 'page.html']);
    expect(result).toEqual({ status: 0, signal: null, stdout: `handoff: exported s -> ${file}\n`, stderr: '' });
    expect(turnsIn(file).map(({ class: kind }) => kind)).toEqual(['USER', 'TOOL', 'AGENT']);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(desk.dir).filter((name) => name.includes('page'))).toEqual(['page.html']);
    const { file: told, bytes, form } = JSON.parse(desk.handoff(['export', 's', '--html', 'page.html', '--json']).stdout) as { file: string; bytes: number; form: string };
    expect([told, bytes, form]).toEqual([file, statSync(file).size, 'html']);
  });

  it('refuses a transcript that the session was made from, by whatever path, and leaves its bytes', () => {
    captured();
    const file = join(desk.dir, 's.jsonl');
    const before = readFileSync(file);
    symlinkSync('s.jsonl', join(desk.dir, 'link.html'));
    for (const name of ['s.jsonl', './store/../s.jsonl', 'link.html']) {
      expect(desk.handoff(['export', 's', '--html', name]), name).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('is read and never written') });
    }
    expect(readFileSync(file)).toEqual(before);
  });

  it('tells the session in one line', () => {
    desk.capture('t.jsonl', lines(...talk(2)), '--session', 'a\nhandoff: exported b');
    expect(desk.handoff(['export', 'a', '--html', 'page.html']).stdout).toMatch(/^handoff: exported a\\u000ahandoff: exported b -> .*\n$/);
  });

  it('is the same for the same revision', () => {
    captured();
    const pages = ['one.html', 'two.html'].map((name) => {
      desk.handoff(['export', 's', '--html', name]);
      return readFileSync(join(desk.dir, name), 'utf8');
    });
    expect(pages[0]).toBe(pages[1]);
  });

  it('has the sub-agents that were captured, below their parent', () => {
    const writer = claude('s');
    const file = desk.file('p/s.jsonl', lines(writer.user('Fix the parser'), writer.agent('Fixed.')));
    const child = claude('s-x');
    desk.file('p/s/subagents/agent-x.jsonl', lines(...[child.user('Find all callers'), child.agent('x is done')].map((record) => ({ ...record, sessionId: 's', isSidechain: true, agentId: 'x' }))));
    desk.build(file, '--with-subagents');
    expect(desk.handoff(['export', 's', '--html', 'page.html']).status).toBe(0);
    const turns = turnsIn(join(desk.dir, 'page.html'));
    expect(turns.map(({ class: kind }) => kind)).toContain('SUB');
    expect(turns.map(({ text }) => text)).toContain('x is done');
  });

  it('refuses a folder, a place that is not there, the store itself, and two forms at once', () => {
    captured();
    mkdirSync(join(desk.dir, 'folder'));
    const refused = (...argv: string[]) => {
      const { status, stdout, stderr } = desk.handoff(['export', 's', ...argv]);
      return [status, stdout, stderr.split('\n', 1)[0]];
    };
    expect(refused('--html', 'folder')).toEqual([2, '', expect.stringContaining('is a folder') as string]);
    expect(refused('--html', 'nowhere/page.html')).toEqual([2, '', expect.stringContaining('there is no folder') as string]);
    expect(refused('--html', '')).toEqual([2, '', expect.stringContaining('takes a file') as string]);
    expect(refused('--html', join(desk.session().dir, 'timeline.jsonl'))).toEqual([2, '', expect.stringContaining('inside the store') as string]);
    for (const name of ['INDEX.json', '.locks/page.html']) expect(refused('--html', join(desk.root, name)), name).toEqual([2, '', expect.stringContaining('inside the store') as string]);
    const odd = join(desk.root, 'projects', '..odd');
    mkdirSync(odd);
    symlinkSync(desk.root, join(desk.dir, 'link'));
    expect(refused('--html', join(odd, 'page.html'))).toEqual([2, '', expect.stringContaining('inside the store') as string]);
    const byLink = desk.handoff(['export', 's', '--html', join(odd, 'page.html')], { env: { HANDOFFS_ROOT: join(desk.dir, 'link') } });
    expect(byLink).toMatchObject({ status: 2, stderr: expect.stringContaining('inside the store') as string });
    rmSync(odd, { recursive: true });
    expect(refused('--html', 'page.html', '--portable')[0]).toBe(2);
    expect(refused()[0]).toBe(2);
    expect(existsSync(join(desk.dir, 'page.html'))).toBe(false);
  });
});
