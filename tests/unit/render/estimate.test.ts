/** The estimate of tokens against counts of two public tokenizers, as docs/FORMAT.md states its error. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/render/brief.mts';
import { read, section } from '../../helpers/markdown.ts';
import { REPOSITORY } from '../../helpers/run.ts';

const folder = join(REPOSITORY, 'tests/fixtures/tokens');
const counts = JSON.parse(readFileSync(join(folder, 'counts.json'), 'utf8')) as Record<string, Record<string, number>>;
/** How far off it is, in percent of what a tokenizer counts: below 0 where it says too few. */
const errors = (ending: string): number[] => Object.entries(counts).filter(([name]) => name.endsWith(ending)).flatMap(([name, tokens]) => {
  const estimated = estimateTokens(readFileSync(join(folder, name), 'utf8'));
  return Object.values(tokens).map((counted) => Math.round((estimated / counted - 1) * 100));
});
/** `from -14 % to 19 %` in the sentence that begins with `about`. */
const stated = (about: string): number[] => {
  const text = (section(read('docs/FORMAT.md'), '## HANDOFF.md') ?? '').replace(/\s+/g, ' ');
  const [, from, to] = new RegExp(`${about}[^.]*? from (-?\\d+) % to (-?\\d+) %`).exec(text) ?? [];
  return [Number(from), Number(to)];
};

describe('the estimate of tokens', () => {
  it.each([['briefs', '.md', 'On briefs'], ['prose', '.txt', 'On prose']])('is as far off on %s as its document says', (_name, ending, about) => {
    const found = errors(ending);
    expect(found.length).toBeGreaterThan(7);
    expect([Math.min(...found), Math.max(...found)]).toEqual(stated(about));
  });

  it('says too few on the one brief in seven that is made of long ids only', () => {
    expect(Object.keys(counts).filter((name) => name.endsWith('.md') && estimateTokens(readFileSync(join(folder, name), 'utf8')) < Math.min(...Object.values(counts[name] ?? {})))).toEqual(['least.md']);
  });
});
