/** The flags of build that say something of a session, and the configuration's word on the same. */
import { appendFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquire } from '../../../src/lib/fs/lock.mts';
import { sessionKey } from '../../../src/store/layout.mts';
import { join } from 'node:path';
import { Desk } from '../../helpers/desk.ts';
import { claude, lines, talk } from '../../helpers/transcripts.ts';

let desk: Desk;
beforeEach(() => { desk = new Desk(); });
afterEach(() => desk.remove());

/** A file that every build finds longer. */
function growing(): () => string {
  const writer = claude();
  const file = desk.file('t.jsonl', lines(writer.user('hi'), writer.user('Fix the parser')));
  return () => {
    appendFileSync(file, lines(writer.agent('ok')));
    return file;
  };
}

describe('labels', () => {
  it('harness and model are kept once they are set, unless they are forced', () => {
    const next = growing();
    const labels = () => [desk.session().manifest.harness, desk.session().manifest.model];
    desk.build(next());
    expect(labels()).toEqual(['claude-code', '']);
    desk.build(next(), '--harness', 'mine', '--model', 'm-1');
    expect(labels()).toEqual(['claude-code', 'm-1']);
    desk.build(next(), '--harness=mine', '--model=m-2', '--force-harness');
    expect(labels()).toEqual(['mine', 'm-1']);
    desk.build(next(), '--model', 'm-2', '--force-model');
    desk.build(next());
    expect(labels()).toEqual(['mine', 'm-2']);
    expect(desk.session().text('HANDOFF.md')).toContain('**Harness:** mine  |  **Model:** m-2');
    expect(desk.index()[0]?.harness).toBe('mine');
  });

  it('what is given to a build that finds nothing new is told to have changed nothing, and an empty word is none', () => {
    const file = growing()();
    desk.build(file);
    const before = desk.contents();
    const again = (...flags: string[]) => desk.handoff(['build', file, ...flags]);
    expect(again('--objective', 'Other', '--model', 'm', '--force-model')).toMatchObject({
      status: 0, stdout: expect.stringContaining('up-to-date'),
      stderr: 'handoff: --objective and --model changed nothing: there is nothing new to write a revision for; give it again when the transcript has grown\n',
    });
    expect(again('--harness', 'claude-code', '--force-harness').stderr).toBe('');
    expect(desk.contents()).toEqual(before);
    appendFileSync(file, lines(claude().agent('more')));
    expect(again('--objective', '', '--harness', ' ', '--force-harness')).toMatchObject({ status: 0, stderr: '' });
    expect([desk.session().summary['objective'], desk.session().manifest.harness]).toEqual(['Fix the parser', 'claude-code']);
  });

  it('the objective that a person gave stands for every later build and render', () => {
    const next = growing();
    desk.build(next());
    expect(desk.session().summary['objective']).toBe('Fix the parser');
    desk.build(next(), '--objective', 'Say $& and `x`\nin two lines');
    desk.build(next());
    desk.handoff(['rename', 's', 'other']);
    const session = desk.session('other/s');
    expect([session.summary['objective'], session.payload['objective']]).toEqual(Array(2).fill('Say $& and `x`\nin two lines'));
    expect(session.text('HANDOFF.md')).toContain('Say $& and `x`\nin two lines');
    expect(desk.page('other')).toContain(':: Say $& and `x` in two lines');
  });
});

describe('words on the line', () => {
  it('the source may stand behind --source, behind =, behind --, or in the form of 2.0.x', () => {
    desk.file('t.jsonl', lines(...talk(2)));
    desk.file('--odd.jsonl', lines(...talk(2)));
    const forms = [['build', '--source', 't.jsonl'], ['build', '--source=t.jsonl'], ['build', '--session', 's', '--', '--odd.jsonl'], ['--handoff', '--source', 't.jsonl'], ['--source', 't.jsonl', '--handoff'], ['build', '--handoff', '--source', 't.jsonl'], ['build', 't.jsonl', '--handoff']];
    expect(forms.map((words) => desk.handoff(words).status)).toEqual(forms.map(() => 0));
    expect(desk.handoff(['build', '--source', 't.jsonl', 't.jsonl']).status).toBe(2);
    expect(desk.handoff(['build', 't.jsonl', '--session', '--odd']).stdout).toContain('built --odd ');
  });
});

