import path from 'node:path';
import { checkAll } from '../../capability/check.mts';
import { writeState } from '../../capability/state.mts';
import type { Command } from '../../lib/cli/command.mts';
import { errnoOf } from '../../lib/errors.mts';
import { openRegistry, registryFlag } from './registry-file.mts';

const flags = registryFlag;

export const command: Command<typeof flags> = {
  name: 'check',
  summary: 'probe what is declared, and say what was seen',
  args: '[id]',
  positionals: { min: 0, max: 1 },
  flags,
  exits: { 0: 'every required capability is healthy', 1: 'a required one is unhealthy or unknown', 2: 'wrong words, or no registry that can be read', 4: 'no capability of that id' },
  example: 'agents-handoff capabilities check permission-model',
  async run({ registry }, [id], io) {
    const { file, capabilities, chosen, state, shown } = openRegistry(io, registry, id);
    const ground = { folder: path.dirname(file), cwd: io.cwd, env: io.env, node: io.node, onSignal: io.onSignal };
    const results = await checkAll(chosen, ground, (done) => io.progress(`${done} of ${chosen.length} probed`));
    const kept = keep(() => writeState(state, file, results, capabilities.map((one) => one.id)), (why) => io.note(`the results were not kept: ${why}`));
    const ok = results.every(({ required, verdict }) => !required || verdict === 'healthy');
    const lines = [
      `capability-registry: ${ok ? 'OK' : 'FAIL'} registry=${shown(file)}`,
      ...results.map((one) => `  [${one.verdict}] ${one.id}${one.required ? '' : ' (optional)'} — ${one.evidence}`),
    ];
    return { json: { ok, results, state: kept ? shown(state) : null }, text: lines.join('\n'), exit: ok ? 0 : 1 };
  },
};

/** What was seen is the answer; a disk on which it cannot be kept does not change it. */
function keep(write: () => void, failed: (why: string) => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    failed((error as Error).message);
    return false;
  }
}
