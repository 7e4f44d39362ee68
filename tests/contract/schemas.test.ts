/** The payloads and the portable document of many sessions, against the schema files as they are shipped. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { portableFields } from '../../src/render/portable.mts';
import { createReducer } from '../../src/render/reduce.mts';
import { readManifest } from '../../src/store/manifest.mts';
import { agent, call, digestOf, other, result, user, viewOf } from '../unit/render/turns.ts';
import { payloadFields, summaryFields } from '../../src/render/fields.mts';
import { buildInto, turnsOf } from '../helpers/build.ts';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';
import { expectKnown, schemaErrors, type Schema } from '../helpers/schema.ts';
import { loadTruth, samplePath } from '../helpers/truth.ts';

const schema = (file: string): Schema => JSON.parse(fs.readFileSync(path.join(REPOSITORY, file), 'utf8')) as Schema;
const PAYLOAD = schema('templates/HANDOFF.llm.schema.json');
const PORTABLE = schema('schemas/handoff.schema.json');
const scratch = freshFolder('handoff-schemas-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

async function documents(file: string): Promise<{ payload: unknown; summary: unknown; portable: unknown }> {
  const root = fs.mkdtempSync(path.join(scratch, 's-'));
  const { dir } = await buildInto(root, file);
  const json = (name: string): unknown => JSON.parse(fs.readFileSync(path.join(dir, name), 'utf8'));
  const read = readManifest(path.join(dir, 'manifest.json'));
  if (read.state !== 'read') throw new Error(read.state);
  const reducer = createReducer();
  for (const turn of turnsOf(dir)) reducer.add(turn);
  const portable: unknown = JSON.parse(JSON.stringify(portableFields(reducer.digest(), read.manifest, '3.0.0')));
  const found = { payload: json('HANDOFF.llm.json'), summary: json('HANDOFF.summary.json'), portable };
  fs.rmSync(root, { recursive: true, force: true });
  return found;
}

function filesBelow(folder: string): string[] {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(file) : entry.name.endsWith('.jsonl') ? [file] : [];
  });
}

const fixtures = ['claude-code', 'codex', 'pi', 'copilot'].flatMap((name) => {
  const folder = path.join(REPOSITORY, 'tests/fixtures', name);
  return fs.existsSync(folder) ? filesBelow(folder) : [];
});
const recorded = ['claude-code', 'cline', 'codex', 'continue', 'copilot', 'gemini', 'kilo', 'opencode', 'pi', 'qwen']
  .flatMap((harness) => loadTruth(harness).filter(([key]) => !key.includes('#')).map(([key]): [string, string] => [`${harness}/${key}`, samplePath(harness, key)]));

describe('the schemas', () => {
  it('use no keyword that the validator does not check', () => {
    for (const one of [PAYLOAD, PORTABLE]) expectKnown(one);
    expect(() => schemaErrors({}, { propertyNames: {} })).toThrow('unknown keyword propertyNames');
    expect(() => expectKnown({ properties: { a: { items: { contains: {} } } } })).toThrow('unknown keyword contains');
  });

  it.each(['schema_version', 'handoff_id', 'mission_id', 'task_id', 'created_at', 'updated_at', 'source', 'state', 'next_action'])('a portable document needs %s', (key) => {
    const document: Record<string, unknown> = portableFields(digestOf([user('Fix the parser')]), { ...viewOf(1), created_at: '2026-01-01T00:00:00.000Z' }, '3.0.0');
    expect(schemaErrors(document, PORTABLE)).toEqual([]);
    delete document[key];
    expect(schemaErrors(document, PORTABLE)).toEqual([`/: has no ${key}`]);
  });

  it('tell what is wrong, and where', () => {
    const fields = payloadFields(digestOf([user('Fix the parser')]), viewOf(1));
    const turn = { seq: 0, ts: '', class: 'USER', text: 'Fix the parser' };
    const payload = { ...fields, timeline: [turn], tool_calls: [] };
    expect(schemaErrors(payload, PAYLOAD)).toEqual([]);
    expect(schemaErrors(fields, PAYLOAD)).toEqual(['/: has no timeline', '/: has no tool_calls']);
    expect(schemaErrors({ ...payload, tool_calls: [turn] }, PAYLOAD)).toEqual(['/tool_calls/0/class: is "USER", not "TOOL"']);
    expect(schemaErrors({ ...payload, generated_at: 'today' }, PAYLOAD)).toEqual(['/generated_at: "today" is no date-time']);
    expect(schemaErrors({ ...payload, more: 1 }, PAYLOAD)).toEqual(['/more: must not be there']);
    expect(schemaErrors({ ...payload, schema_version: '2.0.0-summary' }, PAYLOAD)).toEqual(['/timeline: must not be there', '/tool_calls: must not be there']);
    expect(schemaErrors({ ...payload, prompts: [{ seq: '0', ts: '', text: '' }] }, PAYLOAD)).toEqual(['/prompts/0/seq: is string, not number']);
  });
});

describe('the documents of a session', () => {
  it('are valid with everything in them that a session can leave behind', () => {
    const digest = digestOf([
      user('Fix \ud83d it'), user('no, the lexer instead'), other('queued', 'and the docs'), call('1', 'Bash', { command: 'npm test' }, { effect: 'unknown' }), result('1', 'no', { ok: false, exit: 1 }),
      call('2', 'apply_patch', '*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch'), result('2', 'ok'), call('3', 'TodoWrite', { todos: [{ content: 'x', status: 'pending' }] }),
      call('4', 'AskUserQuestion', { question: 'which?' }), result('4', 'this', { ok: true }), call('5', 'Bash', { command: 'rm x' }), result('5', 'The user doesn\'t want to proceed', { ok: false }),
      call('6', 'Bash', { command: 'sleep' }), result('6', 'Command running in background with ID: b1'), other('api-error', '529'), agent('todo: docs'), other('interrupted', 'x'),
    ]);
    const view = { ...viewOf(17, { title: 't', cwd: '/w', git: { branch: 'main', commit: 'abc' }, usage: { input: 1 }, parent_session: 'p', fork: { of: 'o', by: 'link', until_seq: 0 } }), created_at: '2026-01-01T00:00:00.000Z', uuid: 'u' };
    expect(schemaErrors(summaryFields(digest, view), PAYLOAD)).toEqual([]);
    expect(schemaErrors({ ...payloadFields(digest, view), timeline: [], tool_calls: [] }, PAYLOAD)).toEqual([]);
    const portable = portableFields(digest, view, '3.0.0');
    expect(schemaErrors(portable, PORTABLE)).toEqual([]);
    // Strict readers refuse half a character, wherever it stands.
    for (const one of [payloadFields(digest, view), summaryFields(digest, view), portable]) expect(JSON.stringify(one)).not.toMatch(/\\ud[89a-f]/);
    expect(portable).toMatchObject({ handoff_id: 's1@1', task_id: 'u', source: { agent: 'm1', runtime: 'claude-code' }, state: { status: 'interrupted', claimed: true }, next_action: { objective: 'Fix \ufffd it', from: 'prompt' } });
    expect((portable['state'] as { pending: { kind: string; advice: string }[] }).pending.map(({ kind, advice }) => `${kind} ${advice}`)).toEqual(['call look-first', 'prompt answer', 'background look-first']);
  });

  it.each(fixtures.map((file): [string, string] => [path.relative(REPOSITORY, file), file]))('are valid: %s', async (_name, file) => {
    const { payload, summary, portable } = await documents(file);
    expect([schemaErrors(payload, PAYLOAD), schemaErrors(summary, PAYLOAD), schemaErrors(portable, PORTABLE)]).toEqual([[], [], []]);
  });

  it.skipIf(recorded.length === 0).each(recorded)(`are valid: recorded %s${recorded.length === 0 ? ' (not on this machine: set HANDOFF_TRANSCRIPTS)' : ''}`, async (_name, file) => {
    const { payload, summary, portable } = await documents(file);
    expect([schemaErrors(payload, PAYLOAD), schemaErrors(summary, PAYLOAD), schemaErrors(portable, PORTABLE)]).toEqual([[], [], []]);
  });
});
