/** The table at the end of `npm run test:fault`: what was tried, and what held. */
import type { Reporter, TestModule } from 'vitest/node';

export interface Row {
  scenario: string;
  /** The class of the fault: `killed`, `power cut`, an error's name; `test` where a whole test is the point. */
  kind: string;
  points: number;
  held: number;
}

/** Adds to the row of the same scenario and kind. */
export function add(rows: Row[], { scenario, kind, points, held }: Row): void {
  let row = rows.find((one) => one.scenario === scenario && one.kind === kind);
  if (row === undefined) rows.push(row = { scenario, kind, points: 0, held: 0 });
  row.points += points;
  row.held += held;
}

const HEAD = ['scenario', 'kind', 'points', 'held', 'missed'];

/** Columns as wide as their longest cell; numbers stand on the right. */
function tableOf(rows: readonly Row[]): string {
  const total: Row = { scenario: 'all', kind: '', points: 0, held: 0 };
  for (const row of rows) add([total], { ...row, scenario: 'all', kind: '' });
  const lines = [HEAD, ...[...rows, total].map(({ scenario, kind, points, held }) => [scenario, kind, ...[points, held, points - held].map(String)])];
  const widths = HEAD.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  return lines.map((line) => line.map((cell, at) => (at < 2 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  ').trimEnd()).join('\n');
}

export default class FaultTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows: Row[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'passed' && state !== 'failed') continue;
        const { faults } = test.meta();
        for (const row of faults ?? []) add(rows, row);
        // A test that tries many points and died before it said so has not held.
        if (faults === undefined) add(rows, { scenario: module.relativeModuleId, kind: 'test', points: 1, held: state === 'passed' ? 1 : 0 });
      }
    }
    console.log(`\n${tableOf(rows)}`);
  }
}
