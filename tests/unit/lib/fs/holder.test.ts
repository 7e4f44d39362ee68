/** Where no /proc tells when a process started, `ps` does: in the zone of the system, which the environment's TZ need not be. */
import { afterAll, describe, expect, it, vi } from 'vitest';

const STARTED = Date.UTC(2026, 0, 2, 3, 4, 5);

vi.mock('node:process', async (original) => ({ ...(await original<typeof import('node:process')>()), platform: 'darwin' }));
vi.mock('node:child_process', async (original) => ({
  ...(await original<typeof import('node:child_process')>()),
  // The system's own zone is six hours behind; `ps` takes another from TZ.
  execFileSync: (_program: string, _args: string[], { env }: { env: Record<string, string> }) => {
    const shown = new Date(STARTED - (env['TZ'] === 'UTC' ? 0 : 6 * 3_600_000)).toUTCString();
    const [, week, day, month, year, time] = /^(\w+), 0?(\d+) (\w+) (\d+) (\S+)/.exec(shown) ?? [];
    return `${week} ${month} ${(day ?? '').padStart(2)} ${time} ${year}\n`;
  },
}));

const { lifeOf, lifeOfNumber, ownHolder } = await import('../../../../src/lib/fs/holder.mts');

describe('a holder that `ps` tells of', () => {
  const zone = process.env['TZ'];
  afterAll(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  it.each(['UTC', 'America/Chicago', 'Asia/Tokyo'])('lives, whatever zone the environment names: %s', (name) => {
    process.env['TZ'] = name;
    expect(lifeOf({ ...ownHolder(), started: `~${STARTED / 1000}` })).toBe('alive');
    expect(lifeOf({ ...ownHolder(), started: `~${STARTED / 1000 - 60}` })).toBe('dead');
    expect(lifeOfNumber(process.pid, STARTED + 1000)).toBe('alive');
    expect(lifeOfNumber(process.pid, STARTED - 60_000)).toBe('dead');
  });
});
