import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { makeRecord, mayOwn, readRecord, type FoundRecord } from '../../../src/install/record.mts';
import { fileSetHash } from '../../../src/lib/hash-chain.mts';
import { RECORD, put } from '../../helpers/home.ts';
import { freshFolder } from '../../helpers/run.ts';

let dir: string;
beforeEach(() => { dir = freshFolder(); });
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

function read(document: unknown): FoundRecord | string | undefined {
  put(join(dir, RECORD), typeof document === 'string' ? document : JSON.stringify(document));
  return readRecord(dir);
}

describe('the hash over a set of files', () => {
  it('is that of lines of path, NUL and hash, sorted by bytes, without an end of line', () => {
    const lines = [`B\0${hash('2')}`, `a\0${hash('1')}`, `a/b\0${hash('3')}`, `\u00e4\0${hash('4')}`];
    expect(fileSetHash([['\u00e4', hash('4')], ['a/b', hash('3')], ['a', hash('1')], ['B', hash('2')]])).toBe(hash(lines.join('\n')));
    expect(fileSetHash([])).toBe(hash(''));
  });
});

describe('a record', () => {
  it('is read as it was written', () => {
    const files = new Map([['SKILL.md', hash('s')], ['docs/A.md', hash('a')]]);
    const made = makeRecord({
      version: '3.0.0', installer_version: '3.0.0', installed_at: '2026-01-01T00:00:00.000Z', harness: 'codex', target: dir,
      source: { kind: 'tree', path: '/p' }, package: { name: 'agents-handoff', version: '3.0.0' }, files, links: ['/x/agents-handoff'], hooks: [],
    });
    expect(Object.keys(made)).toEqual([
      'schema_version', 'product', 'version', 'installer_version', 'installed_at', 'harness', 'target', 'source', 'package', 'file_count', 'files_sha256', 'files', 'links', 'hooks',
    ]);
    expect(made).toMatchObject({ schema_version: '1.0-install-provenance', product: 'agents-handoff', file_count: 2, files_sha256: fileSetHash(files) });
    expect(read(made)).toMatchObject({ version: '3.0.0', harness: 'codex', files, filesSha256: made.files_sha256, links: ['/x/agents-handoff'], refused: [] });
  });

  it.each([
    ['names', ['SKILL.md', 'docs/A.md'], undefined],
    ['rows', [{ path: 'SKILL.md', sha256: hash('s') }, { path: 'docs/A.md', sha256: hash('a') }], hash('s')],
    ['rows with other words', [{ file: 'SKILL.md', hash: `sha256:${hash('s')}` }, { name: 'docs/A.md', sha256: hash('a').toUpperCase() }], hash('s')],
    ['a map to hashes', { 'SKILL.md': hash('s'), 'docs/A.md': hash('a') }, hash('s')],
    ['a map to objects', { 'SKILL.md': { sha256: hash('s'), bytes: 1 }, 'docs/A.md': { sha256: hash('a') } }, hash('s')],
  ])('of another version may list its files as %s', (_form, files, skill) => {
    const found = read({ version: '2.0.5', files }) as FoundRecord;
    expect([...found.files.keys()]).toEqual(['SKILL.md', 'docs/A.md']);
    expect(found.files.get('SKILL.md')).toBe(skill);
  });

  it('cannot name what leads out of the copy, or what is the user\'s', () => {
    const bad = ['../x', '/etc/passwd', 'a/../../x', 'projects/p/s/HANDOFF.md', 'INDEX.json', '.locks/a.lock', 'handoff.config.json', '.agents-handoff/x', '', 'a//b', 'C:/x', 'a\u0000b'];
    const found = read({ version: '1', files: [...bad, 'docs/ok.md'], links: ['relative', 7], hooks: [{}, 'x'] }) as FoundRecord;
    expect([...found.files.keys()]).toEqual(['docs/ok.md']);
    expect(found.refused).toEqual(bad)
    expect([found.links, found.hooks]).toEqual([[], []]);
    expect(bad.filter(mayOwn)).toEqual([]);
  });

  it('that cannot be read is told from one that is not there', () => {
    expect(readRecord(dir)).toBeUndefined();
    // A copy of no files is as it was installed whatever lies there.
    for (const empty of [{}, { version: '3.0.0', files: [] }, { files: {} }, { files: [{}] }]) expect(read(empty)).toMatch(/lists no files$/);
    expect(read('{ "files": [')).toMatch(/is not JSON/);
    expect(read('[]')).toMatch(/no JSON object/);
    expect(read(`\ufeff{"version":"2.0.5","files":["SKILL.md"]}`)).toMatchObject({ version: '2.0.5' });
  });
});
