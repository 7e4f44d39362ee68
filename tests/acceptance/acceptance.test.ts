/** Every promise, kept: the rows of promises.ts, run against the built program. Scenes run beside each other, rows in order. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder, start } from '../helpers/run.ts';
import { SCENES, type Row } from './promises.ts';

/** What is not as the row says, in words; nothing where all of it is. */
async function broken({ promise, command, exit, out, err, input = '', before }: Row, folder: string, home: string): Promise<string[]> {
  before?.(folder);
  const [entry = '', ...words] = command.split(' ').map((word) => word.replaceAll('␣', ' '));
  const { status, stdout, stderr } = await start(entry, words, { cwd: folder, home, env: { TMPDIR: folder, AGENT_HANDOFF_STATE_DIR: join(folder, 'state') }, input }).done;
  const unlike = (printed: string, expected: RegExp | '' | undefined): boolean => (expected === '' ? printed !== '' : expected?.test(printed) === false);
  const wrong = [status === exit ? '' : `exit ${status}`, unlike(stdout, out) ? `stdout is not ${String(out)}` : '', unlike(stderr, err) ? `stderr is not ${String(err)}` : ''].filter((one) => one !== '');
  return wrong.length === 0 ? [] : [`${promise}: ${command}: ${wrong.join(', ')}\n${stdout}${stderr}`];
}

it.concurrent.each(SCENES)('$name', async ({ rows }) => {
  const folder = freshFolder('handoff-promises-');
  const home = join(folder, 'home');
  mkdirSync(home);
  try {
    const found: string[] = [];
    for (const row of rows) found.push(...await broken(row, folder, home));
    expect(found).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
