/**
 * The folders in a user's home where harnesses look for skills: the shared two first, then harness by harness.
 * An installed copy of this skill is looked for in this order.
 */
const FOLDERS = [
  '.agents/skills',
  '.claude/skills',
  '.codex/skills',
  '.gemini/skills',
  '.config/opencode/skill',
  '.config/opencode/skills',
  '.opencode/skill',
  '.opencode/skills',
  '.pi/agent/skills',
  '.copilot/skills',
  '.qwen/skills',
  '.cline/skills',
  '.kilo/skills',
  '.kilocode/skills',
  '.config/kilo/skill',
  '.config/kilo/skills',
  '.continue/skills',
  '.cursor/skills',
  '.codeium/windsurf/skills',
  '.config/goose/skills',
  '.config/agents/skills',
  '.config/crush/skills',
  '.kimi/skills',
  '.roo/skills',
  '.kiro/skills',
  '.factory/skills',
  '.openhands/skills',
  '.augment/skills',
  '.junie/skills',
  '.trae/skills',
  '.qoder/skills',
  '.config/devin/skills',
  '.hermes/skills',
  '.gemini/antigravity/skills',
];

// The variable that moves a harness's folder; it stands before the folder that it replaces.
const MOVED_BY: Readonly<Record<string, string>> = { '.claude/skills': 'CLAUDE_CONFIG_DIR', '.codex/skills': 'CODEX_HOME' };

/** Absolute folders, most shared first. */
export function skillsFolders(userHome: string, env: Readonly<Record<string, string | undefined>>): string[] {
  return FOLDERS.flatMap((folder) => {
    const moved = env[MOVED_BY[folder] ?? ''];
    return moved ? [`${moved}/skills`, `${userHome}/${folder}`] : [`${userHome}/${folder}`];
  });
}
