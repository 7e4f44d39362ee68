/** Every fact that is known of a recorded session stands in the section of HANDOFF.md where it belongs, and in the payload. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/render/brief.mts';
import { splitHandoff } from '../../src/store/evidence.mts';
import { folded, readBrief, sectionOf } from '../helpers/brief.ts';
import { buildInto, turnsOf } from '../helpers/build.ts';
import { nodeWithSqlite } from '../helpers/node-sqlite.ts';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';
import { loadTruth, samplePath, transcriptsFolder, type TruthEntry } from '../helpers/truth.ts';

interface Known extends TruthEntry {
  objective: string | null;
  files_changed: { path: string; how: string }[];
  commands: { command: string; ok: boolean | null }[];
  queued_unanswered: unknown[];
  last_error: string | null;
}

interface Payload {
  objective: string;
  state_now: string;
  prompts: { seq: number; text: string }[];
  decisions: { text: string }[];
  files_changed: { path: string; how: string }[];
  commands: { command: string; ok?: boolean }[];
  pending: { kind: string; call?: string }[];
  errors: { tool: string; text: string }[];
  timeline: { class: string }[];
}

const folder = transcriptsFolder();
const harnesses = folder === undefined ? [] : fs.readdirSync(folder).filter((name) => fs.existsSync(path.join(folder, name, 'TRUTH.json')));
const all = harnesses.flatMap((harness) => loadTruth(harness).map(([key, entry]): [string, string, Known] => [harness, key, entry as Known]));
const isDatabase = (key: string): boolean => /\.db#/.test(key);
const entries = all.filter(([, key]) => !isDatabase(key));
const databases = all.filter(([, key]) => isDatabase(key));
const missing = entries.length === 0;
const sqlite = databases.length === 0 ? { node: undefined, reason: '', skip: true } : nodeWithSqlite();
const scratch = freshFolder('handoff-brief-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

/** A file store's session has a file of its own. */
function fileOf(harness: string, key: string, { session }: TruthEntry): string {
  const file = samplePath(harness, key);
  if (!key.includes('#')) return file;
  const sessions = path.join(file, 'session');
  return path.join(sessions, fs.readdirSync(sessions)[0] ?? '', `${session}.json`);
}

const bare = (text: string): string => text.replace(/<\/?pasted_content[^>]*>\s*/g, '').trim();
const below = (file: string, cwd: string | null): string => (cwd !== null && file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file);
const byTool = (entry: TruthEntry, at: number): boolean => ['answer', 'refusal-reason'].includes(entry.prompt_details?.[at]?.kind ?? '');

describe.skipIf(missing)(`what is known of every recorded session${missing ? ' (not on this machine: set HANDOFF_TRANSCRIPTS)' : ''}`, () => {
  it.each(entries)('stands in the brief and the payload of %s/%s', async (harness, key, entry) => {
    const root = fs.mkdtempSync(path.join(scratch, 's-'));
    const { dir } = await buildInto(root, fileOf(harness, key, entry));
    expectKnown(dir, entry);
  });

  it.skipIf(sqlite.skip).each(databases)(`stands in those of a database: %s/%s${sqlite.reason}`, (harness, key, entry) => {
    const root = fs.mkdtempSync(path.join(scratch, 's-'));
    const argv = [path.join(REPOSITORY, 'tools/handoff.mjs'), 'build', `${samplePath(harness, key)}#${entry.session}`, '--json'];
    const built = spawnSync(sqlite.node ?? '', argv, { encoding: 'utf8', env: { HANDOFFS_ROOT: root, PATH: process.env['PATH'], HOME: root } });
    expect([built.status, built.stderr]).toEqual([0, expect.not.stringContaining('handoff:') as string]);
    expectKnown((JSON.parse(built.stdout) as { dir: string }).dir, entry);
  });
});

