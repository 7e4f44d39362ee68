/** Rows about short commands, and about stores with many sessions. */
import fs from 'node:fs';
import path from 'node:path';
import { expectText, type Bench, type Line } from './bench.ts';
import { fillStore, type Sample } from './many.ts';
import { inPairs, run, settle, type Work } from './measure.ts';
import { makeTranscript } from './transcript.ts';

const stores = new WeakMap<Bench, string>();

/** The store with many sessions; made once a run. */
export function crowded(bench: Bench): { root: string; count: number } {
  const count = bench.quick ? 1000 : 10_000;
  let root = stores.get(bench);
  if (root === undefined) {
    bench.say(`making a store of ${count} sessions`);
    root = bench.store();
    fillStore(root, count, sample(bench, 'near', 'Fix how the discount rounds before the invoice writes the payment report'), sample(bench, 'far', 'Translate harbour timetables into Icelandic for autumn visitors'));
    expectSound(bench, root, count);
    settle();
    stores.set(bench, root);
  }
  return { root, count };
}

function sample(bench: Bench, kind: string, objective: string): Sample {
  const root = bench.store();
  const session = `sample-${kind}-session`;
  const project = `sample-${kind}-project`;
  const file = bench.path(`${session}.jsonl`);
  makeTranscript(file, 30_000, kind === 'near' ? 11 : 12);
  run(bench.handoff(root, 'build', file, '--session', session, '--project', project, '--objective', objective));
  return { root, session, project };
}

/** Looks at the ends and the middle: `verify --all` on thousands would take longer than the row. */
function expectSound(bench: Bench, root: string, count: number): void {
  for (const at of [0, count >> 1, count - 1]) {
    const id = `session-${String(at).padStart(5, '0')}`;
    run({ ...bench.handoff(root, 'verify', id), after: (stdout) => expectText(stdout, new RegExp(`^PASS ${id} .*chain ok`)) });
  }
}

export function buildAmongMany(bench: Bench): Line[] {
  const { root, count } = crowded(bench);
  const { file, bytes } = bench.transcript(1);
  let builds = 0;
  const buildIn = (where: string): number => {
    const name = `measured-${++builds}`;
    const work = bench.handoff(where, 'build', file, '--session', name, '--project', 'project-001', '--objective', 'Find out why the discount reads the wrong coupon');
    return run({ ...work, before: settle, after: (stdout) => expectText(stdout, /handoff: built .* rev=1 /) });
  };
  const seen = inPairs(() => buildIn(bench.store()), () => buildIn(root), bench.quick ? 5 : 11);
  return [{ work: `a build in a store of ${count} sessions`, value: seen.ratio, most: 1.5, unit: '×', floor: seen.floor, ours: seen.ours, bytes, spread: [seen.low, seen.high], note: 'floor: the same build in an empty store' }];
}

export function listMany(bench: Bench): Line[] {
  const { root, count } = crowded(bench);
  const index = path.join(root, 'INDEX.json');
  const floor: Work = { argv: ['-e', 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"))', index], cwd: bench.scratch };
  const ours: Work = { ...bench.handoff(root, 'list'), after: (stdout) => expectText(stdout, /session-00000/) };
  const seen = inPairs(() => run(floor), () => run(ours), bench.quick ? 11 : 41);
  return [{ work: `list with ${count} sessions`, value: seen.ratio, most: 2, unit: '×', floor: seen.floor, ours: seen.ours, bytes: fs.statSync(index).size, spread: [seen.low, seen.high] }];
}

export function configAlone(bench: Bench): Line[] {
  const root = bench.store();
  fs.mkdirSync(root);
  const ours: Work = { ...bench.handoff(root, 'config'), after: (stdout) => expectText(stdout, /config root=/) };
  const seen = inPairs(() => run({ argv: ['-e', '0'], cwd: bench.scratch }), () => run(ours), bench.quick ? 21 : 101);
  return [{ work: 'handoff config', value: seen.ratio, most: 1.3, unit: '×', floor: seen.floor, ours: seen.ours, spread: [seen.low, seen.high] }];
}
