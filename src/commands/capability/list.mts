import { readState } from '../../capability/state.mts';
import type { Command } from '../../lib/cli/command.mts';
import { openRegistry, registryFlag } from './registry-file.mts';

const flags = registryFlag;

export const command: Command<typeof flags> = {
  name: 'list',
  summary: 'what is declared, with what the last check found; probes nothing',
  args: '[id]',
  positionals: { min: 0, max: 1 },
  flags,
  exits: { 0: 'listed', 2: 'wrong words, or no registry that can be read', 4: 'no capability of that id' },
  example: 'agents-handoff capabilities list',
  run({ registry }, [id], io) {
    const { file, chosen, state, shown } = openRegistry(io, registry, id);
    const read = readState(state);
    // The state of another registry says nothing of this one, also where the ids are the same.
    const last = read?.registry === file ? read : undefined;
    const lines = chosen.map((one) => {
      const result = last?.results.find((found) => found.id === one.id);
      const when = result === undefined ? 'NEVER-CHECKED' : `last=${result.verdict} at ${result.checked_at ?? last?.generated_at}`;
      return `  ${one.id} kind=${one.kind} (${one.required ? 'required' : 'optional'}) ${when}`;
    });
    return { json: { registry: shown(file), capabilities: chosen, last_state: last ?? null }, text: [`capability-registry: ${chosen.length} declared (${shown(file)})`, ...lines].join('\n') };
  },
};
