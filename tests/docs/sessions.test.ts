/** The sample store in examples/, and the page that is made of it. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureSamples } from '../../scripts/sample-store.ts';
import { sessionsPage } from '../../scripts/sessions-page.ts';
import { checkedAll } from '../helpers/build.ts';
import { read } from '../helpers/markdown.ts';
import { freshFolder, REPOSITORY } from '../helpers/run.ts';

const STORE = join(REPOSITORY, 'examples/store');
const files = (root: string): string[] => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/')).sort();
const scratch = freshFolder('handoff-samples-');
const again = join(scratch, 'again');
const copy = join(scratch, 'copy');

beforeAll(() => {
  cpSync(STORE, copy, { recursive: true });
  mkdirSync(again);
  captureSamples(again);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('examples/store', () => {
  it('verifies, every session, without a note', () => {
    const checked = checkedAll(copy);
    expect(checked.length).toBeGreaterThan(3);
    expect(checked.flatMap(({ session, findings }) => findings.map(({ text }) => `${session}: ${text}`))).toEqual([]);
  });

  it('is what the program makes of the transcripts of examples/ today (else: npm run samples)', () => {
    const timelines = files(STORE).filter((name) => name.endsWith('timeline.jsonl'));
    for (const name of timelines) expect(readFileSync(join(again, name), 'utf8'), name).toBe(readFileSync(join(STORE, name), 'utf8'));
    // What differs is when it was captured, and the hashes of what says so.
    const timeless = (text: string): string => text.replace(/^\*\*Updated:\*\* \S+/m, '').replace(/[0-9a-f]{64}/g, '');
    for (const name of files(STORE).filter((one) => one.endsWith('HANDOFF.md'))) expect(timeless(readFileSync(join(again, name), 'utf8')), name).toBe(timeless(readFileSync(join(STORE, name), 'utf8')));
  });

  it('holds no path of the machine that made it', () => {
    const paths = files(STORE).filter((name) => name.endsWith('.json')).flatMap((name) => [...readFileSync(join(STORE, name), 'utf8').matchAll(/"(?:path|sources|source_paths)": (?:\[\s*)?"([^"]*)"/g)].map(([, path]) => path));
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => path !== '-' && path?.startsWith('/srv/work/') !== true && !/^(?:test|src)\//.test(path ?? ''))).toEqual([]);
  });
});

describe('docs/SESSIONS.md', () => {
  it('is what the sample store gives (else: npm run docs)', () => {
    expect(read('docs/SESSIONS.md')).toBe(sessionsPage());
  });
});
