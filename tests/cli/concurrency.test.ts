/** Many commands at once on one store: nothing is lost or doubled, and readers never see a session that is half there. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildInto, seeded, turnsOf } from '../helpers/build.ts';
import { importBuilt } from '../helpers/built.ts';
import { isChanging, isHeld, openCrowd, pause, record, told, type Said } from '../helpers/crowd.ts';
import { verifyStore2 } from '../helpers/reference-verify.ts';
import { freshFolder } from '../helpers/run.ts';

const scratch = freshFolder('handoff-together-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
const SEED = Number(process.env['HANDOFF_SEED'] ?? Date.now() % 1_000_000);
/** `npm run test:fault` has the whole storm, `npm test` a smaller one. */
const WHOLE = process.env['HANDOFF_WHOLE'] === '1';
/** The storm ends when it has lasted this long and enough was built; on a machine that is busy it goes on for longer. */
const STORM_MS = Number(process.env['HANDOFF_STORM_MS'] ?? (WHOLE ? 10_000 : 1_500));
const LONGEST_STORM_MS = STORM_MS + 30_000;
const ENOUGH = WHOLE ? 20 : 5;
const BUILDERS = WHOLE ? 16 : 4;

const crowd = (name: string): ReturnType<typeof openCrowd> => openCrowd(path.join(scratch, name));

