import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { detectShape } from '../../../src/transcript/detect.mts';

const claude = { type: 'user', uuid: 'u1', parentUuid: null, isSidechain: false, sessionId: 's', cwd: '/w', timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content: 'Hi' } };
const rollout = { timestamp: 't', type: 'response_item', payload: { type: 'message', role: 'user', content: [] } };
const plain = { seq: 1, role: 'user', text: 'Hi', session: 's' };

function shapeOf(content: string | Buffer, path = '/x/a.jsonl'): string {
  const shape = detectShape(Buffer.from(content), path);
  if (shape.kind === 'lines') return shape.adapter.id;
  return shape.kind === 'unreadable' ? `unreadable: ${shape.what}` : shape.kind;
}

function jsonl(...records: unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

describe('JSON lines', () => {
  it.each([['claude-code', claude], ['codex', rollout], ['canonical', plain]])('%s is known by its records', (id, record) => {
    expect(shapeOf(jsonl(record, record))).toBe(id);
  });

  it('the most records decide, and the registry\'s order where there are as many', () => {
    expect(shapeOf(jsonl(plain, rollout, rollout))).toBe('codex');
    expect(shapeOf(jsonl(plain, rollout))).toBe('codex');
  });

  it('a damaged, blank or foreign first line does not hide the others, nor does a cut last one', () => {
    for (const first of ['{"type":"user","mess\n', '\0'.repeat(512) + '\n', '\n \n', '{"x":1}\n', '\uFEFF']) {
      expect(shapeOf(`${first}${jsonl(rollout)}{"timestamp":"t","ty`)).toBe('codex');
    }
    expect(shapeOf(`{"type":"us\n${jsonl(rollout, rollout)}`, '/x/a.log')).toBe('codex');
  });

  it('the name decides nothing about the shape: .log, .json and standard input hold lines too', () => {
    for (const path of ['/x/a.log', '/x/a.json', '-', '/x/A.JSONL']) expect(shapeOf(jsonl(rollout), path)).toBe('codex');
  });

  it('a separator of Unicode inside a string splits no line', () => {
    expect(shapeOf(jsonl({ ...rollout, note: 'a\u2028b\u2029c\u0085d\fe' }))).toBe('codex');
  });

  it('an unknown shape that says something is read as canonical, one that says nothing is named', () => {
    expect(shapeOf(jsonl({ id: 1, type: 'note', content: 'x' }))).toBe('canonical');
    const shape = detectShape(Buffer.from(jsonl({ type: 'brand-new', x: 1, 'a\nkey with words': 2 })), '/x/a.jsonl');
    expect(shape).toMatchObject({ kind: 'unreadable', what: 'a JSON record of a shape that no adapter reads (keys: type, x; types: brand-new)', advice: expect.stringMatching(/claude-code, codex, .*canonical/) });
  });

  it('a file of one generation is given to the reading that fits it', () => {
    const head = jsonl({ type: 'session_meta', payload: { id: 's', cli_version: '0.44.0' } }, { type: 'event_msg', payload: { type: 'agent_message', message: 'Hi' } });
    const shape = detectShape(Buffer.from(head), '/x/a.jsonl');
    const said: string[] = [];
    if (shape.kind === 'lines') {
      const silent = { facts() {}, usage() {}, usageTotal() {}, unknown() {} };
      for (const record of shape.records) shape.adapter.read(record, { ...silent, turn: (turn) => said.push(turn.text) });
    }
    expect(said).toEqual(['Hi']);
  });
});

describe('files that hold nothing', () => {
  it.each([['', 'empty'], ['\uFEFF', 'empty'], ['\n  \r\n', 'empty'], ['{}\n{}\n', 'canonical']])('%j', (content, shape) => {
    expect(shapeOf(content)).toBe(shape);
  });
});

describe('text with role markers', () => {
  it('is any other file whose first line is no record, log lines inside it or not', () => {
    expect(shapeOf('user: a\n', '/x/a.md')).toBe('role-text');
    expect(shapeOf(`user: look\n${jsonl(rollout, rollout, rollout)}`, '/x/a.md')).toBe('role-text');
    expect(shapeOf('[note] user wrote\nuser: a\n', '-')).toBe('role-text');
    expect(shapeOf('caf\xe9', '/x/a.txt')).toBe('role-text');
    expect(shapeOf(`user: a\n${'\0'.repeat(300)}\nassistant: b\n`, '/x/a.txt')).toBe('role-text');
  });

  it('is never a .jsonl or .json file', () => {
    expect(shapeOf('user: a\n')).toBe('unreadable: a file without a JSON record');
    expect(shapeOf('user: a\n', '/x/a.json')).toBe('unreadable: a file without a JSON record');
  });
});

describe('what no adapter reads', () => {
  it.each<[string, Buffer]>([
    ['compressed with gzip', gzipSync(jsonl(rollout))],
    ['compressed with zstd', Buffer.from('28b52ffd00', 'hex')],
    ['compressed with xz', Buffer.from('fd377a585a0000', 'hex')],
    ['compressed with bzip2', Buffer.concat([Buffer.from('BZh9'), Buffer.from('314159265359', 'hex')])],
    ['a zip archive', Buffer.from('504b0304', 'hex')],
    ['an SQLite database', Buffer.from('SQLite format 3\0rest')],
    ['a PNG image', Buffer.from('89504e470d0a1a0a', 'hex')],
    ['a PDF document', Buffer.from('%PDF-1.7\n')],
    ['an ELF program', Buffer.from('7f454c4602', 'hex')],
    ['text in UTF-16', Buffer.from('\uFEFF{"role":"user"}', 'utf16le')],
    ['text in UTF-16', Buffer.from('{"role":"user","text":"héllo"}', 'utf16le')],
    ['text in UTF-16', Buffer.from('{"role":"user"}', 'utf16le').swap16()],
    ['a binary file', Buffer.from(Array.from({ length: 3000 }, (_, at) => (Math.imul(at + 1, 0x9e3779b1) >>> 13) & 255))],
    ['a binary file', Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 23))],
    ['the log of an SQLite database', Buffer.from('377f068200', 'hex')],
    ['a JSON document', Buffer.from('[\n  {"role":"user"}\n]\n')],
    ['a JSON document', Buffer.from('[{"role":"user"}]')],
    ['a JSON document', Buffer.from('{\n  "messages": []\n}\n')],
    ['a JSON document', Buffer.from('{\n  "turns": [\n{"role":"user","text":"a"},\n{"role":"user","text":"b"}\n]\n}\n')],
  ])('is named: %s', (what, content) => {
    for (const path of ['/x/a.jsonl', '/x/a.bin', '-']) {
      const shape = detectShape(content, path);
      expect(shape).toMatchObject({ kind: 'unreadable', what });
      expect(shape.kind === 'unreadable' && shape.advice).not.toBe('');
    }
  });
});
