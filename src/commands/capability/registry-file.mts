/** The registry that a line means, as every verb of the probes reads it. */
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { parseRegistry, REGISTRY_NAME, type Capability } from '../../capability/declared.mts';
import { stateFile } from '../../capability/state.mts';
import { below } from '../../lib/below.mts';
import type { Io } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { findRepo, stateFolder } from '../../lib/repo.mts';
import { textOfFile } from '../../lib/strict-file.mts';

export const registryFlag = { registry: { type: 'value', value: '<file>', summary: 'what is declared; else the capability-registry.json that is shipped' } } as const;

export interface Declared {
  /** Absolute. */
  file: string;
  capabilities: Capability[];
  /** Of them, what the line names; all where it names none. */
  chosen: Capability[];
  /** The file of the state; it need not exist. */
  state: string;
  /** Paths as they are shown: from the repository where they lie in it. */
  shown(file: string): string;
}

/** Throws HandoffError CONFIG, and NO_MATCH for an id that is not declared. */
export function openRegistry(io: Io, named: string | undefined, id: string | undefined): Declared {
  const file = named === undefined ? path.join(io.home, REGISTRY_NAME) : path.resolve(io.cwd, named);
  const capabilities = parseRegistry(file, textOfFile(file, 'registry file'));
  const chosen = id === undefined ? capabilities : capabilities.filter((one) => one.id === id);
  if (id !== undefined && chosen.length === 0) {
    throw new HandoffError('NO_MATCH', `no capability "${id}" is declared in ${file} (declared: ${capabilities.map((one) => one.id).join(', ') || 'none'})`, { data: { id, file } });
  }
  const repo = findRepo(io);
  return { file, capabilities, chosen, state: stateFile(safeFolder(stateFolder(io, repo), repo)), shown: (one) => below(repo, one) ?? one };
}

/** Throws CONFIG where a link in the repository leads out of it: whoever may write there would say where the state is written. */
function safeFolder(folder: string, repo: string): string {
  const real = (file: string): string | undefined => (existsSync(file) ? realpathSync(file) : undefined);
  const [leadsTo, home] = [real(folder), real(repo)];
  if (leadsTo !== undefined && home !== undefined && below(repo, folder) !== undefined && below(home, leadsTo) === undefined) {
    throw new HandoffError('CONFIG', `the state directory ${folder} leads out of the repository, to ${leadsTo}`, { data: { root: folder, leads_to: leadsTo } });
  }
  return folder;
}
