import { describe, expect, it } from 'vitest';
import { payloadFields, summaryFields } from '../../../src/render/fields.mts';
import { agent, digestOf, user, viewOf } from './turns.ts';

const digest = digestOf([user('Fix \ud83d the parser'), agent(`todo: docs\n${'x'.repeat(590)}\u{1f6d2}${'y'.repeat(600)}`)]);

describe('the payload', () => {
  it('has the keys of 2.0.x first and in their order, ours then, provenance last', () => {
    const keys = Object.keys(payloadFields(digest, viewOf(2, { cwd: '/w', git: { branch: 'main' } })));
    expect(keys.slice(0, 10)).toEqual(['schema_version', 'session', 'project', 'generated_at', 'objective', 'state_now', 'open_loops', 'evidence_class', 'counts', 'artifacts']);
    for (const ours of ['prompts', 'files_changed', 'commands', 'pending', 'errors', 'git', 'cwd']) expect(keys).toContain(ours);
    expect(keys.at(-1)).toBe('provenance');
  });
  it('says where it comes from', () => {
    const fields = payloadFields(digest, viewOf(2, { title: 't' }));
    expect(fields['schema_version']).toBe('2.0.0');
    expect(fields['session']).toEqual({ id: 's1', harness: 'claude-code', model: 'm1', title: 't' });
    expect(Object.keys(fields['provenance'] as object)).toEqual(['sources', 'raw_sha256', 'manifest_sha256', 'revision', 'watermark', 'total_turns']);
  });
  it('is well formed in every text', () => {
    expect(JSON.stringify(payloadFields(digest, viewOf(2, { project: '\ud83d' })))).not.toMatch(/\\ud[89a-f]/i);
    expect(payloadFields(digest, viewOf(2))['objective']).toBe('Fix \ufffd the parser');
  });
});

describe('the summary', () => {
  it('is the same with the first 600 characters of the state, halving none', () => {
    const summary = summaryFields(digest, viewOf(2));
    expect(summary['schema_version']).toBe('2.0.0-summary');
    expect(summary['state_now']).toBe((payloadFields(digest, viewOf(2))['state_now'] as string).slice(0, 600));
    expect((summary['state_now'] as string).isWellFormed()).toBe(true);
    expect(summary['open_loops']).toEqual(['todo: docs']);
  });
});
