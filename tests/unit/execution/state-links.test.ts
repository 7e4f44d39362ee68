/** The state directory lies in a repository that anybody may have written: no link in it moves what is written. */
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { jobStatus, resumeJob, startJob } from '../../../src/execution/job.mts';
import { classify } from '../../../src/execution/classify.mts';
import { decide } from '../../../src/execution/decision.mts';
import { recordDecision } from '../../../src/execution/records.mts';
import { Ground, removeProduct } from '../../helpers/engine.ts';

let ground: Ground;
afterEach(() => {
  vi.useRealTimers();
  ground.remove();
  removeProduct();
});

describe('a link in the state directory', () => {
  it.each(['executions', 'checkpoints', 'jobs', '.locks'])('in the place of %s stops every verb before anything is written', (name) => {
    ground = new Ground();
    mkdirSync(join(ground.repo, '.agents-handoff'));
    symlinkSync(ground.outside, join(ground.repo, '.agents-handoff', name));
    expect(() => ground.setting()).toThrowError(expect.objectContaining({ code: 'CONFIG', message: expect.stringMatching(/leads out of it, to .*outside$/) }));
    expect(readdirSync(ground.outside)).toEqual([]);
  });

  it('in the place of a work log is not cut, not appended to and not read', async () => {
    ground = new Ground();
    const setting = ground.setting();
    const io = ground.io();
    await startJob(setting, io, 'j', 2, 2);
    const notes = ground.file('home/notes.txt', 'step 1 at noon\na line that has no end');
    const log = join(setting.state, 'jobs/k/work.log');
    mkdirSync(dirname(log), { recursive: true });
    symlinkSync(notes, log);
    for (const act of [() => startJob(setting, io, 'k', 1, undefined), () => resumeJob(setting, io, 'k', { maxResumes: 8 }), async () => jobStatus(setting, 'k')]) {
      await expect(act()).rejects.toMatchObject({ code: 'CONFIG', message: expect.stringMatching(/work\.log leads out of it/) });
    }
    expect(readFileSync(notes, 'utf8')).toBe('step 1 at noon\na line that has no end');
    expect(existsSync(join(setting.state, 'checkpoints/k.json'))).toBe(false);
    await expect(resumeJob(setting, io, 'j', { maxResumes: 8 })).resolves.toMatchObject({ end: 'completed' });
  });
});

it('a record keeps no key that stands among the words of a process', () => {
  ground = new Ground();
  const setting = ground.setting();
  const classified = classify('.', setting);
  const args = ['send.mjs', '--password', 'hunter2x9', `--key=sk-ant-api03-${'C'.repeat(90)}`];
  const { place } = recordDecision(setting, { op: 'spawn', args }, decide('spawn', 'R1', classified, setting.policy), classified, false);
  const text = readFileSync(join(ground.repo, place), 'utf8');
  expect(text).toMatch(/send\.mjs/);
  expect(text).not.toMatch(/hunter2x9|CCCC/);
  expect(args[2]).toBe('hunter2x9');
});

it('records of one millisecond stand in the order of their decisions', () => {
  ground = new Ground();
  const setting = ground.setting();
  const classified = classify('.', setting);
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 2), toFake: ['Date'] });
  const ids = Array.from({ length: 40 }, () => recordDecision(setting, { op: 'stat' }, decide('stat', 'R0', classified, setting.policy), classified, false).place);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(40);
});
