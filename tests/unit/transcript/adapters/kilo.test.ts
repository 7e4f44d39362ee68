import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Loaded } from '../../../../src/transcript/adapter.mts';
import { kiloDatabase, kiloExport } from '../../../../src/transcript/adapters/kilo.mts';
import { detectShape } from '../../../../src/transcript/detect.mts';
import type { Json } from '../../../../src/transcript/turn.mts';
import { buildInto } from '../../../helpers/build.ts';
import { databaseOf, inSqlite, nodeWithSqlite } from '../../../helpers/node-sqlite.ts';
import { freshFolder, REPOSITORY } from '../../../helpers/run.ts';
import { collectWhole, expectIdentity } from '../../../helpers/truth-brief.ts';
import { statesOf } from '../../../helpers/truth-rows.ts';

const FIXTURES = new URL('../../../fixtures/kilo/', import.meta.url).pathname;
const EXPORTS = readdirSync(FIXTURES);
const sqlite = nodeWithSqlite();

const folders: string[] = [];
function fresh(): string {
  const folder = freshFolder();
  folders.push(folder);
  return folder;
}
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function fixture(name: string): Json {
  return JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')) as Json;
}

function shape(text: string, path: string): string {
  const found = detectShape(Buffer.from(text), path);
  return found.kind === 'whole' ? found.adapter.id : found.kind;
}

describe('an exported session', () => {
  it.each(EXPORTS)('%s is told from one of OpenCode', (name) => {
    expect(shape(readFileSync(join(FIXTURES, name), 'utf8'), '/x/session.json')).toBe('kilo');
  });

  it('is told by its version, else by the names that only Kilo has; not by what was said', () => {
    const of = (info: object, messages: unknown[] = []): string => shape(JSON.stringify({ info: { id: 'ses_1', ...info }, messages }), '/x/a.json');
    expect(of({ version: '7.7.9' })).toBe('kilo');
    expect(of({ version: '1.0.3', agent: 'code' })).toBe('kilo');
    expect(of({ version: '1.0.3', permission: [{ permission: 'suggest' }] })).toBe('kilo');
    expect(of({ version: '1.18.33', agent: 'build' }, [{ info: { agent: 'code', version: '7.1.0' } }])).toBe('opencode');
  });

  it('of a killed client has the call open, though the command had printed all', () => {
    const { turns, facts } = collectWhole(kiloExport, fixture('v7.7.9-killed.json'));
    expect(turns.map((turn) => turn.kind ?? turn.class)).toEqual(['USER', 'AGENT', 'call']);
    expect(facts).toEqual({ uuid: 'ses_dd484aa80ffe56nPfm4Grlkt42', cwd: '/home/dev3/shop', model: 'mock-coder-1', clientVersion: '7.7.9' });
  });

  it.each(EXPORTS)('%s gives only turns of its end, whatever was captured on the way', (name) => {
    expectIdentity(kiloExport, statesOf(fixture(name)), fixture(name));
  });

  it('is built under the name of its harness', async () => {
    const built = await buildInto(fresh(), join(FIXTURES, 'v7.7.9-parent.json'));
    expect(JSON.parse(readFileSync(join(built.dir, 'manifest.json'), 'utf8'))).toMatchObject({ harness: 'kilo', project: 'shop', adapter: { id: 'kilo' } });
  });
});

describe('the database', () => {
  it('is known by its name, or by a table of its own', () => {
    const tables = ['session', 'message', 'part'].map((name) => `CREATE TABLE \`${name}\` (`).join(' ');
    expect(shape('SQLite format 3\0', '/d/kilo.db')).toBe('kilo-database');
    expect(shape(`SQLite format 3\0${tables} CREATE TABLE \`kilo_board\` (`, '/d/backup.sqlite')).toBe('kilo-database');
  });

  it.skipIf(sqlite.skip)(`gives the turns of the exports of its sessions${sqlite.reason}`, () => {
    const folder = fresh();
    const file = join(folder, 'kilo.db');
    const sessions = EXPORTS.map(fixture);
    databaseOf(file, sessions);
    for (const session of sessions) {
      const { id } = (session as { info: { id: string } }).info;
      const loaded = inSqlite<Loaded>(`
        const { kiloDatabase } = await import(argv[3]);
        console.log(JSON.stringify(await kiloDatabase.form(argv[0], argv[1], argv[2])));
      `, [file, id, join(folder, 'scratch'), join(REPOSITORY, 'src/transcript/adapters/kilo.mts')]);
      expect(collectWhole(kiloDatabase, loaded.value).turns).toEqual(collectWhole(kiloExport, session).turns);
    }
  });

  it.skipIf(sqlite.node === process.execPath)('where this Node has no SQLite, Kilo\'s own export is named', async () => {
    const file = join(fresh(), 'kilo.db');
    writeFileSync(file, 'SQLite format 3\0');
    await expect(buildInto(fresh(), `${file}#ses_1`)).rejects.toMatchObject({ code: 'SHAPE', message: expect.stringContaining('`kilo export ses_1 > session.json`') as string });
  });
});
