/** Every recorded session builds, verifies and agrees with what is known of it; `npm run sweep` does the same. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';
import { sweep, tableOf } from '../helpers/sweep.ts';
import { sampleFolder, transcriptsFolder } from '../helpers/truth.ts';
import { claude, lines } from '../helpers/transcripts.ts';

const scratch = freshFolder('handoff-sweep-test-');
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
const missing = transcriptsFolder() === undefined ? ' (of the small samples among the tests: the others are not on this machine, HANDOFF_TRANSCRIPTS names their folder)' : '';

it(`every recorded session builds, verifies and agrees with what is known of it${missing}`, async () => {
  const found = await sweep(sampleFolder());
  console.log([tableOf(found), ...found.notes].join('\n'));
  expect(found.failures).toEqual([]);
  expect(found.rows.map(({ harness }) => harness)).toEqual(['claude-code', 'cline', 'codex', 'continue', 'copilot', 'gemini', 'kilo', 'opencode', 'pi', 'qwen']);
  const readme = fs.readFileSync(path.join(REPOSITORY, 'README.md'), 'utf8').split('\n');
  for (const row of found.rows) {
    expect([row.built, row.verified], row.harness).toEqual([row.sessions, row.sessions]);
    const said = readme.find((line) => line.startsWith('| ') && line.slice(2).toLowerCase().replace('github ', '').replace(' ', '-').startsWith(row.harness));
    for (const version of row.versions) if (version !== 'not told') expect(said, `README.md on ${row.harness}`).toContain(version);
  }
});

it('a session that does not build, differs from what is known or is not there is named', async () => {
  const writer = claude();
  const dir = path.join(scratch, 'claude-code');
  fs.mkdirSync(dir);
  fs.writeFileSync(path.join(dir, 'good.jsonl'), lines(writer.user('Fix it'), writer.agent('Done.')));
  fs.writeFileSync(path.join(dir, 'cut.jsonl'), `${lines(writer.user('Fix it'))}{"type":"user"\n${lines(writer.agent('Done.'))}`);
  const known = {
    harness: 'claude-code', version: '2.1.332', session: 's', cwd: '/w', branch: null, model: null, prompts: ['Fix that'], objective: 'Fix it', injected: [], dead_branch_prompts: [], replayed_prompts: [],
    last_agent: 'Done.', last_error: null, counts: { USER: 1, AGENT: 1, THOUGHT: 0, CALLS: 0, RESULTS: 0 }, failed_calls: [], calls_without_result: [], files_changed: [], commands: [], queued_unanswered: [], fork_of: null, usage: { output_tokens: 2 },
  };
  fs.writeFileSync(path.join(dir, 'TRUTH.json'), JSON.stringify({ 'good.jsonl': known, 'gone.jsonl': known }));
  const { rows, failures } = await sweep(scratch);
  expect(rows).toMatchObject([{ harness: 'claude-code', sessions: 2, built: 1, verified: 1, known: 1, agree: 0, turns: 2 }]);
  expect(failures.map((text) => text.replace(/: .*/, ''))).toEqual(['claude-code/cut.jsonl', ...Array<string>(4).fill('claude-code/good.jsonl'), 'claude-code/gone.jsonl']);
  expect(failures.join('\n')).toContain('prompt 1 "Fix that" is not there');
});
