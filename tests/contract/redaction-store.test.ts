/** Secrets that are planted in whole transcripts reach no file of the store and no message. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { buildInto, failures } from '../helpers/build.ts';
import { freshFolder } from '../helpers/run.ts';
import { plantedSecrets, type Case } from '../helpers/secrets.ts';

const scratch = freshFolder('handoff-secrets-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

const SESSION = '5f0c2a10-0000-4000-8000-000000000001';
const chain = (at: number) => ({ uuid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`, parentUuid: null, sessionId: SESSION, isSidechain: false, cwd: '/home/dev/shop', timestamp: '2026-01-01T00:00:00.000Z' });

/** The case as a Claude Code record: as it is where it is one, else as a call's input and as a result's text. */
function claude({ record }: Case, at: number): string[] {
  if (record['type'] === 'user' && record['message'] !== undefined) return [JSON.stringify({ ...record, ...chain(at) })];
  if (record['type'] === 'assistant') return [JSON.stringify({ ...record, ...chain(at) })];
  if (record['payload'] !== undefined) return [];
  return [
    JSON.stringify({ ...chain(at), type: 'assistant', message: { id: `m${at}`, role: 'assistant', content: [{ type: 'tool_use', id: `t${at}`, name: 'mcp__box__put', input: record }] } }),
    JSON.stringify({ ...chain(at + 1_000_000), type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${at}`, content: JSON.stringify(record) }] } }),
  ];
}

function codex({ record }: Case, at: number): string[] {
  if (record['payload'] !== undefined) return [JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', ...record })];
  const said = (record['message'] as { content?: unknown } | undefined)?.content;
  if (typeof said !== 'string') return [];
  return [JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', type: 'response_item', payload: { type: 'custom_tool_call_output', call_id: `c${at}`, output: said } })];
}

function everything(root: string): string {
  return fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => path.join(root, name)).filter((file) => fs.statSync(file).isFile()).map((file) => `${file}\n${fs.readFileSync(file, 'utf8')}`).join('\n');
}

const HEADS: Record<string, string> = {
  claude: JSON.stringify({ ...chain(0), type: 'user', message: { role: 'user', content: 'Look at these' } }),
  codex: JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', type: 'session_meta', payload: { id: '01a22b68-0000-7000-8000-000000000001', cwd: '/home/dev/shop', cli_version: '0.171.0' } }),
};

it.each([
  ['claude', claude, false],
  ['codex', codex, false],
  ['claude', claude, true],
] as const)('no planted secret of a %s transcript survives (%#)', async (kind, linesOf, damaged) => {
  // A quarter of them is enough to see what damage changes.
  const cases = plantedSecrets(20_26, damaged ? 600 : 1_600);
  const used: Case[] = [];
  const lines = [HEADS[kind] ?? ''];
  cases.forEach((one, at) => {
    const made = linesOf(one, at + 1);
    if (made.length === 0) return;
    used.push(one);
    for (const line of made) lines.push(damaged && at % 3 === 0 ? `${line.slice(0, 30)}${line}` : line);
  });
  if (kind === 'codex') lines.push(JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look at these' }] } }));
  const dir = fs.mkdtempSync(path.join(scratch, `${kind}-`));
  const root = path.join(dir, 'store');
  const file = path.join(dir, 't.jsonl');
  fs.writeFileSync(file, `${lines.join('\n')}\n`);
  const notes: string[] = [];
  const result = await buildInto(root, file, { notes, allowBadLines: damaged });
  const all = `${everything(root)}\n${notes.join('\n')}\n${JSON.stringify(result)}`;
  const survived = used.filter(({ needles }) => needles.some((needle) => all.includes(needle) || all.includes(JSON.stringify(needle).slice(1, -1))));
  console.log(`${kind}${damaged ? ', damaged' : ''}: ${used.length} records with planted secrets in a transcript, ${survived.length} survived`);
  expect(survived.map(({ label, needles }) => `${label}: ${needles.join(' ')}`)).toEqual([]);
  expect(used.length).toBeGreaterThan(damaged ? 400 : kind === 'codex' ? 400 : 1_000);
  expect(failures(root)).toEqual([]);
});

it.each([
  ['claude', (one: string) => [
    { ...chain(0), sessionId: `s-${one}`, cwd: `/home/dev/${one}`, gitBranch: `try-${one}`, version: `1-${one}`, type: 'user', message: { role: 'user', content: 'Look at these' } },
    { type: 'summary', summary: `About ${one}`, leafUuid: chain(0).uuid },
  ]],
  ['claude, of a sub-agent', (one: string) => [{ ...chain(0), sessionId: `s-${one}`, isSidechain: true, agentId: one, type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'Looking' }] } }]],
  ['codex', (one: string) => [
    { timestamp: chain(0).timestamp, type: 'session_meta', payload: { id: `s-${one}`, cwd: `/home/dev/${one}`, cli_version: one, forked_from_id: `f-${one}`, git: { branch: `try-${one}`, commit_hash: one } } },
    { timestamp: chain(0).timestamp, type: 'turn_context', payload: { model: `m-${one}`, cwd: `/home/dev/${one}` } },
    { timestamp: chain(0).timestamp, type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look at these' }] } },
  ]],
] as const)('what names a session in its first records is as clean as its turns: %s', async (_kind, recordsOf) => {
  // Made here, so that no scanner takes this file for a leak.
  const secret = `ghp_${'aB3dE5fG7h'.repeat(4).slice(0, 36)}`;
  const dir = fs.mkdtempSync(path.join(scratch, 'names-'));
  const root = path.join(dir, 'store');
  const file = path.join(dir, 't.jsonl');
  fs.writeFileSync(file, recordsOf(secret).map((record) => `${JSON.stringify(record)}\n`).join(''));
  const notes: string[] = [];
  const result = await buildInto(root, file, { notes });
  expect(`${everything(root)}\n${notes.join('\n')}\n${JSON.stringify(result)}`).not.toContain(secret);
  expect(failures(root)).toEqual([]);
});
