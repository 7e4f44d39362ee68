/** How each harness that has hooks wants them. A new one is a row here. */
export type HookHarness = 'claude-code' | 'codex' | 'gemini' | 'qwen';

export interface HookTable {
  /** The events after which a transcript holds something new, in the order of a session. */
  events: readonly string[];
  /** What stands beside type and command. A capture ends itself after 20 s; the rest is the start of a slow machine. */
  fields: Readonly<Record<string, unknown>>;
  /** What makes a command something else than what was written, in this harness. */
  expands?: RegExp;
  /** What the user has to know after wiring. */
  note?: string;
}

export const HOOKS: Readonly<Record<HookHarness, HookTable>> = {
  'claude-code': {
    events: ['PreCompact', 'Stop', 'SubagentStop', 'SessionEnd'],
    // In seconds. Without it some versions end what runs at SessionEnd after 1.5 s.
    fields: { timeout: 30 },
  },
  codex: {
    events: ['Stop', 'SessionEnd'],
    fields: {},
    note: 'Codex runs a hook only after it was trusted: start it once and say yes; until then "codex exec" skips it without a word',
  },
  gemini: {
    events: ['PreCompress', 'AfterAgent', 'SessionEnd'],
    // In milliseconds.
    fields: { timeout: 30_000 },
    expands: /\$/,
  },
  qwen: {
    events: ['Stop'],
    // It ends a hook after 60 s. Its number was milliseconds in older versions and is seconds now.
    fields: {},
    expands: /\$/,
  },
};
