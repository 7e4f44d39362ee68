/** Rows about long transcripts. */
import fs from 'node:fs';
import path from 'node:path';
import { expectText, MB, type Bench, type Line } from './bench.ts';
import { inPairs, median, peakOf, run, settle, type Work } from './measure.ts';

/** Where `Bench.build` puts its session. */
const sessionFolder = (root: string): string => path.join(root, 'projects', 'bench', 'bench');

function ratioLine(work: string, most: number, bytes: number, floor: Work, ours: Work, pairs: number): Line {
  const seen = inPairs(() => run(floor), () => run(ours), pairs);
  return { work, value: seen.ratio, most, unit: '×', floor: seen.floor, ours: seen.ours, bytes, spread: [seen.low, seen.high] };
}

export function buildLong(bench: Bench): Line[] {
  const size = bench.quick ? 20 : 100;
  const { file, bytes } = bench.transcript(size);
  const ours = bench.coldBuild(file);
  return [
    ratioLine(`build, ${size} MB`, 1.6, bytes, bench.floor(file), ours, bench.quick ? 3 : 5),
    { work: `build, ${size} MB: peak memory`, value: peakOf(ours, bench.scratch) / MB, most: 150, unit: 'MB' },
  ];
}

export function buildHuge(bench: Bench): Line[] {
  if (bench.quick) return [];
  const { file, bytes } = bench.transcript(1024, 'huge');
  const root = bench.store();
  const start = process.hrtime.bigint();
  const peak = peakOf(bench.build(root, file), bench.scratch);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  run(bench.handoff(root, 'verify', 'bench'));
  bench.drop(file);
  bench.drop(root);
  return [{ work: 'build, 1 GB: peak memory', value: peak / MB, most: 200, unit: 'MB', ours: seconds, note: `${Math.round(bytes / MB / seconds)} MB/s` }];
}

export function rebuildSame(bench: Bench): Line[] {
  const size = bench.quick ? 20 : 100;
  const { file, bytes } = bench.transcript(size);
  const root = bench.store();
  run(bench.build(root, file));
  settle();
  const again: Work = { ...bench.build(root, file), after: (stdout) => expectText(stdout, /up-to-date/) };
  const line = ratioLine(`rebuild, nothing new (${size} MB)`, 1.25, bytes, bench.sha(file), again, bench.quick ? 7 : 11);
  bench.drop(root);
  return [line];
}

export function rebuildGrown(bench: Bench): Line[] {
  const size = bench.quick ? 20 : 100;
  const { file, bytes, transcript } = bench.transcript(size, 'growing');
  const root = bench.store();
  run(bench.build(root, file));
  const rebuild: Work = {
    ...bench.build(root, file),
    before: () => {
      transcript.append(file, 100);
      settle();
    },
    after: (stdout) => expectText(stdout, /handoff: built .* new=[1-9]/),
  };
  const line = ratioLine(`rebuild, 100 records appended to ${size} MB`, 0.6, bytes, bench.coldBuild(file), rebuild, bench.quick ? 3 : 5);
  bench.drop(root);
  bench.drop(file);
  return [{ ...line, note: 'floor: the cold build' }];
}

/** A session that is captured again and again while it is worked on. */
export function manyBuilds(bench: Bench): Line[] {
  const size = bench.quick ? 3 : 10;
  const builds = bench.quick ? 18 : 72;
  const whole = bench.transcript(size);
  const bytes = fs.readFileSync(whole.file);
  const grown = bench.path('grown.jsonl');
  const root = bench.store();
  const starts: number[] = [];
  const floors: number[] = [];
  let ours = 0;
  let at = 0;
  for (let i = 1; i <= builds; i++) {
    // At a line's end, and at least one line further, however long it is.
    const end = i === builds ? bytes.length : bytes.indexOf(10, Math.max(at, Math.floor((bytes.length * i) / builds))) + 1;
    fs.appendFileSync(grown, bytes.subarray(at, end));
    at = end;
    starts.push(run({ argv: ['-e', '0'], cwd: bench.scratch }));
    if (i % 8 === 1) floors.push(run(bench.floor(whole.file)));
    ours += run({ ...bench.build(root, grown), after: (stdout) => expectText(stdout, new RegExp(`handoff: built .* rev=${i} `)) });
  }
  const floor = median(floors);
  const allowed = 2 * builds * median(starts) + builds * (floor / 2);
  bench.drop(root);
  bench.drop(grown);
  return [{
    work: `${builds} builds of a transcript that grows to ${size} MB`, value: ours / allowed, most: 1, unit: '×', floor: allowed, ours,
    note: `start of Node ${ms(median(starts))}, floor of the whole ${ms(floor)}, a build ${ms(ours / builds)}`,
  }];
}

const ms = (seconds: number): string => `${Math.round(seconds * 1000)} ms`;

export function verifyLong(bench: Bench): Line[] {
  const size = bench.quick ? 20 : 100;
  const small = size / 10;
  const peak = (megabytes: number, root: string): number => {
    run(bench.build(root, bench.transcript(megabytes).file));
    settle();
    return peakOf(bench.handoff(root, 'verify', 'bench'), bench.scratch) / MB;
  };
  const smallRoot = bench.store();
  const root = bench.store();
  const smallPeak = peak(small, smallRoot);
  const longPeak = peak(size, root);
  const folder = sessionFolder(root);
  const files = fs.readdirSync(folder).map((name) => path.join(folder, name));
  const bytes = files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
  const ours: Work = { ...bench.handoff(root, 'verify', 'bench'), after: (stdout) => expectText(stdout, /^PASS .*chain ok/) };
  const line = ratioLine(`verify (${size} MB)`, 2, bytes, bench.sha(...files), ours, bench.quick ? 7 : 11);
  bench.drop(smallRoot);
  bench.drop(root);
  // A garbage collector may let the heap drift by some megabytes; growth with the session would show as many times that.
  return [line, { work: `verify: peak memory at ${size} MB`, value: longPeak, most: smallPeak + 24, unit: 'MB', note: `${Math.round(smallPeak)} MB at ${small} MB; may differ by 24 MB` }];
}
