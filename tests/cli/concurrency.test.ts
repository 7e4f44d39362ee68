/** Many commands at once on one store: nothing is lost or doubled, and readers never see a session that is half there. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { seeded, turnsOf } from '../helpers/build.ts';
import { verifyStore2 } from '../helpers/reference-verify.ts';
import { fastFolder, run, start, type Result } from '../helpers/run.ts';

const scratch = fastFolder('handoff-together-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
const SEED = Number(process.env['HANDOFF_SEED'] ?? Date.now() % 1_000_000);
/** The storm ends when it has lasted this long and enough was built; on a machine that is busy it goes on for longer. */
const STORM_MS = Number(process.env['HANDOFF_STORM_MS'] ?? 7_000);
const LONGEST_STORM_MS = STORM_MS + 30_000;
const ENOUGH = 20;
const BUILDERS = 16;

interface Said extends Result { argv: readonly string[]; killed: boolean; after: number }

/** A folder with a store, and commands on it that are started, perhaps killed, and written down. */
function crowd(name: string) {
  const dir = path.join(scratch, name);
  const root = path.join(dir, 'store');
  fs.mkdirSync(dir);
  const log: Said[] = [];
  const began = Date.now();
  return {
    dir, root, log,
    /** Kills the command after `killMs`, where given and it still runs. */
    async say(argv: readonly string[], killMs?: number): Promise<Said> {
      const { child, done } = start('handoff', argv, { cwd: dir, home: dir, env: { HANDOFFS_ROOT: root }, input: '' });
      const timer = killMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killMs);
      const result = await done;
      clearTimeout(timer);
      const said = { ...result, argv, killed: result.signal === 'SIGKILL', after: Date.now() - began };
      log.push(said);
      return said;
    },
    must(...argv: string[]): string {
      const result = run('handoff', argv, { cwd: dir, env: { HANDOFFS_ROOT: root } });
      if (result.status !== 0) throw new Error(`handoff ${argv.join(' ')} ended with ${result.status}: ${result.stdout}${result.stderr}`);
      return result.stdout;
    },
    /** Everything that a crash could leave behind. */
    leftOvers: (): string[] => fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(?:lock|tmp|taking|gone)$/.test(file)).sort(),
  };
}

const record = (session: string, at: number): string => `${JSON.stringify({ session, seq: at, ts: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(), role: at % 2 === 0 ? 'user' : 'assistant', text: `turn ${at} of ${session} ${'·'.repeat(at % 50)}` })}\n`;

/** What a test tells of the commands that did something which none may do. */
function told(log: readonly Said[]): string[] {
  return log.map(({ argv, status, signal, stdout, stderr, after }) => `${after} ms: handoff ${argv.join(' ')}: ${status ?? signal}\n${stdout.slice(0, 2000)}${stderr.slice(0, 4000)}`);
}

const isHeld = ({ status, stderr }: Result): boolean => status === 3 && stderr.includes('lock');
const isChanging = ({ status, stderr }: Result): boolean => status === 3 && stderr.includes('changed each time');

describe(`many commands at once (seed ${SEED})`, () => {
  it(`${BUILDERS} builders of one session that grows, some of them killed, and readers beside them`, async () => {
    const { dir, root, log, say, must, leftOvers } = crowd('one');
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
        await say(['build', 'grows.jsonl'], random() < 0.15 ? 40 + random() * 600 : undefined);
        await pause(random() * 60);
      }
    };
    const reader = async (): Promise<void> => {
      for (let turn = 0; !over(); turn += 1) await say([['verify', 'grows'], ['list'], ['verify', '--all'], ['show', 'grows'], ['show', 'grows', '--class', 'USER']][turn % 5] ?? []);
    };
    await Promise.all([writer(), ...Array.from({ length: BUILDERS }, builder), reader(), reader()]);

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
    expect(turns.map(({ seq }) => seq)).toEqual(Array.from({ length: written }, (_, at) => at));
    expect(turns.every(({ seq, text }) => text.startsWith(`turn ${seq} of grows`))).toBe(true);
    expect(must('verify', '--all')).toMatch(/ \/ chain ok\n(?: .*\n)*handoff: 1 checked, 0 failed/);
    expect(verifyStore2(root)[0]?.line).toMatch(/^PASS /);
    expect(leftOvers()).toEqual([]);
    if (STORM_MS > 20_000) console.log(JSON.stringify(numbers));
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
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
