/** The real build, in this process: what `handoff build` does with a default configuration, without starting Node. */
import fs from 'node:fs';
import path from 'node:path';
import { build, type BuildPlace, type BuildRequest, type BuildResult } from '../../src/capture/build.mts';
import { checkSession, type Checked } from '../../src/store/checker.mts';
import { parseRows, type IndexRow } from '../../src/store/index-file.mts';
import { readTurns } from '../../src/store/timeline.mts';
import type { Turn } from '../../src/transcript/turn.mts';

export interface BuildOptions extends Partial<Omit<BuildRequest, 'file'>> {
  redactionPatterns?: readonly string[];
  notes?: string[];
}

/** Builds `file` into the store `root`. Throws as the command does. */
export function buildInto(root: string, file: string, { notes = [], redactionPatterns = [], ...request }: BuildOptions = {}): Promise<BuildResult> {
  const place: BuildPlace = {
    root,
    cwd: path.dirname(file),
    stdin: (async function* () {})(),
    redactionPatterns,
    maxBriefTokens: 30_000,
    tools: { exclude_patterns: [], include_tool_outputs: true, truncate_tool_outputs: false, max_tool_output_length: 10_000 },
    linking: { enabled: false, min_overlap_score: 0.06 },
    note: (message) => void notes.push(message),
    progress: () => {},
    onSignal: () => () => {},
  };
  return build({ file, maxLineBytes: 256 * 1024 * 1024, redact: true, ...request }, place);
}

export function timelineOf(dir: string): Buffer {
  return fs.readFileSync(path.join(dir, 'timeline.jsonl'));
}

export function turnsOf(dir: string): Turn[] {
  const file = path.join(dir, 'timeline.jsonl');
  return [...readTurns(file, fs.statSync(file).size)];
}

/** Every finding of every session in the store that makes `verify` fail, as sentences. */
export function failures(root: string): string[] {
  return checkedAll(root).flatMap(({ session, findings }) => findings.filter(({ level }) => level === 'fail').map(({ id, text }) => `${session}: ${id}: ${text}`));
}

/** The rows of INDEX.json. */
export function rowsOf(root: string): IndexRow[] {
  return parseRows(fs.readFileSync(path.join(root, 'INDEX.json'), 'utf8')) ?? [];
}

export function checkedAll(root: string): Checked[] {
  return rowsOf(root).map((row) => checkSession(root, row));
}

/** A random source that gives the same numbers for the same seed, so that a failure can be seen again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
