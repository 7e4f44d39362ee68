/** What the renders say of every recorded session agrees with what is known of it, by way of the store. */
import fs from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { Digest } from '../../src/render/digest.mts';
import { createReducer } from '../../src/render/reduce.mts';
import { buildInto, turnsOf } from '../helpers/build.ts';
import { freshFolder } from '../helpers/run.ts';
import { loadTruth, samplePath, type TruthEntry } from '../helpers/truth.ts';

interface Known extends TruthEntry {
  objective: string | null;
  files_changed: { path: string; how: string }[];
  commands: { command: string; ok: boolean | null }[];
  queued_unanswered: unknown[];
  compactions: number;
}

const entries = ['claude-code', 'codex'].flatMap((harness) => loadTruth(harness).map(([key, entry]): [string, string, Known] => [harness, key, entry as Known]));
const missing = entries.length === 0;
const scratch = freshFolder('handoff-digest-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

async function digestOf(harness: string, key: string): Promise<Digest> {
  const { dir } = await buildInto(`${scratch}/${harness}-${key.replaceAll('/', '_')}`, samplePath(harness, key));
  const reducer = createReducer();
  for (const turn of turnsOf(dir)) reducer.add(turn);
  return reducer.digest();
}

const heads = (texts: readonly string[]): string[] => texts.map((text) => text.slice(0, 60)).sort();
/** A client may name a file by its full path or from the working directory. */
const below = (path: string, cwd: string | null): string => (cwd !== null && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path);

describe.skipIf(missing)(`the digest of every recorded session${missing ? ' (not on this machine: set HANDOFF_TRANSCRIPTS)' : ''}`, () => {
  it.each(entries)('%s/%s', async (harness, key, entry) => {
    const digest = await digestOf(harness, key);
    const changed = (path: string, how: string): string => `${how} ${below(path, entry.cwd)}`;

    // A sub-agent was asked nothing by a person: its objective is the task that its parent gave it.
    if (entry.objective === null && entry.task !== undefined) expect(digest).toMatchObject({ objectiveFrom: 'task', objective: entry.task });
    else if (entry.objective === null) expect(['task', 'none']).toContain(digest.objectiveFrom);
    else expect(digest.objective.slice(0, 1000)).toBe(entry.objective.slice(0, 1000));
    expect(heads(digest.prompts.filter(({ abandoned }) => abandoned === true).map(({ text }) => text))).toEqual(heads(entry.dead_branch_prompts));
    expect(digest.pending.filter(({ kind }) => kind === 'call').map(({ call }) => call).sort()).toEqual(entry.calls_without_result.map(({ id }) => id).sort());
    expect(digest.pending.filter(({ kind }) => kind === 'prompt')).toHaveLength(entry.queued_unanswered.length);
    expect(digest.filesChanged.map(({ path, how }) => changed(path, how)).sort()).toEqual(entry.files_changed.map(({ path, how }) => changed(path, how)).sort());
    expect(digest.stateFrom === 'AGENT' ? digest.stateNow.trim().slice(-400) : null).toBe(entry.last_agent?.trim().slice(-400) ?? null);
    expect(digest.commandsTotal).toBe(entry.commands.length);
    const open = new Set(entry.commands.filter(({ ok }) => ok === null).map(({ command }) => command.slice(0, 60)));
    const failed = heads(digest.commands.filter(({ ok }) => ok === false).map(({ command }) => command)).filter((command) => !open.has(command));
    expect(failed).toEqual(heads(entry.commands.filter(({ ok }) => ok === false).map(({ command }) => command)));
    expect(digest.compactions).toBe(entry.compactions);
  });
});
