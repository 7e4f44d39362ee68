/**
 * Every verb of the runtime layer with every exit code that it can have: what it prints, word for word, is in
 * tests/fixtures/golden/. What the words must mean is tested beside this file.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionKey } from '../../../src/store/layout.mts';
import { Broker } from '../../helpers/broker.ts';
import { buildInto } from '../../helpers/build.ts';
import { Desk } from '../../helpers/desk.ts';
import { Golden } from '../../helpers/golden.ts';
import { deadPid, leaveLock } from '../../helpers/locks.ts';
import { REPOSITORY, run, runProcess, type Result, type RunOptions } from '../../helpers/run.ts';
import { canonical, lines } from '../../helpers/transcripts.ts';

const CONTRACT = 'RESULT: DONE\nWHAT_CHANGED: the parser\nVALIDATION: npm test\nEVIDENCE: 9 of 9 pass\nBLOCKERS: none\nRISKS: none known\nFOLLOW_UP: none\n';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

/** Sessions of one prompt and one answer, in project w. */
async function capture(...sessions: string[]): Promise<void> {
  for (const session of sessions) {
    const file = desk.file(`${session}.jsonl`, lines(canonical(0, 'user', `Fix the parser of ${session}`, { session }), canonical(1, 'assistant', 'done', { session })));
    await buildInto(desk.root, file, { session, project: 'w' });
  }
}

function story(name: string, more: Record<string, string> = {}): { say(line: string, options?: RunOptions): Result; golden: Golden } {
  const golden = new Golden(name, { ...more, [desk.root]: '<store>', [desk.dir]: '<here>' });
  const say = (line: string, options: RunOptions = {}): Result => {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
    return golden.note(`agents-handoff ${line}`, (words[0] === 'dispatch' ? runProcess : run)('agents-handoff', words, { cwd: desk.dir, home: desk.home, ...options, env: { HANDOFFS_ROOT: desk.root, ...options.env } }));
  };
  return { say, golden };
}

const takeAway = (session: string): void => renameSync(desk.session(`w/${session}`).path('manifest.json'), join(desk.dir, `${session}-manifest`));

