/**
 * What is known of a recorded session (TRUTH.json), looked for in its handoff: the manifest, the timeline, the brief and
 * the payload. A difference is a sentence. No test runner is needed for it, so that a script can say the same.
 */
import fs from 'node:fs';
import path from 'node:path';
import { estimateTokens } from '../../src/render/brief.mts';
import { splitHandoff } from '../../src/store/evidence.mts';
import { readManifest, type Manifest } from '../../src/store/manifest.mts';
import type { Turn } from '../../src/transcript/turn.mts';
import { folded, readBrief, sectionOf } from './brief.ts';
import { turnsOf } from './build.ts';
import { differences, type TruthEntry } from './truth.ts';

/** An entry with the keys that only a brief can answer. */
export interface KnownEntry extends TruthEntry {
  objective: string | null;
  parent?: string;
  files_changed: { path: string; how: string }[];
  commands: { command: string; ok: boolean | null }[];
  queued_unanswered: unknown[];
  last_error: string | null;
}

interface Prompt { seq: number; text: string; replayed?: true }
interface Payload {
  objective: string;
  state_now: string;
  prompts: Prompt[];
  decisions: { text: string }[];
  files_changed: { path: string; how: string }[];
  commands: { command: string; ok?: boolean }[];
  pending: { kind: string; call?: string }[];
  errors: { tool: string; text: string }[];
  timeline: { class: string }[];
}

/** The longest timeline whose brief has the least budget. */
const SHORT_TURNS = 100;
const SHORT_TOKENS = 4_000;

/** Every way in which the handoff in `dir` differs from the entry; empty when they agree. */
export function handoffDifferences(dir: string, entry: KnownEntry): string[] {
  const turns = turnsOf(dir);
  const read = readManifest(path.join(dir, 'manifest.json'));
  if (read.state !== 'read') return [`the manifest is ${read.state}`];
  const payload = JSON.parse(fs.readFileSync(path.join(dir, 'HANDOFF.llm.json'), 'utf8')) as Payload;
  const text = fs.readFileSync(path.join(dir, 'HANDOFF.md'), 'utf8');
  // Codex of that generation cut a thought into one event a section.
  const cutThoughts = entry.harness === 'codex' && entry.version.startsWith('0.44');
  return [
    ...manifestDifferences(read.manifest, entry),
    ...differences(turns, entry, { skip: cutThoughts ? ['THOUGHT'] : [] }),
    ...(new Set(turns.map(({ seq, part }) => `${seq}.${part ?? 0}`)).size === turns.length ? [] : ['a number stands on two turns']),
    ...forkDifferences(read.manifest, payload, turns, entry),
    ...briefDifferences(text, payload, turns, entry),
  ];
}

function manifestDifferences(manifest: Manifest, entry: KnownEntry): string[] {
  const id = entry.agent_id === undefined ? entry.session : `${entry.session}.agent-${entry.agent_id}`;
  const expected: Record<string, [unknown, unknown]> = {
    session: [manifest.session, id],
    uuid: [manifest.uuid, id],
    harness: [manifest.harness, entry.harness],
    cwd: [manifest.cwd ?? null, entry.cwd],
    branch: [manifest.git?.branch ?? null, entry.branch],
    model: [manifest.model || null, entry.model],
    parent: [manifest.parent_session ?? null, entry.agent_id === undefined ? (entry.parent ?? manifest.parent_session ?? null) : entry.session],
    output: [manifest.usage?.output ?? 0, entry.usage?.output_tokens ?? 0],
  };
  return Object.entries(expected).flatMap(([name, [is, known]]) => (is === known ? [] : [`${name} is ${JSON.stringify(is)}, not ${JSON.stringify(known)}`]));
}

/** 1.0 of Claude Code leaves no trace of the session that it copied; what leaves none is not guessed. */
export function leavesNoTrace(entry: TruthEntry): boolean {
  return entry.harness === 'claude-code' && entry.version.startsWith('1.0');
}

function forkDifferences({ fork }: Manifest, payload: Payload, turns: readonly Turn[], entry: KnownEntry): string[] {
  if (leavesNoTrace(entry)) return fork === undefined ? [] : [`a fork of ${fork.of} is guessed`];
  const found: string[] = [];
  if ((fork?.of || null) !== entry.fork_of) found.push(`it is a fork of ${String(fork?.of)}, not of ${String(entry.fork_of)}`);
  const replayed = payload.prompts.filter((prompt) => prompt.replayed).map((prompt) => prompt.text);
  if (JSON.stringify(replayed) !== JSON.stringify(entry.replayed_prompts)) found.push(`replayed prompts are ${JSON.stringify(replayed)}, not ${JSON.stringify(entry.replayed_prompts)}`);
  if (entry.own_counts !== undefined) {
    const own = turns.filter((turn) => turn.seq > (fork?.until_seq ?? -1));
    const count = (name: string, kind?: string): number => own.filter((turn) => turn.class === name && turn.kind === kind).length;
    const { USER, AGENT, THOUGHT, CALLS, RESULTS } = entry.own_counts;
    const [is, known] = [[count('USER'), count('AGENT'), count('THOUGHT'), count('TOOL', 'call'), count('TOOL', 'result')], [USER, AGENT, THOUGHT, CALLS, RESULTS]].map(String);
    if (is !== known) found.push(`its own turns are ${is}, not ${known}`);
  }
  return found;
}

