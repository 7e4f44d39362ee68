/** Runs targets with seeds: every run makes its own random source of the printed seed, so that it can be had again alone. */
import { seeded } from '../helpers/build.ts';
import type { Random } from './mutate.ts';

export interface Target {
  name: string;
  /** How large its part of all runs is, beside those of the others. */
  share: number;
  /** Throws where the product broke a promise; gives a word for what came of it. */
  run(random: Random): string | Promise<string>;
  /** Removes what the target made. */
  end?(): void;
}

export interface Row {
  name: string;
  runs: number;
  ms: number;
  /** What came of the runs, and how often. */
  outcomes: Record<string, number>;
  failures: string[];
}

/** No run may take longer, on a machine that does other things beside. */
const LONGEST_MS = 20_000;
const MOST_FAILURES = 5;

/** `HANDOFF_FUZZ_ONE=<target>:<run>` does one run again. */
export async function fuzz(targets: readonly Target[], runs: number, seed: number): Promise<Row[]> {
  const [only, one] = (process.env['HANDOFF_FUZZ_ONE'] ?? ':').split(':') as [string, string];
  const shares = targets.reduce((sum, { share }) => sum + share, 0);
  const rows: Row[] = [];
  for (const target of targets.filter(({ name }) => only === '' || name === only)) {
    const row: Row = { name: target.name, runs: 0, ms: 0, outcomes: {}, failures: [] };
    const began = performance.now();
    const count = Math.max(1, Math.round((runs * target.share) / shares));
    for (let run = one === '' ? 0 : Number(one); run < (one === '' ? count : Number(one) + 1) && row.failures.length < MOST_FAILURES; run += 1) {
      row.runs += 1;
      const start = performance.now();
      try {
        const outcome = await target.run(seeded(seed * 1_000_003 + run));
        row.outcomes[outcome] = (row.outcomes[outcome] ?? 0) + 1;
        const took = performance.now() - start;
        if (took > LONGEST_MS) throw new Error(`took ${Math.round(took)} ms`);
      } catch (error) {
        row.failures.push(`HANDOFF_FUZZ_SEED=${seed} HANDOFF_FUZZ_ONE=${target.name}:${run}: ${error instanceof Error ? error.stack ?? error.message : String(error)}`);
      }
    }
    target.end?.();
    row.ms = performance.now() - began;
    rows.push(row);
  }
  return rows;
}

export function table(rows: readonly Row[], seed: number): string {
  const lines = rows.map(({ name, runs, ms, outcomes, failures }) => {
    const told = Object.entries(outcomes).sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${outcome} ${count}`).join(', ');
    return `${name.padEnd(14)} ${String(runs).padStart(7)} runs ${(ms / 1000).toFixed(1).padStart(6)} s  ${failures.length === 0 ? 'held' : `${failures.length} FAILED`}  ${told}`;
  });
  return [`seed ${seed}, ${rows.reduce((sum, { runs }) => sum + runs, 0)} runs`, ...lines].join('\n');
}
