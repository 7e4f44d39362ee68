/** Where no /proc tells when a process started, `ps` does: in the zone of the system, which the environment's TZ need not be. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { importBuilt } from '../../../helpers/built.ts';

const STARTED = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A process that takes itself for one of macOS, with a `ps` that is six hours behind where nobody names another zone. */
const script = `
  import child from 'node:child_process';
  import { syncBuiltinESMExports } from 'node:module';
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  child.execFileSync = (program, args, { env }) => {
    const shown = new Date(${STARTED} - (env.TZ === 'UTC' ? 0 : 6 * 3_600_000)).toUTCString();
    const [, week, day, month, year, time] = /^(\\w+), 0?(\\d+) (\\w+) (\\d+) (\\S+)/.exec(shown);
    return week + ' ' + month + ' ' + day.padStart(2) + ' ' + time + ' ' + year + '\\n';
  };
  syncBuiltinESMExports();
  ${importBuilt('lib/fs/holder', 'lifeOf, lifeOfNumber, ownHolder')}
  const at = (started) => lifeOf({ ...ownHolder(), started: '~' + started / 1000 });
  console.log(at(${STARTED}), at(${STARTED - 60_000}), lifeOfNumber(process.pid, ${STARTED + 1_000}), lifeOfNumber(process.pid, ${STARTED - 60_000}));
`;

describe('a holder that `ps` tells of', () => {
  it.each(['UTC', 'America/Chicago', 'Asia/Tokyo'])('lives, whatever zone the environment names: %s', (zone) => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', env: { TZ: zone } });
    expect([stdout, stderr]).toEqual(['alive dead alive dead\n', '']);
  });
});