const bare = (text: string): string => text.replace(/<\/?pasted_content[^>]*>\s*/g, '').trim();
const below = (file: string, cwd: string | null): string => (cwd !== null && file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file);
const byTool = (entry: TruthEntry, at: number): boolean => ['answer', 'refusal-reason'].includes(entry.prompt_details?.[at]?.kind ?? '');

function briefDifferences(text: string, payload: Payload, turns: readonly Turn[], entry: KnownEntry): string[] {
  const brief = readBrief(text);
  const found: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) found.push(what);
  };
  const rowsOf = (name: string): string[][] => sectionOf(brief, name).rows;

  const objective = (entry.objective ?? entry.task)?.trim();
  if (objective !== undefined) {
    must(sectionOf(brief, 'Objective').fence === objective.slice(0, 2_000), `the brief's objective is ${JSON.stringify(sectionOf(brief, 'Objective').fence)}`);
    must(payload.objective === objective, `the payload's objective is ${JSON.stringify(payload.objective)}`);
  }

  const asked = sectionOf(brief, 'What was asked');
  const shown = asked.rows.map((cell) => cell[2] ?? '');
  // A client's own tags around pasted text may be kept or taken off.
  const says = (said: string, prompt: string): boolean => said.startsWith(folded(prompt, 200)) || bare(said).startsWith(folded(bare(prompt), 200));
  const typed = [...entry.prompts.filter((_, at) => !byTool(entry, at)), ...entry.dead_branch_prompts];
  for (const prompt of typed) must(payload.prompts.some((row) => says(folded(row.text, 400), prompt)), `the payload has not the prompt ${prompt}`);
  // What does not fit is counted, with the command that shows it.
  const missing = typed.filter((prompt) => !shown.some((row) => says(row, prompt)));
  must(missing.length <= Number(/(\d+) more row/.exec(asked.lines.join('\n'))?.[1] ?? 0), `the brief has not the prompts ${missing.join('; ')}`);
  entry.prompts.forEach((prompt, at) => {
    if (!byTool(entry, at)) return;
    must(asked.lines.some((line) => line.includes(folded(prompt, 200))), `the brief has not the answer ${prompt}`);
    must(payload.decisions.some((row) => row.text.includes(prompt.slice(0, 200))), `the payload has not the answer ${prompt}`);
  });
  for (const head of entry.injected) {
    must(!shown.some((row) => row.startsWith(folded(bare(head), 60))), `the brief has injected text as a prompt: ${head}`);
    must(!payload.prompts.some((row) => row.text.startsWith(head.trim().slice(0, 60))), `the payload has injected text as a prompt: ${head}`);
  }

  const files = rowsOf('Files changed');
  for (const { path: file, how } of entry.files_changed) {
    const isIt = (name: string): boolean => below(name, entry.cwd) === below(file, entry.cwd);
    must(files.some((row) => row[1]?.startsWith(how) === true && isIt(row[0]?.split(' → ').at(-1) ?? '')), `the brief has not the file ${how} ${file}`);
    must(payload.files_changed.some((row) => row.how === how && isIt(row.path)), `the payload has not the file ${how} ${file}`);
  }

  const commands = rowsOf('Commands run');
  for (const { command } of entry.commands.filter(({ ok }) => ok === false)) {
    must(commands.some((row) => /^(?:exit [1-9]|failed|refused)/.test(row[1] ?? '') && row[2] === folded(command, 100)), `the brief has not the failed command ${command}`);
    must(payload.commands.some((row) => row.ok === false && row.command.startsWith(command.slice(0, 1_000))), `the payload has not the failed command ${command}`);
  }

  const pending = rowsOf('Pending');
  const calls = pending.filter((row) => row[1]?.startsWith('call ')).length;
  must(calls === entry.calls_without_result.length, `${calls} calls are pending, not ${entry.calls_without_result.length}`);
  for (const { id, tool } of entry.calls_without_result) {
    const seq = turns.find((turn) => turn.kind === 'call' && turn.call === id)?.seq;
    const row = pending.find((one) => one[0] === String(seq) && one[1]?.split(',')[0] === `call ${tool}`);
    must(/^(?:safe to repeat|outcome unknown: look first)$/.test(row?.[4] ?? ''), `the brief does not say that ${id} is pending`);
    must(payload.pending.some((one) => one.kind === 'call' && one.call === id), `the payload does not say that ${id} is pending`);
  }
  const queued = pending.filter((row) => row[1] === 'queued prompt').length;
  must(queued === entry.queued_unanswered.length, `${queued} queued prompts wait, not ${entry.queued_unanswered.length}`);

  if (entry.last_agent !== null) {
    const end = entry.last_agent.trim().slice(-600);
    must(sectionOf(brief, 'State right now').fence?.trim().endsWith(end) === true, 'the brief has not the last words');
    must(payload.state_now.trim().endsWith(end), 'the payload has not the last words');
  }
  if (entry.last_error !== null) {
    must(rowsOf('Errors').some((row) => row[3] === folded(entry.last_error ?? '', 160)), 'the brief has not the last error');
    must(payload.errors.some((row) => row.text.slice(0, 400) === entry.last_error?.slice(0, 400)), 'the payload has not the last error');
  }
  if (payload.timeline.length < SHORT_TURNS) must(estimateTokens(splitHandoff(text).body) <= SHORT_TOKENS, 'the brief is too long');
  return found;
}
