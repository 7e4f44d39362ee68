/** docs/RUNTIME.md: what it tells a team and a workflow to type is typed here, in clones of one repository. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { read } from '../helpers/markdown.ts';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';
import { lines, talk } from '../helpers/transcripts.ts';

const TEXT = read('docs/RUNTIME.md');
const CONTRACT = 'RESULT: DONE\nWHAT_CHANGED: x\nVALIDATION: x\nEVIDENCE: the log\nBLOCKERS: none\nRISKS: none\nFOLLOW_UP: none\n';
const hasGit = spawnSync('git', ['--version']).status === 0;

const scratch = freshFolder('handoff-team-');
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The block of shell commands that holds these words. */
function block(words: string, text = TEXT): string {
  const found = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, body = '']) => body).filter((body) => body.includes(words));
  if (found.length !== 1) throw new Error(`${found.length} blocks of the page hold ${words}`);
  return found[0]!;
}

/** The script of a workflow's step, by its name. */
function step(name: string): string {
  const lines_ = TEXT.split('\n');
  const at = lines_.findIndex((line) => line.trim() === `- name: ${name}`);
  if (at < 0) throw new Error(`no step is called ${name}`);
  const [, one] = /^\s+run: (?!\|)(.+)$/.exec(lines_[at + 1] ?? '') ?? [];
  if (one !== undefined) return one;
  const indent = /^ */.exec(lines_[at + 2] ?? '')![0];
  const end = lines_.findIndex((line, n) => n > at + 1 && !line.startsWith(indent));
  return lines_.slice(at + 2, end).map((line) => line.slice(indent.length)).join('\n');
}

class Clone {
  readonly dir: string;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
    this.dir = join(scratch, name, 'shop');
    mkdirSync(join(scratch, name));
    this.sh(`git clone -q '${join(scratch, 'upstream')}' '${this.dir}'`, {}, scratch);
    this.sh('git config user.name t; git config user.email t@example.com; git config pull.rebase false; git config push.default current');
    symlinkSync(REPOSITORY, join(this.dir, '.agents-handoff'));
    writeFileSync(join(this.dir, '.git/info/exclude'), '.agents-handoff\n');
  }

  /** Runs it as a person in this clone would; every command of a block, whatever those before ended with. */
  sh(script: string, env: Record<string, string> = {}, cwd = this.dir): { status: number | null; out: string } {
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script], { cwd, encoding: 'utf8', env: { PATH: `${join(scratch, 'bin')}:${process.env['PATH'] ?? ''}`, HOME: join(scratch, 'home'), ...env } });
    return { status, out: stdout + stderr };
  }

  must(script: string): string {
    const { status, out } = this.sh(script);
    if (status !== 0) throw new Error(`${this.name}: ${script} ended with ${status}: ${out}`);
    return out;
  }

  /** Captures so many records of the session from a transcript of this clone's own; `apart` from which on they are nobody else's. */
  capture(session: string, count: number, apart = count): void {
    const records = talk(count, session, this.dir).map((record, at) => (at < apart ? record : { ...record, uuid: `${this.name}-${at}`, message: { ...(record['message'] as object), content: `${this.name} says ${at}` } }));
    const file = join(scratch, `${this.name}-${session}.jsonl`);
    writeFileSync(file, lines(...records));
    this.must(`handoff build '${file}' --session ${session}`);
  }

  author(session: string): void {
    const file = join(this.dir, 'handoffs/projects/shop', session, 'HANDOFF.md');
    writeFileSync(file, readFileSync(file, 'utf8') + CONTRACT);
  }

  commit(message: string): void {
    this.must(`git add -A && git commit -qm '${message}'`);
  }

  get sessions(): string[] {
    return (JSON.parse(readFileSync(join(this.dir, 'handoffs/INDEX.json'), 'utf8')) as { id: string }[]).map(({ id }) => id);
  }
}

