/** Every shape that a transcript can have. A new harness is one file under adapters/ and one line here. */
import type { LineAdapter, WholeAdapter } from './adapter.mts';
import { canonical } from './adapters/canonical.mts';
import { chat } from './adapters/chat.mts';
import { claudeCode } from './adapters/claude-code.mts';
import { cline, clineStream } from './adapters/cline.mts';
import { codex } from './adapters/codex.mts';
import { continueDev } from './adapters/continue.mts';
import { copilot } from './adapters/copilot.mts';
import { geminiDocument, geminiLog } from './adapters/gemini.mts';
import { kiloDatabase, kiloExport } from './adapters/kilo.mts';
import { opencodeDatabase, opencodeExport, opencodeFiles } from './adapters/opencode.mts';
import { pi } from './adapters/pi.mts';
import { qwen } from './adapters/qwen.mts';

/** Append-only sources, one JSON record a line. Where two recognise as many records, the earlier one is taken. */
export const lineAdapters: readonly LineAdapter[] = [
  claudeCode,
  codex,
  pi,
  copilot,
  qwen,
  canonical,
];

/** Sources that change in place. Asked in this order, before the lines are looked at. */
export const wholeAdapters: readonly WholeAdapter[] = [
  opencodeExport,
  opencodeFiles,
  opencodeDatabase,
  kiloExport,
  kiloDatabase,
  cline,
  clineStream,
  continueDev,
  geminiLog,
  geminiDocument,
  // Last: its shape is what many others have too.
  chat,
];
