/** What a person who is new here is told: names in lists, refusals that say what is wrong, hints that fit. */
import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { program as handoffProgram } from '../../src/commands/handoff/table.mts';
import { program as runtimeProgram } from '../../src/commands/runtime/table.mts';
import { program as umbrella } from '../../src/commands/umbrella.mts';
import { run } from '../../src/lib/cli/runner.mts';
import type { IndexRow } from '../../src/store/index-file.mts';
import { Desk } from '../helpers/desk.ts';
import { fakeHost } from '../helpers/host.ts';
import { canonical, lines, talk } from '../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

interface Said { status: number; out: string; err: string }

async function say(program: typeof umbrella, argv: readonly string[], more: { home?: string; env?: Record<string, string> } = {}): Promise<Said> {
  const fake = fakeHost({ env: more.env ?? { HANDOFFS_ROOT: desk.root }, cwd: desk.dir });
  const host = more.home === undefined ? fake : Object.defineProperty(fake, 'home', { value: more.home });
  const status = await run(program, argv, host);
  return { status, out: fake.out(), err: fake.err() };
}

const handoff = (...argv: string[]): Promise<Said> => say(handoffProgram, argv);
const runtime = (...argv: string[]): Promise<Said> => say(runtimeProgram, argv);
const CONTRACT = ['RESULT: DONE', 'WHAT_CHANGED: x', 'VALIDATION: x', 'EVIDENCE: the log', 'BLOCKERS: none', 'RISKS: none', 'FOLLOW_UP: none', ''].join('\n');

describe('list', () => {
  it('shows the objective where there is no title, from the index, cut to 80 characters', async () => {
    const long = `fix the parser ${'x'.repeat(100)}`;
    desk.file('one.jsonl', lines(canonical(0, 'user', long, { session: 'one' })));
    desk.file('two.jsonl', lines(canonical(0, 'assistant', 'nobody asked', { session: 'two' })));
    await handoff('build', 'one.jsonl');
    await handoff('build', 'two.jsonl');
    const [one, two] = desk.index();
    expect(one?.objective).toBe(long.slice(0, 80));
    expect(two).not.toHaveProperty('objective');
    expect((await handoff('list', 'one')).out).toContain(`one  ${long.slice(0, 43)}…  harness=`);
    const text = readFileSync(join(desk.root, 'INDEX.json'), 'utf8');
    await runtime('index');
    expect(readFileSync(join(desk.root, 'INDEX.json'), 'utf8')).toBe(text);
    // As 2.0.x writes it.
    writeFileSync(join(desk.root, 'INDEX.json'), JSON.stringify(desk.index().map(({ objective: _gone, ...row }) => row as IndexRow), null, 2));
    expect((await handoff('list', 'one')).out).toMatch(/^\[unsorted\] {2}one {2}harness=/);
  });

  it('cuts long ids in the middle, so that those which end apart stay apart', async () => {
    for (const end of ['first', 'other']) {
      desk.file(`${end}.jsonl`, lines(...talk(2, `${'5f0c1a2b-'.repeat(6)}agent-${end}`)));
      await handoff('build', `${end}.jsonl`);
    }
    const { out } = await handoff('list');
    expect(out).toMatch(/ 5f0c1a2b-5f0c\S*…\S*agent-first /);
    expect(out).toMatch(/ 5f0c1a2b-5f0c\S*…\S*agent-other /);
    for (const id of out.match(/ 5f0c\S*agent-\w+/g) ?? []) expect(id).toHaveLength(45);
  });
});

