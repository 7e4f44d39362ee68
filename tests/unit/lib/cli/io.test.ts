import { describe, expect, it, vi } from 'vitest';
import { createIo, createProgress, escapeControl, writeOut } from '../../../../src/lib/cli/io.mts';
import { fakeHost } from '../../../helpers/host.ts';

const HOSTILE = 'a\u001b[2Jb\u009bc\u202ed\u2066e\u200ff\u061cg\rh\u007fi\tj\nk';

describe('control characters', () => {
  it('are shown on a terminal, except for tabs and line ends', () => {
    expect(escapeControl(HOSTILE)).toBe('a\\u001b[2Jb\\u009bc\\u202ed\\u2066e\\u200ff\\u061cg\\u000dh\\u007fi\tj\nk');
  });

  it('keep a JSON document what it was', () => {
    expect(JSON.parse(escapeControl(JSON.stringify({ HOSTILE })))).toEqual({ HOSTILE });
  });

  it('pass as they are where stdout is no terminal', async () => {
    const host = fakeHost();
    await writeOut(host, HOSTILE);
    expect(host.out()).toBe(`${HOSTILE}\n`);
  });

  it('are escaped in what is printed and in notes where both are terminals', async () => {
    const host = fakeHost({ tty: true });
    await writeOut(host, [HOSTILE]);
    createIo(host, 'handoff', false).io.note('x\u001b[31m');
    expect(host.out() + host.err()).not.toMatch(/[\u001b\u009b\u202e]/);
  });
});

describe('stdout', () => {
  it.each([
    ['a text without a line end gets one', 'a', 'a\n'],
    ['a text with one gets no other', 'a\n', 'a\n'],
    ['an empty text prints nothing', '', ''],
    ['pieces are joined as they are', ['a', 'b\n', '', 'c'], 'ab\nc\n'],
    ['an empty last piece does not hide a line end', ['a\n', ''], 'a\n'],
  ])('%s', async (_what, text, printed) => {
    const host = fakeHost();
    await writeOut(host, text);
    expect(host.out()).toBe(printed);
  });

  it('prints pieces that come later', async () => {
    const host = fakeHost();
    await writeOut(host, (async function* () { yield 'a'; yield 'b'; })());
    expect(host.out()).toBe('ab\n');
  });

  it('stops asking for pieces when the reader has gone, and calls that no error', async () => {
    const host = fakeHost({ stdoutError: Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }) });
    let asked = 0;
    let closed = false;
    await writeOut(host, (function* () {
      try {
        for (;;) { asked++; yield 'x'.repeat(1 << 16); }
      } finally {
        closed = true;
      }
    })());
    expect(asked).toBeLessThan(4);
    expect(closed).toBe(true);
  });

  it('says that a full disk is one', async () => {
    const host = fakeHost({ stdoutError: Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' }) });
    await expect(writeOut(host, 'a')).rejects.toMatchObject({ code: 'IO' });
  });
});

describe('progress', () => {
  const lines = (isTTY: boolean, times: number[]) => {
    const written: string[] = [];
    let now = 0;
    const progress = createProgress({ isTTY, columns: 20, write: (text) => written.push(text) }, () => now, 0);
    times.forEach((time, i) => { now = time; progress.show(`step ${i}`); });
    progress.clear();
    return written.map((text) => text.replace('\r\u001b[2K', '<clear>'));
  };

  it('is shown by work that nothing interrupts, also on a terminal that knows no size', () => {
    const host = fakeHost({ tty: true });
    Object.assign(host.stderr, { columns: 0 });
    const now = vi.spyOn(Date, 'now').mockReturnValue(0);
    const { io, clear } = createIo(host, 'handoff', false);
    io.progress('first');
    now.mockReturnValue(1500);
    io.progress('half of it');
    clear();
    now.mockRestore();
    expect(host.err()).toBe('\r\u001b[2Khalf of it\r\u001b[2K');
  });

  it('says nothing in the first second', () => expect(lines(true, [0, 500, 999])).toEqual([]));
  it('says nothing where stderr is no terminal', () => expect(lines(false, [2000, 4000])).toEqual([]));
  it('overwrites one line, not too often, and takes it away', () => {
    expect(lines(true, [900, 1500, 1550, 1700])).toEqual(['<clear>step 1', '<clear>step 3', '<clear>']);
  });
});

it('confirms nothing without a terminal', async () => {
  expect(await createIo(fakeHost(), 'handoff', false).io.confirm('remove?')).toBe(false);
});

it.each([['y\n', true], ['yes\n', true], ['\n', false], ['no\n', false], ['nay yes\n', false]])('takes %j on a terminal as %s', async (typed, answer) => {
  const host = fakeHost({ tty: true });
  const asked = createIo(host, 'handoff', false).io.confirm('remove?');
  (host.stdin as NodeJS.ReadableStream & { write(text: string): void }).write(typed);
  expect(await asked).toBe(answer);
  expect(host.out()).toBe('');
});