describe.skipIf(!hasGit && process.env['REQUIRE_TOOLS'] !== '1')('docs/RUNTIME.md (skipped where git is missing)', () => {
  let alice: Clone;
  let bob: Clone;

  beforeAll(() => {
    mkdirSync(join(scratch, 'bin'));
    mkdirSync(join(scratch, 'home'));
    for (const [name, entry] of [['agents-handoff', 'cli'], ['handoff', 'handoff']] as const) {
      writeFileSync(join(scratch, 'bin', name), `#!/bin/sh\nexec '${process.execPath}' '${join(REPOSITORY, 'tools', `${entry}.mjs`)}' "$@"\n`);
      chmodSync(join(scratch, 'bin', name), 0o755);
    }
    spawnSync('git', ['init', '-q', '--bare', '-b', 'main', join(scratch, 'upstream')]);
    alice = new Clone('alice');
    alice.sh('git checkout -q -b main');
    expect(alice.sh(block('config --init-git')).status).toBe(0);
    alice.capture('first', 4);
    alice.commit('first');
    alice.must('git push -q origin main');
    bob = new Clone('bob');
  });

  it('heals an index that two made by what it says, and loses no session', () => {
    bob.capture('of-bob', 2);
    bob.commit('of bob');
    alice.capture('of-alice', 2);
    alice.commit('of alice');
    alice.must('git push -q');
    const healed = bob.sh(block('git pull\nagents-handoff index'));
    expect(healed.out).toContain('CONFLICT');
    expect(bob.must('git status --porcelain')).toBe('');
    expect(bob.sessions).toEqual(['first', 'of-alice', 'of-bob']);
    expect(bob.must('handoff verify --all')).toContain('3 checked, 0 failed');
    bob.must('git push -q');
    expect(readFileSync(join(bob.dir, 'handoffs/projects/shop/PROJECT.md'), 'utf8').match(/^- session /gm)).toHaveLength(3);
  });

  it('brings a session that went on on both sides together, and both sides to the same', () => {
    alice.must('git pull -q');
    alice.capture('first', 6, 4);
    alice.commit('alice goes on');
    alice.must('git push -q');
    bob.capture('first', 8, 4);
    bob.commit('bob goes on');
    const { out } = bob.sh(block('git worktree add'));
    expect(out).toContain('CONFLICT');
    expect(bob.must('git status --porcelain')).toBe('');
    const both = bob.sessions;
    expect(both).toEqual(['first', expect.stringMatching(/^first~[0-9a-f]{8}$/), 'of-alice', 'of-bob']);
    expect(bob.must('handoff verify --all')).toContain('4 checked, 0 failed');
    const said = both.slice(0, 2).map((id) => readFileSync(join(bob.dir, 'handoffs/projects/shop', id, 'timeline.jsonl'), 'utf8'));
    expect(said.map((text) => [text.includes('alice says 5'), text.includes('bob says 7')]).sort()).toEqual([[false, true], [true, false]]);
    bob.must('git push -q');
    alice.must('git pull -q');
    expect(alice.sessions).toEqual(both);
    expect(alice.must('handoff verify --all')).toContain('4 checked, 0 failed');
  });

  it('brings a session together that one renamed and the other went on with, and leaves it in one place', () => {
    alice.must('handoff rename of-bob tide');
    alice.commit('of bob is about tides');
    alice.must('git push -q');
    bob.capture('of-bob', 3);
    bob.commit('bob goes on again');
    const { out } = bob.sh(block('git worktree add'));
    expect(out).toContain('CONFLICT');
    expect(bob.must('git status --porcelain')).toBe('');
    expect(bob.must('handoff verify --all')).toContain('4 checked, 0 failed');
    expect(bob.must('git ls-files handoffs | grep of-bob/manifest')).toBe('handoffs/projects/shop/of-bob/manifest.json\n');
    bob.must('git push -q');
    alice.must('git pull -q');
    expect(alice.must('handoff verify --all')).toContain('4 checked, 0 failed');
  });

  it('has a workflow that lets pass what passes the gate, in words that GitHub shows', () => {
    alice.must('git checkout -q -b topic');
    const env = { HANDOFFS_ROOT: join(alice.dir, 'handoffs'), BASE: 'origin/main', GITHUB_WORKSPACE: alice.dir };
    alice.capture('of-alice', 4);
    alice.commit('more of alice');
    expect(alice.sh(step('every handoff holds what it says'), env)).toMatchObject({ status: 0 });
    const refused = alice.sh(step('every changed handoff passes the gate'), env);
    expect([refused.status, refused.out]).toEqual([1, expect.stringMatching(/^::error file=handoffs\/projects\/shop\/of-alice\/HANDOFF\.md,title=Evidence gate%3A contract::shop\/of-alice: missing: RESULT/)]);
    alice.author('of-alice');
    alice.commit('evidence');
    expect(alice.sh(step('every changed handoff passes the gate'), env)).toEqual({ status: 0, out: '::notice file=handoffs/projects/shop/of-alice/HANDOFF.md,title=Evidence gate::shop/of-alice: VERIFIED\n' });
    alice.must('git push -q origin topic');
  });

  it('has a workflow that promotes what came in, and pushes nothing that the gate refuses', () => {
    bob.must('git fetch -q && git merge -q origin/topic');
    bob.capture('of-bob', 4);
    bob.commit('more of bob, without evidence');
    const env = { HANDOFFS_ROOT: join(bob.dir, 'handoffs'), BASE: bob.must('git rev-parse HEAD~3').trim(), GITHUB_ACTOR: 'carol' };
    const { status, out } = bob.sh(step('promote every changed handoff'), env);
    expect([status, out]).toEqual([1, expect.stringContaining('promote refused: evidence gate REJECTED (failed: contract)')]);
    const manifest = (session: string): Record<string, unknown> => JSON.parse(bob.must(`git show origin/main:handoffs/projects/shop/${session}/manifest.json`)) as Record<string, unknown>;
    expect(manifest('of-alice')).toMatchObject({ promoted_by: 'carol', promoted_gate: 'VERIFIED' });
    expect(manifest('of-bob')).not.toHaveProperty('promoted_by');
    expect(bob.must('git log -1 --format=%s origin/main')).toBe('Promote handoffs\n');
    expect(bob.must('git status --porcelain')).toBe('');
    expect(bob.must('handoff verify --all')).toContain('4 checked, 0 failed');
  });

  it('and docs/COMPATIBILITY.md put a checkout right whose line ends git converted', () => {
    const [from, to] = ['plain', 'converted'].map((name) => join(scratch, name));
    alice.must(`cp -R '${join(alice.dir, 'handoffs')}' '${scratch}/kept' && mkdir '${from}' && mv '${scratch}/kept' '${from}/handoffs' && rm -rf '${from}'/handoffs/.git* '${from}'/handoffs/.backups`);
    alice.must(`cd '${from}' && git init -q -b main && git config user.name t && git config user.email t@example.com && git add -A && git commit -qm plain && git -c core.autocrlf=true clone -q . '${to}'`);
    const there = (script: string): { status: number | null; out: string } => alice.sh(`git config core.autocrlf true; git config user.name t; git config user.email t@example.com; ${script}`, {}, to);
    expect(there('handoff verify --all')).toMatchObject({ status: 1, out: expect.stringContaining('docs/COMPATIBILITY.md, "Line ends", puts it right') });
    expect(there(block('--init-git', read('docs/COMPATIBILITY.md')))).toMatchObject({ status: 0, out: expect.stringContaining(' 0 failed') });
    expect(there('git status --porcelain')).toEqual({ status: 0, out: '' });
  });
});
