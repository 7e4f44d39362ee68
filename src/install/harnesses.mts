/**
 * The clients that read skills, as data: where they look, and how it is told that one is here. Folders are relative to the
 * user's home or to a repository, in the client's own order; the first is where a copy for that client alone goes.
 * lib/handoff-root.mts looks for the installed copy in the same folders, and a test holds the two together.
 */
import type { HookHarness } from './hooks/harnesses.mts';

export interface Harness {
  /** The word after `--harness`. */
  readonly id: string;
  /** Other words for it. */
  readonly also?: readonly string[];
  readonly name: string;
  readonly user: readonly string[];
  readonly project: readonly string[];
  /** One of these is there where the client is. */
  readonly presence: readonly string[];
  /** The variable that names another folder in the place of one in the home. */
  readonly moved?: { readonly variable: string; readonly folder: string };
  /** What the client does with two copies, where that is known. */
  readonly twice?: string;
  /** Of a repository it reads the folder that it is started in, and none above. */
  readonly cwdOnly?: true;
  /** Skills of a repository count only after a person has trusted it. */
  readonly trust?: true;
  /** Where its hooks are set: in the home, in a repository, and whose form they have. */
  readonly hooks?: { readonly form: HookHarness; readonly user: string; readonly project: string };
}

/** The skills folder that several clients read. */
export const SHARED = '.agents/skills';