describe(`many commands at once (seed ${SEED})`, () => {
  it(`${BUILDERS} builders of one session that grows, some of them killed, and readers beside them`, async () => {
    const { dir, root, log, say, killHolder, must, leftOvers } = crowd('one');
    const random = seeded(SEED);
    const file = path.join(dir, 'grows.jsonl');
    fs.writeFileSync(file, record('grows', 0));
    must('build', 'grows.jsonl');
    const began = Date.now();
    const over = (): boolean => Date.now() - began > LONGEST_STORM_MS
      || (Date.now() - began > STORM_MS && log.filter(({ argv, status }) => argv[0] === 'build' && status === 0).length >= ENOUGH);

    let written = 1;
    const writer = async (): Promise<void> => {
      while (!over()) {
        const bytes = Buffer.from(record('grows', written));
        const half = random() < 0.5 ? Math.floor(random() * bytes.length) : bytes.length;
        fs.appendFileSync(file, bytes.subarray(0, half));
        await pause(1 + random() * 15);
        fs.appendFileSync(file, bytes.subarray(half));
        written += 1;
        await pause(random() * 15);
      }
    };
    const builder = async (): Promise<void> => {
      while (!over()) {
        await say(['build', 'grows.jsonl'], random() < 0.08 ? 40 + random() * 600 : undefined);
        await pause(random() * 60);
      }
    };
    const reader = async (): Promise<void> => {
      for (let turn = 0; !over(); turn += 1) await say([['verify', 'grows'], ['list'], ['verify', '--all'], ['show', 'grows'], ['show', 'grows', '--class', 'USER']][turn % 5] ?? []);
    };
    const killer = async (): Promise<void> => {
      while (!over()) {
        await pause(random() * 40);
        killHolder(() => random() < 0.3);
      }
    };
    await Promise.all([writer(), killer(), ...Array.from({ length: BUILDERS }, builder), reader(), reader()]);

    const builds = log.filter(({ argv }) => argv[0] === 'build');
    const reads = log.filter(({ argv }) => argv[0] !== 'build');
    expect(told(builds.filter((said) => said.status !== 0 && !isHeld(said) && !said.killed))).toEqual([]);
    expect(told(reads.filter((said) => (said.status !== 0 && !isChanging(said)) || /FAIL|at \S+:\d+/.test(said.stdout + said.stderr)))).toEqual([]);
    const numbers = { built: builds.filter(({ stdout }) => stdout.includes('built')).length, whole: builds.filter(({ status }) => status === 0).length, held: builds.filter(isHeld).length, killed: builds.filter(({ killed }) => killed).length, reads: reads.length, changing: reads.filter(isChanging).length, written };
    // The figures tell whether anything was tried at all.
    expect(numbers.whole, JSON.stringify(numbers)).toBeGreaterThanOrEqual(ENOUGH);
    expect(numbers.held, JSON.stringify(numbers)).toBeGreaterThanOrEqual(1);
    expect(numbers.changing, JSON.stringify(numbers)).toBeLessThanOrEqual(Math.ceil(numbers.reads / 10));

    must('build', 'grows.jsonl');
    expect(must('build', 'grows.jsonl')).toContain('up-to-date');
    const [session = ''] = fs.readdirSync(path.join(root, 'projects/unsorted')).filter((name) => name !== 'PROJECT.md');
    const turns = turnsOf(path.join(root, 'projects/unsorted', session));
    const wrong = turns.findIndex(({ seq }, at) => seq !== at);
    if (wrong >= 0 || turns.length !== written) {
      const chain = fs.readFileSync(path.join(root, 'projects/unsorted', session, 'chain.jsonl'), 'utf8');
      throw new Error(`${turns.length} turns of ${written}, the first wrong one at ${wrong}: ${JSON.stringify(turns.slice(Math.max(0, wrong - 2), wrong + 4))}\n${chain}\n${told(builds).join('')}`);
    }
    expect(turns.every(({ seq, text }) => text.startsWith(`turn ${seq} of grows`))).toBe(true);
    expect(must('verify', '--all')).toMatch(/ \/ chain ok\n(?: .*\n)*handoff: 1 checked, 0 failed/);
    expect(verifyStore2(root)[0]?.line).toMatch(/^PASS /);
    expect(leftOvers()).toEqual([]);
    if (STORM_MS > 20_000) console.log(JSON.stringify(numbers));
  });

  it.each([
    ['lines', 'grows.jsonl', (to: number) => Array.from({ length: to }, (_, at) => record('grows', at)).join('')],
    ['text', 'talk.md', (to: number) => Array.from({ length: to }, (_, at) => `${at % 2 === 0 ? 'user' : 'assistant'}: turn ${at}\n`).join('')],
  ])('a build that opened its source before another one captured more of it takes nothing twice: %s', async (kind, name, content) => {
    const { dir, root, must } = crowd(`outrun-${kind}`);
    const file = path.join(dir, name);
    fs.writeFileSync(file, content(3));
    const first = await buildInto(root, file);
    // A session in the older layout is moved, and told, after the source was opened and before the lock is taken.
    const legacy = path.join(root, 'legacy');
    fs.mkdirSync(legacy);
    fs.writeFileSync(path.join(legacy, 'manifest.json'), JSON.stringify({ session: 'legacy', project: 'old', manifest_sha256: '0'.repeat(64) }));
    fs.appendFileSync(file, content(5).slice(content(3).length));
    const notes: string[] = [];
    let between = '';
    notes.push = (message) => {
      if (!message.startsWith('migrated')) return 0;
      fs.appendFileSync(file, content(9).slice(content(5).length));
      between = must('build', name);
      return 0;
    };
    const outrun = await buildInto(root, file, { notes });
    expect(between).toContain('turns=9 new=6 rev=2');
    expect(outrun).toMatchObject({ action: 'up-to-date', revision: 2 });
    expect(turnsOf(first.dir).map(({ seq, meta }) => [seq, meta])).toEqual(Array.from({ length: 9 }, (_, at) => [at, undefined]));
  });

  it('twelve first builds of different sessions: the index and the page name all, and killed ones are finished by the next', async () => {
    const { dir, root, log, say, must, leftOvers } = crowd('twelve');
    const random = seeded(SEED + 1);
    const names = Array.from({ length: 12 }, (_, at) => `s${String(at).padStart(2, '0')}`);
    for (const name of names) fs.writeFileSync(path.join(dir, `${name}.jsonl`), Array.from({ length: 30 }, (_, at) => record(name, at)).join(''));
    const build = (name: string, killMs?: number): Promise<Said> => say(['build', `${name}.jsonl`, '--project', 'shop'], killMs);
    await Promise.all(names.map((name, at) => build(name, at % 3 === 0 ? 60 + random() * 900 : undefined)));
    // Those that were killed left a lock, a folder or nothing; the same command again finishes it.
    await Promise.all(names.map((name) => build(name)));

    expect(told(log.filter(({ status, killed }) => status !== 0 && !killed))).toEqual([]);
    const rows = JSON.parse(fs.readFileSync(path.join(root, 'INDEX.json'), 'utf8')) as { id: string; turns: number; revisions: number }[];
    expect(rows.map(({ id, turns, revisions }) => ({ id, turns, revisions }))).toEqual(names.map((id) => ({ id, turns: 30, revisions: 1 })));
    const page = fs.readFileSync(path.join(root, 'projects/shop/PROJECT.md'), 'utf8');
    for (const name of names) expect(page.split('\n').filter((line) => line.startsWith(`- session ${name} (turns=30, rev=1) :: turn 0 of ${name}`))).toHaveLength(1);
    expect(must('verify', '--all')).toContain('12 checked, 0 failed');
    expect(leftOvers()).toEqual([]);
  });

  it('eight processes that make ten sessions each: the index and the pages of two projects name all eighty', async () => {
    const { dir, root, must, leftOvers } = crowd('eighty');
    // The built build in one process a builder: starting Node for each would leave them little to meet in.
    const script = `
      import fs from 'node:fs';
      ${importBuilt('capture/build', 'build')}
      const [root, dir, own] = process.argv.slice(1);
      const place = { root, cwd: dir, stdin: [], redactionPatterns: [], maxBriefTokens: 30000, linking: { enabled: true, min_overlap_score: 0.06 }, note() {}, progress() {}, onSignal: () => () => {},
        tools: { exclude_patterns: [], include_tool_outputs: true, truncate_tool_outputs: false, max_tool_output_length: 1000 } };
      for (let at = 0; at < 10; at += 1) {
        const name = 'b' + own + '-' + at;
        fs.writeFileSync(dir + '/' + name + '.jsonl', JSON.stringify({ session: name, role: 'user', text: 'common words about building session ' + name }) + '\\n');
        await build({ file: name + '.jsonl', project: 'p' + (at % 2), maxLineBytes: 1e6, redact: true }, place);
      }`;
    const errors = await Promise.all(Array.from({ length: 8 }, (_, own) => new Promise<string>((resolve) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, root, dir, String(own)]);
      let said = '';
      child.stderr.on('data', (piece: Buffer) => { said += piece.toString(); });
      child.on('close', (status) => resolve(status === 0 ? '' : `${status}: ${said}`));
    })));
    expect(errors.filter((text) => text !== '')).toEqual([]);
    const names = Array.from({ length: 80 }, (_, at) => `b${Math.floor(at / 10)}-${at % 10}`);
    const rows = JSON.parse(fs.readFileSync(path.join(root, 'INDEX.json'), 'utf8')) as { id: string }[];
    expect(rows.map(({ id }) => id).sort()).toEqual([...names].sort());
    const pages = ['p0', 'p1'].map((project) => fs.readFileSync(path.join(root, 'projects', project, 'PROJECT.md'), 'utf8')).join('');
    expect(names.filter((name) => !pages.includes(`- session ${name} (turns=1, rev=1)`))).toEqual([]);
    expect(must('verify', '--all')).toContain('80 checked, 0 failed');
    expect(leftOvers()).toEqual([]);
  });
});