describe('promote', () => {
  beforeEach(async () => {
    desk.file('t.jsonl', lines(...talk(2)));
    await handoff('build', 't.jsonl');
  });

  it('says of a missing contract what to add', async () => {
    const refused = await runtime('promote', 's');
    expect(refused).toMatchObject({ status: 6, err: 'agents-handoff: promote refused: evidence gate REJECTED (failed: contract) — add the evidence contract to HANDOFF.md, or pass --force to override deliberately\n' });
  });

  it('names the fields that are missing, the evidence that says nothing, the payload that differs', async () => {
    desk.session().author(CONTRACT.replace('EVIDENCE: the log', 'EVIDENCE: TODO'));
    expect((await runtime('promote', 's')).err).toContain('(failed: evidence: RESULT is DONE, but EVIDENCE says nothing) — fill in EVIDENCE in HANDOFF.md, or pass --force');
    desk.session().write('HANDOFF.md', desk.session().text('HANDOFF.md').replace('EVIDENCE: TODO', 'EVIDENCE: log').replace('RISKS: none\n', ''));
    expect((await runtime('promote', 's')).err).toContain('(failed: contract: missing: RISKS) — add the missing fields to HANDOFF.md, or pass');
    desk.session().write('HANDOFF.md', desk.session().text('HANDOFF.md').replace('BLOCKERS: none', 'RISKS: none\nBLOCKERS: none'));
    appendFileSync(desk.session().path('HANDOFF.llm.json'), ' ');
    expect((await runtime('promote', 's')).err).toMatch(/\(failed: payload: .+\) — make the payload with `handoff render s`, or pass/);
    desk.session().write('timeline.jsonl', '');
    expect((await runtime('promote', 's')).err).toMatch(/\(failed: counts: turn count drift .+ — damage cannot be overridden; `handoff verify` has the details\n/);
  });
});

describe('a timeline that has not the length that was sealed', () => {
  it.each([['shorter', (file: string) => truncateSync(file, 20)], ['longer', (file: string) => appendFileSync(file, '{"seq":9}\n')]])('is never up to date: %s', async (_how, damage) => {
    for (const [name, text, verify] of [['t.jsonl', lines(...talk(2)), 's'], ['notes.txt', 'user: a\nassistant: b\n', 'notes']] as const) {
      desk.file(name, text);
      const place = JSON.parse((await handoff('build', name, '--json')).out) as { dir: string };
      expect((await handoff('build', name)).out).toContain('up-to-date');
      damage(join(place.dir, 'timeline.jsonl'));
      const result = await handoff('build', name);
      expect(result).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/^handoff: timeline\.jsonl of \S+ has \d+ bytes, \d+ were committed; nothing was written/) });
      expect((await handoff('verify', verify)).out).toMatch(new RegExp(`^FAIL ${verify}: .* — put its folder back from a copy or from git, or \`handoff forget ${verify}\` and build it again\\n$`));
    }
  });

  it('is told by verify with how to go on, and a payload with how it is made anew', async () => {
    desk.file('t.jsonl', lines(...talk(2)));
    await handoff('build', 't.jsonl');
    appendFileSync(desk.session().path('HANDOFF.llm.json'), ' ');
    expect((await handoff('verify', 's')).out).toMatch(/^FAIL s: .* — `handoff render s` makes it anew\n$/);
    await handoff('render', 's');
    expect((await handoff('verify', 's')).out).toMatch(/^PASS /);
    appendFileSync(desk.session().path('TOOLS.md'), ' ');
    expect((await handoff('verify', 's', '--strict')).out).not.toContain(' — ');
  });
});

describe('what comes next', () => {
  it('is told by merge where it made no brief', async () => {
    for (const id of ['a', 'b']) {
      desk.file(`${id}.jsonl`, lines(...talk(2, id)));
      await handoff('build', `${id}.jsonl`);
    }
    expect(JSON.parse((await runtime('merge', 'a', 'b')).out)).toMatchObject({ rendered: false, next: 'handoff render a+merge+b' });
    expect(JSON.parse((await runtime('merge', 'a', 'b', '--render')).out)).not.toHaveProperty('next');
  });

  it('is told by build where the store is the checkout of the program itself', async () => {
    const home = join(desk.dir, 'checkout');
    mkdirSync(join(home, '.git'), { recursive: true });
    desk.file('t.jsonl', lines(...talk(2)));
    const env = { HOME: desk.home };
    expect((await say(handoffProgram, ['build', 't.jsonl'], { home, env })).err).toBe(`handoff: the store is the checkout ${home} itself; \`handoff config --init\` makes one in the current folder\n`);
    expect((await handoff('build', 't.jsonl')).err).toBe('');
  });

  it('is told by validate of a brief that build made', async () => {
    desk.file('t.jsonl', lines(...talk(2)));
    await handoff('build', 't.jsonl');
    expect(await runtime('validate', 's')).toMatchObject({ status: 1, err: expect.stringMatching(/^agents-handoff: s is a brief that build made, which `agents-handoff verify-gate` judges; .*\n$/) });
    desk.file('live.md', '---\nnext_agent: user\n---\nplain\n');
    expect((await runtime('validate', 'live.md')).err).toBe('');
  });

  it('is told where the verb belongs to the other program of this name', async () => {
    expect(await runtime('list')).toMatchObject({ status: 2, err: expect.stringContaining('list is a verb of handoff, not of this program: `handoff list`, or node tools/handoff.mjs list\n') });
    expect((await say(umbrella, ['list'])).status).toBe(4);
    expect(umbrella.summary.includes('installer')).toBe((umbrella.groups?.find(({ name }) => name === 'install')?.verbs.length ?? 0) > 0);
  });
});

describe('a text', () => {
  const MARKERS = 'a line that opens with user, human, assistant, ai, system or tool, then : or >';

  it('without a marker is told which there are', async () => {
    desk.file('t.md', '## User\nhello\n## Assistant\nhi\n');
    expect(await handoff('build', 't.md')).toMatchObject({ status: 4, err: expect.stringContaining(MARKERS) });
    desk.file('t.jsonl', lines(canonical(0, 'system', 'nothing')));
    expect((await handoff('build', 't.jsonl')).err).toMatch(/holds no conversation: .* made\n$/);
  });

  it('in which only one speaks is noted', async () => {
    desk.file('t.txt', 'user: hello\nagent: hi\nuser: more\nagent: yes\n');
    expect(await handoff('build', 't.txt')).toMatchObject({ status: 0, err: expect.stringMatching(/^handoff: only USER speaks in it \(1 turn\); in a text a turn begins at a line/) });
    desk.file('w.txt', 'User: hello\nBot: hi\nUser: more\n');
    expect((await handoff('build', 'w.txt')).err).toContain('only USER speaks in it (2 turns); ');
    desk.file('u.txt', 'user: hello\nassistant: hi\n');
    desk.file('v.txt', 'user: hello\n');
    expect([(await handoff('build', 'u.txt')).err, (await handoff('build', 'v.txt')).err]).toEqual(['', '']);
  });
});