export const HARNESSES: readonly Harness[] = [
  {
    id: 'claude-code', also: ['claude'], name: 'Claude Code',
    user: ['.claude/skills'], project: ['.claude/skills'], presence: ['.claude'],
    moved: { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude' },
    hooks: { form: 'claude-code', user: '.claude/settings.json', project: '.claude/settings.json' },
  },
  {
    id: 'codex', name: 'Codex',
    user: ['.codex/skills', SHARED], project: ['.codex/skills', SHARED], presence: ['.codex'],
    moved: { variable: 'CODEX_HOME', folder: '.codex' },
    twice: 'lists both, and loads neither when the skill is named',
    hooks: { form: 'codex', user: '.codex/hooks.json', project: '.codex/hooks.json' },
  },
  {
    id: 'gemini', also: ['gemini-cli'], name: 'Gemini CLI',
    user: ['.gemini/skills', SHARED], project: ['.gemini/skills', SHARED], presence: ['.gemini'],
    twice: 'takes the one in .agents/skills, and a project\'s before the user\'s', trust: true, cwdOnly: true,
    hooks: { form: 'gemini', user: '.gemini/settings.json', project: '.gemini/settings.json' },
  },
  {
    id: 'opencode', name: 'OpenCode',
    user: ['.config/opencode/skill', '.config/opencode/skills', '.opencode/skill', '.opencode/skills', '.claude/skills', SHARED],
    project: ['.opencode/skill', '.opencode/skills', '.claude/skills', SHARED], presence: ['.config/opencode', '.opencode'],
    twice: 'takes one of them at random',
  },
  {
    id: 'pi', name: 'pi',
    user: ['.pi/agent/skills', SHARED], project: ['.pi/skills', SHARED], presence: ['.pi'],
    twice: 'takes a project\'s before the user\'s, and .pi before .agents', trust: true,
  },
  {
    id: 'copilot', name: 'Copilot CLI',
    user: ['.copilot/skills', SHARED], project: ['.github/skills', SHARED, '.claude/skills'], presence: ['.copilot'],
    twice: 'takes the one in .github first',
  },
  {
    id: 'qwen', also: ['qwen-code'], name: 'Qwen Code',
    user: ['.qwen/skills', SHARED], project: ['.qwen/skills', SHARED], presence: ['.qwen'],
    twice: 'takes the project\'s in .qwen first',
    hooks: { form: 'qwen', user: '.qwen/settings.json', project: '.qwen/settings.json' },
  },
  {
    id: 'cline', name: 'Cline CLI',
    user: ['.cline/skills', SHARED], project: ['.clinerules/skills', '.cline/skills', SHARED], presence: ['.cline'],
    twice: 'takes the one in .agents/skills',
  },
  {
    id: 'kilo', name: 'Kilo',
    user: ['.kilo/skills', '.kilocode/skills', '.config/kilo/skill', '.config/kilo/skills', '.claude/skills', SHARED],
    project: ['.kilo/skills', '.kilocode/skills', '.claude/skills', SHARED], presence: ['.kilo', '.kilocode', '.config/kilo'],
    twice: 'takes the one in .kilo',
  },
  { id: 'continue', name: 'Continue', user: ['.continue/skills'], project: ['.continue/skills', '.claude/skills'], presence: ['.continue'] },
  {
    id: 'cursor', name: 'Cursor',
    user: ['.cursor/skills', SHARED, '.claude/skills', '.codex/skills'], project: ['.cursor/skills', SHARED], presence: ['.cursor'],
  },
  { id: 'windsurf', name: 'Windsurf', user: ['.codeium/windsurf/skills'], project: ['.windsurf/skills'], presence: ['.codeium/windsurf'] },
  {
    id: 'goose', name: 'Goose',
    user: ['.config/goose/skills', '.config/agents/skills', '.claude/skills'], project: ['.goose/skills', SHARED, '.claude/skills'],
    presence: ['.config/goose'], twice: 'takes the last of them',
  },
  {
    id: 'crush', name: 'Crush',
    user: ['.config/crush/skills', '.config/agents/skills', SHARED, '.claude/skills'],
    project: ['.crush/skills', SHARED, '.claude/skills', '.cursor/skills'], presence: ['.config/crush'],
  },
  { id: 'amp', name: 'Amp', user: ['.config/agents/skills'], project: [SHARED], presence: ['.config/amp'] },
  { id: 'replit', name: 'Replit', user: ['.config/agents/skills'], project: [SHARED], presence: ['.config/replit'] },
  { id: 'kimi', also: ['kimi-code'], name: 'Kimi Code', user: [SHARED, '.kimi/skills'], project: ['.kimi/skills', SHARED], presence: ['.kimi'] },
  {
    id: 'roo', also: ['roo-code'], name: 'Roo Code',
    user: ['.roo/skills', SHARED], project: ['.roo/skills', SHARED], presence: ['.roo'], twice: 'takes the one in .roo',
  },
  { id: 'kiro', name: 'Kiro', user: ['.kiro/skills'], project: ['.kiro/skills'], presence: ['.kiro'] },
  { id: 'factory', also: ['droid'], name: 'Factory Droid', user: ['.factory/skills'], project: ['.factory/skills'], presence: ['.factory'] },
  { id: 'openhands', name: 'OpenHands', user: [SHARED, '.openhands/skills'], project: [SHARED, '.openhands/skills'], presence: ['.openhands'] },
  { id: 'augment', name: 'Augment', user: ['.augment/skills'], project: ['.augment/skills'], presence: ['.augment'] },
  { id: 'junie', name: 'Junie', user: ['.junie/skills'], project: ['.junie/skills'], presence: ['.junie'] },
  { id: 'trae', name: 'Trae', user: ['.trae/skills'], project: ['.trae/skills'], presence: ['.trae'] },
  { id: 'qoder', name: 'Qoder', user: ['.qoder/skills'], project: ['.qoder/skills'], presence: ['.qoder'] },
  { id: 'warp', name: 'Warp', user: [SHARED], project: [SHARED], presence: ['.warp'] },
  { id: 'zed', name: 'Zed', user: [SHARED], project: [SHARED], presence: ['.config/zed'] },
  { id: 'devin', name: 'Devin', user: ['.config/devin/skills'], project: ['.devin/skills'], presence: ['.config/devin'] },
  { id: 'hermes', name: 'Hermes', user: ['.hermes/skills'], project: ['.hermes/skills'], presence: ['.hermes'] },
  { id: 'antigravity', name: 'Antigravity', user: ['.gemini/antigravity/skills'], project: [SHARED], presence: ['.gemini/antigravity'] },
  // No client, but a place that many of them read; where it is there, somebody keeps skills in it.
  { id: 'agents', name: 'the shared folder', user: [SHARED], project: [SHARED], presence: [SHARED] },
];

/** The harness of a word after `--harness`, or undefined. */
export function harnessOf(word: string): Harness | undefined {
  const wanted = word.toLowerCase();
  return HARNESSES.find(({ id, also }) => id === wanted || also?.includes(wanted) === true);
}
