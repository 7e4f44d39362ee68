/**
 * A build as 2.0.x makes it, as far as its stores show: enough to make a session in its form, and to build one of ours
 * again behind our back. Written from the description of its formats; it shares nothing with our own build.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Old { seq: number; ts: string; class: string; text: string }

export interface Build2 {
  root: string;
  project: string;
  session: string;
  /** As it would be typed: that is what its manifest keeps. */
  source: string;
  /** The bytes of the source. */
  bytes: Buffer;
  at?: string;
}

const CONTRACT = /^(?:RESULT|WHAT_CHANGED|VALIDATION|EVIDENCE|BLOCKERS|RISKS|FOLLOW_UP) *:/;
const sha = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** Makes the session, or builds it again: what has a higher seq than its watermark is appended. Gives its folder. */
export function build2({ root, project, session, source, bytes, at = '2026-11-30T12:00:00.000Z' }: Build2): string {
  const dir = join(root, 'projects', project, session);
  mkdirSync(dir, { recursive: true });
  const file = (name: string): string => join(dir, name);
  const old = existsSync(file('manifest.json')) ? JSON.parse(readFileSync(file('manifest.json'), 'utf8')) as Record<string, unknown> : undefined;

  const text = bytes.toString('utf8');
  const parsed = parse(text);
  const kept = old === undefined ? [] : pieces(readFileSync(file('timeline.jsonl'), 'utf8'));
  const fresh = parsed.filter(({ seq }) => seq > ((old?.['watermark'] as number | undefined) ?? -1));
  const lines = [...kept, ...fresh.map((turn) => JSON.stringify(turn))];
  const turns = lines.map((line) => JSON.parse(line) as Old);
  const counts = Object.fromEntries(['USER', 'AGENT', 'THOUGHT', 'TOOL'].map((name) => [name, turns.filter((turn) => turn.class === name).length]));
  const block = evidence(existsSync(file('HANDOFF.md')) ? readFileSync(file('HANDOFF.md'), 'utf8') : '');

  const paths = (old?.['source_paths'] as string[] | undefined) ?? [];
  // Keys that are there keep their place, whatever they are; new ones stand behind.
  const stored: Record<string, unknown> = { session, project, harness: 'unknown', model: '', created_at: at, source_paths: [] };
  if (old !== undefined) for (const key of Object.keys(stored)) delete stored[key];
  Object.assign(stored, old, {
    source_paths: paths.includes(source) ? paths : [...paths, source],
    watermark: Math.max(...parsed.map(({ seq }) => seq)),
    raw_sha256: sha(text),
    revisions: ((old?.['revisions'] as number | undefined) ?? 0) + 1,
    updated_at: at,
    turn_count: lines.length,
    counts,
  });
  if (old === undefined) stored['manifest_sha256'] = '';
  if (block !== '') stored['evidence_contract_sha256'] = sha(block);
  const { manifest_sha256: _own, ...rest } = stored;
  const hash = sha(JSON.stringify(rest));
  stored['manifest_sha256'] = hash;

  const summary = {
    schema_version: '2.0.0-summary', session: { id: session, harness: stored['harness'], model: stored['model'] }, project, generated_at: at,
    objective: turns.find((turn) => turn.class === 'USER')?.text.slice(0, 400) ?? '(none)', state_now: turns.findLast((turn) => turn.class === 'AGENT')?.text.slice(-1200) ?? '(none)',
    open_loops: [], evidence_class: 'OBSERVED', counts, artifacts: { full_payload: 'HANDOFF.llm.json', timeline: 'timeline.jsonl', tool_calls: 'TOOLS.md' },
    provenance: { sources: stored['source_paths'], raw_sha256: stored['raw_sha256'], manifest_sha256: hash, revision: stored['revisions'], watermark: stored['watermark'], total_turns: lines.length },
  };
  const rows = turns.map((turn) => ({ seq: turn.seq, ts: turn.ts, text: turn.text, class: turn.class }));
  writeFileSync(file('timeline.jsonl'), `${lines.join('\n')}\n`);
  writeFileSync(file('HANDOFF.summary.json'), JSON.stringify(summary, null, 2));
  writeFileSync(file('HANDOFF.llm.json'), JSON.stringify({ ...summary, schema_version: '2.0.0', timeline: rows, tool_calls: rows.filter((row) => row.class === 'TOOL') }, null, 2));
  writeFileSync(file('TOOLS.md'), `# Tool calls: ${session}\n\n\n\nTotal: ${counts['TOOL'] ?? 0}\n`);
  writeFileSync(file('HANDOFF.md'), brief(session, project, stored, hash, turns, block));
  writeFileSync(file('manifest.json'), JSON.stringify(stored, null, 2));
  return dir;
}

function pieces(text: string): string[] {
  return text.split(/\r?\n/).filter((piece) => piece !== '');
}

/** Records as 2.0.x reads the shapes that the tests use: the role and a text; else it takes no turn. */
function parse(text: string): Old[] {
  return text.split(/\r?\n/).flatMap((line, index): Old[] => {
    if (line.trim() === '') return [];
    const record = JSON.parse(line) as Record<string, unknown>;
    const content = record['text'] ?? (record['message'] as { content?: unknown } | undefined)?.content;
    if (typeof content !== 'string' || content.trim() === '') return [];
    const role = record['role'] ?? (record['message'] as { role?: unknown } | undefined)?.role;
    const seq = Number(record['seq'] ?? NaN);
    return [{ seq: Number.isFinite(seq) ? seq : index, ts: String(record['ts'] ?? record['timestamp'] ?? ''), class: role === 'user' ? 'USER' : role === 'assistant' ? 'AGENT' : 'OTHER', text: content }];
  });
}

/** From the first contract field to the last, on to the next heading. */
function evidence(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => CONTRACT.test(line));
  const last = lines.findLastIndex((line) => CONTRACT.test(line));
  if (first < 0) return '';
  const next = lines.findIndex((line, at) => at > last && /^#{1,6} /.test(line));
  return lines.slice(first, next < 0 ? undefined : next).join('\n').trimEnd();
}

function brief(session: string, project: string, manifest: Record<string, unknown>, hash: string, turns: readonly Old[], block: string): string {
  return [
    `# Handoff: ${session}`, '', `**Project:** ${project}  |  **Harness:** ${String(manifest['harness'])}`,
    `**Updated:** ${String(manifest['updated_at'])}  |  **Turns:** ${turns.length}  |  **Revision:** ${String(manifest['revisions'])}  |  **Watermark:** seq <= ${String(manifest['watermark'])}`, '',
    '## State right now (verbatim tail)', '', '```', turns.findLast((turn) => turn.class === 'AGENT')?.text ?? '(none)', '```', '',
    '## Provenance', `- raw sha256: ${String(manifest['raw_sha256'])}`, `- manifest sha256: ${hash}`, '',
    '## Evidence contract (hand-authored — preserved across rebuilds)', '',
    ...(block === '' ? ['(none yet)'] : [block, '', `- contract sha256: ${sha(block)} (carried forward verbatim; the L4 gate reads this section)`]),
  ].join('\n');
}
