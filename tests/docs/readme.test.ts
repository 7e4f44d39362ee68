import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
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

  it('shows what the program really prints', () => {
    const scratch = freshFolder();
    try {
      const printed = demo(scratch).stdout.split('\n').filter((line) => line.startsWith('PASS'));
      expect(printed).toHaveLength(1);
      expect(README).toContain(printed[0]);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });
});

describe('npm run demo', () => {
  it('captures, verifies and prints where the brief is, in a folder of its own', () => {
    const scratch = freshFolder();
    try {
      const { status, stdout, stderr } = demo(scratch);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/^PASS .* \/ chain ok$/m);
      const brief = /^The brief: (.*)$/m.exec(stdout)?.[1] ?? '';
      expect(brief.startsWith(scratch)).toBe(true);
      expect(existsSync(brief)).toBe(true);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });

  it('touches no store of the user\'s', () => {
    const scratch = freshFolder();
    const store = freshFolder();
    try {
      const { stdout } = demo(scratch, { HANDOFFS_ROOT: store });
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