/** Every fact of the entry stands where it belongs. The folder is removed behind it. */
function expectKnown(dir: string, entry: Known): void {
  const text = fs.readFileSync(path.join(dir, 'HANDOFF.md'), 'utf8');
  const brief = readBrief(text);
  const payload = JSON.parse(fs.readFileSync(path.join(dir, 'HANDOFF.llm.json'), 'utf8')) as Payload;
  const turns = turnsOf(dir);
  fs.rmSync(dir, { recursive: true, force: true });

  const objective = entry.objective ?? entry.task;
  if (objective !== undefined) {
    expect(sectionOf(brief, 'Objective').fence).toBe(objective.trim().slice(0, 2_000));
    expect(payload.objective).toBe(objective.trim());
  }

  const asked = sectionOf(brief, 'What was asked');
  const left = Number(/(\d+) more row/.exec(asked.lines.join('\n'))?.[1] ?? 0);
  const shown = asked.rows.map((cell) => cell[2] ?? '');
  // A client's own tags around pasted text may be kept or taken off.
  const says = (text: string, prompt: string): boolean => text.startsWith(folded(prompt, 200)) || bare(text).startsWith(folded(bare(prompt), 200));
  const missingRows = [...entry.prompts.filter((_, at) => !byTool(entry, at)), ...entry.dead_branch_prompts].filter((prompt) => {
    expect(payload.prompts.some((row) => says(folded(row.text, 400), prompt)), `payload: ${prompt}`).toBe(true);
    return !shown.some((row) => says(row, prompt));
  });
  // What does not fit is counted, with the command that shows it.
  expect(missingRows.length, missingRows.join('\n')).toBeLessThanOrEqual(left);
  for (const [at, prompt] of entry.prompts.entries()) {
    if (!byTool(entry, at)) continue;
    expect(asked.lines.some((line) => line.includes(folded(prompt, 200))), prompt).toBe(true);
    expect(payload.decisions.some((row) => row.text.includes(prompt.slice(0, 200))), prompt).toBe(true);
  }
  for (const head of entry.injected) {
    expect(shown.filter((row) => row.startsWith(folded(bare(head), 60)))).toEqual([]);
    expect(payload.prompts.filter((row) => row.text.startsWith(head.trim().slice(0, 60)))).toEqual([]);
  }

  const files = sectionOf(brief, 'Files changed').rows;
  for (const { path: file, how } of entry.files_changed) {
    const fits = (row: string[]): boolean => row[1]?.startsWith(how) === true && below(row[0]?.split(' → ').at(-1) ?? '', entry.cwd) === below(file, entry.cwd);
    expect(files.some(fits), `${how} ${file}`).toBe(true);
    expect(payload.files_changed.some((row) => row.how === how && below(row.path, entry.cwd) === below(file, entry.cwd)), `payload: ${how} ${file}`).toBe(true);
  }

  const commands = sectionOf(brief, 'Commands run').rows;
  for (const { command } of entry.commands.filter(({ ok }) => ok === false)) {
    expect(commands.some((row) => /^(?:exit [1-9]|failed|refused)/.test(row[1] ?? '') && row[2] === folded(command, 100)), command).toBe(true);
    expect(payload.commands.some((row) => row.ok === false && row.command.startsWith(command.slice(0, 1_000))), `payload: ${command}`).toBe(true);
  }

  const pending = sectionOf(brief, 'Pending').rows;
  expect(pending.filter((row) => row[1]?.startsWith('call '))).toHaveLength(entry.calls_without_result.length);
  for (const { id, tool } of entry.calls_without_result) {
    const seq = turns.find((turn) => turn.kind === 'call' && turn.call === id)?.seq;
    const row = pending.find((one) => one[0] === String(seq) && one[1]?.split(',')[0] === `call ${tool}`);
    expect(row?.[4]).toMatch(/^(?:safe to repeat|outcome unknown: look first)$/);
    expect(payload.pending.some((one) => one.kind === 'call' && one.call === id), `payload: ${id}`).toBe(true);
  }
  expect(pending.filter((row) => row[1] === 'queued prompt')).toHaveLength(entry.queued_unanswered.length);

  if (entry.last_agent !== null) {
    const end = entry.last_agent.trim().slice(-600);
    expect(sectionOf(brief, 'State right now').fence?.trim().endsWith(end)).toBe(true);
    expect(payload.state_now.trim().endsWith(end)).toBe(true);
  }
  if (entry.last_error !== null) {
    expect(sectionOf(brief, 'Errors').rows.map((row) => row[3])).toContain(folded(entry.last_error, 160));
    expect(payload.errors.map((row) => row.text.slice(0, 400))).toContain(entry.last_error.slice(0, 400));
  }

  if (payload.timeline.length < 100) expect(estimateTokens(splitHandoff(text).body)).toBeLessThanOrEqual(4_000);
}
