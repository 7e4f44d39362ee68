/** The workflows: what they promise, and the steps of the one that is an example, run as they stand. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeSandbox, type Sandbox } from '../../scripts/docs/sandbox.ts';
import { read } from '../helpers/markdown.ts';

const EXAMPLE = 'examples/workflows/handoff-gate.yml';
const FILES = ['.github/workflows/test.yml', '.github/workflows/release.yml', EXAMPLE];

/** The script of the step of this name. */
function step(file: string, name: string): string {
  const lines = read(file).split('\n');
  const at = lines.findIndex((line) => line.trim() === `- name: ${name}`);
  const run = lines.findIndex((line, index) => index > at && /^ +run: /.test(line));
  if (at < 0 || run < 0) throw new Error(`${file} has no step "${name}"`);
  const one = /run: (?!\|)(.+)$/.exec(lines[run] ?? '')?.[1];
  if (one !== undefined) return one;
  const indent = /^ +/.exec(lines[run + 1] ?? '')?.[0] ?? '';
  const rest = lines.slice(run + 1);
  const end = rest.findIndex((line) => line !== '' && !line.startsWith(indent));
  return rest.slice(0, end < 0 ? undefined : end).map((line) => line.slice(indent.length)).join('\n');
}

describe('the workflows', () => {
  it.each(FILES)('%s names no registry, keeps no token and may only read by default', (file) => {
    const text = read(file);
    expect(text).not.toMatch(/registry\.|registry-url|NODE_AUTH_TOKEN|NPM_TOKEN|secrets\./);
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
  });

  it.each(FILES)('%s runs only scripts that package.json has', (file) => {
    const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;
    expect([...read(file).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name).filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('test on every Node.js and system that COMPATIBILITY.md names', () => {
    const text = read('.github/workflows/test.yml');
    const versions = JSON.parse(/node: (\[.*\])/.exec(text)?.[1] ?? '[]') as number[];
    expect(versions).toEqual([20, 22, 24]);
    expect(/system: \[(.*)\]/.exec(text)?.[1]).toBe('ubuntu-latest, macos-latest, windows-latest');
    for (const version of versions) expect(read('docs/COMPATIBILITY.md')).toMatch(new RegExp(`\\b${version}\\b`));
    for (const system of ['Linux', 'macOS', 'Windows']) expect(read('docs/COMPATIBILITY.md')).toContain(`| ${system} |`);
  });

  it('publish only by a tag, with provenance, and only that job may vouch for itself', () => {
    const text = read('.github/workflows/release.yml');
    expect(text).toMatch(/^on:\n {2}push:\n {4}tags: /m);
    expect(text).toContain('npm publish --provenance');
    expect(text.match(/id-token: write/g)).toHaveLength(1);
  });
});

describe.runIf(process.platform !== 'win32')(EXAMPLE, () => {
  it('refuses a handoff without evidence, passes one that has it, and promotes it after the merge', () => {
    const sandbox = makeSandbox({ commands: true });
    try {
      const sh = (script: string, env: Record<string, string> = {}): { status: number | null; output: string } => {
        const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', script], { cwd: sandbox.project, encoding: 'utf8', env: { ...sandbox.env, ...identity, HANDOFF: 'agents-handoff', GITHUB_BASE_REF: 'main', GITHUB_ACTOR: 'somebody', ...env } });
        return { status, output: stdout + stderr };
      };
      const gate = step(EXAMPLE, 'every changed handoff passes the gate');
      expect(sh('git init -q -b main . && git init -q --bare ../origin && git remote add origin ../origin && git commit -q --allow-empty -m first && git push -q -u origin main && git fetch -q').status).toBe(0);
      const before = sh('git rev-parse HEAD').output.trim();
      expect(sh('handoff config --init && handoff build session.jsonl && git add handoffs && git commit -qm handoff').status).toBe(0);

      expect(sh(step(EXAMPLE, 'every handoff is what was written')).status).toBe(0);
      expect(sh(gate)).toMatchObject({ status: 1, output: expect.stringMatching(/^::error .*title=Evidence gate%3A contract::/) as string });

      appendFileSync(brief(sandbox, 'HANDOFF.md'), 'RESULT: DONE\nWHAT_CHANGED: one line\nVALIDATION: npm test\nEVIDENCE: 3 of 3 pass\nBLOCKERS: none\nRISKS: none\nFOLLOW_UP: none\n');
      sh('git add handoffs && git commit -qm evidence');
      expect(sh(gate)).toMatchObject({ status: 0, output: expect.stringContaining('VERIFIED') as string });

      expect(sh(step(EXAMPLE, 'every changed handoff is promoted'), { BEFORE: before }).status).toBe(0);
      expect(JSON.parse(readFileSync(brief(sandbox, 'manifest.json'), 'utf8'))).toMatchObject({ promoted_gate: 'VERIFIED', promoted_by: 'somebody' });
      const commit = step(EXAMPLE, 'the stamps are committed');
      expect(sh(commit).status).toBe(0);
      expect(sh('git log --format=%s -1 origin/main && git status --porcelain handoffs').output).toBe('handoffs: promoted\n');
      // Nothing is left to commit, and that is no failure.
      expect(sh(commit).status).toBe(0);
    } finally {
      sandbox.remove();
    }
  });
});

const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' };

function brief({ project }: Sandbox, name: string): string {
  return join(project, 'handoffs/projects/tidebook/3b6f0c52-8d1e-4a97-b0c4-5e2f7a91d3c8', name);
}
