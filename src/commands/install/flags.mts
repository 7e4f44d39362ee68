/** The flags that the installer's verbs share, and what they mean together. */
import type { Io } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { HARNESSES, type Harness } from '../../install/harnesses.mts';
import type { Ground } from '../../install/places.mts';
import { harnessesNamed, type Wanted } from '../../install/targets.mts';

export const TARGET_FLAGS = {
  claude: { type: 'boolean', summary: 'for Claude Code; the same as --harness claude-code' },
  codex: { type: 'boolean', summary: 'for Codex' },
  agents: { type: 'boolean', summary: 'in the folder that several clients read, .agents/skills' },
  harness: { type: 'values', value: '<a,b>', summary: 'for these harnesses; `where` lists them' },
  all: { type: 'boolean', summary: 'for every harness whose folder is here' },
  'skills-dir': { type: 'value', value: '<dir>', summary: 'in this skills folder, as agents-handoff/' },
  path: { type: 'value', value: '<dir>', summary: 'exactly this folder' },
  project: { type: 'boolean', summary: 'in the repository at hand, not in the home; the same as --location project' },
  location: { type: 'value', value: '<where>', summary: 'global (the home), project (the repository) or local (the current folder)' },
} as const;

export const FORCE_FLAG = { type: 'boolean', short: 'f' } as const;
export const DRY_RUN_FLAG = { type: 'boolean', summary: 'print what would be done, and do nothing' } as const;
export const VERSION_FLAG = { type: 'value', value: '<x>' } as const;
export const REGISTRY_FLAG = { type: 'value', value: '<url>', summary: 'where to fetch it; else what `npm config get registry` prints' } as const;
export const TELL_FLAGS = {
  provenance: { type: 'boolean', summary: 'tell where the files of each copy come from' },
  record: { type: 'boolean', summary: 'print the record of each copy as it stands' },
} as const;

/** Options of any verb that has TARGET_FLAGS. */
export interface TargetOptions {
  readonly claude?: boolean;
  readonly codex?: boolean;
  readonly agents?: boolean;
  readonly harness?: string[];
  readonly all?: boolean;
  readonly 'skills-dir'?: string;
  readonly path?: string;
  readonly project?: boolean;
  readonly location?: string;
}

export function groundOf({ cwd, env }: Io): Ground {
  return { cwd, env };
}

/** Throws HandoffError USAGE where the flags contradict each other. */
export function wantedOf(options: TargetOptions): Wanted {
  const short = (['claude', 'codex', 'agents'] as const).filter((word) => options[word] === true);
  const harnesses: Harness[] = [...new Set([...harnessesNamed([...short]), ...harnessesNamed(options.harness ?? [])])];
  const all = options.all === true;
  const folders = (['path', 'skills-dir'] as const).filter((flag) => options[flag] !== undefined);
  for (const flag of folders) if (options[flag] === '') throw new HandoffError('USAGE', `--${flag} names no folder`);
  if (options.harness !== undefined && harnesses.length === 0) throw new HandoffError('USAGE', `--harness names no harness (known: ${HARNESSES.map(({ id }) => id).join(', ')})`);
  const others = [...folders, ...(harnesses.length > 0 || all ? ['harness or --all'] : []), ...(folders.length > 0 && (options.project === true || options.location !== undefined) ? ['project or --location'] : [])];
  if (folders.length > 0 && others.length > 1) throw new HandoffError('USAGE', `--${folders[0]} says where, so there can be no --${others.find((other) => other !== folders[0])} beside it`);
  const { location = options.project === true ? 'project' : 'global' } = options;
  if (location !== 'global' && location !== 'local' && location !== 'project') throw new HandoffError('USAGE', `--location is global, local or project, not "${location}"`);
  if (options.project === true && location !== 'project') throw new HandoffError('USAGE', `--project and --location ${location} contradict each other`);
  return {
    harnesses, all, location,
    ...(options['skills-dir'] === undefined ? {} : { skillsDir: options['skills-dir'] }),
    ...(options.path === undefined ? {} : { path: options.path }),
  };
}

/** Whether the line says which copies it means. */
export function namesTarget({ harnesses, skillsDir, path, location }: Wanted): boolean {
  return harnesses.length > 0 || skillsDir !== undefined || path !== undefined || location !== 'global';
}
