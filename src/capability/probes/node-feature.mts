import { knownFlags } from '../../lib/cli/this-node.mts';
import { endOf, firstLine, runProgram } from '../program.mts';
import { healthy, unhealthy, unknown, type Probe } from '../probe.mts';

/** Both acts do nothing where they are let through: the one's folder is not there, the other's program has no name. */
const TRY = `
const tried = {};
const run = (name, act) => { try { act(); tried[name] = 'done'; } catch (error) { tried[name] = error.code; } };
run('write', () => require('node:fs').writeFileSync('/nonexistent-agents-handoff/probe', ''));
run('start', () => { const { error } = require('node:child_process').spawnSync('nonexistent-agents-handoff'); if (error) throw error; });
console.log(process.version + ' ' + JSON.stringify(tried));`;

const SQLITE = `
const { DatabaseSync } = require('node:sqlite');
console.log(process.version + ' sqlite ' + new DatabaseSync(':memory:').prepare('select sqlite_version() as v').get().v);`;

/** What is tried in a node of its own, and what its first line has to be. */
const FEATURES: Readonly<Record<string, { args(): readonly string[] | string; fits: RegExp }>> = {
  'permission-model': {
    args() {
      const flag = ['--permission', '--experimental-permission'].find((name) => knownFlags().has(name));
      return flag === undefined ? 'this Node has no flag for it' : ['--no-warnings', flag, '--allow-fs-read=*', '-e', TRY];
    },
    fits: /"write":"ERR_ACCESS_DENIED","start":"ERR_ACCESS_DENIED"/,
  },
  sqlite: { args: () => ['--no-warnings', '-e', SQLITE], fits: /sqlite \d/ },
};

/** A flag that is known proves nothing: the feature is used once. */
export const probe: Probe = async ({ target }, ground, limitMs) => {
  const feature = Object.hasOwn(FEATURES, target) ? FEATURES[target] : undefined;
  if (feature === undefined) return unknown(`no feature "${target}" is known (known: ${Object.keys(FEATURES).join(', ')})`);
  const args = feature.args();
  if (typeof args === 'string') return unhealthy(args);
  const ran = await runProgram(ground.node, args, ground, limitMs);
  const { well, how } = endOf(ran, limitMs);
  const line = ran.started && well ? firstLine(ran.stdout) ?? '' : '';
  if (feature.fits.test(line)) return healthy(line);
  const why = ran.started && !well ? /^\w*Error.*/m.exec(ran.stderr)?.[0] : undefined;
  return unhealthy(`it was tried: ${why ?? how}`);
};