describe('the runtime layer says, word for word,', () => {
  it('what verify-gate finds', async () => {
    const { say, golden } = story('verify-gate');
    await capture('alpha', 'alpine');
    say('verify-gate');
    say('verify-gate alpha --format gitlab');
    say('verify-gate nobody');
    say('verify-gate nobody --json');
    say('verify-gate alp');
    say('verify-gate alpha');
    say('verify-gate alpha --format github');
    desk.session('w/alpha').author(CONTRACT);
    say('verify-gate alpha');
    say('verify-gate w/alpha --format github');
    desk.session('w/alpha').write('HANDOFF.md', desk.session('w/alpha').text('HANDOFF.md').replace('9 of 9 pass', 'TBD'));
    appendFileSync(desk.session('w/alpha').path('HANDOFF.llm.json'), ' ');
    say('verify-gate alpha');
    say('verify-gate alpha --format github', { env: { GITHUB_WORKSPACE: '/elsewhere' } });
    takeAway('alpine');
    say('verify-gate alpine');
    golden.check();
  });

  it('what promote stamps and refuses', async () => {
    const { say, golden } = story('promote');
    await capture('alpha', 'alpine');
    say('promote');
    say('promote nobody');
    say('promote alpha');
    say('promote alpha --json');
    desk.session('w/alpha').author(CONTRACT);
    say('promote alpha');
    say('promote alpha --by ci --json');
    say('promote alpine --force');
    desk.session('w/alpine').write('timeline.jsonl', '');
    say('promote alpine --force');
    leaveLock(desk.root, sessionKey('alpha'));
    say('promote alpha');
    rmSync(join(desk.root, '.locks'), { recursive: true });
    takeAway('alpha');
    say('promote alpha');
    golden.check();
  });

  it('what auto captures and leaves alone', async () => {
    const { say, golden } = story('auto');
    const file = desk.file('talk.jsonl', lines(canonical(0, 'user', 'Fix the parser', { session: 'talk' })));
    say('auto');
    say('auto --source nothing.jsonl');
    say('auto --source talk.jsonl --project w --harness someone');
    say('auto --source talk.jsonl');
    appendFileSync(file, lines(canonical(1, 'assistant', 'done', { session: 'talk' })));
    say('auto --source talk.jsonl --json');
    say('auto --source talk.jsonl --min-fresh-ms 0');
    appendFileSync(file, 'no json\n');
    say('auto --source talk.jsonl --min-fresh-ms -3600000');
    leaveLock(desk.root, 'auto:w/talk', { operation: 'auto' });
    say('auto --source talk.jsonl --min-fresh-ms -3600000');
    say('auto --hook', { input: '' });
    golden.check();
  });

  it('what merge joins', async () => {
    const { say, golden } = story('merge');
    await capture('alpha', 'beta');
    say('merge alpha');
    say('merge alpha nobody');
    say('merge alpha beta');
    say('merge alpha beta --render --json');
    leaveLock(desk.root, sessionKey('alpha+merge+beta'));
    say('merge alpha beta');
    rmSync(join(desk.root, '.locks'), { recursive: true });
    appendFileSync(desk.session('w/beta').path('timeline.jsonl'), '{}\n');
    say('merge alpha beta');
    golden.check();
  });

  it('what federated-merge imports', async () => {
    const { say, golden } = story('federated-merge');
    await capture('alpha', 'beta');
    cpSync(desk.root, join(desk.dir, 'theirs'), { recursive: true });
    rmSync(desk.root, { recursive: true });
    await capture('beta');
    say('federated-merge');
    say('federated-merge --from ""');
    say('federated-merge --from nowhere');
    say('federated-merge --from theirs --dry-run');
    say('federated-merge --from theirs');
    say('federated-merge --from theirs');
    leaveLock(desk.root, 'federated-merge');
    say('federated-merge --from theirs');
    golden.check();
  });

  it('what validate thinks of a file', async () => {
    const { say, golden } = story('validate');
    const git = (...argv: string[]): string => spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...argv], { cwd: desk.dir, encoding: 'utf8' }).stdout.trim();
    const front = (sha: string): string => `---\nnext_agent: backend\nreason: "the parser is done"\nclose_type: story\nscope_sha: ${sha}\nstatus: escalate_to_user\n---\n`;
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    const sha = git('rev-parse', 'HEAD');
    desk.file('LIVE.md', `${front(sha)}Someone has to decide between the two parsers, please.\n`);
    say('validate');
    say('validate LIVE.md');
    git('add', 'LIVE.md');
    git('commit', '-q', '-m', 'second');
    say('validate LIVE.md');
    desk.file('LIVE.md', `${front('HEAD').replace('backend', 'nobody')}Go.\n`);
    say('validate LIVE.md --json');
    await capture('alpha');
    say('validate alpha');
    say('validate nobody');
    say('validate .');
    golden.check();
  });

  it('what dispatch sends', async () => {
    const { say, golden } = story('dispatch');
    await capture('alpha');
    const broker = new Broker(join(desk.dir, 'broker'));
    mkdirSync(join(desk.dir, 'empty'));
    const task = '--task "Add the tests"';
    say('dispatch alpha');
    say('dispatch alpha --task x --role ""');
    say(`dispatch nobody ${task}`);
    say(`dispatch alpha ${task}`);
    desk.session('w/alpha').author(CONTRACT);
    say(`dispatch alpha ${task}`);
    say(`dispatch alpha ${task} --role tester --parent task-7 --json`);
    say(`dispatch alpha ${task} --live`);
    say(`dispatch alpha ${task} --live --broker empty`);
    broker.manner = 'refuses';
    say(`dispatch alpha ${task} --live --broker broker`);
    broker.manner = 'queues';
    say(`dispatch alpha ${task} --live --broker broker`);
    say(`dispatch alpha ${task} --live --broker broker`);
    broker.manner = 'dies';
    say(`dispatch alpha --task "And the documents" --live --broker broker`);
    broker.manner = 'queues';
    say(`dispatch alpha --task "And the documents" --live --broker broker`);
    say(`dispatch alpha --task "And the documents" --live --broker broker --again`);
    expect(broker.queue.map(({ task: asked }) => asked)).toEqual(['Add the tests', 'And the documents', 'And the documents']);
    golden.check();
  });

  it('what self-improve finds, in a copy of the product', async () => {
    const product = join(desk.dir, 'product');
    cpSync(join(REPOSITORY, 'tools'), join(product, 'tools'), { recursive: true });
    const { say, golden } = story('self-improve', { [product]: '<product>' });
    await capture('alpha');
    say('self-improve --all', { product });
    say('self-improve', { product });
    leaveLock(join(product, 'docs'), 'self-improve');
    cpSync(join(product, 'docs/.locks'), join(product, 'docs'), { recursive: true });
    say('self-improve', { product });
    rmSync(join(product, 'docs'), { recursive: true });
    writeFileSync(join(product, 'docs'), 'a file');
    say('self-improve', { product });
    golden.check();
  });

  it('what index makes', async () => {
    const { say, golden } = story('index');
    say('index now');
    await capture('alpha', 'beta', 'gamma');
    say('index');
    rmSync(desk.session('w/alpha').path('HANDOFF.md'));
    desk.session('w/beta').write('manifest.json', '<<<<<<< HEAD\n');
    say('index');
    say('index --json');
    golden.check();
  });

  it('what unlock shows and removes', async () => {
    const { say, golden } = story('unlock');
    await capture('alpha', 'alpine');
    say('unlock');
    say('unlock nobody');
    say('unlock alpha');
    leaveLock(desk.root, sessionKey('alpha'), { place: 'w/alpha' });
    leaveLock(desk.root, 'promote:alpha', { operation: 'promote' });
    leaveLock(desk.root, sessionKey('alpine'), { pid: deadPid(), host: (await import('node:os')).hostname() });
    say('unlock alpha');
    say('unlock alp --force');
    say('unlock alpha --force');
    say('unlock alpine --force --json');
    leaveLock(desk.root, sessionKey('alpha'), { host: (await import('node:os')).hostname() });
    say('unlock alpha --force');
    leaveLock(desk.root, 'federated-merge', { operation: 'federated-merge' });
    say('unlock federated-merge --force');
    golden.check();
  });
});
