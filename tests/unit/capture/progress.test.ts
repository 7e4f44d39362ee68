/** Long work on one session says how far it is: what the runner shows of it is in lib/cli/io.test.ts. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderSession } from '../../../src/capture/reseal.mts';
import { captured } from '../../../src/commands/handoff/captured.mts';
import { fillConfig } from '../../../src/lib/config.mts';
import { checkSession } from '../../../src/store/checker.mts';
import { sessionPaths } from '../../../src/store/layout.mts';
import { dirOf, findByPrefix } from '../../../src/store/lookup.mts';
import { buildInto } from '../../helpers/build.ts';
import { freshFolder } from '../../helpers/run.ts';
import { lines, talk } from '../../helpers/transcripts.ts';

const dir = freshFolder('handoff-progress-');
const root = path.join(dir, 'store');
const TURNS = 1200;
beforeAll(async () => {
  fs.mkdirSync(dir, { recursive: true });
  const file = path.join(dir, 't.jsonl');
  fs.writeFileSync(file, lines(...talk(TURNS)));
  await buildInto(root, file, { session: 'long', project: 'p' });
});
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

it('render tells of the turns and of the payload', async () => {
  const config = fillConfig({});
  const told: string[] = [];
  await renderSession({ root, rules: { maxBriefTokens: config.max_brief_tokens, tools: config.capture }, onSignal: () => () => {}, progress: (message) => told.push(message) }, findByPrefix(root, 'long'));
  expect(told).toEqual(['500 turns read', '1000 turns read', 'HANDOFF.llm.json is written']);
});

it('export and check tell of the turns', () => {
  const told: string[] = [];
  captured(root, findByPrefix(root, 'long'), (message) => told.push(message)).digest();
  expect(told).toEqual([`500 of ${TURNS} turns read`, `1000 of ${TURNS} turns read`]);
});

it('verify tells of every byte of the timeline and the payload', () => {
  const row = findByPrefix(root, 'long');
  const paths = sessionPaths(dirOf(root, row));
  let bytes = 0;
  checkSession(root, row, (more) => { bytes += more; });
  // The payload's hash is taken as zeros, which count as what they stand for.
  expect(bytes).toBe(fs.statSync(paths.timeline).size + fs.statSync(paths.payload).size);
});
