/** What is written beside sessions, struck at every system call: the record of a dispatch, and the list of self-improve. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { Broker } from '../helpers/broker.ts';
import { countCalls, failAt, killAt, skipWithoutStrace, strike, type Call, type Child } from '../helpers/strace.ts';
import { SHORT } from './commands.ts';
import { describePoint, errorPoints, killPoints, kindOf, MISSED, type Point } from './points.ts';
import { record } from './record.ts';
import { EVIDENCE, explains, listing, Workshop } from './workshop.ts';

const EVERY = Number(process.env['HANDOFF_FAULT_EVERY'] ?? 1);
const every = <T>(points: readonly T[]): T[] => points.filter((_, at) => at % EVERY === 0);
const points = (calls: readonly Call[]): Point[] => [...killPoints(calls), ...errorPoints(calls)];

function struck(fresh: () => Child, { call, fault }: Point): ReturnType<typeof killAt> {
  return strike(fresh, call, (child, aim) => (fault.kind === 'kill' ? killAt(child, aim) : failAt(child, aim, fault.errno, fault.lasting)));
}

describe.skipIf(skipWithoutStrace())('what is written beside sessions, struck at any system call (skipped where strace is missing)', () => {
  const workshop = new Workshop();
  afterAll(() => workshop.remove());

  it('dispatch --live never sends twice without a word, and never says that it sent what it did not', () => {
    const broker = new Broker(workshop.path('broker'));
    const queue = (): number => broker.queue.length;
    workshop.must('build', workshop.transcript('subject', SHORT), '--project', 'here');
    fs.appendFileSync(path.join(workshop.root, 'projects/here/subject/HANDOFF.md'), EVIDENCE);
    workshop.keep('dispatchable');
    const argv = ['dispatch', 'subject', '--task', 'go on', '--live', '--broker', 'broker'];
    const fresh = (): Child => {
      workshop.restore('dispatchable');
      fs.writeFileSync(workshop.path('broker/queue.jsonl'), '');
      return workshop.child(argv, 'agents-handoff');
    };
    const again = (...more: string[]): { status: string; exit: number | null; stderr: string } => {
      const said = workshop.run('agents-handoff', [...argv, ...more]);
      return { status: said.stdout === '' ? '' : (JSON.parse(said.stdout) as { status: string }).status, exit: said.status, stderr: said.stderr };
    };
    const calls = countCalls(fresh());
    // Behind the broker's start Node writes to itself that a child has ended; where that write is the one that fails, it waits for ever.
    const started = calls.findIndex(({ name, where }) => name.startsWith('rename') && where.includes('/dispatch.'));
    const isOurs = ({ call, at, fault }: Point): boolean => fault.kind === 'kill' || call.name !== 'write' || at < started;
    const ends = new Map<string, number>();
    const broken: string[] = [];
    for (const point of every(points(calls).filter(isOurs))) {
      const ended = struck(fresh, point);
      const problems = ended.hit ? [] : [MISSED];
      if (point.fault.kind === 'error' && !(ended.status === 0 || (ended.status === 1 && explains(ended.stderr)))) problems.push(`exit ${ended.status}: ${ended.stderr}`);
      const sent = queue();
      const next = again();
      ends.set(`${sent} sent, then ${next.status}`, (ends.get(`${sent} sent, then ${next.status}`) ?? 0) + 1);
      if (sent > 1) problems.push(`sent ${sent} times`);
      if (next.status === 'DISPATCHED' ? sent !== 0 || queue() !== 1 : queue() !== sent) problems.push(`${sent} sent, and the next run, ${next.status}, left ${queue()}`);
      if (next.status === 'ALREADY_DISPATCHED' && sent !== 1) problems.push('said to be sent, and it was not');
      if (!['DISPATCHED', 'ALREADY_DISPATCHED', 'OUTCOME_UNKNOWN'].includes(next.status)) problems.push(`the next run: exit ${next.exit}: ${next.stderr}`);
      if (next.status === 'OUTCOME_UNKNOWN' && again('--again').status !== 'DISPATCHED') problems.push('it could not be sent again');
      if (again().status !== 'ALREADY_DISPATCHED') problems.push('its record is not there in the end');
      workshop.must('verify', 'subject');
      const debris = listing(workshop.root).filter((name) => /\.(?:lock|tmp|taking)$/.test(name));
      if (debris.length > 0) problems.push(`left: ${debris.join(' ')}`);
      record({ scenario: 'dispatch --live', kind: kindOf(point), points: 1, held: problems.length === 0 ? 1 : 0 });
      if (problems.length > 0) broken.push(`${describePoint(point)}: ${problems.join('; ')}`);
    }
    console.log(`dispatch: ${calls.length} calls, ${[...ends].map(([end, count]) => `${count} ${end}`).join(', ')}`);
    expect(broken).toEqual([]);
    expect([...ends.keys()].some((end) => end.startsWith('1 sent, then OUTCOME_UNKNOWN'))).toBe(true);
  });

  it('self-improve leaves the old list or the new one, and the next run the new', () => {
    const product = workshop.path('product');
    const docs = path.join(product, 'docs');
    const entry = path.join(product, 'tools/agents-handoff.mjs');
    fs.cpSync(fileURLToPath(new URL('../../tools', import.meta.url)), path.join(product, 'tools'), { recursive: true });
    const old = '{"candidates":"of old"}\n';
    const fresh = (): Child => {
      fs.rmSync(docs, { recursive: true, force: true });
      fs.mkdirSync(docs);
      fs.writeFileSync(path.join(docs, 'self-improve-candidates.json'), old);
      return { argv: [entry, 'self-improve'], env: workshop.env, cwd: workshop.scratch, store: docs };
    };
    const list = (): string => fs.readFileSync(path.join(docs, 'self-improve-candidates.json'), 'utf8');
    const isNew = (): boolean => Array.isArray((JSON.parse(list()) as { candidates: unknown }).candidates);
    const calls = countCalls(fresh());
    const broken: string[] = [];
    for (const point of every(points(calls))) {
      const ended = struck(fresh, point);
      const problems = ended.hit ? [] : [MISSED];
      if (point.fault.kind === 'error' && !(ended.status === 0 || (ended.status === 1 && explains(ended.stderr)))) problems.push(`exit ${ended.status}: ${ended.stderr}`);
      if (list() !== old && !isNew()) problems.push('the list is neither the old nor the new one');
      const next = workshop.run(entry as `/${string}`, ['self-improve']);
      if (next.status !== 0 || !isNew()) problems.push(`the next run: exit ${next.status}: ${next.stderr}`);
      if (listing(docs).length !== 1) problems.push(`left: ${listing(docs).join(' ')}`);
      record({ scenario: 'self-improve', kind: kindOf(point), points: 1, held: problems.length === 0 ? 1 : 0 });
      if (problems.length > 0) broken.push(`${describePoint(point)}: ${problems.join('; ')}`);
    }
    console.log(`self-improve: ${calls.length} calls`);
    expect(broken).toEqual([]);
  });
});
