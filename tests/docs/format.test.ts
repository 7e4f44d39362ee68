/** docs/FORMAT.md against stores that were really written: every key and value has its row, and its commands work. */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildInto } from '../helpers/build.ts';
import { named, read, section, table } from '../helpers/markdown.ts';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';

const FORMAT = read('docs/FORMAT.md');
const scratch = freshFolder('handoff-format-');
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const rowsOf = (heading: string): string[] => named(table(section(FORMAT, heading) ?? '', heading === '### Values of `meta`' ? 'value' : 'key'));
const json = (...path: string[]): Record<string, unknown> => JSON.parse(readFileSync(join(...path), 'utf8')) as Record<string, unknown>;
const lines = (...path: string[]): Record<string, unknown>[] => readFileSync(join(...path), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
const unlisted = (keys: Iterable<string>, heading: string): string[] => [...new Set(keys)].filter((key) => !rowsOf(heading).includes(key));

/** Folders of sessions: the example, and every fixture of every harness. */
const dirs: string[] = [];
const root = join(scratch, 'store');

beforeAll(async () => {
  const files = ['claude-code', 'codex'].flatMap((name) => readdirSync(join(REPOSITORY, 'tests/fixtures', name)).map((file) => join(REPOSITORY, 'tests/fixtures', name, file)));
  for (const file of [join(REPOSITORY, 'examples/transcript.jsonl'), ...files.filter((one) => one.endsWith('.jsonl'))]) {
    dirs.push((await buildInto(root, file)).dir);
  }
  const chat = join(scratch, 'chat.md');
  writeFileSync(chat, 'before\nuser: fix it\nassistant: done\n');
  dirs.push((await buildInto(root, chat)).dir);
  writeFileSync(chat, 'before\nuser: fix it\nassistant: done\nand more\n');
  await buildInto(root, chat);
  writeFileSync(chat, 'before\nuser: fix that\nassistant: done\nand more\n');
  await buildInto(root, chat);
});

describe('docs/FORMAT.md', () => {
  it('has a row for every key of a manifest, its sources and its seal', () => {
    const declared = [...(/export interface Manifest \{([^]*?)\n\}/.exec(read('src/store/manifest.mts'))?.[1] ?? '').matchAll(/^ {2}(\w+)\??:/gm)].map(([, key = '']) => key);
    expect(declared.length).toBeGreaterThan(30);
    expect(unlisted(declared, '## manifest.json')).toEqual([]);
    const manifests = dirs.map((dir) => json(dir, 'manifest.json'));
    expect(unlisted(manifests.flatMap(Object.keys), '## manifest.json')).toEqual([]);
    expect(unlisted(manifests.flatMap(({ sources }) => (sources as object[]).flatMap(Object.keys)), '### sources')).toEqual([]);
    expect(unlisted(manifests.flatMap(({ seal }) => Object.keys(seal as object)), '### The seal')).toEqual([]);
  });

  it('has a row for every key of a turn, a row of the chain, a payload and the index', () => {
    expect(unlisted(dirs.flatMap((dir) => lines(dir, 'timeline.jsonl').flatMap(Object.keys)), '## timeline.jsonl')).toEqual([]);
    expect(unlisted(dirs.flatMap((dir) => lines(dir, 'chain.jsonl').flatMap(Object.keys)), '## chain.jsonl')).toEqual([]);
    const payloads = dirs.flatMap((dir) => [...Object.keys(json(dir, 'HANDOFF.llm.json')), ...Object.keys(json(dir, 'HANDOFF.summary.json'))]);
    expect(unlisted(payloads, '## HANDOFF.summary.json and HANDOFF.llm.json')).toEqual([]);
    expect(unlisted((JSON.parse(readFileSync(join(root, 'INDEX.json'), 'utf8')) as object[]).flatMap(Object.keys), '## INDEX.json')).toEqual([]);
  });

  it('has a row for every key of a lock', () => {
    const declared = [['src/lib/fs/lock-file.mts', 'LockRecord'], ['src/lib/fs/holder.mts', 'Holder'], ['src/capture/commit/commit.mts', 'Intent']].flatMap(([file = '', name = '']) =>
      [...(new RegExp(`interface ${name}\\b[^]*?\\{([^]*?)\\n\\}`).exec(read(file))?.[1] ?? '').matchAll(/^ {2}(\w+)\??:/gm)].map(([, key = '']) => key));
    expect(declared).toEqual(expect.arrayContaining(['pid', 'token', 'place']));
    expect(unlisted(declared, '## Locks')).toEqual([]);
  });

  it('has a row for every meta that the sources name', () => {
    const seen = dirs.flatMap((dir) => lines(dir, 'timeline.jsonl').flatMap(({ meta }) => (typeof meta === 'string' ? [meta] : [])));
    expect(seen).toEqual(expect.arrayContaining(['preamble', 'continued', 'source-rewritten']));
    const written = sources(join(REPOSITORY, 'src')).flatMap((text) => [...text.matchAll(/\bmeta: '([a-z-]+)'|\bturnOf\(.*, '([a-z-]+)'\)/g)].map(([, value, last]) => value ?? last ?? ''));
    expect(written).toContain('telemetry');
    expect(written.length).toBeGreaterThan(10);
    expect(unlisted([...seen, ...written], '### Values of `meta`')).toEqual([]);
  });

  it('has commands that accept a sound session and tell a changed one', () => {
    const script = /```sh\n([^]*?)```/.exec(section(FORMAT, '## Checking it without this program') ?? '')?.[1] ?? '';
    const sound = dirs.at(-1) ?? '';
    const check = (dir: string): string[] => spawnSync('sh', ['-e', '-c', script], { cwd: dir, encoding: 'utf8' }).stdout.trim().split('\n');
    expect(check(sound)).toEqual(['manifest: ok', 'segment of revision 3: ok', 'payload: ok']);
    const changed = join(scratch, 'changed');
    cpSync(sound, changed, { recursive: true });
    for (const name of ['manifest.json', 'timeline.jsonl', 'HANDOFF.llm.json']) {
      const file = join(changed, name);
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('fix that', 'fix thus').replace('"turn_count": ', '"turn_count": 1'));
    }
    expect(check(changed)).toEqual(['manifest: differs', 'segment of revision 3: differs', 'payload: differs']);
  });
});

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? sources(path) : [readFileSync(path, 'utf8')];
  });
}
