import { describe, expect, it } from 'vitest';
import { createRoleReader } from '../../../src/transcript/role-text.mts';
import type { RoleTurn } from '../../../src/transcript/role-text.mts';

function read(text: string): RoleTurn[] {
  const reader = createRoleReader();
  const turns = text.split('\n').map((line, index) => reader.line(line, index + 1));
  return [...turns, reader.end()].filter((turn) => turn !== undefined);
}

function said(text: string): string[] {
  return read(text).map((turn) => `${turn.class}: ${turn.text}`);
}

describe('markers', () => {
  it('opens a turn for every role word in any case, with : or >, with or without #s', () => {
    expect(said('user: a\nHuman> b\n## ASSISTANT: c\n# ai : d\nsystem: e\nTool> f')).toEqual(['USER: a', 'USER: b', 'AGENT: c', 'AGENT: d', 'OTHER: e', 'TOOL: f']);
  });

  it('keeps the lines below a marker and says where the turn began', () => {
    expect(read('## User:\n\nFix it.\n  now\n\n## Assistant:\nDone.')).toEqual([
      { line: 1, class: 'USER', text: 'Fix it.\n  now', openedByMarker: true }, { line: 6, class: 'AGENT', text: 'Done.', openedByMarker: true }]);
  });

  it('keeps what stands before the first marker, and gives nothing where a file has none', () => {
    expect(read('A log\n\nuser: a')).toMatchObject([{ line: 1, class: 'OTHER', text: 'A log', openedByMarker: false }, { class: 'USER' }]);
    expect(read('just\na\nnote')).toEqual([]);
  });

  it('drops turns that are empty', () => {
    expect(said('user:\n\nassistant: a')).toEqual(['AGENT: a']);
  });

  it('reads CRLF and a byte order mark', () => {
    expect(said('\uFEFFuser: a\r\nb\r\nassistant: c\r')).toEqual(['USER: a\nb', 'AGENT: c']);
  });
});

describe('lines that only look like markers', () => {
  it.each([
    ['in a fence', 'user: a\nassistant: use\n```yaml\nuser: postgres\nassistant: x\n```\nthen\nuser: b', 3],
    ['in a fence of tildes that holds backticks', 'user: a\nassistant: use\n~~~~\n```\nuser: postgres\n~~~~\nuser: b', 3],
    ['in a fence that the marker line opens', 'user: a\nassistant: ```\nuser: postgres\n```\nuser: b', 3],
    ['indented', 'user: a\nassistant: use\ndb:\n  user: postgres\nuser: b c d', 3],
    ['bare in a file of headings', '## User:\na\n## Assistant:\nuser: postgres\nsystem: linux\n## User:\nb', 3],
    ['a setting under a setting', 'user: a\nassistant: use\nhost: localhost\nuser: postgres\nsystem: linux\n\nuser: b', 3],
    ['a setting under a line that ends in a colon', 'user: a\nassistant: use this config:\nuser: postgres\npassword: x\n\nuser: b', 3],
    ['a path or an address', 'user: a\nassistant: see\ntool::run()\nsystem://x\nuser: b', 3],
  ])('%s', (_name, text, turns) => {
    expect(read(text)).toHaveLength(turns);
  });

  it('a short code span in three backticks opens no fence', () => {
    expect(said('user: a\n```x``` is code\nassistant: b')).toEqual(['USER: a\n```x``` is code', 'AGENT: b']);
  });

  it('an answer that ends with a colon does not swallow the prompt below it', () => {
    expect(said('assistant: Let me look:\ntool: cat a.txt gave b\nassistant: Which one is it:\n\nuser: b')).toEqual([
      'AGENT: Let me look:', 'TOOL: cat a.txt gave b', 'AGENT: Which one is it:', 'USER: b']);
  });
});

describe('growing files', () => {
  const text = 'intro\n## User:\na\n```\nuser: x\n```\n## Assistant:\nb:\nuser: postgres\nhost: y\n\n## Tool:\nc\n';

  it('the turns closed in a prefix never change', () => {
    const whole = read(text);
    const lines = text.split('\n');
    for (let cut = 0; cut <= lines.length; cut++) {
      const reader = createRoleReader();
      const closed = lines.slice(0, cut).map((line, index) => reader.line(line, index + 1)).filter((turn) => turn !== undefined);
      expect(closed).toEqual(whole.slice(0, closed.length));
    }
  });

  it('goes on behind captured lines with their class, their markers and their open fence', () => {
    const reader = createRoleReader();
    ['## Assistant:', 'use', '```'].forEach((line, index) => reader.line(line, index + 1));
    expect(reader.end()).toMatchObject({ class: 'AGENT', text: 'use\n```' });
    expect(['## User: x', '```', 'and'].map((line, index) => reader.line(line, index + 4))).toEqual([undefined, undefined, undefined]);
    expect(reader.line('## User: thanks', 7)).toEqual({ line: 4, class: 'AGENT', text: '## User: x\n```\nand', openedByMarker: false });
    expect(reader.end()).toMatchObject({ class: 'USER', text: 'thanks' });
  });
});

it('a line of many megabytes is read in time', () => {
  const started = performance.now();
  for (const line of [' '.repeat(5e6), '#'.repeat(5e6), '`'.repeat(5e6), `user: ${'x '.repeat(2e6)}`, `a${'-'.repeat(5e6)}:`]) read(`user: a\nb: c\n${line}\nuser: b`);
  expect(performance.now() - started).toBeLessThan(2000);
});
