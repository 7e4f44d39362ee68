/**
 * npm run samples: captures the made-up transcripts of examples/ anew into examples/store, as a user would: build, evidence,
 * promotion. Transcripts come from standard input, so that no path of the machine that does it stands in the store.
 * The times of capture are new each time; what the sessions hold is not.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from './docs/sandbox.ts';

interface Sample {
  file: string;
  flags?: string[];
  /** The store as it was captured after so many lines first. */
  after?: number;
  project: string;
  session: string;
  evidence?: string;
}

const SAMPLES: readonly Sample[] = [
  {
    file: 'examples/transcript.jsonl',
    after: 17,
    project: 'tidebook',
    session: '3b6f0c52-8d1e-4a97-b0c4-5e2f7a91d3c8',
    evidence: `RESULT: DONE
WHAT_CHANGED: src/days.js takes the day of a tide from harbour time
VALIDATION: npm test
EVIDENCE: 3 of 3 tests pass, the new case of 31 July among them (seq 14)
BLOCKERS: none
RISKS: nothing compares the golden books in npm test
FOLLOW_UP: test/golden/october.txt has the old heading; nothing is committed yet
`,
  },
  { file: 'examples/sessions/golden-books.jsonl', project: 'tidebook', session: '019cb30f-5f3a-7c41-9d18-6a0e4b7f2c55' },
  { file: 'examples/sessions/rate-limit.jsonl', flags: ['--project', 'harbour-api'], project: 'harbour-api', session: 'harbour-api-rate-limit' },
  { file: 'examples/sessions/review.txt', flags: ['--harness', 'chat', '--session', 'tide-review', '--project', 'tidebook'], project: 'tidebook', session: 'tide-review' },
];

/** Captures the samples into `root`, an empty folder. Throws where a command ends wrongly. */
export function captureSamples(root: string): void {
  const command = (input: string, ...words: string[]): void => {
    const { status, stderr } = spawnSync(process.execPath, [join(REPOSITORY, 'tools/cli.mjs'), ...words], { cwd: root, input, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: root, HANDOFFS_ROOT: root } });
    if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
  };
  for (const { file, flags = [], after, project, session, evidence } of SAMPLES) {
    const text = readFileSync(join(REPOSITORY, file), 'utf8');
    if (after !== undefined) command(`${text.split('\n').slice(0, after).join('\n')}\n`, 'build', '-', ...flags);
    command(text, 'build', '-', ...flags);
    if (evidence === undefined) continue;
    appendFileSync(join(root, 'projects', project, session, 'HANDOFF.md'), evidence);
    command('', 'promote', session, '--by', 'the author');
  }
  command('', 'config', '--init-git');
}

function main(): void {
  const root = mkdtempSync(join(tmpdir(), 'handoff-samples-'));
  const target = join(REPOSITORY, 'examples/store');
  try {
    captureSamples(root);
    rmSync(target, { recursive: true, force: true });
    cpSync(root, target, { recursive: true, filter: (path) => !/(?:\.locks|\.bak)$/.test(path) });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) main();
