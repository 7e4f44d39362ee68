/** Everything that a verb judges by: the policy with its hash, the roots as they are here, the place of state. */
import os from 'node:os';
import path from 'node:path';
import type { Io } from '../lib/cli/command.mts';
import { HandoffError, errnoOf } from '../lib/errors.mts';
import { readStrictText } from '../lib/fs/files.mts';
import { sha256 } from '../lib/hash-chain.mts';
import { findRepo, stateFolder } from '../lib/repo.mts';
import type { Ground } from './classify.mts';
import { realDisk } from './disk.mts';
import { platformOf } from './platform.mts';
import { parsePolicy, type Policy } from './policy-shape.mts';
import { resolveReal } from './resolve.mts';
import { inRoots, resolveRoots } from './roots.mts';

export const POLICY_NAME = 'permission-policy.json';

export interface Setting extends Ground {
  readonly policy: Policy;
  /** Names the policy in every record. */
  readonly source: { readonly file: string; readonly sha256: string };
  /** The policy file as it was read, once. */
  readonly text: string;
  /** The real path of the state folder; it need not exist. */
  readonly state: string;
}

/** `policy` as the person names it, relative to the current folder; else the one that is shipped. Throws CONFIG. */
export function openSetting(io: Io, named: string | undefined): Setting {
  const file = named === undefined ? path.join(io.home, POLICY_NAME) : path.resolve(io.cwd, named);
  const text = policyText(file);
  const policy = parsePolicy(file, text);
  const platform = platformOf(os.platform());
  const disk = realDisk;
  const repo = disk.canonical(findRepo(io));
  const roots = resolveRoots(policy, stateFolder(io, repo), { platform, env: io.env, homes: homesOf(io.env, platform.name === 'win32'), repo }, disk);
  const setting: Setting = { policy, source: { file, sha256: sha256(text) }, text, repo, roots, state: roots.state.real, disk, platform };
  for (const folder of ['executions', 'checkpoints', 'jobs', '.locks']) mustStayInState(setting, path.join(setting.state, folder));
  return setting;
}

/** Throws CONFIG where a link below the state folder leads out of it: what is written there would land elsewhere. */
export function mustStayInState({ roots, repo, disk, platform }: Setting, file: string): void {
  const leadsTo = realOf(file);
  if (leadsTo !== undefined && inRoots([roots.state], leadsTo, platform)) return;
  throw new HandoffError('CONFIG', `the state directory's ${file} leads out of it${leadsTo === undefined ? '' : `, to ${leadsTo}`}`, { data: { file } });

  function realOf(name: string): string | undefined {
    try {
      return resolveReal(name, repo, disk, platform).real;
    } catch {
      // A circle of links, or a folder that may not be looked into.
      return undefined;
    }
  }
}

function policyText(file: string): string {
  let text: string | undefined;
  try {
    text = readStrictText(file);
  } catch (cause) {
    throw new HandoffError('CONFIG', `the policy ${file} cannot be read (${errnoOf(cause) ?? (cause as Error).message})`, { cause, data: { file } });
  }
  if (text === undefined) throw new HandoffError('CONFIG', `there is no policy ${file}, and nothing runs without one`, { data: { file } });
  return text;
}

/** Both: who sets HOME must not make the account's own home a place like any other. */
function homesOf(env: Io['env'], windows: boolean): string[] {
  const homes = [env[windows ? 'USERPROFILE' : 'HOME']];
  try {
    homes.push(os.userInfo().homedir);
  } catch {
    // An account without an entry: the variable is all there is.
  }
  const found = [...new Set(homes.filter((home) => home !== undefined && path.isAbsolute(home)))] as string[];
  if (found.length === 0) throw new HandoffError('CONFIG', 'no home directory is known, so nothing can be judged as personal: set HOME');
  return found;
}
