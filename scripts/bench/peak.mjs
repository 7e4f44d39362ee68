/**
 * Loaded into a measured process (`node --import`): at its end it leaves its peak memory in kilobytes in the file
 * that BENCH_PEAK_FILE names. Linux counts the parent's memory into a child's ru_maxrss, so VmHWM comes first.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const target = process.env['BENCH_PEAK_FILE'];
if (target !== undefined) {
  process.on('exit', () => {
    let peak;
    try {
      peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    } catch {
      // not Linux
    }
    writeFileSync(target, String(peak ?? process.resourceUsage().maxRSS));
  });
}
