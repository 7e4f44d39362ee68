/**
 * npm run bench [-- --quick] [-- --only <row>]
 * Measures what the design promises about speed and memory, each against a floor taken in the same run, and prints
 * a table. Exit 0 where every bound is met, 1 where one is not, 2 for wrong words.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Bench, MB, type Line } from './bench.ts';
import { buildHuge, buildLong, manyBuilds, rebuildGrown, rebuildSame, verifyLong } from './rows-size.ts';
import { federateMany, indexMany, verifyMany } from './rows-many.ts';
import { besidePlainTools, startOfEach } from './rows-start.ts';
import { sourcesAmongMany } from './rows-sources.ts';
import { buildAmongMany, configAlone, listMany } from './rows-store.ts';

/** A new row is one function and its line here. */
const ROWS: Record<string, (bench: Bench) => Line[]> = {
  build: buildLong,
  huge: buildHuge,
  same: rebuildSame,
  grown: rebuildGrown,
  many: manyBuilds,
  verify: verifyLong,
  crowded: buildAmongMany,
  start: startOfEach,
  config: configAlone,
  list: listMany,
  index: indexMany,
  'verify-all': verifyMany,
  federate: federateMany,
  sources: sourcesAmongMany,
  plain: besidePlainTools,
};

const isMet = ({ value, most = Infinity }: Line): boolean => value <= most;

function cells(line: Line): string[] {
  const seconds = (value?: number): string => (value === undefined ? '' : value < 10 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(1)} s`);
  const speed = line.bytes !== undefined && line.floor !== undefined ? ` (${Math.round(line.bytes / MB / line.floor)} MB/s)` : '';
  const number = (value: number): string => (line.unit === '×' ? `${value.toFixed(2)} ×` : `${Math.round(value)} MB`);
  const spread = line.spread === undefined ? '' : `${line.spread[0].toFixed(2)}–${line.spread[1].toFixed(2)}`;
  return [line.work, seconds(line.floor) + speed, seconds(line.ours), number(line.value), spread, line.most === undefined ? '' : number(line.most), line.most === undefined ? '' : isMet(line) ? 'yes' : 'NO', line.note ?? ''];
}

function table(lines: readonly Line[]): string {
  const rows = [['work', 'floor', 'ours', 'measured', 'seen', 'bound', 'met', ''], ...lines.map(cells)];
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at]!)).join('  ').trimEnd()).join('\n');
}

/** Says so where others were at work on the machine: then the times are worth little. */
function busy(): string {
  const load = os.loadavg()[0] ?? 0;
  return load > os.cpus().length ? `, load ${load.toFixed(1)}: too busy for these times to hold` : '';
}

function main(): number {
  let values;
  try {
    ({ values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string', multiple: true } } }));
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n`);
    return 2;
  }
  const wanted = values.only ?? Object.keys(ROWS);
  const strange = wanted.find((name) => ROWS[name] === undefined);
  if (strange !== undefined) {
    process.stderr.write(`bench: no row is called "${strange}"; there are ${Object.keys(ROWS).join(', ')}\n`);
    return 2;
  }
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'handoff-bench-'));
  const clean = (): void => fs.rmSync(scratch, { recursive: true, force: true });
  for (const [signal, status] of [['SIGINT', 130], ['SIGTERM', 143]] as const) {
    process.once(signal, () => {
      clean();
      process.exit(status);
    });
  }
  try {
    const bench = new Bench(scratch, values.quick ?? false);
    const lines: Line[] = [];
    for (const name of wanted) {
      bench.say(name);
      lines.push(...ROWS[name]!(bench));
    }
    process.stdout.write(`Node ${process.version}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? 'unknown processor'}${bench.quick ? ', quick sizes' : ''}${busy()}\n${table(lines)}\n`);
    return lines.every(isMet) ? 0 : 1;
  } finally {
    clean();
  }
}

process.exitCode = main();
