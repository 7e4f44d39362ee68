/** The gate and `verify` over a session that a build changes each time it is read. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { program as engine } from '../../../src/commands/handoff/table.mts';
import { program as runtime } from '../../../src/commands/runtime/table.mts';
import { run } from '../../../src/lib/cli/runner.mts';
import { buildInto } from '../../helpers/build.ts';
import { fakeHost } from '../../helpers/host.ts';
import { freshFolder } from '../../helpers/run.ts';
import { lines, talk } from '../../helpers/transcripts.ts';

const dir = freshFolder('handoff-changing-');
const root = path.join(dir, 'store');
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(dir, { recursive: true, force: true });
});

/** Makes the manifest other bytes of the same meaning before each of the first `times` readings. */
function changing(manifest: string, times: number): { readings: number } {
  const open = fs.openSync;
  const seen = { readings: 0 };
  vi.spyOn(fs, 'openSync').mockImplementation((name, ...how) => {
    if (name === manifest && (seen.readings += 1) <= times) fs.appendFileSync(manifest, '\n');
    return open(name, ...how);
  });
  return seen;
}

it('a session that changed at each of five readings is no verdict but exit 3, and one that comes to rest is judged', async () => {
  const file = path.join(dir, 't.jsonl');
  fs.writeFileSync(file, lines(...talk(2)));
  const built = await buildInto(root, file, { session: 's', project: 'w' });
  const asked = async (program: typeof engine, verb: string, times: number): Promise<{ status: number; out: string; err: string; readings: number }> => {
    const host = fakeHost({ env: { HANDOFFS_ROOT: root } });
    const seen = changing(path.join(built.dir, 'manifest.json'), times);
    const status = await run(program, [verb, 's'], host);
    vi.restoreAllMocks();
    return { status, out: host.out(), err: host.err(), readings: seen.readings };
  };
  for (const [program, verb] of [[runtime, 'verify-gate'], [engine, 'verify']] as const) {
    const never = await asked(program, verb, Infinity);
    expect(never).toMatchObject({ status: 3, out: '', err: `${program.name}: s changed each time it was read; try again when no build is at work\n` });
    expect(never.readings).toBeGreaterThanOrEqual(15);
    expect((await asked(program, verb, 4)).status).toBe(verb === 'verify' ? 0 : 6);
  }
});
