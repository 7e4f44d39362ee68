// The main job on the transcript in examples/: capture it, verify it, say where the brief is. The store is a new folder
// under the system's own for temporary files, so neither the checkout nor a store of the user's is touched.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));
const engine = join(repository, 'tools', 'handoff.mjs');
const transcript = join('examples', 'transcript.jsonl');

/** Shows a command of the engine and runs it; gives its exit status. */
function handoff(root, ...words) {
  console.log(`\n$ handoff ${words.join(' ')}`);
  const { status, error } = spawnSync(process.execPath, [engine, ...words], {
    cwd: repository,
    env: { ...process.env, HANDOFFS_ROOT: root },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined) console.error(`demo: ${error.message}`);
  return status ?? 1;
}

function main() {
  if (!existsSync(engine)) {
    console.error('demo: tools/ is not built; run "npm ci" first');
    return 1;
  }
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agents-handoff-demo-')));
  for (const words of [['build', transcript], ['verify', '--all'], ['list']]) {
    const status = handoff(root, ...words);
    if (status !== 0) return status;
  }
  const [{ project, id }] = JSON.parse(readFileSync(join(root, 'INDEX.json'), 'utf8'));
  console.log(`\nThe brief: ${join(root, 'projects', project, id, 'HANDOFF.md')}`);
  console.log(`The whole store is ${root}; remove it when you have seen enough.`);
  return 0;
}

process.exitCode = main();
