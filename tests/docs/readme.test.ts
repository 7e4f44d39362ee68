import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../scripts/docs/blocks.ts';
import { withOutput } from '../../scripts/readme-output.ts';
import { read } from '../helpers/markdown.ts';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';

const README = read('README.md');
const blocks = [...README.matchAll(/^```\n([^]*?)^```$/gm)].map(([, body = '']) => body.trim());
const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;

describe('README.md', () => {
  it('opens with two commands of one line each, whose scripts exist', () => {
    expect(blocks.slice(0, 2)).toEqual(['npm ci && npm run demo', 'npm ci && npm test']);
    expect(scripts).toMatchObject({ demo: expect.any(String) as string, test: expect.any(String) as string });
    // The program is built by `npm ci`, types are checked before the tests.
    expect(scripts['prepare']).toContain('build');
    expect(scripts['pretest']).toContain('typecheck');
  });

  it('has the test command that .ci/run runs', () => {
    expect(read('.ci/run')).toContain(`\ntest_command='${blocks[1]}'\n`);
  });

  it.runIf(process.platform !== 'win32')('goes by its blocks, in an empty home, from nothing to a promoted handoff and on to a pick-up, and shows what they print', () => {
    // What is run is what the reader copies: build, promotion, and what the next one reads.
    const run = blocksOf(README).filter(({ mark }) => mark?.kind === 'runnable').map(({ body }) => body).join('\n');
    for (const command of ['npm ci && npm run demo', 'handoff build session.jsonl', 'handoff verify 3b6f', 'agents-handoff verify-gate 3b6f', 'agents-handoff promote 3b6f', 'handoff show 3b6f', 'handoff check 3b6f']) expect(run).toContain(command);
    const { text, wrong } = withOutput(README);
    expect(wrong).toEqual([]);
    expect(text, 'README.md shows other output than the program prints: npm run docs').toBe(README);
  });
});

describe('npm run demo', () => {
  it('captures, verifies and prints where the brief is, in a folder of its own, and touches no store of the user\'s', () => {
    const scratch = freshFolder();
    const store = freshFolder();
    try {
      const { status, stdout, stderr } = demo(scratch, { HANDOFFS_ROOT: store });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/^PASS .* \/ chain ok$/m);
      const brief = /^The brief: (.*)$/m.exec(stdout)?.[1] ?? '';
      expect(brief.startsWith(scratch)).toBe(true);
      expect(existsSync(brief)).toBe(true);
      expect(stdout).not.toContain(store);
      expect(existsSync(`${store}/projects`)).toBe(false);
    } finally {
      for (const folder of [scratch, store]) rmSync(folder, { recursive: true, force: true });
    }
  });
});

function demo(scratch: string, env: Record<string, string> = {}) {
  return spawnSync(process.execPath, [`${REPOSITORY}/scripts/demo.mjs`], { cwd: dirname(scratch), encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: scratch, TMPDIR: scratch, ...env } });
}
