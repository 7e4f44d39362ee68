/** The shell blocks that are marked as runnable, run as they stand: in an empty home, against the built program. */
import { describe, expect, it } from 'vitest';
import { blocksOf, commandsOf, runBlocks } from '../../scripts/docs/blocks.ts';
import { makeSandbox } from '../../scripts/docs/sandbox.ts';
import { documents, read } from '../helpers/markdown.ts';

const shell = process.platform !== 'win32';
const marked = documents().filter((document) => document !== 'README.md' && blocksOf(read(document)).some(({ mark }) => mark?.kind === 'runnable'));

describe('a block marked as runnable', () => {
  it('stands in the pages that lead by the hand', () => {
    expect(marked).toEqual(expect.arrayContaining(['docs/INTEGRATION.md', 'docs/TROUBLESHOOTING.md', 'docs/index.md']));
  });

  it.runIf(shell).each(marked)('ends as it says, in %s', (document) => {
    const sandbox = makeSandbox({ commands: true });
    try {
      const ran = runBlocks(blocksOf(read(document)), sandbox.project, sandbox.env);
      expect(ran.flatMap(({ block, wrong }) => wrong.map((one) => `line ${block.line}: ${one}`))).toEqual([]);
    } finally {
      sandbox.remove();
    }
  });
});

describe('the runner of blocks', () => {
  const page = (mark: string, body: string): string => `text\n\n<!-- ${mark} -->\n\`\`\`sh\n${body}\n\`\`\`\n`;
  const wrong = (text: string): string[] => runBlocks(blocksOf(text), '/', { PATH: '/usr/bin:/bin' }).flatMap((ran) => ran.wrong.map((one) => one.split('\n')[0] ?? ''));

  it.runIf(shell)('tells every command that ends otherwise than it should', () => {
    expect(wrong(page('runnable', 'false\ntrue'))).toEqual(['false: exit 1, not 0']);
    expect(wrong(page('runnable: exit 1', 'true\nfalse'))).toEqual([]);
    expect(wrong(page('runnable: exit 1', 'false\ntrue'))).toEqual(['false: exit 1, not 0', 'true: exit 0, not 1']);
    expect(wrong(page('runnable', 'cat <<END\nfalse\nEND'))).toEqual([]);
    expect(wrong(`${page('runnable', 'one=1')}${page('runnable', 'test "$one" = 1')}`)).toEqual([]);
  });

  it('keeps a here-document and a continued line together', () => {
    expect(commandsOf("a\n\ncat <<'END'\nb\nEND\nc \\\n  d\n# e\nf")).toEqual(['a', "cat <<'END'\nb\nEND", 'c \\\n  d', 'f']);
  });

  it('does not pass over a mark that is written wrongly', () => {
    expect(() => blocksOf(page('runnable exit 1', 'true'))).toThrow('not a mark');
    expect(() => blocksOf('```sh\ntrue\n')).toThrow('never closed');
  });
});