describe('redaction', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const text = () => lines(claude().user(`the token is ${secret}`), claude('s').agent('noted'));

  it('is on, counted and told, and covers every output', () => {
    expect(desk.capture('t.jsonl', text())).toBe('handoff: built s project=w turns=2 new=2 rev=1 redacted=1');
    for (const name of desk.tree()) expect(desk.contents()[name] !== undefined && desk.session().bytes(`../../../${name}`).includes(secret), name).toBe(false);
    expect(Object.values(desk.session().manifest.redaction?.counts ?? {})).toEqual([1]);
  });

  it('a session keeps its mode: the other one is refused, both ways', () => {
    const file = desk.file('t.jsonl', text());
    desk.build(file);
    const refusedOpen = desk.handoff(['build', file, '--no-redact']);
    desk.build(file, '--session', 'open', '--no-redact');
    expect(desk.session('w/open').turns[0]?.text).toContain(secret);
    appendFileSync(file, lines(claude('s').user('more')));
    const before = desk.contents();
    const refusedClosed = desk.handoff(['build', file, '--session', 'open']);
    for (const refused of [refusedOpen, refusedClosed]) expect([refused.status, refused.stdout, refused.stderr]).toEqual([2, '', expect.stringContaining('--session')]);
    expect(desk.contents()).toEqual(before);
    expect(desk.build(file, '--session', 'open', '--no-redact')).toContain('turns=3 new=1 rev=2');
  });

  it('switched off or extended by the configuration is announced by every build', () => {
    const build = (config: object, ...flags: string[]) => {
      desk.file('handoff.config.json', JSON.stringify({ storage: { path: 'store' }, ...config }));
      return desk.handoff(['build', desk.file('t.jsonl', text()), ...flags], { env: { HANDOFFS_ROOT: undefined } });
    };
    for (let n = 0; n < 2; n += 1) expect(build({ redaction: { enabled: false } }).stderr).toMatch(/^handoff: redaction is switched off by .*handoff\.config\.json\n/);
    const extended = build({ redaction: { patterns: ['noted'] } }, '--session', 'x');
    expect([extended.status, extended.stderr]).toEqual([0, expect.stringMatching(/^handoff: 1 redaction patterns? from .*handoff\.config\.json\n/)]);
    expect(desk.session('w/x').said[1]).not.toContain('noted');
  });
});

describe('the lock', () => {
  it('of a session that somebody holds stops its build with 3 and names the holder; other sessions go on', () => {
    desk.capture('t.jsonl', lines(...talk(2)));
    const lock = acquire(join(desk.root, '.locks'), sessionKey('s'), 'promote');
    const file = desk.file('t.jsonl', lines(...talk(3)));
    const held = desk.handoff(['build', file]);
    expect([held.status, held.stdout, held.stderr]).toEqual([3, '', expect.stringMatching(new RegExp(`^handoff: the lock is held by process ${process.pid} on .* \\(promote, since `))]);
    const json = desk.handoff(['build', file, '--json']);
    expect([json.status, JSON.parse(json.stdout)]).toMatchObject([3, { error: { code: 'HELD', holder: { pid: process.pid, operation: 'promote' } } }]);
    for (const words of [['rename', 's', 'x'], ['retitle', 's', 'x'], ['render', 's'], ['forget', 's', '--force']]) expect(desk.handoff(words).status, words[0]).toBe(3);
    expect(desk.build(file, '--session', 'other')).toContain('built other');
    for (const words of [['verify', 's'], ['list'], ['show', 's']]) expect(desk.handoff(words).status, words[0]).toBe(0);
    lock.release();
    expect(desk.build(file)).toContain('rev=2');
  });
});
