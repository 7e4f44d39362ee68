/**
 * The adapters of one harness, loaded when they are asked for: who lists thousands of sessions of two harnesses does not
 * pay for the others. registry.mts has all of them; a test holds the two together.
 */
import type { LineAdapter, WholeAdapter } from './adapter.mts';

type Adapters = readonly (LineAdapter | WholeAdapter)[];

const LOADERS: Readonly<Record<string, () => Promise<Adapters>>> = {
  'claude-code': async () => [(await import('./adapters/claude-code.mts')).claudeCode],
  codex: async () => [(await import('./adapters/codex.mts')).codex],
  gemini: async () => {
    const { geminiDocument, geminiLog } = await import('./adapters/gemini.mts');
    return [geminiLog, geminiDocument];
  },
  qwen: async () => [(await import('./adapters/qwen.mts')).qwen],
  opencode: async () => {
    const { opencodeDatabase, opencodeExport, opencodeFiles } = await import('./adapters/opencode.mts');
    return [opencodeExport, opencodeFiles, opencodeDatabase];
  },
  kilo: async () => {
    const { kiloDatabase, kiloExport } = await import('./adapters/kilo.mts');
    return [kiloExport, kiloDatabase];
  },
  pi: async () => [(await import('./adapters/pi.mts')).pi],
  copilot: async () => [(await import('./adapters/copilot.mts')).copilot],
  cline: async () => {
    const { cline, clineStream } = await import('./adapters/cline.mts');
    return [cline, clineStream];
  },
  continue: async () => [(await import('./adapters/continue.mts')).continueDev],
};

/** In the order of the registry; none for a harness that has no place of its own. */
export async function adaptersOf(harness: string): Promise<Adapters> {
  return (await LOADERS[harness]?.()) ?? [];
}
