/** tools/, as `npm run build` makes it of src/: every module is there, under its name, and can be made. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importBuilt } from '../helpers/built.ts';
import { REPOSITORY } from '../helpers/run.ts';
import { sourceFiles } from '../helpers/sources.ts';

const parts = join(REPOSITORY, 'tools/parts');
const text = readdirSync(parts).map((part) => readFileSync(join(parts, part), 'utf8')).join('');
/** What stands in the entries themselves, the first code included. */
const isEntry = (name: string): boolean => !name.includes('/') || name === 'install/install.mts' || name === 'lib/cli/start.mts';

describe('the built program', () => {
  it('holds every module of src/ once, in a part or as an entry', () => {
    const packed = [...text.matchAll(/^\$define\('([^']+)', /gm)].map(([, name]) => `${name}.mts`).sort();
    expect(packed).toEqual(sourceFiles().map(({ name }) => name).filter((name) => !isEntry(name)).sort());
  });

  it('begins with tables of verbs: no entry loads what a verb works with', () => {
    const tools = join(REPOSITORY, 'tools');
    const loads = [...readdirSync(tools).filter((name) => name.endsWith('.mjs')), 'install/install.mjs']
      .flatMap((name) => [...readFileSync(join(tools, name), 'utf8').matchAll(/\$load\(([^)]*)\)/g)].map(([, words = '']) => ({ name, words: words.split(', ').slice(1) })));
    // The runner and a table each.
    expect(loads).toHaveLength(2 * 7);
    expect(loads.filter(({ words }) => words.some((word) => !/^'first'$/.test(word)))).toEqual([]);
  });

  it('stays in ASCII: one sign beyond it and V8 reads the whole file at twice the size', () => {
    expect([...text.matchAll(/.*[^\0-\x7f].*/g)].map(([line]) => line)).toEqual([]);
  });

  it('can make every module: nothing that one imports is missing', () => {
    const names = sourceFiles().map(({ name }) => name.slice(0, -'.mts'.length)).filter((name) => !isEntry(`${name}.mts`) && name !== 'capture/renders/worker');
    const script = `${importBuilt('lib/errors', 'HandoffError')}
      for (const name of ${JSON.stringify(names)}) for (const [key, value] of Object.entries($need(name))) if (value === undefined) console.log(name, key);
      console.log(new HandoffError('USAGE', 'one').code);`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'USAGE\n', stderr: '' });
  });
});