describe('notes', () => {
  it('count one thing as one', async () => {
    desk.file('t.jsonl', `${lines(...talk(2))}{broken}\n`);
    expect((await handoff('build', 't.jsonl', '--allow-bad-lines')).err).toMatch(/^handoff: 1 bad line left out: /);
    desk.file('u.jsonl', `${lines(...talk(2, 'u'))}{broken}\n{broken}\n`);
    expect((await handoff('build', 'u.jsonl', '--allow-bad-lines')).err).toMatch(/^handoff: 2 bad lines left out: /);
  });

  it('say once who speaks', async () => {
    const nope = join(desk.dir, 'nope');
    expect((await runtime('federated-merge', '--from', nope)).err).toMatch(new RegExp(`^agents-handoff: ${nope} is not there`));
    const file = desk.file('t.jsonl', lines(...talk(2)));
    const host = fakeHost({ env: { HANDOFFS_ROOT: desk.root }, cwd: desk.dir });
    (host.stdin as unknown as NodeJS.WritableStream).end(JSON.stringify({ transcript_path: file, session_id: 's', cwd: desk.dir, hook_event_name: 'Stop' }));
    expect([await run(runtimeProgram, ['auto', '--hook'], host), host.err()]).toEqual([0, expect.stringMatching(/^agents-handoff: built s /)]);
  });

  it('tell of a range of turns in which there is none', async () => {
    desk.file('t.jsonl', lines(...talk(4)));
    await handoff('build', 't.jsonl');
    expect(await handoff('show', 's', '--turns', '900')).toEqual({ status: 0, out: '', err: 'handoff: no turn in 900 (0..3)\n' });
    expect((await handoff('show', 's', '--turns', '0..2', '--class', 'tool', '--json'))).toEqual({ status: 0, out: '[]\n', err: 'handoff: no TOOL turn in 0..2 (0..3)\n' });
    expect((await handoff('show', 's', '--turns', '3')).err).toBe('');
  });
});

describe('names', () => {
  it('that retitle makes a folder of have no runs of _', async () => {
    desk.file('t.jsonl', lines(...talk(2)));
    await handoff('build', 't.jsonl');
    expect(JSON.parse((await handoff('retitle', 's', 'Coupons & (all) — rounding', '--json')).out)).toMatchObject({ folder: 'Coupons_all_rounding' });
    expect(JSON.parse((await handoff('retitle', 's', '名前', '--json')).out)).toMatchObject({ folder: expect.stringMatching(/^_-[0-9a-f]{8}$/) });
  });

  it('of projects have a letter or a digit', async () => {
    desk.file('t.jsonl', lines(...talk(2)));
    await handoff('build', 't.jsonl');
    for (const name of ['..', '---', ' ', '']) expect(await handoff('rename', '--', 's', name), name).toMatchObject({ status: 2, err: expect.stringContaining('needs a letter or a digit') });
    expect((await handoff('rename', 's', '名前')).status).toBe(0);
  });
});

describe('a verb of another layer', () => {
  it('is known to the engine, which says where it is; every verb that the umbrella has beside the engine\'s', async () => {
    const others = (umbrella.groups ?? []).filter((group) => group !== handoffProgram)
      .flatMap(({ prefix, verbs }) => (prefix === undefined ? verbs.map(({ name }) => name) : [prefix]));
    const own = handoffProgram.verbs.map(({ name }) => name);
    expect([...handoffProgram.elsewhere?.verbs ?? []].sort()).toEqual([...new Set(others)].filter((name) => !own.includes(name) && name !== 'version').sort());
    expect(await handoff('promote', 's')).toMatchObject({ status: 2, err: expect.stringContaining('`agents-handoff promote`') });
    expect((await say(umbrella, ['promote', 's'])).status).not.toBe(2);
  });
});

describe('a store that is not where it was looked for', () => {
  it('is named by who looks into the folder around it', async () => {
    desk.file('s.jsonl', lines(...talk(2, 's')));
    await handoff('build', 's.jsonl');
    mkdirSync(join(desk.dir, 'their/handoffs/projects'), { recursive: true });
    expect((await runtime('federated-merge', '--from', 'their')).err).toContain('their has no folder projects/: it is no store, but their/handoffs is one');
    mkdirSync(join(desk.dir, 'bare'));
    expect((await runtime('federated-merge', '--from', 'bare')).err).toMatch(/it is no store\n/);
  });
});
